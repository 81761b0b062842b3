package direct

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"slices"

	"github.com/purveyor-dev/purveyor/internal/web"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/internal/remote"
)

// versionsDocument is the answer to "list available versions" of the provider registry protocol.
type versionsDocument struct {
	Versions []versionEntry `json:"versions"`
	Warnings []string       `json:"warnings"`
}

type versionEntry struct {
	Version   string   `json:"version"`
	Protocols []string `json:"protocols"`
	Platforms []struct {
		OS   string `json:"os"`
		Arch string `json:"arch"`
	} `json:"platforms"`
}

// Versions implements [sources.Source]. The error is a [*sources.Error], around a [*DiscoveryError] or a [*NoRegistryError] if
// no registry was found. Host and registry failures other than an unknown provider are errors that do not match
// [sources.ErrNotFound].
func (s *Source) Versions(ctx context.Context, p sources.Provider) (sources.Listing, error) {
	listing, err := s.versions(ctx, p)
	if err != nil {
		return sources.Listing{}, &sources.Error{Op: "list versions", Source: "registry " + p.Host().String(), Provider: p, Err: err}
	}
	return listing, nil
}

func (s *Source) versions(ctx context.Context, p sources.Provider) (sources.Listing, error) {
	registry, err := s.discover(ctx, p.Host())
	if err != nil {
		return sources.Listing{}, err
	}
	doc, err := s.ask(ctx, registry, MaxVersionsDocument, p.Namespace(), p.Type(), "versions")
	if err != nil {
		return sources.Listing{}, err
	}
	if doc.Status == http.StatusNotFound {
		return sources.Listing{}, fmt.Errorf("%w: the registry has no such provider", sources.ErrNotFound)
	}
	var answer versionsDocument
	if err := remote.Decode(doc, &answer); err != nil {
		return sources.Listing{}, err
	}
	return s.listing(p, answer), nil
}

// ask requests one endpoint of a registry's API. The answer is a document or 404.
func (s *Source) ask(ctx context.Context, registry *service, limit int64, segments ...string) (*web.Document, error) {
	// The base URL is resolved against as any reference is: without a trailing slash it loses its last segment.
	location := registry.base.ResolveReference(&url.URL{Path: path.Join(segments...)})
	var fallback sources.Host
	if registry.vouched {
		fallback = registry.host
	}
	token, err := s.token(ctx, location, fallback)
	if err != nil {
		return nil, err
	}
	return s.web.Get(ctx, web.Get{
		URL:    location,
		Accept: "application/json",
		Token:  token,
		Limit:  limit,
		Status: []int{http.StatusNotFound},
	})
}

// listing translates a registry's answer, once for each version, and remembers odd spellings.
func (s *Source) listing(p sources.Provider, answer versionsDocument) sources.Listing {
	var listing sources.Listing
	seen := make(map[sources.Version]bool, len(answer.Versions))
	for _, entry := range answer.Versions {
		v, err := sources.ParseVersion(entry.Version)
		if err != nil {
			listing.Warnings = append(listing.Warnings, fmt.Sprintf("registry %s lists %.*q for %s, which is not a version; skipped",
				p.Host(), remote.MaxShown, entry.Version, p))
			continue
		}
		if seen[v] {
			continue
		}
		seen[v] = true
		s.spellings.Note(p, v, entry.Version)
		listing.Versions = append(listing.Versions, entry.available(v))
	}
	listing.Warnings = append(remote.Warnings(answer.Warnings), remote.Bounded(listing.Warnings)...)
	return listing
}

// available keeps what of an entry can be understood; hints that cannot be count as not given.
func (e versionEntry) available(v sources.Version) sources.Available {
	a := sources.Available{Version: v}
	for _, platform := range e.Platforms {
		on, err := sources.ParsePlatform(platform.OS + "_" + platform.Arch)
		if err == nil && !slices.Contains(a.Platforms, on) {
			a.Platforms = append(a.Platforms, on)
		}
	}
	for _, text := range e.Protocols {
		if protocol, err := sources.ParseProtocol(text); err == nil {
			a.Protocols = append(a.Protocols, protocol)
		}
	}
	return a
}
