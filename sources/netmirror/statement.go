package netmirror

import (
	"context"
	"errors"
	"net/url"

	"github.com/purveyor-dev/purveyor/internal/web"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/internal/remote"
)

// resolve returns the place that a document refers to.
func resolve(document *url.URL, reference string) (*url.URL, error) {
	r, err := url.Parse(reference)
	if err != nil {
		return nil, errors.New("is not a URL") // the parser's error would repeat it, and it may hold a secret
	}
	return document.ResolveReference(r), nil
}

// fetchPart fetches a part of a statement.
func (s *Source) fetchPart(ctx context.Context, part *url.URL, limit int64) ([]byte, error) {
	token, err := s.ownToken(ctx, part)
	if err != nil {
		return nil, err
	}
	doc, err := s.web.Get(ctx, web.Get{URL: part, Token: token, Limit: limit})
	if err != nil {
		return nil, err
	}
	return doc.Body, nil
}

// ownToken returns the credentials for the mirror's own origin, and none for others.
func (s *Source) ownToken(ctx context.Context, u *url.URL) (string, error) {
	if web.Origin(u) != web.Origin(s.base) {
		return "", nil
	}
	return remote.Token(ctx, s.config.Credentials, u, sources.Host{})
}
