package bundle

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/purveyor-dev/purveyor/internal/ocilayout"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/ocimirror"
)

// registry is the host of the registry that a bundle answers for. There is none of this name:
// https://www.rfc-editor.org/rfc/rfc6761#section-6.4
const registry = "bundle.invalid"

// newConfig is the way to a layout. Nothing is tried again: a disk does not get better.
func newConfig(name string, layout *ocilayout.Layout) ocimirror.Config {
	return ocimirror.Config{
		Repository:     func(p sources.Provider) (string, string, error) { return locate(p) },
		Name:           name,
		Client:         &http.Client{Transport: layout},
		Retries:        -1,
		ArchiveRetries: -1,
		Timeout:        -1,
		Stall:          -1,
		Backoff:        time.Millisecond,
	}
}

// locate returns the repository of a provider. A provider that cannot have one is not in any bundle.
func locate(p sources.Provider) (host, repository string, err error) {
	repository = repositoryOf(p)
	if back, ok := providerOf(repository); !ok || back != p {
		return "", "", fmt.Errorf("%w: a bundle has no name for a provider of this address", sources.ErrNotFound)
	}
	return registry, repository, nil
}

// repositoryOf returns the name of a provider's repository: "registry.example.com_8443/acme/rocket". Hosts have no
// underscore.
func repositoryOf(p sources.Provider) string {
	return strings.ReplaceAll(p.Host().ASCII(), ":", "_") + "/" + p.Namespace() + "/" + p.Type()
}

// providerOf is the inverse of repositoryOf, for what has one.
func providerOf(repository string) (p sources.Provider, ok bool) {
	parts := strings.Split(repository, "/")
	if len(parts) != 3 || !repositoryForm.MatchString(repository) {
		return p, false
	}
	host, err := sources.HostOfURL(&url.URL{Scheme: "https", Host: strings.ReplaceAll(parts[0], "_", ":")})
	if err != nil {
		return p, false
	}
	p, err = sources.ParseProviderIn(host, parts[1]+"/"+parts[2])
	return p, err == nil && repositoryOf(p) == repository
}

// The names that repositories and tags can have:
// https://github.com/opencontainers/distribution-spec/blob/v1.1.1/spec.md#pulling-manifests
var repositoryForm = regexp.MustCompile(`^[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*(/[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*)*$`)

const maxTag = 128 // characters

// versionOf reads a tag as a version.
func versionOf(tag string) (v sources.Version, ok bool) {
	if len(tag) > maxTag || strings.Contains(tag, "+") {
		return v, false
	}
	v, err := sources.ParseVersion(strings.ReplaceAll(tag, "_", "+"))
	return v, err == nil
}

// tagOf returns the usual tag of a version.
func tagOf(v sources.Version) string { return strings.ReplaceAll(v.String(), "+", "_") }

// nameOf returns the name of a version in a bundle: "registry.example.com/acme/rocket:1.2.3".
func nameOf(p sources.Provider, v sources.Version) string {
	return ocilayout.Name(repositoryOf(p), tagOf(v))
}
