package direct

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/purveyor-dev/purveyor/internal/memo"
	"github.com/purveyor-dev/purveyor/internal/web"
	"github.com/purveyor-dev/purveyor/sources"
)

// The largest accepted documents, in bytes.
const (
	MaxDiscovery = 1 << 20  // service discovery document
	MaxVersions  = 32 << 20 // list of versions
	MaxPackage   = 4 << 20  // package document
	MaxSums      = 1 << 20  // SHA256SUMS document
	MaxSignature = 64 << 10 // its signature
	maxShown     = 256      // characters of a registry's text in a message
)

// Defaults for the zero values in [Config].
const (
	DefaultRetries        = 1 // of a document
	DefaultArchiveRetries = 2 // of an archive, in a row without a new byte
)

// Config says how to reach registries. The zero value is ready for use.
type Config struct {
	// Client makes the requests; its timeout and redirect policy are replaced. Nil: a client of its own, which
	// obeys the HTTPS_PROXY family of environment variables like [http.DefaultTransport].
	Client *http.Client

	// UserAgent is sent with every request. Empty: "purveyor".
	UserAgent string

	// Credentials finds tokens for hosts. Nil: none.
	Credentials sources.Credentials

	// Services replaces discovery for hosts, as a host block of the CLI configuration does: service identifier
	// ("providers.v1") to base URL, absolute or relative to where the host's discovery document would be.
	Services map[sources.Host]map[string]string

	// DefaultRegistry is the one host whose providers may come without signing keys. Zero: [sources.DefaultRegistry].
	// OpenTofu makes this exception for its registry; terraform makes none, not even for its own.
	DefaultRegistry sources.Host

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

	// PlainHTTPInsecure allows registries to use http on other than loopback addresses.
	PlainHTTPInsecure bool
}

// Source is the source that asks each provider's origin registry.
type Source struct {
	config    Config
	web       *web.Client
	services  memo.Map[sources.Host, *service]
	sums      memo.Map[sumsKey, *sumsDocument]
	spellings spellings
}

// New returns a source. It makes no request.
func New(config Config) *Source {
	config.DefaultRegistry = cmp.Or(config.DefaultRegistry, sources.DefaultRegistry)
	return &Source{
		config: config,
		web: &web.Client{
			HTTP:              config.Client,
			UserAgent:         config.UserAgent,
			DocumentRetries:   cmp.Or(config.Retries, DefaultRetries),
			ArchiveRetries:    cmp.Or(config.ArchiveRetries, DefaultArchiveRetries),
			Timeout:           config.Timeout,
			Stall:             config.Stall,
			FirstBackoff:      config.Backoff,
			PlainHTTPInsecure: config.PlainHTTPInsecure,
		},
	}
}

// String returns "the origin registry".
func (s *Source) String() string { return "the origin registry" }

var _ sources.Source = (*Source)(nil)

// token finds the credentials for a URL: those of its own origin, or else those of fallback if that is not zero. None
// go over plain http.
func (s *Source) token(ctx context.Context, u *url.URL, fallback sources.Host) (string, error) {
	if s.config.Credentials == nil || u.Scheme != "https" {
		return "", nil
	}
	for _, host := range []sources.Host{originHost(u), fallback} {
		if host.IsZero() {
			continue
		}
		token, err := s.config.Credentials.Token(ctx, host)
		if err != nil {
			return "", &CredentialsError{Host: host, Err: err}
		}
		if token != "" {
			return string(token), nil
		}
	}
	return "", nil
}

// originHost returns the host whose credentials an https URL may carry; zero if it has no name that can have some.
func originHost(u *url.URL) sources.Host {
	host, err := sources.HostOfURL(u)
	if err != nil {
		return sources.Host{}
	}
	return host
}

// CredentialsError says that the credentials for a host could not be determined.
type CredentialsError struct {
	Host sources.Host
	Err  error
}

func (e *CredentialsError) Error() string {
	return "cannot get credentials for " + e.Host.String() + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *CredentialsError) Unwrap() error { return e.Err }
