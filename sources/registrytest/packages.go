package registrytest

import (
	"archive/zip"
	"fmt"
	"io"

	"golang.org/x/mod/sumdb/dirhash"
)

// packageJSON is one platform's part of OpenTofu's "packages" property of package metadata.
type packageJSON struct {
	Hashes []string `json:"hashes"`
	Size   int64    `json:"package_size"`
}

// addPackages computes the hashes of all platforms' archives. It does so with the reference implementation of the h1
// scheme, golang.org/x/mod, so that tests compare this library's own implementation with something else than itself.
func (p *published) addPackages() error {
	p.packages = map[string]packageJSON{}
	for platform, f := range p.archives {
		hashes := []string{fmt.Sprintf("zh:%x", f.sha256)}
		if h1, err := f.h1(); err != nil {
			return err
		} else if h1 != "" {
			hashes = append(hashes, h1)
		}
		p.packages[platform] = packageJSON{hashes, f.size}
	}
	return nil
}

// contentHash returns the h1 hash of an archive's contents, or "" when it is no readable zip archive.
func (f *file) contentHash() (string, error) {
	r, err := f.open()
	if err != nil {
		return "", err
	}
	defer r.Close()
	z, err := zip.NewReader(r, f.size)
	if err != nil {
		return "", nil // releases may serve anything as their archive
	}
	entries := map[string]*zip.File{}
	var names []string
	for _, e := range z.File {
		entries[e.Name] = e
		names = append(names, e.Name)
	}
	h1, err := dirhash.Hash1(names, func(name string) (io.ReadCloser, error) { return entries[name].Open() })
	if err != nil {
		return "", nil // as above
	}
	return h1, nil
}
