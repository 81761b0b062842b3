package installer

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/purveyor-dev/purveyor/sources"
)

// executableName begins the name of a provider's executable.
func executableName(p sources.Provider) string { return sources.ExecutablePrefix + p.Type() }

// isExecutableName reports whether a file at the top of a package is the provider's executable: its name is
// terraform-provider-<type>, followed by nothing, by ".exe", or by "_" and more, usually the version. Something that
// ends in the name of a document, like terraform-provider-rocket_README.md, is none.
func isExecutableName(p sources.Provider, name string) bool {
	rest, ok := strings.CutPrefix(name, executableName(p))
	if !ok {
		return false
	}
	return rest == "" || rest == ".exe" || strings.HasPrefix(rest, "_") && !isDocument(rest)
}

func isDocument(name string) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".md", ".txt", ".json", ".sig", ".asc", ".html", ".pdf", ".sha256", ".pem", ".yml", ".yaml":
		return true
	}
	return false
}

// findExecutable returns the path of the provider's executable in an unpacked package: the first file of a right name
// that is regular and, where the system knows such a thing, may be executed.
func findExecutable(dir string, p sources.Provider) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		if isExecutableName(p, entry.Name()) && isRunnable(path) {
			return path, nil
		}
	}
	return "", &ExecutableError{Want: executableName(p)}
}

func isRunnable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode().Perm()&0o111 != 0)
}
