package ocimirror

import (
	"cmp"
	"net/http"
	"time"

	"github.com/purveyor-dev/purveyor/sources"
)

// Defaults for the zero values in [Config].
const (
	DefaultRetries        = 1 // of a document
	DefaultArchiveRetries = 2 // of an archive, in a row without a new byte
	DefaultTimeout        = 30 * time.Second
)

// Config says where providers are and how to reach the registries. Repository is required.
type Config struct {
	// Repository returns where the versions of a provider are: the host of a registry, perhaps with a port, and the
	// name of a repository ("registry.example.com:5000", "mirror/acme/rocket"). An error says that the provider can
	// have no repository; it ends the question. Package cliconfig has templates for it.
	Repository func(p sources.Provider) (registry, repository string, err error)

	// Name tells this mirror from others, for people: the text of the template, for example.
	Name string

	// Credentials finds what to authenticate with when a registry asks for it. Nil: nothing, everything is anonymous.
	Credentials Credentials

	// Client makes the requests; its timeout and redirect policy are replaced. Nil: a client of its own, which
	// obeys the HTTPS_PROXY family of environment variables like [http.DefaultTransport].
	Client *http.Client

	// UserAgent is sent with every request. Empty: "purveyor".
	UserAgent string

	// Retries is the number of further attempts at a document. Zero: [DefaultRetries]; negative: none.
	Retries int

	// ArchiveRetries is how many attempts in a row may bring no new byte of an archive. Zero:
	// [DefaultArchiveRetries]; negative: none.
	ArchiveRetries int

	// Timeout bounds one attempt at a document, its body and authentication included. Zero: [DefaultTimeout];
	// negative: none.
	Timeout time.Duration

	// Stall is how long no byte of an archive may arrive before its connection counts as broken. Zero: 30 s;
	// negative: forever.
	Stall time.Duration

	// Backoff is the pause before the first retry; it doubles up to 30 s, with jitter. Zero: 1 s; negative: none.
	Backoff time.Duration

	// PlainHTTP speaks http instead of https. It is accepted for loopback addresses only.
	PlainHTTP bool

	// PlainHTTPInsecure allows http, chosen by PlainHTTP or by a redirect, on other than loopback addresses. Credentials
	// are not sent there.
	PlainHTTPInsecure bool
}

func (c Config) withDefaults() (Config, error) {
	if c.Repository == nil {
		return c, &sources.FieldError{Field: "Config.Repository", Problem: "is required: where do providers have their repositories?"}
	}
	c.UserAgent = cmp.Or(c.UserAgent, "purveyor")
	c.Retries = cmp.Or(c.Retries, DefaultRetries)
	c.ArchiveRetries = cmp.Or(c.ArchiveRetries, DefaultArchiveRetries)
	c.Timeout = cmp.Or(c.Timeout, DefaultTimeout)
	return c, nil
}
