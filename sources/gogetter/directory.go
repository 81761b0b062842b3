package gogetter

import (
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/fsmirror"
)

// directory is a mirror in a directory of this machine.
type directory struct {
	*fsmirror.Source
	root string
}

var _ mirror = directory{}

func (d directory) versions(ctx context.Context, p sources.Provider) (sources.Listing, error) {
	listing, err := d.Versions(ctx, p)
	return listing, bare(err)
}

func (d directory) describe(ctx context.Context, p sources.Provider, v sources.Version, on sources.Platform) (*sources.Package, error) {
	pkg, err := d.Package(ctx, p, v, on)
	return pkg, bare(err)
}

// bare takes off what says which source was asked for what.
func bare(err error) error {
	var asked *sources.Error
	if errors.As(err, &asked) {
		return asked.Err
	}
	return err
}

// path returns the directory of a file address.
func (a *address) path() string {
	p := a.url.Path
	if runtime.GOOS == "windows" && len(p) > 2 && p[0] == '/' && p[2] == ':' {
		p = strings.TrimPrefix(p, "/") // file:///C:/mirror
	}
	return filepath.Join(filepath.FromSlash(p), filepath.FromSlash(a.dir))
}
