package registrytest

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// serve is the handler of all requests: it logs, waits, misbehaves as told, and answers.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	if !s.enter() {
		panic(http.ErrAbortHandler)
	}
	defer s.handlers.Done()
	t := s.targetOf(r)
	w = s.log.begin(w, r, t)
	if !s.wait(r.Context(), s.cfg.Latency) {
		panic(http.ErrAbortHandler)
	}
	if f := s.faults.next(r, t); f != nil {
		s.misbehave(w, r, t, f)
		return
	}
	s.answer(w, r, t, nil)
}

// answer is the good answer, except for what a fault alters in the contents of files.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, t target, fault *Fault) {
	switch {
	case t.isOCI():
		s.answerOCI(w, r, t, fault)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		writeError(w, http.StatusMethodNotAllowed)
	case t.kind == KindDiscovery:
		writeJSON(w, map[string]string{providersService: t.prefix + providersPath})
	case t.kind == KindVersions || t.kind == KindPackage:
		s.answerMetadata(w, r, t)
	case t.kind == KindMirrorIndex || t.kind == KindMirrorVersion:
		s.answerMirror(w, r, t)
	default:
		s.answerFile(w, r, t, fault)
	}
}

func (s *Server) answerMetadata(w http.ResponseWriter, r *http.Request, t target) {
	switch {
	case !authorized(w, r, s.cfg.Token):
	case t.kind == KindVersions:
		s.answerVersions(w, t)
	default:
		s.answerPackage(w, r, t)
	}
}

// authorized reports whether a request carries the token, if one is wanted; if not, it answers.
func authorized(w http.ResponseWriter, r *http.Request, token string) bool {
	if token == "" || r.Header.Get("Authorization") == "Bearer "+token {
		return true
	}
	w.Header().Set("WWW-Authenticate", "Bearer")
	writeError(w, http.StatusUnauthorized)
	return false
}

type versionsJSON struct {
	ID       string        `json:"id"`
	Versions []versionJSON `json:"versions"`
	Warnings []string      `json:"warnings"`
}

type versionJSON struct {
	Version   string         `json:"version"`
	Protocols []string       `json:"protocols"`
	Platforms []platformJSON `json:"platforms"`
}

type platformJSON struct {
	OS   string `json:"os"`
	Arch string `json:"arch"`
}

func platformOf(platform string) platformJSON {
	os, arch, _ := strings.Cut(platform, "_")
	return platformJSON{os, arch}
}

func (s *Server) answerVersions(w http.ResponseWriter, t target) {
	releases := s.catalog.versions(t.addr)
	if len(releases) == 0 {
		writeError(w, http.StatusNotFound)
		return
	}
	doc := versionsJSON{ID: t.addr.short()}
	for _, p := range releases {
		v := versionJSON{Version: p.release.Version, Protocols: p.release.Protocols, Platforms: []platformJSON{}}
		for _, platform := range p.release.Platforms {
			v.Platforms = append(v.Platforms, platformOf(platform))
		}
		doc.Versions = append(doc.Versions, v)
		doc.Warnings = append(doc.Warnings, p.release.Warnings...)
	}
	doc.Warnings = slices.Compact(doc.Warnings)
	writeJSON(w, doc)
}

type metadataJSON struct {
	Protocols []string `json:"protocols"`
	platformJSON
	Filename     string                 `json:"filename"`
	DownloadURL  string                 `json:"download_url"`
	SumsURL      string                 `json:"shasums_url"`
	SignatureURL string                 `json:"shasums_signature_url"`
	Sum          string                 `json:"shasum"`
	SigningKeys  keysJSON               `json:"signing_keys"`
	Packages     map[string]packageJSON `json:"packages,omitempty"`
}

type keysJSON struct {
	Keys []keyJSON `json:"gpg_public_keys"`
}

type keyJSON struct {
	ID             string `json:"key_id"`
	Armor          string `json:"ascii_armor"`
	TrustSignature string `json:"trust_signature"`
	Source         string `json:"source"`
	SourceURL      string `json:"source_url"`
}

func (s *Server) answerPackage(w http.ResponseWriter, r *http.Request, t target) {
	p := s.catalog.version(t.addr, t.version)
	if p == nil || p.archives[t.platform] == nil {
		writeError(w, http.StatusNotFound)
		return
	}
	archive := p.archives[t.platform]
	link := func(name string) string { return s.link(r, t, p, name) }
	writeJSON(w, metadataJSON{
		Protocols:    p.release.Protocols,
		platformJSON: platformOf(t.platform),
		Filename:     archive.name,
		DownloadURL:  link(archive.name),
		SumsURL:      link(p.baseName() + sumsSuffix),
		SignatureURL: link(p.baseName() + signatureSuffix),
		Sum:          fmt.Sprintf("%x", archive.sha256),
		SigningKeys:  p.release.keys(),
		Packages:     p.packages,
	})
}

func (r Release) keys() keysJSON {
	doc := keysJSON{Keys: []keyJSON{}}
	if r.Unsigned {
		return doc
	}
	for _, k := range append(slices.Clone(r.ExtraKeys), r.Signer) {
		doc.Keys = append(doc.Keys, keyJSON{ID: k.KeyID(), Armor: k.Armored(), Source: k.Name()})
	}
	return doc
}

// link returns the URL of one of a release's files, as the metadata that r asked for refers to it.
func (s *Server) link(r *http.Request, t target, p *published, name string) string {
	u := url.URL{Path: t.prefix + releasesPath + p.addr.short() + "/" + p.release.Version + "/" + name}
	if p.release.RelativeURLs {
		return u.String()
	}
	u.Scheme, u.Host = "https", r.Host
	if s.cfg.FilesHost != "" {
		s.moveToFilesHost(&u, t)
	}
	return u.String()
}

// moveToFilesHost keeps in the path which registry the request was for, since the new host will not tell.
func (s *Server) moveToFilesHost(u *url.URL, t target) {
	u.Host = s.filesHost()
	if t.prefix == "" && t.addr.host != "" {
		u.Path = hostPrefix + t.addr.host + u.Path
	}
}

// filesHost is Config.FilesHost with the server's port.
func (s *Server) filesHost() string { return s.onPort(s.cfg.FilesHost) }

// onPort returns a host with the server's port.
func (s *Server) onPort(hostname string) string {
	_, port, _ := net.SplitHostPort(s.Host()) // the listener's own address always has a port
	return net.JoinHostPort(hostname, port)
}

func writeJSON(w http.ResponseWriter, doc any) {
	data, _ := json.Marshal(doc) // documents hold nothing that does not marshal
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(data) // a client that went away needs no answer
}

func writeError(w http.ResponseWriter, status int) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string][]string{"errors": {http.StatusText(status)}}) // as above
}
