// Package atomicfile replaces files so that readers find the old contents or the new, never a part.
//
// The new contents are written to a temporary file in the same directory, brought to the disk, and renamed
// over the old. A crash can leave the temporary file behind ([TempPattern]), never a damaged
// target. Nothing of the old file but its name survives: owner, extended attributes and hard links do not.
//
// Concurrent writers are safe; the last one to rename wins.
package atomicfile

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// TempPattern is how temporary files are called; * stands for digits. See [filepath.Match].
const TempPattern = ".purveyor-*.tmp"

// maxLinks is how many symbolic links in a row are followed.
const maxLinks = 40

var errTooManyLinks = errors.New("too many symbolic links")

// Write makes data the contents of the file at path, with exactly the permission bits of mode: the umask
// has no say. The directory must exist.
//
// A symbolic link at path stays, and the file that it points to is replaced, or made if there is none.
//
// After an error the file is as it was, and the temporary file is gone. Errors name the path and wrap
// those of the system: errors.Is(err, fs.ErrNotExist) when the directory is missing, for example.
func Write(path string, data []byte, mode os.FileMode) error {
	target, err := resolve(path)
	if err == nil {
		err = replace(target, data, mode)
	}
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return nil
}

// replace writes beside target, then renames.
func replace(target string, data []byte, mode os.FileMode) (err error) {
	f, err := os.CreateTemp(filepath.Dir(target), TempPattern)
	if err != nil {
		return err
	}
	err = fill(f, data, mode)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(f.Name(), target)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// fill brings data and mode to the disk. Without Sync the rename could get there before the contents.
func fill(f *os.File, data []byte, mode os.FileMode) error {
	if _, err := f.Write(data); err != nil {
		return err
	}
	if err := f.Chmod(mode.Perm()); err != nil {
		return err
	}
	return f.Sync()
}

// resolve follows the symbolic links at path, the last of which may point to nothing.
func resolve(path string) (string, error) {
	for range maxLinks {
		dir, base := filepath.Split(path) // not filepath.Dir: a ".." that comes after a link does not undo the link
		dir, err := filepath.EvalSymlinks(cmp.Or(dir, "."))
		if err != nil {
			return "", err
		}
		path = filepath.Join(dir, base)
		info, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) {
			return path, nil
		}
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			return path, err
		}
		target, err := os.Readlink(path)
		if err != nil {
			return "", err
		}
		if path = target; !filepath.IsAbs(target) {
			path = dir + string(filepath.Separator) + target
		}
	}
	return "", errTooManyLinks
}
