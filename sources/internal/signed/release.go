package signed

import (
	"strings"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources"
)

// Release is the package that a document is asked about.
type Release struct {
	Provider sources.Provider
	Version  sources.Version
	Platform sources.Platform

	// Filename is how the registry names the package's archive. Empty, as mirrors leave it: by its usual name.
	Filename string

	// Archive is the "zh" hash of the archive, as its source states it. Empty: it is not known.
	Archive hashing.Hash
}

// is reports whether a file is the package's archive.
func (r Release) is(filename string) bool {
	if r.Filename != "" {
		return filename == r.Filename
	}
	version, rest, ok := r.split(filename)
	return ok && version == r.Version && rest == r.Platform.String()+".zip"
}

// covers reports whether a file is named for the release: for the provider's type, in this version.
func (r Release) covers(filename string) bool {
	version, _, ok := r.split(filename)
	return ok && version == r.Version
}

// split reads the version off a file name, in any spelling, and returns it with what follows; ok is false if the file is
// of another provider type or has no version. Neither types nor versions contain an underscore.
func (r Release) split(filename string) (version sources.Version, rest string, ok bool) {
	name, ok := strings.CutPrefix(filename, sources.ExecutablePrefix+r.Provider.Type()+"_")
	if !ok {
		return sources.Version{}, "", false
	}
	spelling, rest, ok := strings.Cut(name, "_")
	if !ok {
		return sources.Version{}, "", false
	}
	version, err := sources.ParseVersion(spelling)
	return version, rest, err == nil
}

// PlatformOf reads the platform off a package's usual file name, as "linux_amd64"; "" if the name is of another kind.
func PlatformOf(filename string) string {
	name, ok := strings.CutSuffix(filename, ".zip")
	parts := strings.Split(name, "_")
	if !ok || len(parts) < 3 {
		return ""
	}
	on, err := sources.ParsePlatform(strings.Join(parts[len(parts)-2:], "_"))
	if err != nil {
		return ""
	}
	return on.String()
}
