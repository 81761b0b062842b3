package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/purveyor-dev/purveyor/cliconfig"
	"github.com/purveyor-dev/purveyor/sources"
)

// drop is a directory into which somebody's build drops archives: terraform-provider-TYPE_VERSION_OS_ARCH.zip.
type drop struct{ dir string }

// String names the source for people.
func (d drop) String() string { return "drop directory " + d.dir }

// Versions lists what the directory has of a provider.
func (d drop) Versions(ctx context.Context, p sources.Provider) (sources.Listing, error) {
	files, err := os.ReadDir(d.dir)
	var listing sources.Listing
	for _, file := range files {
		rest, ours := strings.CutPrefix(file.Name(), "terraform-provider-"+p.Type()+"_")
		version, err := sources.ParseVersion(strings.SplitN(rest, "_", 2)[0])
		known := func(a sources.Available) bool { return a.Version == version }
		if ours && err == nil && !slices.ContainsFunc(listing.Versions, known) {
			listing.Versions = append(listing.Versions, sources.Available{Version: version})
		}
	}
	if err == nil && len(listing.Versions) == 0 {
		err = sources.ErrNotFound
	}
	if err = cmp.Or(ctx.Err(), err); err != nil {
		return listing, &sources.Error{Op: "list versions", Source: d.String(), Provider: p, Err: err}
	}
	return listing, nil
}

// Package describes one package. Nothing is read yet; Open is called when the package is really needed.
func (d drop) Package(ctx context.Context, p sources.Provider, v sources.Version, on sources.Platform) (*sources.Package, error) {
	path := filepath.Join(d.dir, sources.ArchiveName(p, v, on))
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = sources.ErrNotFound // the next source is asked; with any other error, nobody is
	}
	if err = cmp.Or(ctx.Err(), err); err != nil {
		return nil, &sources.Error{Op: "describe package", Source: d.String(), Provider: p, Version: v, Platform: on, Err: err}
	}
	open := func(ctx context.Context) (io.ReadCloser, int64, error) {
		file, err := os.Open(path)
		return reader{file, ctx}, info.Size(), cmp.Or(ctx.Err(), err)
	}
	return &sources.Package{Provider: p, Version: v, Platform: on, Location: path, Content: sources.Content{Archive: sources.OpenFunc(open)}}, nil
}

type reader struct {
	io.ReadCloser
	ctx context.Context // that it ends with
}

func (r reader) Read(p []byte) (int, error) {
	n, err := r.ReadCloser.Read(p)
	return n, cmp.Or(r.ctx.Err(), err)
}

// dropDirectory is the block for it in provider_installation: drop_directory { path = "…" }.
var dropDirectory = cliconfig.MethodType{
	Name:   "drop_directory",
	Decode: func(b *cliconfig.Block) cliconfig.Location { return drop{b.RequiredString("path")} },
	Build: func(l cliconfig.Location, _ *cliconfig.Config, _ cliconfig.SourceOptions) (sources.Source, error) {
		return l.(drop), nil
	},
}
