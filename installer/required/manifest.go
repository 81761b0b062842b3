package required

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/hashicorp/hcl/v2"
)

// installedModules returns the directories of the modules that a client has installed, by their keys. The file says
// directories relative to the one that the client ran in, which is that of the root module.
func (l *loader) installedModules() map[string]string {
	if l.installed != nil {
		return l.installed
	}
	l.installed = map[string]string{}
	path := filepath.Join(l.opts.DataDir, "modules", "modules.json")
	src, err := readFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return l.installed
	}
	records, err := parseManifest(src, err)
	if err != nil {
		at := hcl.Range{Filename: path, Start: hcl.InitialPos, End: hcl.InitialPos}
		l.fail(at, "Unreadable list of installed modules", "Reading failed: %s. %s", err, installFirst)
	}
	for _, r := range records {
		l.installed[r.Key] = l.fromRoot(r.Dir)
	}
	return l.installed
}

// record is one installed module.
type record struct{ Key, Dir string }

// parseManifest reads modules.json, if that could be read.
func parseManifest(src []byte, err error) ([]record, error) {
	var manifest struct{ Modules []record }
	if err == nil {
		err = json.Unmarshal(src, &manifest)
	}
	return manifest.Modules, err
}

func (l *loader) fromRoot(dir string) string {
	dir = filepath.FromSlash(dir)
	if filepath.IsAbs(dir) {
		return filepath.Clean(dir)
	}
	return filepath.Join(l.root, dir)
}
