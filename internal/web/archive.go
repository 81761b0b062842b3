package web

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/url"
	"sync/atomic"
)

// Archive is a large file to read.
type Archive struct {
	URL   *url.URL
	Token string // bearer token, sent to the URL's own origin only; empty: none

	// Immutable says that the URL can only ever lead to the same bytes, for example because it contains their digest.
	// Reading then goes on after a break without the server vouching for it.
	Immutable bool
}

// Open opens a large file for reading once from its beginning. It returns its size, -1 when the server does not say.
// A connection that breaks or stalls is replaced, and reading goes on at the byte where it broke, if the server
// vouches with a strong validator that the bytes are still the same; otherwise the read fails with [ErrChanged].
// https://www.rfc-editor.org/rfc/rfc9110#name-range-requests
//
// The result is a [Ranger] if the server offers ranges of a file whose size and validator it tells.
func (c *Client) Open(ctx context.Context, archive Archive) (io.ReadCloser, int64, error) {
	b := &body{client: c, ctx: ctx, archive: archive, url: archive.URL, size: -1, end: -1, broken: new(atomic.Int32)}
	if err := b.open(); err != nil {
		return nil, 0, err
	}
	switch {
	case b.encoding == "gzip":
		return &gzipBody{body: b}, -1, nil
	case b.hasParts():
		return &ranger{body: b, first: *b}, b.size, nil
	}
	return b, b.size, nil
}

// Ranger is a file of which other parts can be read at the same time.
type Ranger interface {
	// OpenRange opens length bytes from offset on, of the very file that is open: if the server has another one by now,
	// it fails with [ErrChanged]. The context governs the reading. It is safe for concurrent use, also after the file
	// was closed.
	OpenRange(ctx context.Context, offset, length int64) (io.ReadCloser, error)
}

// ranger is a body that has other parts.
type ranger struct {
	*body
	first body // as it was after the first answer
}

// OpenRange implements [Ranger]. It asks where the first answer came from, which saves redirects, unless that place
// does not answer any more, as the signed URLs of object stores.
func (r *ranger) OpenRange(ctx context.Context, offset, length int64) (io.ReadCloser, error) {
	if offset < 0 || length <= 0 || offset+length > r.first.size {
		return nil, fmt.Errorf("there are no %d bytes at %d in a file of %d", length, offset, r.first.size)
	}
	part := &body{
		client: r.first.client, ctx: ctx, archive: r.first.archive, url: r.first.located,
		size: r.first.size, validator: r.first.validator, partial: true, offset: offset, end: offset + length,
		broken: r.first.broken,
	}
	if !r.first.authorized {
		part.archive.Token = "" // redirects left it behind, also if they led back to its origin
	}
	err := part.open()
	if isGone(err) && part.url.String() != r.first.archive.URL.String() {
		part.url, part.archive = r.first.archive.URL, r.first.archive
		err = part.open()
	}
	if err != nil {
		return nil, err
	}
	return part, nil
}

// gzipBody undoes a content coding that nobody asked for.
type gzipBody struct {
	*body
	gzip *gzip.Reader
}

// Read implements io.Reader.
func (g *gzipBody) Read(p []byte) (int, error) {
	if g.gzip == nil {
		var err error
		if g.gzip, err = gzip.NewReader(g.body); err != nil {
			return 0, err
		}
	}
	return g.gzip.Read(p)
}

var _ Ranger = (*ranger)(nil)
