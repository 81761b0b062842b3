package ocimirror

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/internal/remote"
)

// Versions implements [sources.Source]. The error is a [*sources.Error], around what [Config.Repository] says, or a
// [*RegistryError], an [*AuthError] or an [*ArtifactError].
func (s *Source) Versions(ctx context.Context, p sources.Provider) (sources.Listing, error) {
	listing, err := s.versions(ctx, p)
	if err != nil {
		return sources.Listing{}, &sources.Error{Op: "list versions", Source: s.String(), Provider: p, Err: s.explain(err)}
	}
	return listing, nil
}

func (s *Source) versions(ctx context.Context, p sources.Provider) (sources.Listing, error) {
	r, err := s.connection.repository(p)
	if err != nil {
		return sources.Listing{}, err
	}
	found := shelf{spellings: map[sources.Version]string{}}
	if err := r.tags(ctx, found.add); err != nil {
		return sources.Listing{}, err
	}
	listing := sources.Listing{Warnings: append(s.problems(), remote.Bounded(found.warnings)...)}
	for _, v := range slices.SortedFunc(maps.Keys(found.spellings), sources.Version.Compare) {
		s.spellings.Note(p, v, found.spellings[v])
		listing.Versions = append(listing.Versions, sources.Available{Version: v})
	}
	return listing, nil
}

// shelf sorts the tags of a repository.
type shelf struct {
	spellings map[sources.Version]string
	warnings  []string
}

func (s *shelf) add(tag string) {
	v, err := versionOf(tag)
	if err == nil {
		if other, twice := s.spellings[v]; !twice || isBetterSpelling(v, spellingOf(tag), other) {
			s.spellings[v] = spellingOf(tag)
		}
		return
	}
	if looksLikeVersion(tag) {
		s.warnings = append(s.warnings, fmt.Sprintf("the tag %q is skipped: %v", tag, err))
	}
}

// isBetterSpelling prefers the canonical spelling of a version, and then the one that says most: tags such as "1" and
// "1.2" are often moved from release to release.
func isBetterSpelling(v sources.Version, spelling, than string) bool {
	switch canonical := v.String(); {
	case spelling == canonical || than == canonical:
		return spelling == canonical
	case len(spelling) != len(than):
		return len(spelling) > len(than)
	}
	return spelling < than
}

// looksLikeVersion tells tags that are worth a warning, such as "v1.0.0", from those that have another purpose.
func looksLikeVersion(tag string) bool {
	digits := strings.TrimPrefix(tag, "v")
	return len(tag) <= maxTag && digits != "" && digits[0] >= '0' && digits[0] <= '9'
}
