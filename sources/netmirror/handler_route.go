package netmirror

import (
	"net/url"
	"path/filepath"
	"strings"
	"sync"

	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/internal/mirrorjson"
)

// The longest path of a request, and the longest name of a file in it, in bytes. No file system has longer ones.
const (
	maxPath = 2048
	maxName = 255
)

// kind is what a request is for.
type kind int

const (
	kindIndex kind = iota
	kindVersion
	kindArchive
	kindStatement
)

// target is what a request is for, made of values that only parsers make, so that nothing else of a request gets into a path.
type target struct {
	kind   kind
	parcel        // as far as the kind has its parts
	file   string // kindStatement: the name
}

// maxRoutes is how many paths are remembered.
const maxRoutes = 8192

// routes remembers the paths of archives that were sent: to understand one takes as long as to send a small archive. The zero
// value is ready; it is safe for concurrent use.
type routes struct {
	mu    sync.RWMutex
	known map[string]target
}

// find reads a path.
func (m *routes) find(u *url.URL) (target, bool) {
	m.mu.RLock()
	t, ok := m.known[u.Path]
	m.mu.RUnlock()
	if ok && u.RawPath == "" {
		return t, true
	}
	return parseTarget(u)
}

// note remembers what a path is for.
func (m *routes) note(u *url.URL, t target) {
	m.mu.RLock()
	_, ok := m.known[u.Path]
	m.mu.RUnlock()
	if ok || u.RawPath != "" {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known == nil {
		m.known = make(map[string]target)
	}
	makeRoom(m.known, maxRoutes)
	m.known[u.Path] = t
}

// parseTarget reads HOST/NAMESPACE/TYPE/FILE.
func parseTarget(u *url.URL) (target, bool) {
	path := strings.TrimPrefix(u.Path, "/")
	parts := strings.Split(path, "/")
	if len(u.Path) > maxPath || len(parts) != 4 || strings.Contains(strings.ToLower(u.EscapedPath()), "%2f") {
		return target{}, false
	}
	host, err := sources.HostOfURL(&url.URL{Host: parts[0]})
	if err != nil {
		return target{}, false
	}
	p, err := sources.ParseProvider(host.String() + "/" + parts[1] + "/" + parts[2])
	if err != nil || p.BuiltIn() {
		return target{}, false
	}
	return parseFile(p, parts[3])
}

func parseFile(p sources.Provider, name string) (target, bool) {
	if local, err := filepath.Localize(name); err != nil || local != name || len(name) > maxName {
		return target{}, false // no file has that name on this system
	}
	if name == mirrorjson.IndexName {
		return target{kind: kindIndex, parcel: parcel{release: release{provider: p}}}, true
	}
	if v, on, ok := mirrorjson.ParseArchiveName(name, p); ok {
		return target{kind: kindArchive, parcel: parcel{release{p, v}, on}}, !v.IsZero()
	}
	if v, _, ok := mirrorjson.ParseStatementName(name, p); ok {
		return target{kind: kindStatement, parcel: parcel{release: release{p, v}}, file: name}, true
	}
	spelling, ok := strings.CutSuffix(name, ".json")
	v, err := sources.ParseVersion(spelling)
	return target{kind: kindVersion, parcel: parcel{release: release{p, v}}}, ok && err == nil && !v.IsZero()
}
