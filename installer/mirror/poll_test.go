package mirror_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/installer/mirror"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// Whoever reads while the mirror is being built finds for each version that is listed all of its packages, and each of them
// whole and signed.
func TestReadersSeeNoHalfState(t *testing.T) {
	t.Parallel()
	f := setup(t, rockets("1.0.0", "1.1.0", "1.2.0", "1.3.0", "2.0.0", "2.1.0")...)
	f.build(plan(want("1.0.0", 0)))
	f.fault(registrytest.Fault{Kind: registrytest.KindArchive, Delay: 20 * time.Millisecond}) // there is something to see
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var wait sync.WaitGroup
	var seen sync.Map // numbers of versions that were listed
	for range 2 {
		wait.Go(func() {
			for ctx.Err() == nil {
				n, err := inspect(ctx, served(t, f.dir))
				if err != nil && ctx.Err() == nil {
					t.Error(err)
					return
				}
				seen.Store(n, true)
			}
		})
	}
	b := f.again()
	b.Parallel = 2
	if _, err := b.Build(t.Context(), plan(want("", mirror.All))); err != nil {
		t.Error(err)
	}
	stop()
	wait.Wait()
	states := 0
	seen.Range(func(any, any) bool { states++; return true })
	if states < 3 {
		t.Errorf("the readers have seen %d states only", states)
	}
}

// inspect reads all that a mirror lists, and returns how many versions that is.
func inspect(ctx context.Context, source sources.Source) (int, error) {
	listing, err := source.Versions(ctx, rocket)
	if err != nil {
		return 0, err
	}
	for _, a := range listing.Versions {
		if err := inspectVersion(ctx, source, a.Version); err != nil {
			return 0, err
		}
	}
	return len(listing.Versions), nil
}

func inspectVersion(ctx context.Context, source sources.Source, v sources.Version) error {
	for _, on := range four {
		if err := inspectPackage(ctx, source, v, on); err != nil {
			return err
		}
	}
	return nil
}

func inspectPackage(ctx context.Context, source sources.Source, v sources.Version, on sources.Platform) error {
	pkg, err := source.Package(ctx, rocket, v, on)
	if err != nil {
		return err
	}
	claims, err := pkg.Claims(ctx)
	if err != nil {
		return err
	}
	archive, _, err := pkg.Content.Archive.Open(ctx)
	if err != nil {
		return err
	}
	sum, err := hashing.Archive(ctx, archive)
	if err := errors.Join(err, closing(archive)); err != nil {
		return err
	}
	proof, err := hashing.Judge(hashing.Computed{Archive: sum}, nil, claims)
	if err == nil && proof.Authority < hashing.Signed {
		err = fmt.Errorf("%s for %s is not signed", v, on)
	}
	return err
}

func closing(c io.Closer) error { return c.Close() }
