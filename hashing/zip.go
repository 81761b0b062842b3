package hashing

import (
	"archive/zip"
	"context"
	"fmt"
	"io"
	"strings"
)

// Zip returns both h1 hashes of a zip archive of size bytes: of the tree that it unpacks to, files only, and of its
// entry list, directories included, which is what dirhash.HashZip of golang.org/x/mod/sumdb gives. They are equal when
// the archive has no directory entries. Entry names count verbatim, entry modes not at all.
//
// Zip is for archives that are trusted, or small: it inflates everything, without a limit. A name that cannot be hashed
// or occurs twice is a [*NameError]; other errors are those of archive/zip and of ctx.
func Zip(ctx context.Context, archive io.ReaderAt, size int64) (tree, entries Hash, err error) {
	reader, err := zip.NewReader(archive, size)
	if err != nil {
		return "", "", fmt.Errorf("cannot read the zip archive: %w", err)
	}
	var contents Contents
	for _, entry := range reader.File {
		if err := addEntry(ctx, &contents, entry); err != nil {
			return "", "", err
		}
	}
	return contents.Tree(), contents.Entries(), nil
}

func addEntry(ctx context.Context, contents *Contents, entry *zip.File) error {
	r, err := entry.Open()
	if err != nil {
		return fmt.Errorf("cannot hash %q of the zip archive: %w", clip(entry.Name), err)
	}
	defer r.Close() // the checksum's verdict comes with the end of the data, not here
	// Directory entries are read as well: archive/zip reports one that has data.
	sum, err := digest(ctx, r)
	if err != nil {
		return fmt.Errorf("cannot hash %q of the zip archive: %w", clip(entry.Name), err)
	}
	if strings.HasSuffix(entry.Name, "/") {
		return contents.AddDirectory(entry.Name)
	}
	return contents.AddFile(entry.Name, sum)
}
