package registrytest

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// MirrorURL returns the base URL of the server's network mirror, "https://127.0.0.1:PORT/mirror/". It has all releases, for
// the hosts that they are for; a release that names no host is there under every host.
func (s *Server) MirrorURL() string { return s.URL() + mirrorPath }

// parseMirror understands what follows /mirror/ in a path.
func parseMirror(parts []string) target {
	if len(parts) != 4 {
		return target{kind: KindOther}
	}
	t := target{
		prefix:   mirrorPath + parts[0],
		mirrored: true,
		addr:     address{canonicalHost(parts[0]), parts[1], parts[2]},
	}
	name := parts[3]
	switch {
	case name == indexName:
		t.kind = KindMirrorIndex
	case strings.HasSuffix(name, versionSuffix):
		t.kind, t.version = KindMirrorVersion, strings.TrimSuffix(name, versionSuffix)
	default:
		if t.kind = fileKind(name); t.kind != KindOther {
			t.version, t.file = versionInName(name, t.addr.name), name
		}
	}
	return t
}

// versionInName returns the version that a file is called after, or "". It has no underscore, or is cut off there.
func versionInName(name, providerType string) string {
	rest, ok := strings.CutPrefix(name, namePrefix+providerType+"_")
	if !ok {
		return ""
	}
	version, _, _ := strings.Cut(rest, "_")
	return version
}

// mirrorIndexJSON is the list of versions: https://developer.hashicorp.com/terraform/internals/provider-network-mirror-protocol
type mirrorIndexJSON struct {
	Versions map[string]struct{} `json:"versions"`
}

// mirrorVersionJSON is the list of one version's archives. The members are in the order in which terraform writes them.
type mirrorVersionJSON struct {
	Archives  map[string]mirrorArchiveJSON `json:"archives"`
	Statement *mirrorStatementJSON         `json:"origin_statement,omitempty"`
}

type mirrorArchiveJSON struct {
	Hashes []string `json:"hashes,omitempty"`
	URL    string   `json:"url"`
}

func (s *Server) answerMirror(w http.ResponseWriter, r *http.Request, t target) {
	switch {
	case !authorized(w, r, s.cfg.MirrorToken):
	case t.kind == KindMirrorIndex:
		s.answerMirrorIndex(w, t)
	default:
		s.answerMirrorVersion(w, t)
	}
}

func (s *Server) answerMirrorIndex(w http.ResponseWriter, t target) {
	releases := s.catalog.versions(t.addr)
	if len(releases) == 0 {
		writeError(w, http.StatusNotFound)
		return
	}
	writeJSON(w, mirrorIndex(releases))
}

func mirrorIndex(releases []*published) mirrorIndexJSON {
	doc := mirrorIndexJSON{map[string]struct{}{}}
	for _, p := range releases {
		doc.Versions[p.release.Version] = struct{}{}
	}
	return doc
}

// networkHashes are the schemes of the hashes that the network mirror tells when nothing else is asked for.
var networkHashes = []string{"h1", "zh"}

func (s *Server) answerMirrorVersion(w http.ResponseWriter, t target) {
	p := s.catalog.version(t.addr, t.version)
	if p == nil {
		writeError(w, http.StatusNotFound)
		return
	}
	doc, err := p.mirrorVersion(networkHashes, func(name string) string { return s.mirrorLink(t, p, name) })
	if err != nil {
		writeError(w, http.StatusInternalServerError)
		return
	}
	writeJSON(w, doc)
}

// mirrorLink returns the URL of a file as a document of the network mirror refers to it.
func (s *Server) mirrorLink(t target, p *published, name string) string {
	if s.cfg.FilesHost == "" || p.release.RelativeURLs {
		return relativeLink(name)
	}
	u := url.URL{Scheme: "https", Host: s.filesHost(), Path: t.prefix + "/" + p.addr.short() + "/" + name}
	return u.String()
}

// relativeLink refers to a file beside the document.
func relativeLink(name string) string { return (&url.URL{Path: name}).String() }

// mirrorVersion describes the archives of a release, with hashes of these schemes unless the release has its own wishes.
func (p *published) mirrorVersion(schemes []string, link func(name string) string) (mirrorVersionJSON, error) {
	if p.release.MirrorHashes != nil {
		schemes = p.release.MirrorHashes
	}
	doc := mirrorVersionJSON{Archives: map[string]mirrorArchiveJSON{}, Statement: p.kept.member(link)}
	for platform, f := range p.archives {
		hashes, err := f.hashes(schemes)
		if err != nil {
			return doc, err
		}
		doc.Archives[platform] = mirrorArchiveJSON{hashes, link(f.name)}
	}
	return doc, nil
}

// hashes returns a file's hashes as [Release.MirrorHashes] describes them, sorted.
func (f *file) hashes(schemes []string) ([]string, error) {
	var hashes []string
	for _, scheme := range schemes {
		hash, err := f.hash(scheme)
		if err != nil {
			return nil, err
		}
		if hash != "" {
			hashes = append(hashes, hash)
		}
	}
	slices.Sort(hashes)
	return hashes, nil
}

func (f *file) hash(scheme string) (string, error) {
	switch {
	case scheme == "h1":
		return f.h1()
	case strings.Contains(scheme, ":"):
		return scheme, nil
	}
	return fmt.Sprintf("%s:%x", scheme, f.sha256), nil
}
