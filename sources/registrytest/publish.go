package registrytest

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
)

// published is a release with everything made that its answers need.
type published struct {
	addr     address
	release  Release // with defaults filled in
	archives map[string]*file
	packages map[string]packageJSON
	files    map[string]*file // everything under the release's directory, by name
	sums     *file
	kept     *keptStatement // nil: mirrors keep none
}

// file is a document that can be opened any number of times.
type file struct {
	name   string
	size   int64
	sha256 [sha256.Size]byte
	open   func() (readSeekCloser, error)
	h1     func() (string, error) // the hash of the contents, computed when first wanted; "" for what is no zip archive
}

func newFile(name string, size int64, sum [sha256.Size]byte, open func() (readSeekCloser, error)) *file {
	f := &file{name: name, size: size, sha256: sum, open: open}
	f.h1 = sync.OnceValues(f.contentHash)
	return f
}

// readSeekCloser is what serving a file takes; reading at offsets serves the reading of zip archives.
type readSeekCloser interface {
	io.ReadSeeker
	io.ReaderAt
	io.Closer
}

// memory is a readSeekCloser over bytes.
type memory struct{ *bytes.Reader }

var _ readSeekCloser = memory{}

func (memory) Close() error { return nil }

func memoryFile(name string, data []byte) *file {
	open := func() (readSeekCloser, error) { return memory{bytes.NewReader(data)}, nil }
	return newFile(name, int64(len(data)), sha256.Sum256(data), open)
}

// publish makes the archives of a release, their checksums and the signature.
func (s *Server) publish(r Release) (*published, error) {
	r, addr, err := r.withDefaults(s.signer)
	if err != nil {
		return nil, err
	}
	p := &published{addr: addr, release: r, archives: map[string]*file{}, files: map[string]*file{}}
	for _, platform := range r.Platforms {
		f, err := s.archive(r, addr, platform)
		if err != nil {
			return nil, fmt.Errorf("archive for %s: %w", platform, err)
		}
		p.archives[platform], p.files[f.name] = f, f
	}
	if r.Manifest {
		p.addManifest()
	}
	if r.Packages {
		if err := p.addPackages(); err != nil {
			return nil, err
		}
	}
	if err := p.sign(); err != nil {
		return nil, err
	}
	p.keepStatement()
	return p, nil
}

func (p *published) baseName() string { return p.release.baseName(p.addr.name) }

// addManifest adds the file that the public registry reads protocol versions from:
// https://developer.hashicorp.com/terraform/registry/providers/publishing
func (p *published) addManifest() {
	manifest := map[string]any{
		"version":  1,
		"metadata": map[string]any{"protocol_versions": p.release.Protocols},
	}
	data, _ := json.Marshal(manifest) // strings and numbers always marshal
	f := memoryFile(p.baseName()+manifestSuffix, data)
	p.files[f.name] = f
}

// sign adds the checksums of all files so far, in the form that sha256sum prints, and the signature over them.
func (p *published) sign() error {
	var names []string
	for name := range p.files {
		names = append(names, name)
	}
	slices.Sort(names)
	var text strings.Builder
	for _, name := range names {
		fmt.Fprintf(&text, "%x  %s\n", p.files[name].sha256, name)
	}
	sums := []byte(text.String())
	sig, err := p.release.Signer.Sign(sums)
	if err != nil {
		return err
	}
	p.sums = memoryFile(p.baseName()+sumsSuffix, sums)
	p.files[p.sums.name] = p.sums
	signature := memoryFile(p.baseName()+signatureSuffix, sig)
	p.files[signature.name] = signature
	return nil
}

// signedBy returns the signature document that somebody else would have made.
func (p *published) signedBy(other *Signer) (*file, error) {
	r, err := p.sums.open()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	sums, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	sig, err := other.Sign(sums)
	if err != nil {
		return nil, err
	}
	return memoryFile(p.baseName()+signatureSuffix, sig), nil
}
