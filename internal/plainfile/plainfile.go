// Package plainfile reads files that others may have exchanged for something else.
package plainfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/purveyor-dev/purveyor/internal/fault"
)

// Open opens a regular file, or a link to one, and nothing else: opening a pipe would wait for somebody to write to it.
func Open(path string) (*os.File, fs.FileInfo, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, fmt.Errorf("%s is not a regular file", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	if info, err = file.Stat(); err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	return file, info, nil
}

// Read reads a file of at most so many bytes; a larger one is [fault.ErrTooLarge].
func Read(path string, limit int64) ([]byte, error) {
	file, _, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("%w: %s has more than %d bytes", fault.ErrTooLarge, path, limit)
	}
	return data, nil
}
