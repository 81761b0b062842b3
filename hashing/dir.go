package hashing

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Dir returns the h1 hash of an unpacked package: of every file below the directory, whatever its mode. It gives what
// dirhash.HashDir of golang.org/x/mod/sumdb gives for an empty prefix.
//
// The path itself may be a symbolic link to the directory, as in a project that links to a shared cache. A symbolic
// link to a file counts as that file. A symbolic link to a directory, and anything that is neither a file nor a
// directory, is a [*FileTypeError]: its contents would be neither covered by the hash nor missed. A name that cannot
// be hashed is a [*NameError]; other errors are those of the file system and of ctx.
func Dir(ctx context.Context, path string) (Hash, error) {
	root, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", fmt.Errorf("cannot hash the package directory: %w", err)
	}
	if info, err := os.Stat(root); err != nil {
		return "", fmt.Errorf("cannot hash the package directory: %w", err)
	} else if !info.IsDir() {
		return "", &FileTypeError{Path: path, Type: "not a directory"}
	}
	var contents Contents
	err = filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		return addFile(ctx, &contents, root, file)
	})
	if err != nil {
		return "", err
	}
	return contents.Tree(), nil
}

func addFile(ctx context.Context, contents *Contents, root, file string) error {
	name, err := filepath.Rel(root, file)
	if err != nil {
		return err
	}
	name = filepath.ToSlash(name)
	if err := checkName(name); err != nil { // before reading a file that may be large
		return err
	}
	// Asked before opening, because opening a pipe waits for a writer.
	if info, err := os.Stat(file); err != nil {
		return err
	} else if !info.Mode().IsRegular() {
		return &FileTypeError{Path: file, Type: describe(info.Mode())}
	}
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close() // opened for reading: closing has no verdict
	sum, err := digest(ctx, f)
	if err != nil {
		return fmt.Errorf("cannot hash %s: %w", file, err)
	}
	return contents.AddFile(name, sum)
}

// describe names what is found where a file should be, after symbolic links were followed.
func describe(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a symbolic link to a directory"
	case mode&fs.ModeNamedPipe != 0:
		return "a pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "not a regular file"
}
