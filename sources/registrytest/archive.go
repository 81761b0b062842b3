package registrytest

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/klauspost/compress/flate"
)

// archiveTime is the modification time of every file in every archive.
var archiveTime = time.Date(2024, time.January, 2, 3, 4, 6, 0, time.UTC)

// smallSize is the size in bytes of an executable that nobody asked for: enough for a transfer to break in the middle.
const smallSize = 32 << 10

// archive makes the package of a release for one platform.
func (s *Server) archive(r Release, addr address, platform string) (*file, error) {
	name := r.baseName(addr.name) + "_" + platform + archiveSuffix
	switch {
	case r.Archive != nil:
		data, err := r.Archive(platform)
		return memoryFile(name, data), err
	case r.Files != nil:
		files, err := r.Files(platform)
		if err != nil {
			return nil, err
		}
		if files == nil {
			return nil, errors.New("the Files function returned no file system")
		}
		return zipInMemory(name, func(w *zip.Writer) error { return addTree(w, files) })
	case r.Size > 0:
		return s.bulk.archive(name, r, func(w *zip.Writer, executable *zip.File) error {
			if err := copyEntry(w, executable, executableName(r, addr)); err != nil {
				return err
			}
			return addEntry(w, "LICENSE", 0o644, strings.NewReader(licence(addr, r.Version, platform)))
		})
	}
	return zipInMemory(name, func(w *zip.Writer) error {
		if err := addEntry(w, executableName(r, addr), 0o755, executable(r, addr, platform)); err != nil {
			return err
		}
		return addEntry(w, "LICENSE", 0o644, strings.NewReader(licence(addr, r.Version, platform)))
	})
}

// executableName has an extension nowhere: clients look for the prefix only.
func executableName(r Release, addr address) string {
	return namePrefix + addr.name + "_v" + r.Version
}

// executable returns the small default executable: a script that refuses to be a plugin, followed by noise.
func executable(r Release, addr address, platform string) io.Reader {
	if r.Executable != nil {
		return bytes.NewReader(r.Executable)
	}
	head := fmt.Sprintf("#!/bin/sh\n# %s %s %s\necho 'made by registrytest, not a real provider' >&2\nexit 1\n",
		addr.short(), r.Version, platform)
	seed := fnv.New64a()
	_, _ = io.WriteString(seed, head) // never fails
	return io.MultiReader(strings.NewReader(head), newBulk(smallSize, seed.Sum64()))
}

func licence(addr address, version, platform string) string {
	return fmt.Sprintf("%s %s for %s, made by registrytest.\nAnyone may do anything with it.\n", addr.short(), version, platform)
}

func zipInMemory(name string, fill func(*zip.Writer) error) (*file, error) {
	var buf bytes.Buffer
	w := newZip(&buf)
	if err := errors.Join(fill(w), w.Close()); err != nil {
		return nil, err
	}
	return memoryFile(name, buf.Bytes()), nil
}

// newZip returns a writer with a compressor whose speed suits very large executables.
func newZip(w io.Writer) *zip.Writer {
	z := zip.NewWriter(w)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, flate.BestSpeed)
	})
	return z
}

func addEntry(w *zip.Writer, name string, mode fs.FileMode, content io.Reader) error {
	header := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: archiveTime}
	header.SetMode(mode)
	entry, err := w.CreateHeader(header)
	if err != nil {
		return err
	}
	_, err = io.Copy(entry, content)
	return err
}

// copyEntry adds an entry of another archive under a new name, without compressing it again.
func copyEntry(w *zip.Writer, from *zip.File, name string) error {
	header := from.FileHeader
	header.Name = name
	raw, err := from.OpenRaw()
	if err != nil {
		return err
	}
	entry, err := w.CreateRaw(&header)
	if err != nil {
		return err
	}
	_, err = io.Copy(entry, raw)
	return err
}

// addTree adds all files of a tree, in the order of their names.
func addTree(w *zip.Writer, tree fs.FS) error {
	return fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if !info.Mode().IsRegular() {
			return fmt.Errorf("%s is no regular file; use Release.Archive for archives with special entries", name)
		}
		content, err := tree.Open(name)
		if err != nil {
			return err
		}
		defer content.Close()
		return addEntry(w, name, packedMode(name, info.Mode()), content)
	})
}

// packedMode keeps of a file's mode only whether it is executable, since many file systems of package fs know no modes.
func packedMode(name string, mode fs.FileMode) fs.FileMode {
	if mode&0o111 != 0 || strings.HasPrefix(path.Base(name), namePrefix) {
		return 0o755
	}
	return 0o644
}

// hashFile sums what r returns.
func hashFile(r io.Reader) (sum [sha256.Size]byte, size int64, err error) {
	h := sha256.New()
	size, err = io.Copy(h, r)
	h.Sum(sum[:0])
	return sum, size, err
}
