package fsmirror

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/internal/atomicfile"
	"github.com/purveyor-dev/purveyor/internal/plainfile"
	"github.com/purveyor-dev/purveyor/sources"
)

// copyStep is how many bytes are copied between two looks at the context.
const copyStep = 64 << 20

// stage is a copy of an archive on the mirror's own file system, under a temporary name.
type stage struct {
	path string // "": there is none
	size int64
}

// stageAll copies and verifies the archives that the mirror does not have.
func (p *push) stageAll(ctx context.Context) error {
	for _, c := range p.parcels {
		if c.stage == nil {
			continue
		}
		if err := c.stage.fill(ctx, p.shelf.dir, c.Archive); err != nil {
			return fmt.Errorf("the package for %s: %w", c.Platform, err)
		}
	}
	return nil
}

// discard removes the copies that were not used.
func (p *push) discard() error {
	var failures []error
	for _, c := range p.parcels {
		if c.stage != nil && c.stage.path != "" {
			failures = append(failures, os.Remove(c.stage.path))
		}
	}
	return errors.Join(failures...)
}

// fill makes the copy, and brings it to the disk: an index must not get there before what it lists. What is verified is
// the copy, which nobody else has open.
func (s *stage) fill(ctx context.Context, dir string, a sources.Archive) (err error) {
	from, _, err := plainfile.Open(a.Path)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := os.CreateTemp(dir, atomicfile.TempPattern)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	s.path = to.Name()
	if s.size, err = duplicate(ctx, to, from); err != nil {
		return err
	}
	if err := to.Chmod(0o644); err != nil {
		return err
	}
	if err := to.Sync(); err != nil {
		return err
	}
	return verify(ctx, to, a.Sum)
}

// become makes the copy the file at a path.
func (s *stage) become(path string) error {
	if err := os.Rename(s.path, path); err != nil {
		return err
	}
	s.path = ""
	return nil
}

// duplicate leaves the copying to the system, which on some file systems makes both files share the bytes on the disk. A
// hard link would be faster still, and would change whenever somebody wrote into the original.
func duplicate(ctx context.Context, to, from *os.File) (size int64, err error) {
	for {
		if err := ctx.Err(); err != nil {
			return size, err
		}
		n, err := io.CopyN(to, from, copyStep)
		size += n
		if err == io.EOF {
			return size, nil
		}
		if err != nil {
			return size, err
		}
	}
}

func verify(ctx context.Context, file *os.File, want hashing.Hash) error {
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	got, err := hashing.Archive(ctx, file)
	if err != nil || got == want {
		return err
	}
	return &hashing.MismatchError{By: hashing.ByOriginal, Want: []hashing.Hash{want}, Got: []hashing.Hash{got}}
}
