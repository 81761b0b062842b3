package direct

import (
	"context"
	"net/url"

	"golang.org/x/sync/errgroup"

	"github.com/purveyor-dev/purveyor/internal/web"
	"github.com/purveyor-dev/purveyor/sources/internal/signed"
)

// sumsKey identifies a checksum document and its signature: the packages of a version share them.
type sumsKey struct{ sums, signature string }

// sumsDocument is the content of both.
type sumsDocument struct{ sums, signature []byte }

// fetchSums fetches the checksums and their signature side by side, without credentials.
func (s *Source) fetchSums(ctx context.Context, key sumsKey) (*sumsDocument, error) {
	var doc sumsDocument
	group, ctx := errgroup.WithContext(ctx)
	fetch := func(location string, limit int64, into *[]byte) {
		if location == "" {
			return
		}
		group.Go(func() error {
			body, err := s.fetchPlain(ctx, location, limit)
			*into = body
			return err
		})
	}
	fetch(key.sums, signed.MaxSums, &doc.sums)
	fetch(key.signature, signed.MaxSignature, &doc.signature)
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return &doc, nil
}

func (s *Source) fetchPlain(ctx context.Context, location string, limit int64) ([]byte, error) {
	u, err := url.Parse(location)
	if err != nil {
		return nil, err
	}
	doc, err := s.web.Get(ctx, web.Get{URL: u, Limit: limit})
	if err != nil {
		return nil, err
	}
	return doc.Body, nil
}
