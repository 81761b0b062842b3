package installer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/purveyor-dev/purveyor/hashing"
)

// Link is the way in which a package gets from the plugin cache, or from a mirror that has it unpacked, into
// Installer.Dir.
type Link int

const (
	// LinkAuto makes a symbolic link, or where the system refuses that, does as LinkHardlink.
	LinkAuto Link = iota
	// LinkSymlink makes a symbolic link to the absolute path of the package's directory, or fails.
	LinkSymlink
	// LinkHardlink makes a directory of hard links, or where the file system refuses that, does as LinkReflink. Whoever
	// writes to such a file in place changes the cache's.
	LinkHardlink
	// LinkReflink makes a copy that shares its blocks with the original until one of them is written to, where the
	// file system can do that; otherwise a plain copy.
	LinkReflink
	// LinkCopy makes a plain copy.
	LinkCopy
)

// String returns "auto", "symlink", "hardlink", "reflink" or "copy".
func (l Link) String() string {
	names := []string{"auto", "symlink", "hardlink", "reflink", "copy"}
	if l < 0 || int(l) >= len(names) {
		return fmt.Sprintf("Link(%d)", int(l))
	}
	return names[l]
}

// ways lists what is tried, in order.
func (l Link) ways() []way {
	switch l {
	case LinkSymlink:
		return []way{symlink}
	case LinkHardlink:
		return []way{treeOf(os.Link), treeOf(reflink), treeOf(copyFile)}
	case LinkReflink:
		return []way{treeOf(reflink), treeOf(copyFile)}
	case LinkCopy:
		return []way{treeOf(copyFile)}
	}
	return append([]way{symlink}, LinkHardlink.ways()...)
}

// accepts reports whether what stands at path may stay. Whoever asks for copies does not want a link, and a link to nowhere
// is left of a cache that has moved.
func (l Link) accepts(path string) bool {
	if l == LinkAuto || l == LinkSymlink {
		_, err := os.Stat(path)
		return !errors.Is(err, fs.ErrNotExist)
	}
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&fs.ModeSymlink == 0
}

// way makes something at path to that has the contents of the directory from.
type way func(from, to string) error

func symlink(from, to string) error { return os.Symlink(from, to) }

// link puts a stored package into its place in Dir.
func (j *job) link(ctx context.Context, have *stored, project entry) error {
	waiting := func() { j.send(Event{Kind: EventWaiting, Path: project.path}) }
	return project.exclusively(ctx, waiting, func() error {
		if j.accepts(project.path) && sameFile(have.dir, project.path) {
			return nil
		}
		copied := j.hasCopy(have, project)
		there, err := absent, ctx.Err()
		if copied || j.listened() { // nobody else wants to know, and to find out takes reading everything
			there, err = j.inspect(ctx, project, have.proof)
		}
		if err != nil || copied && there == intact {
			return err
		}
		if err := j.linkInto(ctx, have, project); err != nil {
			return err
		}
		j.healed(project, there)
		return nil
	})
}

// hasCopy reports whether what stands at the project's place can be the copy that Link would make: not the package's own
// files under other names.
func (j *job) hasCopy(have *stored, project entry) bool {
	if j.in.Link != LinkReflink && j.in.Link != LinkCopy || !j.in.Link.accepts(project.path) {
		return false
	}
	original, err := findExecutable(have.dir, j.selection.Provider)
	if err != nil {
		return false
	}
	copied, err := findExecutable(project.path, j.selection.Provider)
	return err == nil && !sameFile(original, copied)
}

// linkInto replaces what stands at the project's place, whose lock the caller holds.
func (j *job) linkInto(ctx context.Context, have *stored, project entry) error {
	return project.stage(func(w workshop) error {
		if err := j.linkStaged(ctx, have, w.place(stagedLink)); err != nil {
			return fmt.Errorf("cannot link %s to %s: %w", project.path, have.dir, err)
		}
		return project.publish(w, stagedLink)
	})
}

// linkStaged tries one way after the other.
func (j *job) linkStaged(ctx context.Context, have *stored, to string) error {
	from, err := filepath.EvalSymlinks(have.dir)
	if err != nil {
		return err
	}
	var errs []error
	for _, way := range j.in.Link.ways() {
		err := way(from, to)
		if err == nil {
			return j.verifyCopy(ctx, have, to)
		}
		errs = append(errs, err)
		if err := os.RemoveAll(to); err != nil {
			return err
		}
	}
	return errors.Join(errs...)
}

// verifyCopy makes sure that what was copied is what was verified. A link needs no check.
func (j *job) verifyCopy(ctx context.Context, have *stored, copied string) error {
	info, err := os.Lstat(copied)
	if err != nil || info.Mode()&fs.ModeSymlink != 0 {
		return err
	}
	tree, err := j.hashDir(ctx, copied)
	if err != nil {
		return err
	}
	if want := have.proof.Computed.Tree; tree != want {
		return &hashing.MismatchError{By: hashing.ByOriginal, Want: []hashing.Hash{want}, Got: []hashing.Hash{tree}}
	}
	return nil
}

// treeOf returns a way that makes the directories anew and each file with do. Symbolic links become what they lead to.
func treeOf(do func(from, to string) error) way {
	return func(from, to string) error {
		return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			relative, err := filepath.Rel(from, path)
			if err != nil {
				return err
			}
			target := filepath.Join(to, relative)
			if d.IsDir() {
				return os.Mkdir(target, 0o755)
			}
			original, err := filepath.EvalSymlinks(path)
			if err != nil {
				return err
			}
			return do(original, target)
		})
	}
}

// copyFile copies contents and permissions.
func copyFile(from, to string) error {
	return withFiles(from, to, func(source, target *os.File) error {
		_, err := io.Copy(target, source)
		return err
	})
}

// withFiles opens an original and makes a new file of the same permissions for do to fill.
func withFiles(from, to string, do func(source, target *os.File) error) (err error) {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close() // only read
	info, err := source.Stat()
	if err != nil {
		return err
	}
	target, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, info.Mode().Perm())
	if err != nil {
		return err
	}
	defer func() { err = also(err, target.Close()) }()
	return do(source, target)
}
