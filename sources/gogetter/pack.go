package gogetter

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/purveyor-dev/purveyor/sources"
)

// packed opens a directory as an archive, made on the spot and not compressed. An installer links to the directories
// that a source names, so none can be named that goes away when the source is closed. The archive has the h1 hash of the
// directory; its own hash is nobody's, and no lock file gets it, because nobody claims it.
func packed(s *scratch, dir string) sources.Opener {
	return sources.OpenFunc(func(ctx context.Context) (io.ReadCloser, int64, error) {
		path, err := s.newFile(ctx)
		if err != nil {
			return nil, 0, err
		}
		if err := pack(ctx, path, dir); err != nil {
			return nil, 0, errors.Join(err, os.Remove(path))
		}
		return openArchive(ctx, path)
	})
}

func pack(ctx context.Context, path, dir string) (err error) {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	w := zip.NewWriter(file)
	err = filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil || entry.IsDir() {
			return err
		}
		return packFile(w, dir, name)
	})
	if err != nil {
		return err
	}
	return w.Close()
}

func packFile(w *zip.Writer, dir, name string) error {
	info, err := os.Lstat(name)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file", filepath.Base(name))
	}
	below, err := filepath.Rel(dir, name)
	if err != nil {
		return err
	}
	header := &zip.FileHeader{Name: filepath.ToSlash(below), Method: zip.Store}
	header.SetMode(info.Mode().Perm())
	to, err := w.CreateHeader(header)
	if err != nil {
		return err
	}
	from, err := os.Open(name)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	return errors.Join(err, from.Close())
}
