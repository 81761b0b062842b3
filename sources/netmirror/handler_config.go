package netmirror

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/purveyor-dev/purveyor/sources"
)

// Defaults for the zero values in [HandlerConfig].
const (
	DefaultIndexTTL     = 5 * time.Minute
	DefaultVersionTTL   = time.Hour
	DefaultNegativeTTL  = time.Minute
	DefaultFetchTimeout = time.Hour

	DefaultFetches   = 4   // archives at a time
	DefaultQueue     = 256 // archives
	DefaultQuestions = 16  // to the source at a time
)

// TicketLife is how long the URL of an archive is good at the most, where [HandlerConfig.Authorize] is set; it is good
// for half of that at the least.
const TicketLife = 2 * time.Hour

// FetchFunc downloads the archive of one package to path, whose directory exists, and verifies it; what it returns is about
// this one archive. Usually it is a few lines around installer.Installer.Fetch, see the example of [NewHandler]; the
// installer's policy then says what the mirror accepts. What it cannot verify must not be returned.
type FetchFunc func(ctx context.Context, p sources.Provider, v sources.Version, on sources.Platform, path string) (sources.Release, error)

// HandlerConfig says what a [Handler] serves. Store is required.
type HandlerConfig struct {
	// Source is where versions and packages come from: a registry, another mirror, or a chain, such as one of an OCI
	// mirror that a fleet shares and the registries. Nil: the mirror is sealed, and serves what is in the store.
	Source sources.Source

	// Fetch brings an archive from the source. Required with Source, useless without.
	Fetch FetchFunc

	// Store is the directory of a filesystem mirror, which is made when missing. It must belong to the mirror's user alone:
	// what is there is believed. Several processes with the same Source may share it, if the file system has locks.
	Store string

	// Onward is another mirror, to which packages are published after they came into the store. Nobody waits for that; a
	// package for which it fails is not tried again. Nil: none.
	Onward sources.Target

	// Allow are the providers that are served. Empty: all, so that the store grows by whatever somebody asks for.
	Allow []sources.Pattern

	// Deny are providers that are not served. It beats Allow.
	Deny []sources.Pattern

	// MinAge is how long ago a version must have been seen first to be served; see the package comment. Zero: it does not
	// matter.
	MinAge time.Duration

	// Authorize says who may ask for documents and, because the clients ask for archives without credentials, makes the URLs
	// of archives ones that are good for [TicketLife] only. Its error is a [*ChallengeError], or else the answer is 403. Nil:
	// everybody may ask for everything. See [BearerTokens].
	Authorize func(*http.Request) error

	// IndexTTL is how long the list of versions is served before the source is asked again. Zero: [DefaultIndexTTL];
	// negative: not at all.
	IndexTTL time.Duration

	// VersionTTL is the same for what is known about the packages of a version. Zero: [DefaultVersionTTL].
	VersionTTL time.Duration

	// NegativeTTL is how long a provider or a version counts as absent before the source is asked again. Zero:
	// [DefaultNegativeTTL]; negative: not at all.
	NegativeTTL time.Duration

	// StaleFor is how long after the source's last answer that answer is served when the source fails. Zero: for ever;
	// negative: not at all. What is in the store is served in any case.
	StaleFor time.Duration

	// FetchTimeout bounds the fetching of one archive, and the publishing of it onward. Zero: [DefaultFetchTimeout].
	FetchTimeout time.Duration

	// Fetches bounds the archives that are fetched at a time. Zero: [DefaultFetches].
	Fetches int

	// Queue bounds the archives that are fetched or wait to be; requests for more get 503. Zero: [DefaultQueue].
	Queue int

	// Questions bounds the questions to the source at a time. Sixteen times as many may wait. Zero: [DefaultQuestions].
	Questions int

	// Logger gets these messages. What the source does wrong is a warning, what the store does wrong is an error.
	//
	//	INFO   fetched                               duration
	//	WARN   cannot fetch                          error
	//	ERROR  cannot store                          error
	//	ERROR  the store is damaged                  error
	//	WARN   cannot publish onward                 target, error
	//	WARN   the source does not answer            error
	//	ERROR  cannot keep the source's answer       error
	//	ERROR  cannot read what the source answered  error
	//	WARN   request failed                        request, status, error
	//	ERROR  request failed                        request, status, error
	//
	// All have the keys provider, version and platform as well, as far as they are about one. The duration is that of
	// the fetching alone, not of what was waited for before. The request is its path, without the query. Requests that were
	// refused are not logged. Nil: no log.
	Logger *slog.Logger
}

func (c *HandlerConfig) check() error {
	switch {
	case c.Store == "":
		return &sources.FieldError{Field: "HandlerConfig.Store", Problem: "is required: where are archives kept?"}
	case c.Source != nil && c.Fetch == nil:
		return &sources.FieldError{Field: "HandlerConfig.Fetch", Problem: "is required with Source: how are archives fetched?"}
	}
	for _, bound := range []struct {
		field string
		value int64
	}{
		{"MinAge", int64(c.MinAge)}, {"FetchTimeout", int64(c.FetchTimeout)},
		{"Fetches", int64(c.Fetches)}, {"Queue", int64(c.Queue)}, {"Questions", int64(c.Questions)},
	} {
		if bound.value < 0 {
			return &sources.FieldError{Field: "HandlerConfig." + bound.field, Problem: "is negative, which makes no sense; zero is the default"}
		}
	}
	return nil
}

// complete replaces zero values by the defaults.
func (c *HandlerConfig) complete() {
	c.IndexTTL = cmp.Or(c.IndexTTL, DefaultIndexTTL)
	c.VersionTTL = cmp.Or(c.VersionTTL, DefaultVersionTTL)
	c.NegativeTTL = cmp.Or(c.NegativeTTL, DefaultNegativeTTL)
	c.FetchTimeout = cmp.Or(c.FetchTimeout, DefaultFetchTimeout)
	c.Fetches = cmp.Or(c.Fetches, DefaultFetches)
	c.Queue = cmp.Or(c.Queue, DefaultQueue)
	c.Questions = cmp.Or(c.Questions, DefaultQuestions)
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
}
