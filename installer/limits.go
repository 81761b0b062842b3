package installer

import (
	"cmp"
	"fmt"

	"github.com/purveyor-dev/purveyor/internal/unzip"
	"github.com/purveyor-dev/purveyor/sources"
)

// Defaults for the zero values in [Limits]. The largest published providers need less than a tenth of them.
const (
	DefaultMaxArchive int64 = 4 << 30 // bytes
	DefaultMaxFiles   int   = 10_000  // entries, directories included
	DefaultMaxFile    int64 = 4 << 30 // bytes
	DefaultMaxTotal   int64 = 8 << 30 // bytes
	DefaultMaxRatio   int64 = 100     // times; executables reach about 4
)

// Limits bounds packages. Zero fields have the defaults above; negative ones are an error.
type Limits struct {
	Archive int64 // bytes of an archive
	Files   int   // entries in an archive, directories included
	File    int64 // bytes of one unpacked file
	Total   int64 // bytes of all unpacked files
	Ratio   int64 // of unpacked to packed bytes, judged where more than 64 MiB are unpacked
}

func (l Limits) withDefaults() Limits {
	return Limits{
		Archive: cmp.Or(l.Archive, DefaultMaxArchive),
		Files:   cmp.Or(l.Files, DefaultMaxFiles),
		File:    cmp.Or(l.File, DefaultMaxFile),
		Total:   cmp.Or(l.Total, DefaultMaxTotal),
		Ratio:   cmp.Or(l.Ratio, DefaultMaxRatio),
	}
}

func (l Limits) check() error {
	for field, value := range map[string]int64{"Archive": l.Archive, "Files": int64(l.Files), "File": l.File, "Total": l.Total, "Ratio": l.Ratio} {
		if value < 0 {
			return &sources.FieldError{Field: "Installer.Limits." + field, Problem: fmt.Sprintf("is %d, which allows nothing", value)}
		}
	}
	return nil
}

func (l Limits) unzip() unzip.Limits {
	return unzip.Limits{Entries: l.Files, File: l.File, Total: l.Total, Ratio: l.Ratio}
}
