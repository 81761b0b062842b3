package ocimirror

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/purveyor-dev/purveyor/internal/web"
	"github.com/purveyor-dev/purveyor/sources"
)

// The most of what refers to an index.
const (
	MaxStatements    = 8      // the origin's signed checksums of one version
	maxReferrers     = 10_000 // artifacts of all kinds, if the registry does not select
	maxReferrerPages = 100
)

// referrers lists the manifests of the statements about an index: by the referrers API, or by the tag that stands in for
// it where the registry has none, which hasAPI says. There are registries, and caches before them, that have the API and
// do not know by it what was published: where it knows nothing, the tag counts, too.
// https://github.com/opencontainers/distribution-spec/blob/v1.1.1/spec.md#listing-referrers
func (r *repository) referrers(ctx context.Context, index digest.Digest) (found []ocispec.Descriptor, hasAPI bool, err error) {
	list := &referrerList{}
	page := r.at("referrers", string(index))
	page.RawQuery = url.Values{"artifactType": {ArtifactTypeStatement}}.Encode()
	err = r.referrerPages(ctx, page, list)
	hasAPI = !errors.Is(err, errNoReferrers)
	if err == nil && len(list.found) == 0 || !hasAPI {
		err = r.taggedReferrers(ctx, index, list)
	}
	return list.found, hasAPI, err
}

// taggedReferrers adds what the tag for referrers names.
// https://github.com/opencontainers/distribution-spec/blob/v1.1.1/spec.md#referrers-tag-schema
func (r *repository) taggedReferrers(ctx context.Context, index digest.Digest, list *referrerList) error {
	m, err := r.tagged(ctx, strings.ReplaceAll(string(index), ":", "-"))
	switch {
	case err != nil || m == nil:
		return err
	case m.mediaType != ocispec.MediaTypeImageIndex:
		return &ArtifactError{m.artifact, "this is " + m.kind() + ", where there has to be a list of what refers to an artifact"}
	}
	return list.add(m)
}

// errNoReferrers says that the registry has no referrers API.
var errNoReferrers = errors.New("the registry does not tell what refers to an artifact")

// referrerPages adds what the referrers API tells, which comes in pages.
func (r *repository) referrerPages(ctx context.Context, page *url.URL, list *referrerList) error {
	pager := &pager{RoundTripper: teller{r.authorizer}}
	client := r.connection.newWeb(pager)
	for n := 0; page != nil; n++ {
		if n == maxReferrerPages {
			return fmt.Errorf("%w: what refers to %s has more than %d pages", sources.ErrTooLarge, r, maxReferrerPages)
		}
		m, err := r.referrerPage(ctx, client, page)
		switch {
		case n > 0 && errors.Is(err, errNoReferrers):
			return &ArtifactError{r.String(), "the list of what refers to an artifact lacks a page"}
		case err != nil:
			return err
		}
		if err := list.add(m); err != nil {
			return err
		}
		if page, err = r.nextPage(page, pager.next); err != nil {
			return err
		}
	}
	return nil
}

// referrerPage fetches a page. Registries without the API, and what stands before them, have many ways to say so. That
// there is no such repository is one of them: it has just shown an index in it.
func (r *repository) referrerPage(ctx context.Context, client *web.Client, page *url.URL) (*manifest, error) {
	doc, err := client.Get(ctx, web.Get{
		URL:    page,
		Accept: ocispec.MediaTypeImageIndex,
		Limit:  MaxManifest,
		Status: []int{http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented},
	})
	switch {
	case isUnsupported(err), err == nil && doc.Status != http.StatusOK:
		return nil, errNoReferrers
	case err != nil:
		return nil, err
	}
	m, err := newManifest(r.String()+"/referrers", doc)
	if doc.MediaType != ocispec.MediaTypeImageIndex && m.header.MediaType != ocispec.MediaTypeImageIndex {
		return nil, errNoReferrers
	}
	return m, err
}

// referrerList is a bounded list of statements.
type referrerList struct {
	found []ocispec.Descriptor
	seen  int
}

// add adds the statements among the entries of an index. It looks at one entry at a time: within few bytes there could
// be very many.
func (l *referrerList) add(m *manifest) error {
	var document struct {
		Manifests json.RawMessage `json:"manifests"`
	}
	if err := m.decode(&document); err != nil {
		return err
	}
	problem := eachElement(document.Manifests, func(entry ocispec.Descriptor) error {
		if l.seen++; l.seen > maxReferrers {
			return fmt.Errorf("%w: more than %d artifacts refer to one", sources.ErrTooLarge, maxReferrers)
		}
		if entry.ArtifactType != ArtifactTypeStatement {
			return nil
		}
		if len(l.found) == MaxStatements {
			return fmt.Errorf("%w: more than %d statements refer to one artifact", sources.ErrTooLarge, MaxStatements)
		}
		l.found = append(l.found, entry)
		return nil
	})
	switch {
	case errors.Is(problem, sources.ErrTooLarge):
		return fmt.Errorf("%s: %w", m.artifact, problem)
	case problem != nil:
		return &ArtifactError{m.artifact, "this is not a list of what refers to an artifact: " + shown(problem.Error())}
	}
	return nil
}
