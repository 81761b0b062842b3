package netmirror

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/internal/filelock"
	"github.com/purveyor-dev/purveyor/internal/plainfile"
	"github.com/purveyor-dev/purveyor/sources"
)

// archive opens an archive, which it brings into the store if it is not there.
func (h *Handler) archive(ctx context.Context, c parcel) (*opened, error) {
	if err := h.checkStored(ctx, c.release); err != nil {
		return nil, err
	}
	file, err := h.store.open(ctx, c)
	if err == nil {
		h.counters.archiveHits.Add(1)
		return file, nil
	}
	if !h.isMissing(ctx, c, err) {
		return nil, err
	}
	h.counters.archiveMisses.Add(1)
	if h.isSealed() {
		return nil, err
	}
	if failed := h.bring(ctx, c); failed != nil {
		return nil, unhealed(err, failed)
	}
	return h.store.open(ctx, c)
}

// isMissing reports whether the store needs an archive: it is not there, or is not what it was.
func (h *Handler) isMissing(ctx context.Context, c parcel, err error) bool {
	var damage *damageError
	if errors.As(err, &damage) {
		h.counters.damaged.Add(1)
		h.journal.failed(ctx, msgDamaged, c, err)
		return true
	}
	return errors.Is(err, errNotStored)
}

// bring waits until an archive is in the store. Only what the mirror lists is fetched.
func (h *Handler) bring(ctx context.Context, c parcel) error {
	known, err := h.describe(ctx, c.release)
	if err != nil {
		return err
	}
	hashes, ok := known.Value.Archives[c.platform]
	if !ok {
		return fmt.Errorf("%w: the source does not list the package", sources.ErrNotFound)
	}
	f, err := h.fetches.join(c, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, h.fetch(ctx, c, hashes)
	})
	if err != nil {
		return err
	}
	_, err = f.wait(ctx)
	return err
}

// fetch brings an archive into the store when no other process is about to, and says so.
func (h *Handler) fetch(ctx context.Context, c parcel, hashes []hashing.Hash) error {
	dir, path := h.store.scratch(c)
	lock, err := filelock.Lock(ctx, path, nil)
	if errors.Is(err, context.Canceled) {
		return err // the mirror is shut down while another fetches: nothing has failed
	}
	start, fetched := time.Now(), false
	if err = storeFailure(err); err == nil {
		fetched, err = h.fetchAlone(ctx, c, hashes, dir, lock)
	}
	switch {
	case err != nil:
		h.noteNotFetched(ctx, c, err)
	case fetched:
		h.counters.fetched.Add(1)
		h.journal.note(ctx, msgFetched, c, slog.Duration("duration", time.Since(start)))
	}
	return err
}

func (h *Handler) noteNotFetched(ctx context.Context, c parcel, err error) {
	h.counters.fetchFailures.Add(1)
	m := msgNotFetched
	if isStoreFailure(err) {
		m = msgNotStored
	}
	h.journal.failed(ctx, m, c, err)
}

// fetchAlone brings an archive into the store, unless another process has done so. It ends the lock.
func (h *Handler) fetchAlone(ctx context.Context, c parcel, hashes []hashing.Hash, dir string, lock *filelock.Held) (fetched bool, err error) {
	defer func() { err = errors.Join(err, storeFailure(lock.Unlock())) }()
	if err := os.RemoveAll(dir); err != nil { // what a killed process left
		return false, storeFailure(err)
	}
	if file, err := h.store.open(ctx, c); err == nil {
		return false, file.Close()
	}
	h.counters.fetching.Add(1)
	defer h.counters.fetching.Add(-1)
	return true, h.fetchInto(ctx, c, hashes, dir)
}

// fetchInto fetches an archive into a directory that is there for nothing else, and publishes it from there. The target
// verifies that the bytes which it publishes are those that were verified.
func (h *Handler) fetchInto(ctx context.Context, c parcel, hashes []hashing.Hash, dir string) (err error) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return storeFailure(err)
	}
	defer func() { err = errors.Join(err, storeFailure(os.RemoveAll(dir))) }()
	r, err := guarded(ctx, func(ctx context.Context) (sources.Release, error) {
		return h.config.Fetch(ctx, c.provider, c.version, c.platform, filepath.Join(dir, c.name()))
	})
	if err != nil {
		return failureIn(dir, err)
	}
	if err := c.checkFetched(ctx, r, hashes); err != nil {
		return failureIn(dir, err)
	}
	if _, err := h.store.target.Push(ctx, r); err != nil {
		return pushFailure(err)
	}
	h.store.learn(c, r.Archives[0].Sum)
	h.pass(ctx, c, r)
	return nil
}

// checkFetched makes sure that what was fetched is the package that was described to clients.
func (c parcel) checkFetched(ctx context.Context, r sources.Release, described []hashing.Hash) error {
	if r.Provider != c.provider || r.Version != c.version || len(r.Archives) != 1 || r.Archives[0].Platform != c.platform || r.Archives[0].Path == "" {
		return fmt.Errorf("HandlerConfig.Fetch returned something else than the archive for %s", c.platform)
	}
	if len(described) == 0 {
		return nil
	}
	file, info, err := plainfile.Open(r.Archives[0].Path)
	if err != nil {
		return err
	}
	defer file.Close()
	return satisfies(ctx, described, r.Archives[0].Sum, file, info.Size())
}

// pass publishes an archive of the store to the other mirror.
func (h *Handler) pass(ctx context.Context, c parcel, r sources.Release) {
	if h.config.Onward == nil {
		return
	}
	path, err := h.store.place(c.provider, c.name())
	if err != nil {
		return
	}
	a := r.Archives[0]
	a.Path = path
	r.Archives = []sources.Archive{a}
	_, err = h.onward.joinFromTask(c, func(ctx context.Context) (struct{}, error) {
		_, err := guarded(ctx, func(ctx context.Context) (*sources.Pushed, error) { return h.config.Onward.Push(ctx, r) })
		h.notePassed(ctx, c, err)
		return struct{}{}, err
	})
	if err != nil {
		h.notePassed(ctx, c, err)
	}
}

func (h *Handler) notePassed(ctx context.Context, c parcel, err error) {
	if err == nil {
		h.counters.onward.Add(1)
		return
	}
	h.counters.onwardFailures.Add(1)
	h.journal.failed(ctx, msgNotOnward, c, err, slog.String("target", h.config.Onward.String()))
}

// sweep removes what killed processes have left of archives that nobody is fetching now.
func (s *store) sweep() {
	entries, _ := os.ReadDir(s.private("fetch"))
	for _, entry := range entries {
		if !entry.IsDir() {
			continue
		}
		dir := s.private("fetch", entry.Name())
		lock, free, err := filelock.TryLock(dir + ".lock")
		if err != nil || !free {
			continue
		}
		_ = os.RemoveAll(dir) // whoever fetches the archive next tries again
		_ = lock.Unlock()
	}
}
