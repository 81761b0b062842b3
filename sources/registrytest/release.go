package registrytest

import (
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"strings"
)

// Release is one version of one provider. Provider and Version are required; everything else has a default.
type Release struct {
	// Provider is "namespace/type", or "host/namespace/type" for a release that only that host has.
	Provider string

	// Version is the version string exactly as served, so it may be one that clients must refuse, like "v1.0".
	Version string

	// Platforms are those that have a package, each as "os_arch". nil means the platform this program runs on.
	Platforms []string

	// Protocols are the plugin protocol versions claimed. nil means "5.0".
	Protocols []string

	// Warnings go into the provider's version list, for clients to show.
	Warnings []string

	// Executable replaces the content of the plugin executable, terraform-provider-TYPE_vVERSION, on all platforms.
	// nil means a small file, different for each provider, version and platform.
	Executable []byte

	// Size, when positive, is the size in bytes of an executable of pseudo-random content that compresses to about 30 %.
	// It is generated once per server for each Size and Seed, deterministically, and kept on disk, not in memory.
	Size int64

	// Seed selects the content of an executable with a Size.
	Seed uint64

	// Files replaces the whole content of the archive for a platform. Files are executable when their mode says so or when
	// their name begins with terraform-provider-. nil means the executable and a licence.
	Files func(platform string) (fs.FS, error)

	// Archive replaces the archive itself with the bytes returned, which need not be a zip archive at all.
	Archive func(platform string) ([]byte, error)

	// Signer signs the checksums. nil means the server's signer.
	Signer *Signer

	// ExtraKeys are published before the signer's key, to be tried in vain.
	ExtraKeys []*Signer

	// Unsigned publishes no keys. A signature is still served, as the protocol wants, but nothing tells who made it.
	Unsigned bool

	// Packages adds OpenTofu's "packages" property to package metadata: hashes and size of all platforms' archives.
	Packages bool

	// Manifest serves a manifest file and lists it in the checksums, as the public registry does.
	Manifest bool

	// RelativeURLs makes the metadata's URLs relative to the metadata's own. The network mirror's are relative anyway, unless
	// [Config.FilesHost] is set.
	RelativeURLs bool

	// MirrorStatement lets mirrors keep what the origin signed: the checksums, the signature and the keys are files beside the
	// archives, and the member "origin_statement" of VERSION.json refers to them. What is [Release.Unsigned] has none.
	MirrorStatement bool

	// MirrorHashes are the hashes that mirrors tell of each archive, by scheme: "h1", "zh", or any other, which has the zh
	// hash's value. What contains a colon is told as it is. Archives that are no zip archives have no h1 hash. Empty but not
	// nil means none. nil means h1 and zh over the network, and h1 in [Server.WriteMirror].
	MirrorHashes []string
}

// address is the parsed form of Release.Provider. host is "" when the release is for any host, else in canonical form.
type address struct{ host, namespace, name string }

func parseAddress(provider string) (address, error) {
	parts := strings.Split(provider, "/")
	for _, part := range parts {
		if checkSegment(part) != nil {
			parts = nil
		}
	}
	switch len(parts) {
	case 2:
		return address{"", parts[0], parts[1]}, nil
	case 3:
		return address{canonicalHost(parts[0]), parts[1], parts[2]}, nil
	}
	return address{}, fmt.Errorf("provider is %q; it must be namespace/type or host/namespace/type", provider)
}

// short is "namespace/type".
func (a address) short() string { return a.namespace + "/" + a.name }

// withDefaults checks r and fills in what it leaves open.
func (r Release) withDefaults(signer *Signer) (Release, address, error) {
	addr, err := parseAddress(r.Provider)
	if err != nil {
		return r, addr, err
	}
	if err := checkSegment(r.Version); err != nil {
		return r, addr, fmt.Errorf("version is %q; %w", r.Version, err)
	}
	if r.Platforms == nil {
		r.Platforms = []string{runtime.GOOS + "_" + runtime.GOARCH}
	}
	for _, p := range r.Platforms {
		if os, arch, ok := strings.Cut(p, "_"); !ok || os == "" || arch == "" || strings.Contains(p, "/") {
			return r, addr, fmt.Errorf("platform is %q; it must be os_arch", p)
		}
	}
	if slices.Contains(r.ExtraKeys, nil) {
		return r, addr, errors.New("one of ExtraKeys is nil")
	}
	if r.Protocols == nil {
		r.Protocols = []string{"5.0"}
	}
	if r.Signer == nil {
		r.Signer = signer
	}
	return r, addr, nil
}

// checkSegment refuses what cannot be one segment of a URL's path. Everything else may be served, however odd.
func checkSegment(s string) error {
	if s == "" || s == "." || s == ".." || strings.Contains(s, "/") {
		return errors.New("it must fit between two slashes of a URL")
	}
	return nil
}

// baseName is what the names of all files of a release begin with.
func (r Release) baseName(name string) string { return namePrefix + name + "_" + r.Version }

// Add offers a release from now on, in the place of one with the same provider and version if there is one. Archives are
// made before it returns. Requests see either all of the release or nothing of it.
//
// The error is an [*Error] that tells which release it is about.
func (s *Server) Add(r Release) error {
	p, err := s.publish(r)
	if err != nil {
		return &Error{Op: "add release", What: strings.TrimSpace(r.Provider + " " + r.Version), Err: err}
	}
	s.oci.offer(p)
	s.catalog.add(p)
	return nil
}

// Remove withdraws a version of a provider, if it is there; provider is spelled as in [Release.Provider]. Answers that are
// being sent are not interrupted. Files on disk stay until Close.
func (s *Server) Remove(provider, version string) {
	addr, err := parseAddress(provider)
	if err != nil {
		return // no such provider can be there
	}
	s.catalog.remove(addr, version)
	s.oci.withdraw(addr, version)
}
