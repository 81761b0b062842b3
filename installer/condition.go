package installer

import (
	"context"

	"github.com/purveyor-dev/purveyor/hashing"
)

// condition is that of what stands at an entry's place, compared with a package that was proven.
type condition int

const (
	absent condition = iota // nothing, or something that Link does not make
	intact                  // the package
	wrong                   // a damaged package, or something else
)

// inspect compares what stands at an entry's place. Only the end of the context is an error.
func (j *job) inspect(ctx context.Context, at entry, proof *hashing.Proof) (condition, error) {
	if !at.exists() || !j.accepts(at.path) {
		return absent, ctx.Err()
	}
	if _, err := findExecutable(at.path, j.selection.Provider); err != nil {
		return wrong, ctx.Err()
	}
	if tree, err := j.hashDir(ctx, at.path); err != nil || tree != proof.Computed.Tree {
		return wrong, ctx.Err()
	}
	return intact, ctx.Err()
}

// accepts reports whether what stands at path may stay: in Dir, what Link makes. What others made in the cache is theirs.
func (j *job) accepts(path string) bool {
	return path != j.entry(j.in.Dir).path || j.in.Link.accepts(path)
}

// hashDir computes the hash of a directory when there is a turn for it: that is work for a processor, like unpacking. The
// caller has none.
func (j *job) hashDir(ctx context.Context, dir string) (hashing.Hash, error) {
	if err := j.unpacks.Acquire(ctx, 1); err != nil {
		return "", err
	}
	defer j.unpacks.Release(1)
	return hashing.Dir(ctx, dir)
}

// listened reports whether anybody is told of events.
func (j *job) listened() bool { return j.in.Notify != nil || j.in.Logger != nil }

// healed reports that what stood at an entry's place was replaced, if that was wrong.
func (j *job) healed(at entry, before condition) {
	if before == wrong {
		j.send(Event{Kind: EventHealed, Path: at.path})
	}
}
