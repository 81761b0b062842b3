package sourcetest_test

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/sourcetest"
)

var (
	rocket = sources.MustParseProvider("registry.example.com/acme/rocket")
	v1     = sources.MustParseVersion("1.0.0")
	linux  = sources.Platform{OS: "linux", Arch: "amd64"}
)

// shelf is a source that keeps all rules. It has one package.
type shelf struct{}

// boxed is the package's archive.
var boxed = func() []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	f, _ := w.Create("terraform-provider-rocket_v1.0.0")
	_, _ = f.Write(bytes.Repeat([]byte("whoosh"), 10_000))
	_ = w.Close()
	return b.Bytes()
}()

// fixture says what the shelf holds.
func fixture() sourcetest.Fixture {
	return sourcetest.Fixture{
		Packages: []sourcetest.Package{{
			Provider: rocket, Version: v1, Platform: linux,
			Hashes: []hashing.Hash{hashing.ZH(sha256.Sum256(boxed))},
		}},
		Secrets: []string{"s3cret"},
	}
}

func (shelf) String() string { return "shelf" }

func (shelf) Versions(ctx context.Context, p sources.Provider) (sources.Listing, error) {
	if err := ctx.Err(); err != nil {
		return sources.Listing{}, err
	}
	if p != rocket {
		return sources.Listing{}, fmt.Errorf("shelf: %s: %w", p, sources.ErrNotFound)
	}
	return sources.Listing{Versions: []sources.Available{{Version: v1, Platforms: []sources.Platform{linux}}}}, nil
}

func (shelf) Package(ctx context.Context, p sources.Provider, v sources.Version, on sources.Platform) (*sources.Package, error) {
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case p != rocket || v != v1:
		return nil, fmt.Errorf("shelf: %s %s: %w", p, v, sources.ErrNotFound)
	case on != linux:
		return nil, fmt.Errorf("shelf: %s %s: %w", p, v, &sources.PlatformError{Platform: on, Available: []sources.Platform{linux}})
	}
	return &sources.Package{
		Provider: p, Version: v, Platform: on, Location: "shelf/rocket.zip",
		Content: sources.Content{Archive: sources.OpenFunc(open)},
		Claims:  claim,
	}, nil
}

func open(ctx context.Context) (io.ReadCloser, int64, error) {
	return io.NopCloser(reader{ctx, bytes.NewReader(boxed)}), int64(len(boxed)), ctx.Err()
}

func claim(ctx context.Context) (hashing.Claims, error) {
	return hashing.Claims{Package: []hashing.Claim{{Hash: hashing.ZH(sha256.Sum256(boxed)), Authority: hashing.Reported}}}, ctx.Err()
}

// reader stops when its context ends.
type reader struct {
	ctx context.Context // of Open, which governs the reading
	r   io.Reader
}

func (r reader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(p)
}

// broken is a shelf of which something was replaced.
type broken struct {
	shelf
	name     func() string
	versions func(context.Context, sources.Provider) (sources.Listing, error)
	pack     func(context.Context, sources.Provider, sources.Version, sources.Platform) (*sources.Package, error)
	edit     func(*sources.Package) // of the good package
}

func (b broken) String() string {
	if b.name != nil {
		return b.name()
	}
	return b.shelf.String()
}

func (b broken) Versions(ctx context.Context, p sources.Provider) (sources.Listing, error) {
	if b.versions != nil {
		return b.versions(ctx, p)
	}
	return b.shelf.Versions(ctx, p)
}

func (b broken) Package(ctx context.Context, p sources.Provider, v sources.Version, on sources.Platform) (*sources.Package, error) {
	if b.pack != nil {
		return b.pack(ctx, p, v, on)
	}
	pkg, err := b.shelf.Package(ctx, p, v, on)
	if err == nil && b.edit != nil {
		b.edit(pkg)
	}
	return pkg, err
}

var (
	_ sources.Source = shelf{}
	_ sources.Source = broken{}
)
