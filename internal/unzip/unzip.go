// Package unzip extracts provider packages from zip archives that nobody has vouched for yet.
//
// Format: the zip file format, https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT, read
// through archive/zip. The central directory is the only truth: local headers say where an entry's
// data begins and nothing else. Methods are stored and deflated; encryption, other methods and
// archives split over several files are refused.
//
// Trust: none. Every rule about names, kinds, sizes and layout is checked for the whole directory
// before the first file is made. A package is meant for every operating system, so a name that is
// dangerous on one of them is refused on all. The only check left for later is the one that needs
// the entries' own bytes: that they inflate to the declared size and checksum, from a place of their
// own in the archive.
//
// Limits: see [Limits]. Memory grows with the number of entries, never with their size.
//
// Order: entries are read in the order in which they lie in the archive, each once, so an archive
// whose end is there before its beginning (a download in progress) can be extracted as it arrives.
package unzip

import (
	"cmp"
	"context"
	"io"
)

// Defaults for the fields of [Limits]. The largest published providers stay several times below.
const (
	DefaultEntries int   = 10_000  // entries, directories included
	DefaultName    int   = 512     // bytes in one name
	DefaultFile    int64 = 4 << 30 // bytes in one file, inflated
	DefaultTotal   int64 = 8 << 30 // bytes in all files, inflated
	DefaultRatio   int64 = 100     // inflated bytes per compressed byte; executables reach about 4

	// RatioFloor is the total of inflated bytes up to which the ratio is not judged: so little does no harm.
	RatioFloor int64 = 64 << 20
)

// Limits bounds what an archive may ask for. A zero field means its default; a negative one allows nothing.
type Limits struct {
	Entries int   // number of entries, explicit directories included; default [DefaultEntries]
	Name    int   // bytes in one entry's whole name; default [DefaultName]
	File    int64 // inflated bytes of one file; default [DefaultFile]
	Total   int64 // inflated bytes of all files together; default [DefaultTotal]
	Ratio   int64 // inflated to compressed bytes over the whole archive, judged above [RatioFloor]; default [DefaultRatio]
}

func (l Limits) withDefaults() Limits {
	return Limits{
		Entries: cmp.Or(l.Entries, DefaultEntries),
		Name:    cmp.Or(l.Name, DefaultName),
		File:    cmp.Or(l.File, DefaultFile),
		Total:   cmp.Or(l.Total, DefaultTotal),
		Ratio:   cmp.Or(l.Ratio, DefaultRatio),
	}
}

// File is one regular file of an archive, as it was read.
type File struct {
	Name       string   // slash separated, relative and clean; the same bytes as in the archive
	Size       int64    // inflated bytes
	SHA256     [32]byte // of the inflated bytes
	Executable bool     // the archive gives it any execute permission
}

// Report lists what an archive contains, in the order of its directory.
type Report struct {
	Files []File
	// Directories holds the explicit directory entries, with their trailing slash: an archive's own
	// h1 hash (https://pkg.go.dev/golang.org/x/mod/sumdb/dirhash) counts them as empty files.
	Directories []string
}

// Extract checks the directory of the zip archive that fills the first size bytes of archive, then
// inflates each file into dir, hashing it on the way. dir must exist and be private to the caller.
// With dir "" everything is checked, inflated and hashed, and nothing is written.
//
// Files are made new with mode 0644, directories with 0755, both less the umask; nothing is made
// executable, because nothing is verified yet. After an error dir may hold a part of the package:
// the caller removes it.
//
// An archive that is a [Discarder] is told how far it has been read: the directory comes first, then the files in the
// order of their data.
//
// What is wrong with an archive is an [*Error] whose reason errors.Is tells apart. Failures to read,
// to write, and the end of ctx, which is looked at for every buffer, are [*Error] values too, without
// a reason, and errors.Is finds the cause.
func Extract(ctx context.Context, archive io.ReaderAt, size int64, dir string, limits Limits) (*Report, error) {
	limits = limits.withDefaults()
	directory, err := readDirectory(archive, size, limits)
	if err != nil {
		return nil, err
	}
	entries, err := directory.check(limits)
	if err != nil {
		return nil, err
	}
	out, err := openTarget(dir)
	if err != nil {
		return nil, &Error{Err: err}
	}
	directory.where.readInOrder()
	report, err := extract(ctx, entries, out)
	if closeErr := out.Close(); err == nil && closeErr != nil {
		err = &Error{Err: closeErr}
	}
	if err != nil {
		return nil, err
	}
	return report, nil
}

// extract makes the directories, then the files in the order of their data.
func extract(ctx context.Context, entries []entry, out *target) (*Report, error) {
	report := &Report{}
	files := make([]*entry, 0, len(entries))
	for i := range entries {
		e := &entries[i]
		if !e.isDir() {
			files = append(files, e)
			continue
		}
		if err := out.mkdir(e.path()); err != nil {
			return nil, &Error{Entry: e.Name, Err: err}
		}
		report.Directories = append(report.Directories, e.Name)
	}
	report.Files = make([]File, len(files))
	for _, i := range byOffset(files) {
		f, err := extractFile(ctx, files[i], out)
		if err != nil {
			return nil, err
		}
		report.Files[i] = f
	}
	return report, nil
}

func extractFile(ctx context.Context, e *entry, out *target) (File, error) {
	in, err := e.open()
	if err != nil {
		return File{}, err
	}
	defer in.Close() // gives the inflater back; what was wrong with the data, reading it has said
	w, err := out.create(e.Name)
	if err != nil {
		return File{}, writeError(e.Name, err)
	}
	sum, err := copyHashed(ctx, w, in, e.size())
	if closeErr := w.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return File{}, readError(e.Name, err)
	}
	return File{Name: e.Name, Size: e.size(), SHA256: sum, Executable: e.Mode()&0o111 != 0}, nil
}
