package installer

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"testing/synctest"

	"golang.org/x/sync/semaphore"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/internal/notify"
	"github.com/purveyor-dev/purveyor/sources"
)

// Whoever hashes a directory waits for a turn at the processors, as those do who unpack.
func TestHashingTakesTurns(t *testing.T) {
	t.Parallel()
	p, v := sources.MustParseProvider("acme/alpha"), sources.MustParseVersion("1.0.0")
	on, base := sources.Platform{OS: runtime.GOOS, Arch: runtime.GOARCH}, t.TempDir()
	at := newEntry(base, p, v, on)
	program := filepath.Join(at.path, executableName(p))
	if err := errors.Join(os.MkdirAll(at.path, 0o755), os.WriteFile(program, []byte("program"), 0o755)); err != nil {
		t.Fatal(err)
	}
	tree, err := hashing.Dir(t.Context(), at.path)
	if err != nil {
		t.Fatal(err)
	}
	have := &stored{dir: at.path, proof: contentsOnly(tree)}
	claims := func(context.Context) (hashing.Claims, error) {
		return hashing.Claims{Package: []hashing.Claim{{Hash: tree, Authority: hashing.Reported}}}, nil
	}
	for name, do := range map[string]func(context.Context, *job) error{
		"inspect":    func(ctx context.Context, j *job) error { _, err := j.inspect(ctx, at, have.proof); return err },
		"verifyCopy": func(ctx context.Context, j *job) error { return j.verifyCopy(ctx, have, at.path) },
		"prove":      func(ctx context.Context, j *job) error { _, err := j.prove(ctx, at.path); return err },
		"adopt": func(ctx context.Context, j *job) error {
			_, err := j.adopt(ctx, &sources.Package{Content: sources.Content{Dir: at.path}, Claims: claims})
			return err
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			turns := semaphore.NewWeighted(1)
			turns.TryAcquire(1)
			r := &run{in: &settings{Installer{Dir: base}}, unpacks: turns, queries: semaphore.NewWeighted(1)}
			r.notifier = &notify.Notifier[Event]{}
			j := &job{run: r, selection: &Selection{Provider: p, Version: v}, on: on, locked: []hashing.Hash{tree}}
			done := false
			go func() {
				if err := do(t.Context(), j); err != nil {
					t.Errorf("%s: %v", name, err)
				}
				done = true
			}()
			synctest.Wait()
			if done {
				t.Errorf("%s takes no turn", name)
			}
			turns.Release(1)
			synctest.Wait()
			if !done || !turns.TryAcquire(1) {
				t.Errorf("%s: done is %v, and it keeps its turn", name, done)
			}
		})
	}
}
