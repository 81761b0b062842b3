package sourcetest_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources"
)

// opening replaces how a package's archive is opened.
func opening(open func(context.Context) (io.ReadCloser, int64, error)) broken {
	return broken{edit: func(pkg *sources.Package) { pkg.Content.Archive = sources.OpenFunc(open) }}
}

// ranging opens an archive with ranges.
func ranging(part func(offset, length int64) []byte) broken {
	return opening(func(ctx context.Context) (io.ReadCloser, int64, error) {
		r, size, err := open(ctx)
		return ranged{r, part}, size, err
	})
}

type ranged struct {
	io.ReadCloser
	part func(offset, length int64) []byte
}

func (r ranged) OpenRange(_ context.Context, offset, length int64) (io.ReadCloser, error) {
	return io.NopCloser(bytes.NewReader(r.part(offset, length))), nil
}

// rangingWhileOpen opens an archive whose ranges come from the very file that is open.
func rangingWhileOpen() broken {
	return opening(func(ctx context.Context) (io.ReadCloser, int64, error) {
		r, size, err := open(ctx)
		return &sharedFile{ReadCloser: r}, size, err
	})
}

type sharedFile struct {
	io.ReadCloser
	closed atomic.Bool
}

func (s *sharedFile) Close() error {
	s.closed.Store(true)
	return s.ReadCloser.Close()
}

func (s *sharedFile) OpenRange(_ context.Context, offset, length int64) (io.ReadCloser, error) {
	if s.closed.Load() {
		return nil, errors.New("file already closed")
	}
	return io.NopCloser(bytes.NewReader(boxed[offset : offset+length])), nil
}

// failing replaces the errors of Package.
func failing(edit func(error) error) broken {
	return broken{pack: func(ctx context.Context, p sources.Provider, v sources.Version, on sources.Platform) (*sources.Package, error) {
		pkg, err := shelf{}.Package(ctx, p, v, on)
		if err != nil && ctx.Err() == nil {
			err = edit(err)
		}
		return pkg, err
	}}
}

func isPlatform(err error) bool {
	var platform *sources.PlatformError
	return errors.As(err, &platform)
}

func cmpErr(first, second error) error {
	if first != nil {
		return first
	}
	return second
}

func changing() sources.Source {
	var n atomic.Int32
	return broken{name: func() string { return fmt.Sprint("shelf ", n.Add(1)) }}
}

func listed(edit func(*sources.Listing)) sources.Source {
	return broken{versions: func(ctx context.Context, p sources.Provider) (sources.Listing, error) {
		l, err := shelf{}.Versions(ctx, p)
		if err == nil {
			edit(&l)
		}
		return l, err
	}}
}

func listFirst() sources.Source {
	var listed atomic.Bool
	return broken{
		versions: func(ctx context.Context, p sources.Provider) (sources.Listing, error) {
			listed.Store(true)
			return shelf{}.Versions(ctx, p)
		},
		pack: func(ctx context.Context, p sources.Provider, v sources.Version, on sources.Platform) (*sources.Package, error) {
			if !listed.Load() {
				return nil, fmt.Errorf("%s: %w", p, sources.ErrNotFound)
			}
			return shelf{}.Package(ctx, p, v, on)
		},
	}
}

func listsNothing() sources.Source {
	return broken{versions: func(ctx context.Context, p sources.Provider) (sources.Listing, error) {
		l, err := shelf{}.Versions(ctx, p)
		if errors.Is(err, sources.ErrNotFound) {
			return sources.Listing{}, nil
		}
		return l, err
	}}
}

func failsToDescribe() sources.Source {
	return broken{pack: func(ctx context.Context, p sources.Provider, v sources.Version, on sources.Platform) (*sources.Package, error) {
		pkg, err := shelf{}.Package(ctx, p, v, on)
		if err == nil {
			return nil, fmt.Errorf("%s: %w", p, io.ErrClosedPipe)
		}
		return pkg, err
	}}
}

func describesNothing() sources.Source {
	return broken{pack: func(ctx context.Context, p sources.Provider, v sources.Version, on sources.Platform) (*sources.Package, error) {
		_, err := shelf{}.Package(ctx, p, v, on)
		return nil, err
	}}
}

// wanted is the platform that the suite asks for in vain.
var wanted = sources.Platform{OS: "absentos", Arch: "absentarch"}

func platforms(asked sources.Platform, available ...sources.Platform) sources.Source {
	return failing(func(err error) error {
		if !isPlatform(err) {
			return err
		}
		return fmt.Errorf("%s: %w", rocket, &sources.PlatformError{Platform: asked, Available: available})
	})
}

func claiming(hash hashing.Hash, authority hashing.Authority) func(context.Context) (hashing.Claims, error) {
	return func(ctx context.Context) (hashing.Claims, error) {
		return hashing.Claims{Package: []hashing.Claim{{Hash: hash, Authority: authority}}}, ctx.Err()
	}
}

// alone is a source that fails a caller who is not alone.
func alone() sources.Source {
	var inside atomic.Int32
	return broken{versions: func(ctx context.Context, p sources.Provider) (sources.Listing, error) {
		defer inside.Add(-1)
		if inside.Add(1) > 1 {
			return sources.Listing{}, errors.New("busy")
		}
		time.Sleep(10 * time.Millisecond)
		return shelf{}.Versions(ctx, p)
	}}
}

// moody is a source that claims something more to those who ask while others do.
func moody() sources.Source {
	var inside atomic.Int32
	return broken{edit: func(p *sources.Package) {
		p.Claims = func(ctx context.Context) (hashing.Claims, error) {
			defer inside.Add(-1)
			claims, err := claim(ctx)
			if inside.Add(1) > 1 {
				claims.Package = append(claims.Package, hashing.Claim{Hash: "other:1"})
			}
			time.Sleep(20 * time.Millisecond)
			return claims, err
		}
	}}
}
