package hashing

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Contents collects the digests of a package's files, in any order, and gives the package's h1 hashes: for those who
// hash the files while unpacking them. The zero value is an empty package, ready to use. It is not safe for concurrent
// use; its memory grows with the number of files, not with their sizes.
type Contents struct {
	sums        map[string][sha256.Size]byte // by name; a directory's ends in a slash
	directories int
}

// AddFile adds a file by its slash-separated name relative to the package, verbatim, and the SHA-256 of its bytes. The
// error is a [*NameError]: a name must not be empty, contain a line feed (the scheme has no way to write it), end in a
// slash, or occur twice (then nobody could say which of the two is meant).
func (c *Contents) AddFile(name string, sum [sha256.Size]byte) error {
	if strings.HasSuffix(name, "/") {
		return &NameError{Name: name, Reason: "the name of a file must not end in a slash"}
	}
	return c.add(name, sum)
}

// AddDirectory adds an explicit directory entry of an archive, named with or without its final slash. Directories that
// exist only because files are in them are not to be added. The error is a [*NameError], as for [Contents.AddFile].
func (c *Contents) AddDirectory(name string) error {
	if !strings.HasSuffix(name, "/") {
		name += "/"
	}
	if err := c.add(name, sha256.Sum256(nil)); err != nil {
		return err
	}
	c.directories++
	return nil
}

func (c *Contents) add(name string, sum [sha256.Size]byte) error {
	if err := checkName(name); err != nil {
		return err
	}
	if _, exists := c.sums[name]; exists {
		return &NameError{Name: name, Reason: "the name occurs twice"}
	}
	if c.sums == nil {
		c.sums = make(map[string][sha256.Size]byte)
	}
	c.sums[name] = sum
	return nil
}

func checkName(name string) error {
	if name == "" || name == "/" {
		return &NameError{Name: name, Reason: "the name is empty"}
	}
	if strings.Contains(name, "\n") {
		return &NameError{Name: name, Reason: "the name contains a line feed"}
	}
	return nil
}

// Tree returns the h1 hash of the unpacked package: files only. It is what [Dir] computes and what lock files hold.
func (c *Contents) Tree() Hash { return c.hash(false) }

// Entries returns the h1 hash of the archive's entry list, directories included, as published by tools that hash the
// zip without unpacking it. It equals Tree when there are no directory entries.
func (c *Contents) Entries() Hash { return c.hash(c.directories > 0) }

func (c *Contents) hash(directories bool) Hash {
	summary := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(c.sums)) {
		if directories || !strings.HasSuffix(name, "/") {
			fmt.Fprintf(summary, "%x  %s\n", c.sums[name], name)
		}
	}
	return h1([sha256.Size]byte(summary.Sum(nil)))
}
