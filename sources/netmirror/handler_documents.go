package netmirror

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/internal/mirrorjson"
	"github.com/purveyor-dev/purveyor/sources/internal/signed"
)

// document is what the mirror says.
type document struct {
	body  []byte
	stale bool
	asked time.Time // when the source said so; zero: the store says so
}

// errTooYoung says that a version has to wait.
var errTooYoung = fmt.Errorf("%w: the version has not been known for long enough", sources.ErrNotFound)

// checkAge says whether a version may be served.
func (h *Handler) checkAge(c catalogue, v sources.Version) error {
	seen := c[v].Seen
	if h.config.MinAge == 0 || seen.IsZero() || time.Since(seen) >= h.config.MinAge {
		return nil
	}
	return errTooYoung
}

// checkStored says whether a version that is in the store may be served.
func (h *Handler) checkStored(ctx context.Context, r release) error {
	return h.checkAge(h.ages(ctx, r.provider, r.version), r.version)
}

// ages returns a catalogue that says when these versions were new. Another process may have put them into the store, and
// know that.
func (h *Handler) ages(ctx context.Context, p sources.Provider, stored ...sources.Version) catalogue {
	if h.config.MinAge == 0 {
		return nil
	}
	known := h.catalogues.recall(ctx, p).Value
	for _, v := range stored {
		if _, ok := known[v]; !ok {
			return h.catalogues.load(ctx, p).Value
		}
	}
	return known
}

// catalogue returns what the source says about the versions of a provider.
func (h *Handler) catalogue(ctx context.Context, p sources.Provider, fresh time.Duration) (answer[catalogue], error) {
	if h.isSealed() {
		return answer[catalogue]{}, sources.ErrNotFound
	}
	return h.catalogues.get(ctx, p, fresh)
}

// index lists the versions of the source, and those in the store.
func (h *Handler) index(ctx context.Context, p sources.Provider) (*document, error) {
	known, failure := h.catalogue(ctx, p, h.config.IndexTTL)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	stored, err := h.store.versions(p)
	if err != nil {
		return nil, err
	}
	versions := make(map[sources.Version]struct{})
	for _, v := range stored {
		versions[v] = struct{}{}
	}
	for v, edition := range known.Value {
		if failure == nil && edition.Listed {
			versions[v] = struct{}{}
		}
	}
	if len(versions) == 0 && failure != nil {
		return nil, failure
	}
	ages := h.ages(ctx, p, stored...)
	maps.DeleteFunc(versions, func(v sources.Version, _ struct{}) bool {
		return h.checkAge(known.Value, v) != nil || h.checkAge(ages, v) != nil
	})
	body, err := json.MarshalIndent(map[string]any{"versions": versions}, "", "  ")
	return h.newDocument(body, known.Asked, known.isStale() || isOutage(failure)), err
}

func isOutage(err error) bool { return err != nil && !errors.Is(err, sources.ErrNotFound) }

func (h *Handler) newDocument(body []byte, asked time.Time, stale bool) *document {
	return &document{body: body, asked: asked, stale: stale && !h.isSealed()}
}

// describe returns what the source says about the packages of a version that it lists. One that it does not list may have
// been released since it was asked for the list.
func (h *Handler) describe(ctx context.Context, r release) (answer[description], error) {
	known, err := h.catalogue(ctx, r.provider, h.config.IndexTTL)
	if err == nil && !known.Value[r.version].Listed {
		known, err = h.catalogue(ctx, r.provider, min(h.config.IndexTTL, h.config.NegativeTTL))
	}
	switch {
	case err != nil:
		return answer[description]{}, err
	case !known.Value[r.version].Listed:
		return answer[description]{}, fmt.Errorf("%w: the source does not list the version", sources.ErrNotFound)
	}
	if err := h.checkAge(known.Value, r.version); err != nil {
		return answer[description]{}, err
	}
	return h.descriptions.get(ctx, r, h.config.VersionTTL)
}

// version lists the packages of the source, and those in the store; about these the store knows better.
func (h *Handler) version(ctx context.Context, r release) (*document, error) {
	known, failure := h.describe(ctx, r)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err := h.checkStored(ctx, r); err != nil {
		return nil, err
	}
	draft, err := h.store.document(r)
	if err != nil {
		return nil, err
	}
	if draft.IsEmpty() && failure != nil {
		return nil, failure
	}
	if failure == nil {
		supplement(draft, r, known.Value)
	}
	h.addTickets(draft, r)
	return h.newDocument(draft.Bytes(), known.Asked, known.isStale() || isOutage(failure)), nil
}

// supplement adds to the store's document what the source says about packages that are not in the store; and what the origin
// has signed about all of them, if that is what is in the store. It can be newer than what is signed in the store.
func supplement(draft *mirrorjson.VersionDraft, r release, d description) {
	stored, same := make(map[sources.Platform]bool), true
	for _, on := range draft.Platforms() {
		stored[on] = true
		same = same && slices.ContainsFunc(d.Archives[on], func(hash hashing.Hash) bool {
			return slices.Contains(draft.Archive(on).Hashes, hash.String())
		})
	}
	for on, hashes := range d.Archives {
		if stored[on] {
			continue
		}
		a := mirrorjson.Archive{URL: parcel{r, on}.name(), Hashes: []string{}}
		for _, hash := range hashes {
			a.Hashes = append(a.Hashes, hash.String())
		}
		draft.SetArchive(on, a)
	}
	if same && d.Statement != nil {
		_, refers := mirrorjson.StatementFiles(r.provider, r.version, d.Statement)
		draft.SetStatement(refers)
	}
}

func (h *Handler) addTickets(draft *mirrorjson.VersionDraft, r release) {
	if h.tickets == nil {
		return
	}
	now := time.Now()
	for _, on := range draft.Platforms() {
		a := draft.Archive(on)
		a.URL += "?" + h.tickets.query(parcel{r, on}, now)
		draft.SetArchive(on, a)
	}
}

// statement returns a file of what the origin signed: from the store, or from the source, of which nothing may be in the
// store yet.
func (h *Handler) statement(ctx context.Context, r release, name string) (*document, error) {
	if err := h.checkStored(ctx, r); err != nil {
		return nil, err
	}
	data, err := h.store.read(r.provider, name, signed.MaxSums)
	if data != nil || err != nil {
		return &document{body: data}, err
	}
	known, err := h.describe(ctx, r)
	if err != nil {
		return nil, err
	}
	if known.Value.Statement != nil {
		files, _ := mirrorjson.StatementFiles(r.provider, r.version, known.Value.Statement)
		for _, file := range files {
			if file.Name == name {
				return &document{body: file.Data}, nil
			}
		}
	}
	return nil, errNotStored
}
