package registrytest

import (
	"archive/zip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
)

// Layout is a form that packages have in a filesystem mirror.
type Layout int

// The layouts of https://developer.hashicorp.com/terraform/cli/config/config-file#filesystem_mirror.
const (
	// Packed is HOST/NAMESPACE/TYPE/terraform-provider-TYPE_VERSION_OS_ARCH.zip, with the documents of the network mirror
	// protocol, index.json and VERSION.json, beside the archives: byte for byte what "terraform providers mirror" writes.
	Packed Layout = iota

	// Unpacked is HOST/NAMESPACE/TYPE/VERSION/OS_ARCH/, with the files of the package.
	Unpacked
)

// WriteMirror writes a filesystem mirror into the directory dir, which need not exist. Calls with other layouts or providers
// add to what is there; of the same packages and documents the latest stay.
//
// Providers are spelled as in [Release.Provider]; none means all. A provider is written for its host. Without one, it is
// written for each of the hosts that [Server.CLIConfig] names that has it. Hosts are spelled in Unicode, as terraform does.
//
// Packed archives may be anything; unpacked ones must be zip archives of files and directories, and nothing of them gets
// outside of the package's directory. The error is an [*Error], also for a provider that has no release.
func (s *Server) WriteMirror(dir string, layout Layout, providers ...string) error {
	if err := s.writeMirror(dir, layout, providers); err != nil {
		return &Error{Op: "write mirror", What: dir, Err: err}
	}
	return nil
}

func (s *Server) writeMirror(dir string, layout Layout, providers []string) error {
	if layout != Packed && layout != Unpacked {
		return fmt.Errorf("layout is %d; it must be Packed or Unpacked", layout)
	}
	addrs, err := s.mirrorAddresses(providers)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	write := writePacked
	if layout == Unpacked {
		write = writeUnpacked
	}
	for _, addr := range addrs {
		if err := write(mirrorDir{dir, addr}, s.catalog.versions(addr)); err != nil {
			return fmt.Errorf("%s/%s: %w", addr.host, addr.short(), err)
		}
	}
	return nil
}

// mirrorAddresses returns the addresses of the providers that WriteMirror was asked for, each with a host.
func (s *Server) mirrorAddresses(providers []string) ([]address, error) {
	wanted := s.catalog.providers()
	if len(providers) > 0 {
		wanted = nil
	}
	for _, provider := range providers {
		addr, err := parseAddress(provider)
		if err != nil {
			return nil, err
		}
		if len(s.catalog.versions(addr)) == 0 {
			return nil, fmt.Errorf("provider is %q; no release is of that", provider)
		}
		wanted = append(wanted, addr)
	}
	var addrs []address
	for _, addr := range wanted {
		for _, addr := range s.withHosts(addr) {
			if !slices.Contains(addrs, addr) {
				addrs = append(addrs, addr)
			}
		}
	}
	return addrs, nil
}

// withHosts returns addr if it has a host, or else addr with each host that has it.
func (s *Server) withHosts(addr address) []address {
	if addr.host != "" {
		return []address{addr}
	}
	var addrs []address
	for _, host := range s.hosts() {
		addr.host = host
		if len(s.catalog.versions(addr)) > 0 {
			addrs = append(addrs, addr)
		}
	}
	return addrs
}

// mirrorDir is the directory of one provider in a filesystem mirror.
type mirrorDir struct {
	root string
	addr address
}

// path returns a path below the directory. Names of releases are free, so some are no names of files, on Windows many.
func (d mirrorDir) path(segments ...string) (string, error) {
	slashed := path.Join(append([]string{d.addr.host, d.addr.namespace, d.addr.name}, segments...)...)
	local, err := filepath.Localize(slashed)
	if err != nil {
		return "", fmt.Errorf("%q cannot be the path of a file here", slashed)
	}
	return filepath.Join(d.root, local), nil
}

// directoryHashes are the schemes of the hashes that terraform writes into VERSION.json.
var directoryHashes = []string{"h1"}

func writePacked(d mirrorDir, releases []*published) error {
	for _, p := range releases {
		for _, f := range slices.Concat(slices.Collect(maps.Values(p.archives)), p.kept.files()) {
			if err := d.writeFile(f); err != nil {
				return err
			}
		}
		doc, err := p.mirrorVersion(directoryHashes, relativeLink)
		if err != nil {
			return err
		}
		if err := d.writeDocument(p.release.Version+versionSuffix, doc); err != nil {
			return err
		}
	}
	return d.writeDocument(indexName, mirrorIndex(releases))
}

func (d mirrorDir) writeFile(f *file) error {
	name, err := d.path(f.name)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	from, err := f.open()
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := os.Create(name)
	if err != nil {
		return err
	}
	_, err = io.Copy(to, from)
	return errors.Join(err, to.Close())
}

// writeDocument writes JSON as terraform does: two spaces of indent, no newline at the end.
func (d mirrorDir) writeDocument(name string, doc any) error {
	name, err := d.path(name)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil { // a release may have no archives
		return err
	}
	data, _ := json.MarshalIndent(doc, "", "  ") // documents hold nothing that does not marshal
	return os.WriteFile(name, data, 0o644)
}

func writeUnpacked(d mirrorDir, releases []*published) error {
	for _, p := range releases {
		for platform, f := range p.archives {
			dir, err := d.path(p.release.Version, platform)
			if err != nil {
				return err
			}
			if err := f.unpack(dir); err != nil {
				return fmt.Errorf("unpack %s: %w", f.name, err)
			}
		}
	}
	return nil
}

// unpack replaces the directory dir by the contents of an archive. [os.CopyFS] writes nothing outside of it, since a file
// system of package fs has no names that lead there.
func (f *file) unpack(dir string) error {
	r, err := f.open()
	if err != nil {
		return err
	}
	defer r.Close()
	archive, err := zip.NewReader(r, f.size)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return os.CopyFS(dir, archive)
}
