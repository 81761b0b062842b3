// Package web is the HTTP client under all sources that speak HTTP: bounded documents, archives that survive a broken
// connection, retries with back-off, and credentials that stay with the origin they are for.
//
// # What is retried
//
// Connection failures, broken or stalled bodies, 408, 429 and every 5xx except 501. Never: other statuses, a
// certificate that cannot be verified, a redirect that is refused, a host that the name system does not know, the end of
// the context. Retry-After is honoured, as seconds and as a date; a wait longer than [MaxRetryAfter] is not waited for, the
// failure is returned at once.
package web

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// Defaults of a [Client] whose fields are zero.
const (
	DefaultTimeout      = 10 * time.Second // of one attempt at a document, its body included
	DefaultStall        = 30 * time.Second // without a byte of an archive on a connection, before that counts as broken
	DefaultFirstBackoff = time.Second      // before the first retry; doubles up to MaxBackoff
	MaxBackoff          = 30 * time.Second
	MaxRetryAfter       = 2 * time.Minute
	MaxRedirects        = 10
	MaxConnections      = 256     // that break, for one archive with its parts, however much each of them brings
	MaxHeader           = 1 << 20 // bytes of an answer's header, unless a transport of the caller's says otherwise

	// MaxConnectionsPerHost bounds the connections to one host for documents, and again for archives, unless a
	// transport of the caller's says otherwise. More requests at a time wait for their turn.
	MaxConnectionsPerHost = 32
)

// idleTimeout is that of the standard transport.
const idleTimeout = 90 * time.Second

// Client makes requests. The zero value is ready; it is safe for concurrent use and must not be copied after first use.
type Client struct {
	HTTP              *http.Client  // its transport and jar are used; nil: a transport of its own
	UserAgent         string        // empty: "purveyor"
	DocumentRetries   int           // further attempts at a document; negative: none
	ArchiveRetries    int           // attempts in a row that may bring no new byte of an archive; negative: none
	Timeout           time.Duration // zero: DefaultTimeout; negative: none
	Stall             time.Duration // zero: DefaultStall; negative: none
	FirstBackoff      time.Duration // zero: DefaultFirstBackoff; negative: none
	PlainHTTPInsecure bool          // allows http to hosts that are not loopback addresses

	library library

	once        sync.Once
	forDocument *http.Client
	forArchive  *http.Client
}

// documents returns the client for documents.
func (c *Client) documents() *http.Client {
	c.once.Do(c.prepare)
	return c.forDocument
}

// archives returns the client for archives.
func (c *Client) archives() *http.Client {
	c.once.Do(c.prepare)
	return c.forArchive
}

func (c *Client) prepare() {
	var own http.Client
	if c.HTTP != nil {
		own = *c.HTTP
	}
	forDocuments, forArchives := Transports(own.Transport)
	own.Timeout = 0 // the deadlines here know documents from archives
	own.CheckRedirect = c.CheckRedirect
	documents, archives := own, own
	documents.Transport = locationChecker{forDocuments}
	archives.Transport = locationChecker{forArchives}
	c.forDocument, c.forArchive = &documents, &archives
}

// Transports returns the transports for documents and for archives that are made of a caller's; nil: of the standard
// one. [Client] uses them; they are for those who put something between, and a client on top of that.
func Transports(base http.RoundTripper) (documents, archives http.RoundTripper) {
	if base == nil {
		base = newTransport()
	}
	return base, separateConnections(base)
}

func newTransport() http.RoundTripper {
	standard, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return http.DefaultTransport // the program has replaced it, for example to observe its traffic
	}
	t := standard.Clone()
	t.MaxConnsPerHost = MaxConnectionsPerHost
	t.MaxIdleConnsPerHost = MaxConnectionsPerHost // what was opened stays open for the next request
	t.MaxResponseHeaderBytes = MaxHeader
	return t
}

// separateConnections returns a transport that gives each request a connection to itself. HTTP/2 would put all of them
// on one, where large bodies share one window and one loss stops them all. A transport that is not the standard one
// stays as it is.
func separateConnections(transport http.RoundTripper) http.RoundTripper {
	standard, ok := transport.(*http.Transport)
	if !ok {
		return transport
	}
	t := standard.Clone()
	t.Protocols = new(http.Protocols)
	t.Protocols.SetHTTP1(true)
	t.MaxConnsPerHost = cmp.Or(t.MaxConnsPerHost, MaxConnectionsPerHost)
	t.MaxIdleConnsPerHost = cmp.Or(t.MaxIdleConnsPerHost, MaxConnectionsPerHost)
	t.IdleConnTimeout = cmp.Or(t.IdleConnTimeout, idleTimeout) // nobody can close the connections of a copy
	t.TLSNextProto = nil
	if t.TLSClientConfig != nil {
		t.TLSClientConfig.NextProtos = nil // it may have been used for HTTP/2 before
	}
	return t
}

// CheckRedirect is the policy for an [http.Client]. It follows redirects with the credentials left behind for good as soon
// as the origin changes. (The standard client keeps them for other ports and for subdomains, and takes them up again on
// the way back.) The Referer header would tell the next server the query of the last one's URL.
func (c *Client) CheckRedirect(next *http.Request, via []*http.Request) error {
	last := via[len(via)-1]
	if len(via) >= MaxRedirects {
		return &RefusedError{URL: Redact(next.URL), Why: "too many redirects"}
	}
	if err := c.CheckURL(next.URL); err != nil {
		return err
	}
	if last.URL.Scheme == "https" && next.URL.Scheme != "https" && !c.PlainHTTPInsecure {
		return &RefusedError{URL: Redact(next.URL), Why: "a redirect leads from https to plain http"}
	}
	if Origin(next.URL) != Origin(last.URL) || last.Header.Get("Authorization") == "" {
		next.Header.Del("Authorization")
	}
	next.Header.Del("Referer")
	return nil
}

// locationChecker refuses redirects to what is no URL: the standard client's error would repeat it, secrets included.
type locationChecker struct{ http.RoundTripper }

// RoundTrip implements [http.RoundTripper].
func (l locationChecker) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := l.RoundTripper.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if _, err := url.Parse(resp.Header.Get("Location")); err != nil {
		resp.Body.Close()
		return nil, &RefusedError{URL: Redact(req.URL), Why: "it redirects to something that is not a URL"}
	}
	return resp, nil
}

var _ http.RoundTripper = locationChecker{}

// CheckURL refuses, with a [*RefusedError], what must not be requested at all.
func (c *Client) CheckURL(u *url.URL) error {
	switch {
	case u.Scheme != "https" && u.Scheme != "http":
		return &RefusedError{URL: Redact(u), Why: "the scheme is neither https nor http"}
	case u.Host == "":
		return &RefusedError{URL: Redact(u), Why: "the URL names no host"}
	case u.User != nil:
		return &RefusedError{URL: Redact(u), Why: "the URL contains a user name"}
	case u.Scheme == "http" && !c.PlainHTTPInsecure && !isLoopback(u.Hostname()):
		return &RefusedError{URL: Redact(u), Why: "plain http is accepted for loopback addresses only; use https"}
	}
	return nil
}

func (c *Client) newRequest(ctx context.Context, u *url.URL) (*http.Request, error) {
	if err := c.CheckURL(u); err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, &RefusedError{URL: Redact(u), Why: "the URL is not usable"}
	}
	req.Header.Set("User-Agent", cmp.Or(c.UserAgent, "purveyor"))
	return req, nil
}
