package netmirror

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/internal/web"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/internal/remote"
)

// versionDocument is VERSION.json.
type versionDocument struct {
	Archives map[string]*archiveMember `json:"archives"`
}

type archiveMember struct {
	URL    string   `json:"url"`
	Hashes []string `json:"hashes"`
}

// Package implements [sources.Source].
func (s *Source) Package(ctx context.Context, p sources.Provider, v sources.Version, on sources.Platform) (*sources.Package, error) {
	pkg, err := s.describe(ctx, p, v, on)
	if err != nil {
		return nil, &sources.Error{Op: "describe package", Source: s.String(), Provider: p, Version: v, Platform: on, Err: err}
	}
	return pkg, nil
}

func (s *Source) describe(ctx context.Context, p sources.Provider, v sources.Version, on sources.Platform) (*sources.Package, error) {
	doc, err := s.versionDocument(ctx, p, v)
	if err != nil {
		return nil, err
	}
	var answer versionDocument
	if err := remote.Decode(doc, &answer); err != nil {
		return nil, err
	}
	member, ok := answer.Archives[on.String()]
	if !ok {
		return nil, &sources.PlatformError{Platform: on, Available: platforms(answer)}
	}
	pkg := &sources.Package{Provider: p, Version: v, Platform: on}
	if err := s.complete(pkg, doc.URL, member, answer); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", sources.ErrMalformed, web.Redact(doc.URL), err)
	}
	return pkg, nil
}

// versionDocument asks for a version, in the mirror's own spelling.
func (s *Source) versionDocument(ctx context.Context, p sources.Provider, v sources.Version) (*web.Document, error) {
	spelling := s.spellings.Of(p, v)
	doc, err := s.get(ctx, p, spelling+".json", MaxVersionDocument)
	if err != nil || doc.Status == http.StatusOK {
		return doc, err
	}
	// Absent: the index tells whether it is the version, or only its spelling.
	if _, err := s.versions(ctx, p); err != nil {
		return nil, err
	}
	if listed := s.spellings.Of(p, v); listed != spelling {
		doc, err := s.get(ctx, p, listed+".json", MaxVersionDocument)
		if err != nil || doc.Status == http.StatusOK {
			return doc, err
		}
	}
	return nil, fmt.Errorf("%w: the mirror does not have version %s", sources.ErrNotFound, v)
}

func platforms(answer versionDocument) []sources.Platform {
	var available []sources.Platform
	for name := range answer.Archives {
		if on, err := sources.ParsePlatform(name); err == nil {
			available = append(available, on)
		}
	}
	slices.SortFunc(available, sources.Platform.Compare)
	return available
}

// complete fills in what the mirror says about a package. Its errors say what is wrong with the document.
func (s *Source) complete(pkg *sources.Package, document *url.URL, member *archiveMember, answer versionDocument) error {
	if member == nil || member.URL == "" {
		return fmt.Errorf("the archive of %s has no url", pkg.Platform)
	}
	reference, err := url.Parse(member.URL)
	if err != nil {
		return fmt.Errorf("the url of %s is not a URL", pkg.Platform) // the parser's error would repeat a URL that may hold a secret
	}
	archive := document.ResolveReference(reference)
	claims, err := s.claims(pkg.Platform, member, answer)
	if err != nil {
		return err
	}
	pkg.Location = web.Redact(archive)
	pkg.Content.Archive = sources.OpenFunc(func(ctx context.Context) (io.ReadCloser, int64, error) {
		token, err := s.archiveToken(ctx, archive)
		if err != nil {
			return nil, 0, err
		}
		return s.web.Open(ctx, archive, token)
	})
	if len(claims.Package)+len(claims.Others) > 0 {
		pkg.Claims = func(ctx context.Context) (hashing.Claims, error) { return claims, ctx.Err() }
	}
	return nil
}

// archiveToken returns the credentials for an archive: none, but for the mirror's own origin and on request.
func (s *Source) archiveToken(ctx context.Context, archive *url.URL) (string, error) {
	if !s.config.UseMirrorCredentials || web.Origin(archive) != web.Origin(s.base) {
		return "", nil
	}
	return remote.Token(ctx, s.config.Credentials, archive, sources.Host{})
}

// claims translates the mirror's hashes.
func (s *Source) claims(on sources.Platform, member *archiveMember, answer versionDocument) (hashing.Claims, error) {
	var claims hashing.Claims
	var err error
	if claims.Package, err = reported(on.String(), member.Hashes); err != nil {
		return claims, err
	}
	if !s.config.TrustAllHashes {
		return claims, nil
	}
	for _, name := range slices.Sorted(maps.Keys(answer.Archives)) {
		if other := answer.Archives[name]; name != on.String() && other != nil {
			more, err := reported(name, other.Hashes)
			if err != nil {
				return claims, err
			}
			claims.Others = append(claims.Others, more...)
		}
	}
	return claims, nil
}

func reported(platform string, texts []string) ([]hashing.Claim, error) {
	var claims []hashing.Claim
	for _, text := range texts {
		hash, err := hashing.ParseHash(text)
		if err != nil {
			return nil, fmt.Errorf("the hashes of %s: %w", platform, err)
		}
		claims = append(claims, hashing.Claim{Hash: hash, Authority: hashing.Reported, Platform: platform})
	}
	return claims, nil
}
