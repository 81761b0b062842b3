package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
)

// Open opens a large file for reading once from its beginning. It returns its size, -1 when the server does not say.
// A connection that breaks or stalls is replaced, and reading goes on at the byte where it broke, if the server
// vouches with a strong validator that the bytes are still the same; otherwise the read fails with [ErrChanged]. A
// token that is not empty goes to the URL's own origin only.
// https://www.rfc-editor.org/rfc/rfc9110#name-range-requests
func (c *Client) Open(ctx context.Context, u *url.URL, token string) (io.ReadCloser, int64, error) {
	b := &body{client: c, ctx: ctx, url: u, token: token, size: -1, pause: c.newBackoff()}
	for {
		err := b.connect()
		if err == nil {
			return b, b.size, nil
		}
		if err := b.awaitRetry(err); err != nil {
			return nil, 0, err
		}
	}
}

// body reads one file over as many connections as it takes.
type body struct {
	client *Client
	ctx    context.Context // of Open: it governs the reading too, as Opener prescribes
	url    *url.URL
	token  string

	offset      int64  // of the next byte
	size        int64  // -1: unknown
	validator   string // a strong ETag; empty: none
	fruitless   int    // attempts since the last new byte
	connections int    // attempts in all
	pause       backoff
	failed      error // what every further Read returns

	conn  io.ReadCloser // the current connection's body; nil: none
	stall *stallTimer
	stop  context.CancelCauseFunc // ends the current connection
	live  context.Context         // of the current connection
}

// connect asks for the file from b.offset on.
func (b *body) connect() error {
	b.connections++
	b.live, b.stop = context.WithCancelCause(b.ctx)
	b.stall = newStallTimer(cmp.Or(b.client.Stall, DefaultStall), b.stop)
	defer b.stall.stop() // from here on only reads are timed
	resp, err := b.request()
	if err != nil {
		err = failure(b.live, b.url, err)
	} else if err = b.accept(resp); err != nil {
		resp.Body.Close()
	}
	if err != nil {
		b.disconnect()
		return err
	}
	b.conn = resp.Body
	return nil
}

func (b *body) request() (*http.Response, error) {
	req, err := b.client.newRequest(b.live, b.url)
	if err != nil {
		return nil, err
	}
	// A transfer coding chosen by the transport would make offsets and sizes those of other bytes.
	req.Header.Set("Accept-Encoding", "identity")
	if b.token != "" {
		req.Header.Set("Authorization", "Bearer "+b.token)
	}
	if b.offset > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", b.offset))
		req.Header.Set("If-Range", b.validator)
	}
	return b.client.http().Do(req)
}

// accept checks that an answer has the bytes that come next.
func (b *body) accept(resp *http.Response) error {
	switch {
	case resp.StatusCode == http.StatusOK && b.offset == 0 && (b.size < 0 || b.size == resp.ContentLength):
		b.size = resp.ContentLength
		b.validator = strongETag(resp.Header)
		return nil
	case resp.StatusCode == http.StatusPartialContent && b.offset > 0:
		return b.acceptRange(resp)
	case resp.StatusCode == http.StatusOK, resp.StatusCode == http.StatusRequestedRangeNotSatisfiable:
		return &TransferError{URL: Redact(b.url), Err: ErrChanged}
	}
	drain(resp.Body)
	return statusError(resp)
}

func (b *body) acceptRange(resp *http.Response) error {
	var first, last, size int64
	n, _ := fmt.Sscanf(resp.Header.Get("Content-Range"), "bytes %d-%d/%d", &first, &last, &size)
	if n != 3 || first != b.offset || b.size >= 0 && size != b.size || strongETag(resp.Header) != b.validator {
		return &TransferError{URL: Redact(b.url), Err: ErrChanged}
	}
	b.size = size // perhaps only now known
	return nil
}

// strongETag returns the entity tag if it vouches for identical bytes.
func strongETag(h http.Header) string {
	tag := h.Get("ETag")
	if !strings.HasPrefix(tag, `"`) {
		return ""
	}
	return tag
}

// Read implements io.Reader.
func (b *body) Read(p []byte) (int, error) {
	if b.failed != nil {
		return 0, b.failed
	}
	for {
		n, err := b.readConnection(p)
		if n > 0 || err == nil || err == io.EOF {
			return n, err
		}
		if b.failed = b.reconnect(err); b.failed != nil {
			return 0, b.failed
		}
	}
}

// readConnection reads from the current connection. Bytes and an error never come together.
func (b *body) readConnection(p []byte) (int, error) {
	if err := b.ctx.Err(); err != nil {
		return 0, err // also when the rest has arrived already
	}
	b.stall.start()
	n, err := b.conn.Read(p)
	b.stall.stop()
	if n > 0 {
		b.offset += int64(n)
		b.fruitless = 0
		b.pause = b.client.newBackoff()
		return n, nil
	}
	if err == io.EOF && b.size >= 0 && b.offset < b.size {
		return 0, io.ErrUnexpectedEOF
	}
	return 0, err
}

// reconnect replaces a connection that broke with cause; nil when reading can go on.
func (b *body) reconnect(cause error) error {
	err := failure(b.live, b.url, cause)
	b.disconnect()
	for {
		if b.offset > 0 && b.validator == "" && Transient(err) {
			return &TransferError{URL: Redact(b.url), Err: fmt.Errorf("%w: %w", ErrChanged, err)}
		}
		if err := b.awaitRetry(err); err != nil {
			return err
		}
		if err = b.connect(); err == nil {
			return nil
		}
	}
}

// awaitRetry waits until it is time for one more attempt after err. Otherwise it returns the error to give up with.
func (b *body) awaitRetry(err error) error {
	b.fruitless++
	switch {
	case b.fruitless > b.client.ArchiveRetries || !Transient(err) || errors.Is(err, ErrChanged):
		return err
	case b.connections >= MaxConnections:
		return &TransferError{URL: Redact(b.url), Err: fmt.Errorf("gave up after %d connections: %w", b.connections, err)}
	}
	return b.pause.wait(b.ctx, err)
}

// disconnect ends the current connection, if there is one.
func (b *body) disconnect() {
	b.stall.stop()
	b.stop(nil)
	if b.conn != nil {
		b.conn.Close()
		b.conn = nil
	}
}

// Close implements io.Closer. All errors have been reported by Read.
func (b *body) Close() error {
	b.disconnect()
	b.failed = errClosed
	return nil
}

var errClosed = errors.New("read after close")
