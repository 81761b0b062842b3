package installer

import (
	"cmp"

	"github.com/purveyor-dev/purveyor/internal/unzip"
)

// Defaults for the zero values in [Limits].
const (
	DefaultMaxArchive = 4 << 30              // bytes
	DefaultMaxFiles   = unzip.DefaultEntries // entries
	DefaultMaxFile    = unzip.DefaultFile    // bytes
	DefaultMaxTotal   = unzip.DefaultTotal   // bytes
	DefaultMaxRatio   = unzip.DefaultRatio   // times
)

// Limits bounds packages. Zero fields have the defaults above.
type Limits struct {
	Archive int64 // bytes of an archive
	Files   int   // entries in an archive
	File    int64 // bytes of one unpacked file
	Total   int64 // bytes of all unpacked files
	Ratio   int64 // of unpacked to packed bytes
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

func (l Limits) unzip() unzip.Limits {
	return unzip.Limits{Entries: l.Files, File: l.File, Total: l.Total, Ratio: l.Ratio}
}
