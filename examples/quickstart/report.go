package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// report prints what happens, with paths relative to base.
type report struct {
	out  io.Writer
	base string
}

func (r report) title(text string) { fmt.Fprintf(r.out, "\n%s\n", text) }

func (r report) line(format string, args ...any) { fmt.Fprintf(r.out, "  "+format+"\n", args...) }

func (r report) path(path string) string {
	if relative, err := filepath.Rel(r.base, path); err == nil {
		return relative
	}
	return path
}

// selection says which version was selected and why.
func (r report) selection(s installer.Selection) {
	if s.Locked {
		r.line("%-8s %-7s the locked version", s.Provider.Type(), s.Version)
		return
	}
	meeting := ""
	if text := s.Constraints.String(); text != "" {
		meeting = " that meet " + text
	}
	r.line("%-8s %-7s the newest of %d%s; there are %d, up to %s, in %s",
		s.Provider.Type(), s.Version, s.Matching, meeting, s.Listed, s.Newest, strings.Join(s.From, " and "))
}

// pkg says where a package came from, where it is, and who vouches for it.
func (r report) pkg(p installer.Package) {
	r.line("%s %s in %d ms", p.Provider, p.Version, p.Duration.Milliseconds())
	if p.Location == "" {
		r.line("  from     this machine: nothing was downloaded")
	} else {
		r.line("  from     %s, %d kB", p.Location, p.Downloaded/1000)
	}
	r.line("  proven   %s", proof(p.Proof))
	r.line("  contents %s", p.Proof.Computed.Tree)
	if archive := p.Proof.Computed.Archive; archive != "" {
		r.line("  archive  %s", archive)
	}
	if p.Stored != "" {
		r.line("  cached   %s", r.path(p.Stored))
	}
	r.line("  run      %s", r.path(p.Executable))
}

// proof says what the verification of a package rests on.
func proof(p *hashing.Proof) string {
	switch {
	case p.Authority == hashing.Signed:
		return fmt.Sprintf("signed by %s, key %s", p.Signer.Identity, p.Signer.Fingerprint)
	case p.Locked:
		return "by a hash of the lock file"
	case p.Authority == hashing.Reported:
		return "by a hash that its mirror reports"
	}
	return "by nobody: the lock file will know it from now on"
}

// requests says what was asked of the registry since the last time.
func (r report) requests(registry *registrytest.Server) {
	count := make(map[registrytest.Kind]int)
	for _, request := range registry.Requests() {
		count[request.Kind]++
	}
	var parts []string
	for _, kind := range []registrytest.Kind{
		registrytest.KindDiscovery, registrytest.KindVersions, registrytest.KindPackage, registrytest.KindSums,
		registrytest.KindSignature, registrytest.KindMirrorIndex, registrytest.KindMirrorVersion, registrytest.KindArchive,
	} {
		if count[kind] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", count[kind], kind))
		}
	}
	if len(parts) == 0 {
		parts = []string{"none"}
	}
	r.line("→ requests: %s", strings.Join(parts, ", "))
	registry.ResetRequests()
}

// file prints a file, indented.
func (r report) file(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(text)) {
		fmt.Fprint(r.out, "  │ ", line)
	}
	return nil
}
