package netmirror

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"time"

	"github.com/purveyor-dev/purveyor/internal/web"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/internal/mirrorjson"
	"github.com/purveyor-dev/purveyor/sources/internal/remote"
)

// The largest accepted documents, in bytes. Statements have the limits of package hashing/signature: 1 MiB of checksums
// ([hashing.MaxSumsBytes]), 64 KiB of signature (signature.MaxSignatureBytes), and 32 keys (signature.MaxKeys) of 256 KiB
// (signature.MaxKeyBytes).
const (
	MaxIndexDocument   = mirrorjson.MaxIndexDocument   // index.json: 16 MiB
	MaxVersionDocument = mirrorjson.MaxVersionDocument // VERSION.json: 4 MiB
)

// Defaults for the zero values in [Config].
const (
	DefaultRetries        = 1 // of a document
	DefaultArchiveRetries = 2 // of an archive, in a row without a new byte
)

// Config says where the mirror is and how to reach it. URL is required.
type Config struct {
	// URL is the base URL, https://mirror.example.com/providers/. Http is accepted for loopback addresses only.
	URL string

	// TrustAllHashes makes the hashes of other platforms fit for a lock file.
	TrustAllHashes bool

	// UseMirrorCredentials sends the mirror's token with archives on the mirror's own origin, too.
	UseMirrorCredentials bool

	// Client makes the requests; its timeout and redirect policy are replaced. Nil: a client of its own, which
	// obeys the HTTPS_PROXY family of environment variables like [http.DefaultTransport].
	Client *http.Client

	// UserAgent is sent with every request. Empty: "purveyor".
	UserAgent string

	// Credentials finds the token for the mirror's host. Nil: none.
	Credentials sources.Credentials

	// Retries is the number of further attempts at a document. Zero: [DefaultRetries]; negative: none.
	Retries int

	// ArchiveRetries is how many attempts in a row may bring no new byte of an archive. Zero:
	// [DefaultArchiveRetries]; negative: none.
	ArchiveRetries int

	// Timeout bounds one attempt at a document, body included. Zero: 10 s; negative: none.
	Timeout time.Duration

	// Stall is how long no byte of an archive may arrive before its connection counts as broken. Zero: 30 s;
	// negative: forever.
	Stall time.Duration

	// Backoff is the pause before the first retry; it doubles up to 30 s, with jitter. Zero: 1 s; negative: none.
	Backoff time.Duration

	// PlainHTTPInsecure allows http on other than loopback addresses.
	PlainHTTPInsecure bool
}

// Source is the source that asks one network mirror.
type Source struct {
	config    Config
	base      *url.URL
	web       *web.Client
	spellings remote.Spellings
	vouchers  mirrorjson.Vouchers
}

// URLError says that [Config.URL] cannot be the base URL of a mirror.
type URLError struct {
	URL     string // without user information and query
	Problem string
}

func (e *URLError) Error() string { return fmt.Sprintf("network mirror URL %q: %s", e.URL, e.Problem) }

// New returns a source, or a [*URLError]. It makes no request.
func New(config Config) (*Source, error) {
	client := &web.Client{
		HTTP:              config.Client,
		UserAgent:         config.UserAgent,
		DocumentRetries:   cmp.Or(config.Retries, DefaultRetries),
		ArchiveRetries:    cmp.Or(config.ArchiveRetries, DefaultArchiveRetries),
		Timeout:           config.Timeout,
		Stall:             config.Stall,
		FirstBackoff:      config.Backoff,
		PlainHTTPInsecure: config.PlainHTTPInsecure,
	}
	base, err := url.Parse(config.URL)
	if err != nil {
		return nil, &URLError{URL: "(unparsable)", Problem: "is not a URL"}
	}
	var refused *web.RefusedError
	if errors.As(client.CheckURL(base), &refused) {
		return nil, &URLError{URL: web.Redact(base), Problem: refused.Why}
	}
	s := &Source{config: config, base: base, web: client}
	s.vouchers.Resolve, s.vouchers.Fetch = resolve, s.fetchPart
	return s, nil
}

// String returns "network mirror URL".
func (s *Source) String() string { return "network mirror " + web.Redact(s.base) }

var _ sources.Source = (*Source)(nil)

// get requests one of the mirror's documents, in each spelling of the host until one is there. The answer is a
// document or, with status 404, the absence of all of them.
func (s *Source) get(ctx context.Context, p sources.Provider, name string, limit int64) (*web.Document, error) {
	var doc *web.Document
	for _, host := range mirrorjson.HostNames(p.Host()) {
		location := s.base.ResolveReference(&url.URL{Path: "./" + path.Join(host, p.Namespace(), p.Type(), name)})
		token, err := remote.Token(ctx, s.config.Credentials, location, sources.Host{})
		if err != nil {
			return nil, err
		}
		doc, err = s.web.Get(ctx, web.Get{
			URL:    location,
			Accept: "application/json",
			Token:  token,
			Limit:  limit,
			Status: []int{http.StatusNotFound},
		})
		if err != nil {
			return nil, err
		}
		if doc.Status == http.StatusOK {
			return doc, remote.CheckJSON(doc)
		}
	}
	return doc, nil
}
