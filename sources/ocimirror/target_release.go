package ocimirror

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources"
)

// Release is what a [Target] publishes: packages of one version of a provider. They have been verified, as
// installer.Installer.Fetch does.
type Release struct {
	Provider sources.Provider
	Version  sources.Version
	Archives []Archive // at least one, each for another platform

	// Statement is the origin's signed checksums, by which the archives were verified. Nil: they are not known.
	Statement *hashing.Statement
}

// Archive is the package for one platform, in a zip file.
type Archive struct {
	Platform sources.Platform
	Path     string       // of the file
	Sum      hashing.Hash // zh, of which the file's bytes are
}

// Pushed says what became of a [Release].
type Pushed struct {
	Address string // where the version is: "registry.example.com/mirror/rocket:1.2.3"
	Digest  string // of the index there: "sha256:…"

	Added   []sources.Platform // packages that were published, sorted
	Present []sources.Platform // packages that were there already, sorted
	Signed  bool               // the origin's signed checksums are there, too

	Uploaded Blobs // what was sent, apart from manifests
	Mounted  Blobs // what the registry took from another of its repositories
	Reused   Blobs // what was in the repository
}

// Blobs counts blobs.
type Blobs struct {
	Count int
	Bytes int64
}

func (r *Release) check() error {
	switch {
	case r.Provider.IsZero():
		return &ReleaseError{"Provider", "is missing"}
	case r.Version.IsZero():
		return &ReleaseError{"Version", "is missing"}
	case len(r.Archives) == 0:
		return &ReleaseError{"Archives", "are missing"}
	}
	for i, a := range r.Archives {
		if problem := cmp.Or(a.problem(), r.problem(a.Platform, i)); problem != "" {
			return &ReleaseError{fmt.Sprintf("Archives[%d]", i), problem}
		}
	}
	return nil
}

func (a *Archive) problem() string {
	sum, err := hashing.ParseHash(string(a.Sum))
	switch {
	case a.Path == "":
		return "has no Path"
	case err != nil || sum != a.Sum || sum.Scheme() != hashing.SchemeZH:
		return fmt.Sprintf("has the Sum %q, which is no zh hash in its usual spelling", a.Sum)
	}
	return ""
}

// problem says what is wrong about the platform of the archive i.
func (r *Release) problem(on sources.Platform, i int) string {
	if _, err := sources.ParsePlatform(on.String()); err != nil {
		return "has no valid Platform"
	}
	if slices.ContainsFunc(r.Archives[:i], func(a Archive) bool { return a.Platform == on }) {
		return fmt.Sprintf("is a second one for %s", on)
	}
	if tag := traceTag(r.Version, on); len(tag) > maxTag {
		return fmt.Sprintf("cannot be published: the version is too long for a tag, %q having more than %d characters", tag, maxTag)
	}
	return ""
}
