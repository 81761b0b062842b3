package web

import (
	"cmp"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
)

// Get is a request for a document.
type Get struct {
	URL    *url.URL
	Accept string // media type for the Accept header; empty: none
	Token  string // bearer token, sent to the URL's own origin only; empty: none
	Limit  int64  // bytes of the body
	Status []int  // accepted besides 200: for these the body is not read
}

// Document is a small answer, whole in memory.
type Document struct {
	URL       *url.URL // the last one, after redirects: what relative references resolve against
	Status    int
	MediaType string // without parameters, lower case; empty when there is none
	Body      []byte
}

// Get fetches a document. One that was fetched before is asked for on condition that it has changed, if the server said
// how to tell.
func (c *Client) Get(ctx context.Context, get Get) (*Document, error) {
	pause := c.newBackoff()
	for attempt := 0; ; attempt++ {
		doc, err := c.getOnce(ctx, get)
		if err == nil || attempt >= c.DocumentRetries {
			return doc, err
		}
		if err := pause.wait(ctx, err); err != nil {
			return nil, err
		}
	}
}

// errTimeout is the cause of an attempt that took too long; distinct from the caller's own deadline, which ends all
// attempts.
var errTimeout = errors.New("no complete answer in time")

func (c *Client) getOnce(ctx context.Context, get Get) (*Document, error) {
	if timeout := cmp.Or(c.Timeout, DefaultTimeout); timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, timeout, errTimeout)
		defer cancel()
	}
	req, err := c.newRequest(ctx, get.URL)
	if err != nil {
		return nil, err
	}
	if get.Accept != "" {
		req.Header.Set("Accept", get.Accept)
	}
	if get.Token != "" {
		req.Header.Set("Authorization", "Bearer "+get.Token)
	}
	known := c.library.find(get.key())
	if known != nil {
		known.ask(req.Header)
	}
	resp, err := c.documents().Do(req)
	if err != nil {
		return nil, failure(ctx, get.URL, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusNotModified && known != nil {
		if known.confirmedBy(resp) {
			return known.copy(), nil
		}
		c.library.forget(get.key())
		return c.getOnce(ctx, get)
	}
	doc, err := readDocument(ctx, resp, get)
	if err == nil && doc.Status == http.StatusOK {
		c.library.keep(get.key(), doc, resp.Header)
	}
	return doc, err
}

func readDocument(ctx context.Context, resp *http.Response, get Get) (*Document, error) {
	doc := &Document{URL: resp.Request.URL, Status: resp.StatusCode}
	doc.MediaType, _, _ = mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if slices.Contains(get.Status, resp.StatusCode) {
		drain(resp.Body)
		return doc, nil
	}
	if resp.StatusCode != http.StatusOK {
		drain(resp.Body)
		return nil, statusError(resp)
	}
	if resp.ContentLength > get.Limit {
		return nil, &LimitError{URL: Redact(doc.URL), Limit: get.Limit}
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, get.Limit+1))
	if err != nil {
		return nil, failure(ctx, doc.URL, err)
	}
	if int64(len(body)) > get.Limit {
		return nil, &LimitError{URL: Redact(doc.URL), Limit: get.Limit}
	}
	doc.Body = body
	return doc, nil
}

// drain reads a little of a body that nobody wants, so that its connection can be used again.
func drain(body io.Reader) { _, _ = io.CopyN(io.Discard, body, 4<<10) }
