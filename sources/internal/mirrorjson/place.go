package mirrorjson

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/purveyor-dev/purveyor/sources"
)

// Home returns the directory of a provider's packages below a mirror's own. The host is in the ASCII form, in which
// network mirrors are asked for it. It is an error if the system cannot have a directory of that name.
func Home(dir string, p sources.Provider) (string, error) {
	if p.IsZero() {
		return "", errors.New("the provider is missing")
	}
	local, err := filepath.Localize(path.Join(p.Host().ASCII(), p.Namespace(), p.Type()))
	if err != nil {
		return "", fmt.Errorf("this system can have no directory of that name: %w", err)
	}
	return filepath.Join(dir, local), nil
}

// ParseArchiveName understands [sources.ArchiveName], in its very spelling.
func ParseArchiveName(name string, p sources.Provider) (v sources.Version, on sources.Platform, ok bool) {
	rest, _ := strings.CutPrefix(name, sources.ExecutablePrefix+p.Type()+"_")
	rest, _ = strings.CutSuffix(rest, ".zip")
	spelling, platform, _ := strings.Cut(rest, "_")
	v, errVersion := sources.ParseVersion(spelling)
	on, errPlatform := sources.ParsePlatform(platform)
	return v, on, errVersion == nil && errPlatform == nil && name == sources.ArchiveName(p, v, on)
}
