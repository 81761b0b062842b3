package unzip

import (
	"archive/zip"
	"io/fs"
	"math"
)

// Bits of an entry's flags that change how its bytes must be read, APPNOTE.TXT 4.4.4.
const (
	flagEncrypted       = 1 << 0
	flagPatched         = 1 << 5
	flagStronglyLocked  = 1 << 6
	flagMaskedDirectory = 1 << 13
)

// check judges the whole directory. What it returns is safe to create below one directory and within the limits.
func (d *directory) check(limits Limits) ([]entry, error) {
	var files int
	for _, f := range d.files {
		if err := checkEntry(f, limits); err != nil {
			return nil, err
		}
		if !isDir(f) {
			files++
		}
	}
	if files == 0 {
		return nil, &Error{Reason: ErrEmpty}
	}
	if err := checkPaths(d.files); err != nil {
		return nil, err
	}
	entries, err := d.place()
	if err != nil {
		return nil, err
	}
	if err := checkTotals(d.files, limits); err != nil {
		return nil, err
	}
	return entries, nil
}

// checkEntry applies the rules that need no other entry.
func checkEntry(f *zip.File, limits Limits) error {
	if err := checkName(f.Name, limits.Name); err != nil {
		return err
	}
	if err := checkKind(f); err != nil {
		return err
	}
	if err := checkEncoding(f); err != nil {
		return err
	}
	return checkSize(f, limits.File)
}

// checkKind allows plain files and directories without special permission bits.
func checkKind(f *zip.File) error {
	mode := f.Mode()
	if special := mode & (fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky); special != 0 {
		return refuse(f.Name, ErrNotRegular, "mode %v has setuid, setgid or sticky bits", mode)
	}
	var want fs.FileMode
	if isDir(f) {
		want = fs.ModeDir
	}
	if mode.Type() != want {
		return refuse(f.Name, ErrNotRegular, "mode %v", mode)
	}
	return nil
}

func checkEncoding(f *zip.File) error {
	if f.Flags&(flagEncrypted|flagPatched|flagStronglyLocked|flagMaskedDirectory) != 0 {
		return refuse(f.Name, ErrUnsupported, "encrypted or patched (flags %#x)", f.Flags)
	}
	if f.Method != zip.Store && f.Method != zip.Deflate {
		return refuse(f.Name, ErrUnsupported, "compression method %d; stored (0) and deflated (8) are supported", f.Method)
	}
	return nil
}

func checkSize(f *zip.File, limit int64) error {
	if over(f.UncompressedSize64, limit) {
		return refuse(f.Name, ErrTooLarge, "%d bytes, at most %d are allowed in one file", f.UncompressedSize64, limit)
	}
	if isDir(f) && f.UncompressedSize64 != 0 {
		return refuse(f.Name, ErrCorrupt, "a directory with contents")
	}
	if f.Method == zip.Store && !isDir(f) && f.CompressedSize64 != f.UncompressedSize64 {
		return refuse(f.Name, ErrCorrupt, "stored in %d bytes, declared as %d", f.CompressedSize64, f.UncompressedSize64)
	}
	return nil
}

// checkTotals bounds what all entries inflate to. Each has its place in the archive by now, so neither sum can overflow.
func checkTotals(files []*zip.File, limits Limits) error {
	var inflated, compressed uint64
	for _, f := range files {
		inflated += f.UncompressedSize64
		compressed += f.CompressedSize64
		if inflated > math.MaxInt64 || over(inflated, limits.Total) {
			return refuse(f.Name, ErrTooLarge, "with this file there are %d bytes, at most %d are allowed", inflated, limits.Total)
		}
	}
	if inflated > uint64(RatioFloor) && float64(inflated) > float64(limits.Ratio)*float64(compressed) {
		return refuse("", ErrTooLarge, "%d bytes inflate to %d, at most %d times as much is allowed", compressed, inflated, limits.Ratio)
	}
	return nil
}

// over reports whether n is above limit; everything is above a negative one.
func over(n uint64, limit int64) bool {
	return limit < 0 || n > uint64(limit)
}
