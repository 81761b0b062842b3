package installer

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/purveyor-dev/purveyor/sources"
)

// site is where a cache has a package, or the leftovers of an installation or a pruning.
type site struct {
	root     string
	provider sources.Provider
	version  sources.Version
	platform sources.Platform
	link     bool // a symbolic link
	leftover bool // a staging directory
}

// walk visits all sites in a cache, in no order. It goes on after errors and returns them all, but stops when the context
// ends.
func (c *Cache) walk(ctx context.Context, visit func(site) error) error {
	root, err := c.root()
	if root == "" || err != nil {
		return err
	}
	w := &walker{root: root, visit: visit}
	w.down(ctx, root)
	return errors.Join(append(w.errs, ctx.Err())...)
}

// walker goes down through HOST/NAMESPACE/TYPE/VERSION/OS_ARCH.
type walker struct {
	root  string
	visit func(site) error
	errs  []error
}

// depth is the number of names in the path of a package.
const depth = 5

func (w *walker) down(ctx context.Context, dir string, names ...string) {
	err := eachIn(ctx, dir, func(d fs.DirEntry) error {
		names := append(names[:len(names):len(names)], d.Name())
		switch {
		case len(names) == depth:
			w.look(names, d)
		case d.IsDir() && leadsOn(names):
			w.down(ctx, filepath.Join(dir, d.Name()), names...)
		}
		return nil
	})
	w.note(ctx, err)
}

// note keeps an error, unless it is that of the context or says that something is gone.
func (w *walker) note(ctx context.Context, err error) {
	if err = unlessGone(err); err != nil && ctx.Err() == nil {
		w.errs = append(w.errs, err)
	}
}

// leadsOn reports whether the path so far can be that of a package: each name is the canonical one.
func leadsOn(names []string) bool {
	switch len(names) {
	case 1:
		host, err := sources.ParseHost(names[0])
		return err == nil && host.String() == names[0]
	case 3:
		path := strings.Join(names, "/")
		p, err := sources.ParseProvider(path)
		return err == nil && p.String() == path
	case 4:
		v, err := sources.ParseVersion(names[3])
		return err == nil && v.String() == names[3]
	}
	return true
}

// look visits what has a path of the right depth, if it is a package or what is left of one.
func (w *walker) look(names []string, d fs.DirEntry) {
	on, leftover := staged(names[4])
	if !leftover {
		var err error
		if on, err = sources.ParsePlatform(names[4]); err != nil {
			return
		}
	}
	link := d.Type()&fs.ModeSymlink != 0
	if !d.IsDir() && (leftover || !link) {
		return
	}
	p, errProvider := sources.ParseProvider(strings.Join(names[:3], "/"))
	v, errVersion := sources.ParseVersion(names[3])
	err := errors.Join(errProvider, errVersion)
	if err == nil {
		err = w.visit(site{root: w.root, provider: p, version: v, platform: on, link: link, leftover: leftover})
	}
	if err = unlessGone(err); err != nil {
		w.errs = append(w.errs, err)
	}
}

// namesAtATime is how many names of a directory are in memory at a time.
const namesAtATime = 256

// eachIn calls do for everything in a directory, a batch at a time.
func eachIn(ctx context.Context, dir string, do func(fs.DirEntry) error) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close() // only read
	for {
		batch, err := f.ReadDir(namesAtATime)
		for _, d := range batch {
			if err := errors.Join(ctx.Err(), do(d)); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
