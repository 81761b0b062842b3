package netmirror

import (
	"context"
	"errors"
	"net/http"
	"os"
	"time"

	"github.com/purveyor-dev/purveyor/sources"
)

// questionTimeout bounds one question to the source, retries included.
const questionTimeout = 2 * time.Minute

// Handler serves the network mirror protocol: see the package comment. It is safe for concurrent use.
type Handler struct {
	config       HandlerConfig
	rule         sources.Rule // which providers are served
	routes       routes
	store        *store
	tickets      *tickets // nil: archives need none
	tasks        *tasks
	catalogues   *answers[sources.Provider, catalogue]
	descriptions *answers[release, description]
	fetches      *flights[parcel, struct{}]
	onward       *flights[parcel, struct{}] // to HandlerConfig.Onward
	counters     counters
	journal      journal
}

var _ http.Handler = (*Handler)(nil)

// NewHandler returns a handler, whose base URL is where it is mounted: with [http.StripPrefix], or at the root of a server.
// It asks the source nothing yet. The error is a [*sources.FieldError], or that of making the store.
func NewHandler(config HandlerConfig) (*Handler, error) {
	if err := config.check(); err != nil {
		return nil, err
	}
	config.complete()
	store, err := newStore(config.Store)
	if err != nil {
		return nil, err
	}
	h := &Handler{config: config, rule: sources.Rule{Include: config.Allow, Exclude: config.Deny}, store: store, tasks: newTasks(), journal: journal{config.Logger}}
	h.fetches = newFlights[parcel, struct{}](h.tasks, config.Fetches, config.Queue, config.FetchTimeout, outagePause)
	h.onward = newFlights[parcel, struct{}](h.tasks, config.Fetches, config.Queue, config.FetchTimeout, 0)
	h.catalogues = newAnswers(h, config.IndexTTL, h.askCatalogue, records[sources.Provider]{
		file:  func(p sources.Provider) (string, error) { return store.record(p, "versions.json") },
		about: func(p sources.Provider) parcel { return parcel{release: release{provider: p}} },
	})
	h.descriptions = newAnswers(h, config.VersionTTL, h.askDescription, records[release]{
		file: func(r release) (string, error) {
			return store.record(r.provider, "version-"+r.version.String()+".json")
		},
		about: func(r release) parcel { return parcel{release: r} },
	})
	if config.Authorize != nil {
		if h.tickets, err = newTickets(store); err != nil {
			return nil, err
		}
	}
	store.sweep()
	return h, nil
}

func newAnswers[K comparable, V any](h *Handler, fresh time.Duration, ask func(context.Context, K, answer[V]) (V, error), records records[K]) *answers[K, V] {
	c := &h.config
	return &answers[K, V]{
		ask: ask, records: records, fresh: fresh, negative: c.NegativeTTL, stale: c.StaleFor, journal: h.journal,
		flights: newFlights[K, answer[V]](h.tasks, c.Questions, 16*c.Questions, questionTimeout, 0),
		known:   make(map[K]answer[V]),
	}
}

func (h *Handler) isSealed() bool { return h.config.Source == nil }

func (h *Handler) askCatalogue(ctx context.Context, p sources.Provider, old answer[catalogue]) (catalogue, error) {
	h.counters.questions.Add(1)
	listing, err := guarded(ctx, func(ctx context.Context) (sources.Listing, error) { return h.config.Source.Versions(ctx, p) })
	if err != nil {
		return nil, h.noteFailure(err)
	}
	return old.Value.renew(listing, old.lost), nil
}

func (h *Handler) askDescription(ctx context.Context, r release, _ answer[description]) (description, error) {
	h.counters.questions.Add(1)
	edition := h.catalogues.recall(ctx, r.provider).Value[r.version]
	d, err := guarded(ctx, func(ctx context.Context) (description, error) {
		return describe(ctx, h.config.Source, r.provider, r.version, edition.Platforms)
	})
	return d, h.noteFailure(err)
}

func (h *Handler) noteFailure(err error) error {
	if err != nil && !errors.Is(err, sources.ErrNotFound) {
		h.counters.sourceFailures.Add(1)
	}
	return err
}

// Shutdown ends the work behind the requests, like [http.Server.Shutdown]: nothing is fetched any more, and what is being
// fetched, or published onward, is waited for, as long as ctx lasts; then it is given up, and the error is that of ctx. What
// is in the store is still served. It is to be called after the server has been shut down, so that nobody waits in vain.
func (h *Handler) Shutdown(ctx context.Context) error { return h.tasks.close(ctx) }

// Healthy says whether the mirror can do its work: whether its store can be written to, and whether it has been shut down.
// It does not ask the source, since a mirror is there for when that is down.
func (h *Handler) Healthy(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if h.tasks.isClosed() {
		return errClosing
	}
	probe, err := os.CreateTemp(h.store.private(), "healthy-*.tmp")
	if err != nil {
		return err
	}
	_, err = probe.Write(make([]byte, 4096)) // a full disk still makes empty files
	return errors.Join(err, probe.Close(), os.Remove(probe.Name()))
}
