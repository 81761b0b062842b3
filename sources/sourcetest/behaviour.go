package sourcetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources"
)

// ended makes every call with a context that ended before.
func (t *trial) ended(ctx context.Context) error {
	ended, end := context.WithCancel(ctx)
	end()
	p := t.fixture.Packages[0]
	wrong := []error{
		named("Versions", t.gaveUp(func() error { _, err := t.source.Versions(ended, p.Provider); return err })),
		named("Package", t.gaveUp(func() error { _, err := t.describe(ended, p); return err })),
	}
	err := t.described(ctx, func(_ Package, pkg *sources.Package) error {
		return errors.Join(t.endedClaims(ended, pkg), t.endedOpen(ended, pkg))
	})
	return errors.Join(append(wrong, err)...)
}

func (t *trial) endedClaims(ended context.Context, pkg *sources.Package) error {
	if pkg.Claims == nil {
		return nil
	}
	return named("Claims", t.gaveUp(func() error { _, err := pkg.Claims(ended); return err }))
}

func (t *trial) endedOpen(ended context.Context, pkg *sources.Package) error {
	if pkg.Content.Archive == nil {
		return nil
	}
	return named("Open", t.gaveUp(func() error {
		r, _, err := pkg.Content.Archive.Open(ended)
		if err == nil {
			err = r.Close()
		}
		return err
	}))
}

// gaveUp makes a call whose context has ended.
func (t *trial) gaveUp(call func() error) error {
	returned := make(chan error, 1)
	go func() { returned <- call() }()
	timer := time.NewTimer(t.fixture.patience())
	defer timer.Stop()
	select {
	case err := <-returned:
		return isCanceled(err)
	case <-timer.C:
		return fmt.Errorf("no answer %v after the context ended", t.fixture.patience())
	}
}

func isCanceled(err error) error {
	switch {
	case err == nil:
		return errors.New("no error although the context has ended")
	case !errors.Is(err, context.Canceled):
		return fmt.Errorf("the error does not match context.Canceled: %w", err)
	case errors.Is(err, sources.ErrNotFound):
		return fmt.Errorf("the error matches ErrNotFound although nobody looked: %w", err)
	}
	return nil
}

// reading ends the context of archives that are open.
func (t *trial) reading(ctx context.Context) error {
	return t.archives(ctx, func(archive sources.Opener) error {
		ctx, end := context.WithCancel(ctx)
		defer end()
		r, _, err := archive.Open(ctx)
		if err != nil {
			return nil // broken in another way
		}
		_, err = io.ReadFull(r, make([]byte, 1))
		if err == nil {
			end()
			err = t.gaveUp(func() error { _, err := io.Copy(io.Discard, r); return err })
		}
		_ = r.Close() // its verdict is about a whole archive
		return err
	})
}

// parallel is how many callers a source gets at once.
const parallel = 8

// concurrency lets several callers ask the same, and compares their answers with those of one who is alone.
func (t *trial) concurrency(ctx context.Context) error {
	return t.each(func(p Package) error {
		want, err := t.ask(ctx, p)
		if err != nil {
			return nil // broken in another way
		}
		wrong := make([]error, parallel)
		var wait sync.WaitGroup
		for i := range parallel {
			wait.Go(func() { wrong[i] = t.compare(ctx, p, want) })
		}
		wait.Wait()
		return errors.Join(wrong...)
	})
}

// answers is all that a source says about a package.
type answers struct {
	versions []sources.Version
	computed hashing.Computed
	claims   []hashing.Claim
}

func (t *trial) compare(ctx context.Context, p Package, want answers) error {
	got, err := t.ask(ctx, p)
	switch {
	case err != nil:
		return err
	case !slices.Equal(got.versions, want.versions):
		return errors.New("another list of versions")
	case got.computed != want.computed:
		return errors.New("another content")
	case !slices.Equal(got.claims, want.claims):
		return errors.New("other claims")
	}
	return nil
}

func (t *trial) ask(ctx context.Context, p Package) (answers, error) {
	listing, err := t.source.Versions(ctx, p.Provider)
	if err != nil {
		return answers{}, err
	}
	pkg, err := t.describe(ctx, p)
	if err != nil {
		return answers{}, err
	}
	a := answers{versions: versionsOf(listing)}
	if a.computed, err = compute(ctx, pkg.Content); err != nil || pkg.Claims == nil {
		return a, err
	}
	claims, err := pkg.Claims(ctx)
	a.claims = slices.SortedFunc(slices.Values(claims.Package), func(a, b hashing.Claim) int {
		return strings.Compare(string(a.Hash), string(b.Hash))
	})
	return a, err
}

// versionsOf returns the listed versions, sorted.
func versionsOf(listing sources.Listing) []sources.Version {
	var versions []sources.Version
	for _, a := range listing.Versions {
		versions = append(versions, a.Version)
	}
	slices.SortFunc(versions, sources.Version.Compare)
	return versions
}
