package main

import (
	"time"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources"
)

// record is one thing that the program says, and with -json a line. [schema] says what its events and fields mean to those
// who read that. The first events there are those of [installer.Event], which says in what order they come; instead of its
// "failed" there is an "error", when all providers are through.
type record struct {
	Event      string  `json:"event"`
	Provider   string  `json:"provider,omitempty"`   // complete source address
	Version    string  `json:"version,omitempty"`    // 1.2.3
	Platform   string  `json:"platform,omitempty"`   // linux_amd64; none while a version is selected
	Location   string  `json:"location,omitempty"`   // where a package is fetched from; pushed: where it is; of an error or a warning: file:line
	Bytes      int64   `json:"bytes,omitempty"`      // progress: so far; package: downloaded; pushed: sent
	Size       int64   `json:"size,omitempty"`       // of an archive in bytes, if it is known
	Path       string  `json:"path,omitempty"`       // of the package's directory, of the lock file; fetched: of the archive
	Stored     string  `json:"stored,omitempty"`     // package: the directory that Path is a link to or a copy of
	Executable string  `json:"executable,omitempty"` // package: absolute path
	Authority  string  `json:"authority,omitempty"`  // that vouches for the package: "signed", "reported" or "unverified"
	Signer     string  `json:"signer,omitempty"`     // the signing key's user ID
	Key        string  `json:"key,omitempty"`        // its fingerprint
	Carried    bool    `json:"carried,omitempty"`    // the key came from a mirror; no registry vouched for it
	Expired    string  `json:"expired,omitempty"`    // the date, 2006-01-02, on which key or signature expired
	Locked     bool    `json:"locked,omitempty"`     // a hash of the lock file proves the package
	Seconds    float64 `json:"seconds,omitempty"`    // package: how long that took
	Hashes     int     `json:"hashes,omitempty"`     // lock: their number
	Used       string  `json:"used,omitempty"`       // cached: when it was used last, RFC 3339
	Digest     string  `json:"digest,omitempty"`     // pushed: of the version's index
	Message    string  `json:"message,omitempty"`
	Hint       string  `json:"hint,omitempty"` // what to do about it, on one or more lines

	Added   []string `json:"added,omitempty"`   // pushed, mirrored: platforms whose packages are new
	Present []string `json:"present,omitempty"` // pushed, mirrored: platforms whose packages were there; surplus: all
	From    []string `json:"from,omitempty"`    // version, asked, selected: names of sources
	Missing []string `json:"missing,omitempty"` // mirrored: platforms that the source does not have
	Keys    []string `json:"keys,omitempty"`    // mirrored: fingerprints of the keys that signed the packages

	Platforms []string `json:"platforms,omitempty"` // version: that it has packages for; lock: that were asked for
	Protocols []string `json:"protocols,omitempty"` // version: of the plugin protocol

	frame string // message and location with the line of the file, for people
}

// printer is where records go.
type printer interface {
	print(r record)
	packages(all []record) // what is installed
	close()                // no downloads are shown any more; more records may come
}

// printer returns the one for the command line. Where standard output is for results, people read standard error.
func (s *session) printer() printer {
	if s.json {
		return jsonLines{out: s.stdout}
	}
	lines := human{out: s.stdout, err: s.stderr, env: s.env, show: s.show, quiet: s.quiet, style: stylerFor(s.stderr, s.env)}
	if len(s.named) > 0 {
		lines.out = s.stderr
	}
	if !s.quiet && isTerminal(lines.out, s.env) {
		return newLive(lines.out, lines)
	}
	return &lines
}

// notify passes on what the installer tells. Failures come again, as errors, when all providers are through.
// Several archives that are fetched side by side tell side by side.
func (s *session) notify(e installer.Event) {
	s.notifying.Lock()
	defer s.notifying.Unlock()
	if e.Proof != nil && e.Proof.Signer != nil {
		s.signers[e.Proof.Signer.Fingerprint] = e.Proof.Signer
	}
	if l, ok := s.out.(*live); ok && e.Kind == installer.EventFailed {
		l.follow(eventRecord(e))
	}
	if e.Kind != installer.EventFailed {
		s.out.print(eventRecord(e))
	}
}

func eventRecord(e installer.Event) record {
	r := record{
		Event:    string(e.Kind),
		Provider: e.Provider.String(),
		Version:  versionText(e.Version),
		Platform: e.Platform.String(),
		Location: e.Location,
		Bytes:    e.Bytes,
		Size:     max(e.Size, 0),
		Path:     e.Path,
		Message:  e.Message,
	}
	if e.Err != nil {
		r.Message = e.Err.Error()
	}
	if e.Proof != nil {
		r = r.proven(*e.Proof)
	}
	return r
}

func packageRecord(pkg installer.Package) record {
	return record{
		Event:      "package",
		Provider:   pkg.Selection.Provider.String(),
		Version:    pkg.Selection.Version.String(),
		Platform:   pkg.Platform.String(),
		Location:   pkg.Location,
		Bytes:      pkg.Downloaded,
		Path:       pkg.Dir,
		Stored:     pkg.Stored,
		Executable: pkg.Executable,
		Seconds:    pkg.Duration.Seconds(),
	}.proven(*pkg.Proof)
}

// proven adds who vouches for a package.
func (r record) proven(proof hashing.Proof) record {
	r.Authority, r.Locked = proof.Authority.String(), proof.Locked
	if proof.Signer != nil {
		r = r.signedBy(proof.Signer)
	}
	return r
}

func (r record) signedBy(signer *hashing.Signer) record {
	r.Signer, r.Key, r.Carried = signer.Identity, signer.Fingerprint, signer.Carried
	if !signer.ExpiredAt.IsZero() {
		r.Expired = signer.ExpiredAt.UTC().Format(time.DateOnly)
	}
	return r
}

func versionText(v sources.Version) string {
	if v.IsZero() {
		return ""
	}
	return v.String()
}
