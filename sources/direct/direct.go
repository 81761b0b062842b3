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
	"github.com/purveyor-dev/purveyor/sources/internal/remote"
)

// The largest accepted documents, in bytes. SHA256SUMS has the limit [hashing.MaxSumsBytes] (1 MiB); the signature over it,
// signature.MaxSignatureBytes (64 KiB) of package hashing/signature.
const (
	MaxDiscoveryDocument = 1 << 20  // service discovery
	MaxVersionsDocument  = 32 << 20 // list of versions
	MaxPackageDocument   = 4 << 20  // description of one package
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

	// UnsignedInsecure are further registries whose providers may come without signing keys. OpenTofu's own registry
	// always may, as OpenTofu has it; terraform's may not, as terraform has it.
	UnsignedInsecure []sources.Host

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
	spellings remote.Spellings
}

// New returns a source. It makes no request.
func New(config Config) *Source {
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

// token finds the credentials for a URL.
func (s *Source) token(ctx context.Context, u *url.URL, fallback sources.Host) (string, error) {
	return remote.Token(ctx, s.config.Credentials, u, fallback)
}
