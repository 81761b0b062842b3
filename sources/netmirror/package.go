package netmirror

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/purveyor-dev/purveyor/internal/web"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/internal/mirrorjson"
	"github.com/purveyor-dev/purveyor/sources/internal/remote"
)

// Package implements [sources.Source]. The error is a [*sources.Error]. That of claims, about what was signed, is a
// *signature.Error (package hashing/signature), a [*hashing.SumsError] or a [*hashing.MismatchError].
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
	var answer mirrorjson.Version
	if err := remote.Decode(doc, &answer); err != nil {
		return nil, err
	}
	member, ok := answer.Archives[on.String()]
	if !ok {
		return nil, &sources.PlatformError{Platform: on, Available: answer.Platforms()}
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
	doc, err := s.get(ctx, p, mirrorjson.VersionName(spelling), MaxVersionDocument)
	if err != nil || doc.Status == http.StatusOK {
		return doc, err
	}
	// Absent: the index tells whether it is the version, or only its spelling.
	if _, err := s.versions(ctx, p); err != nil {
		return nil, err
	}
	if listed := s.spellings.Of(p, v); listed != spelling {
		doc, err := s.get(ctx, p, mirrorjson.VersionName(listed), MaxVersionDocument)
		if err != nil || doc.Status == http.StatusOK {
			return doc, err
		}
	}
	return nil, fmt.Errorf("%w: the mirror does not have version %s", sources.ErrNotFound, v)
}

// complete fills in what the mirror says about a package. Its errors say what is wrong with the document.
func (s *Source) complete(pkg *sources.Package, document *url.URL, member *mirrorjson.Archive, answer mirrorjson.Version) error {
	if member == nil || member.URL == "" {
		return fmt.Errorf("the archive of %s has no url", pkg.Platform)
	}
	archive, err := resolve(document, member.URL)
	if err != nil {
		return fmt.Errorf("the url of %s %w", pkg.Platform, err)
	}
	claims, err := answer.Claims(pkg.Platform, s.config.TrustAllHashes)
	if err != nil {
		return err
	}
	pkg.Location = web.Redact(archive)
	pkg.Content.Archive = sources.OpenFunc(func(ctx context.Context) (io.ReadCloser, int64, error) {
		token, err := s.archiveToken(ctx, archive)
		if err != nil {
			return nil, 0, err
		}
		return s.web.Open(ctx, web.Archive{URL: archive, Token: token})
	})
	pkg.Claims, err = s.vouchers.Claims(pkg, document, answer.Statement, claims)
	return err
}

// archiveToken returns the credentials for an archive: none, but for the mirror's own origin and on request.
func (s *Source) archiveToken(ctx context.Context, archive *url.URL) (string, error) {
	if !s.config.UseMirrorCredentials {
		return "", nil
	}
	return s.ownToken(ctx, archive)
}
