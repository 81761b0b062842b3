package mirrorjson

import (
	"context"
	"fmt"
	"net/url"

	"golang.org/x/sync/errgroup"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources/internal/signed"
)

// Parts returns what the member refers to: the checksums, the signature, and the keys.
func (s *Statement) Parts() []string {
	return append([]string{s.Sums, s.Signature}, s.Keys...)
}

// FetchStatement fetches the parts of a statement side by side, in the order of [Statement.Parts], each up to a limit in
// bytes.
func FetchStatement(ctx context.Context, parts []*url.URL, fetch func(ctx context.Context, part *url.URL, limit int64) ([]byte, error)) (*hashing.Statement, error) {
	bodies := make([][]byte, len(parts))
	group, ctx := errgroup.WithContext(ctx)
	for i, part := range parts {
		group.Go(func() (err error) {
			bodies[i], err = fetch(ctx, part, limitOf(i))
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, fmt.Errorf("cannot fetch the origin's signed checksums: %w", err)
	}
	statement := &hashing.Statement{Sums: bodies[0], Signature: bodies[1]}
	for _, key := range bodies[2:] {
		statement.Keys = append(statement.Keys, string(key))
	}
	return statement, nil
}

// limitOf returns the size of the largest accepted part of a statement.
func limitOf(i int) int64 {
	switch i {
	case 0:
		return signed.MaxSums
	case 1:
		return signed.MaxSignature
	}
	return signed.MaxKey
}
