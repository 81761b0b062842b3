package ocimirror

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/purveyor-dev/purveyor/internal/web"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/internal/remote"
)

// The most of a list of tags.
const (
	MaxTags     = 100_000 // on all pages
	MaxTagPages = 1000
	MaxTagPage  = 4 << 20 // bytes
	maxLink     = 8 << 10 // bytes of the link to the next page
)

// versionOf reads a tag as a version: "1.0.0_build.5" is 1.0.0+build.5. Most tags of other purposes are none.
func versionOf(tag string) (sources.Version, error) {
	if len(tag) > maxTag || strings.Contains(tag, "+") {
		return sources.Version{}, errNoTag
	}
	return sources.ParseVersion(spellingOf(tag))
}

var errNoTag = errors.New("it has a plus sign, or more characters than a tag can have")

// spellingOf returns how the author of a tag spelled its version.
func spellingOf(tag string) string { return strings.ReplaceAll(tag, "_", "+") }

// tagOfSpelling is the inverse of spellingOf.
func tagOfSpelling(spelling string) string { return strings.ReplaceAll(spelling, "+", "_") }

// tags calls each with every tag of the repository. The error matches [sources.ErrNotFound] if there is no such
// repository.
func (r *repository) tags(ctx context.Context, each func(tag string)) error {
	pager := &pager{RoundTripper: teller{r.authorizer}}
	client := r.connection.newWeb(pager)
	seen := map[string]bool{}
	count := 0
	for next := r.at("tags", "list"); next != nil; {
		if seen[next.String()] || len(seen) == MaxTagPages {
			return r.endless()
		}
		seen[next.String()] = true
		page, err := r.tagPage(ctx, client, next)
		if err != nil {
			return err
		}
		if count += len(page.Tags); count > MaxTags {
			return r.endless()
		}
		for _, tag := range page.Tags {
			each(tag)
		}
		if next, err = r.nextPage(page.url, pager.next); err != nil {
			return err
		}
	}
	return nil
}

func (r *repository) endless() error {
	return fmt.Errorf("%w: the list of the tags of %s does not end: it has more than %d pages or %d tags, or a page twice",
		sources.ErrTooLarge, r, MaxTagPages, MaxTags)
}

// tagPage is the document of https://github.com/opencontainers/distribution-spec/blob/v1.1.1/spec.md#listing-tags.
type tagPage struct {
	Tags []string `json:"tags"`
	url  *url.URL
}

func (r *repository) tagPage(ctx context.Context, client *web.Client, u *url.URL) (*tagPage, error) {
	doc, err := client.Get(ctx, web.Get{
		URL:    u,
		Accept: "application/json",
		Limit:  MaxTagPage,
		Status: []int{http.StatusNotFound},
	})
	switch {
	case isUnknownName(err) || err == nil && doc.Status == http.StatusNotFound:
		return nil, fmt.Errorf("%w: there is no repository %s", sources.ErrNotFound, r)
	case err != nil:
		return nil, err
	}
	page := &tagPage{url: doc.URL}
	return page, remote.Decode(doc, page)
}

// nextPage resolves a link to the next page of a list, which must be at the registry as well; nil without a link.
func (r *repository) nextPage(current *url.URL, link string) (*url.URL, error) {
	if link == "" {
		return nil, nil
	}
	next, err := current.Parse(link)
	switch {
	case err != nil || len(link) > maxLink:
		return nil, &ArtifactError{Artifact: r.String(), Problem: "a list of what it has goes on at something that is not a URL"}
	case web.Origin(next) != r.authorizer.origin:
		return nil, &ArtifactError{Artifact: r.String(), Problem: "a list of what it has goes on outside of the registry"}
	}
	return next, nil
}

// pager notes where the last answer says that a list goes on. It is for one request at a time.
type pager struct {
	http.RoundTripper
	next string
}

// RoundTrip implements [http.RoundTripper].
func (p *pager) RoundTrip(req *http.Request) (*http.Response, error) {
	p.next = ""
	resp, err := p.RoundTripper.RoundTrip(req)
	if err == nil {
		p.next = nextLink(resp.Header)
	}
	return resp, err
}

var _ http.RoundTripper = (*pager)(nil)
