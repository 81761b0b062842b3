package interop_test

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/bundle"
	"github.com/purveyor-dev/purveyor/sources/direct"
	"github.com/purveyor-dev/purveyor/sources/ocimirror"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// bundleWorld is a provider registry, an OCI registry that has nothing yet, and a bundle of one version.
type bundleWorld struct {
	*registrytest.Server
	t        *testing.T
	provider sources.Provider
	version  sources.Version
	path     string
}

func newBundleWorld(t *testing.T) *bundleWorld {
	t.Helper()
	srv := registrytest.New(t, registrytest.Config{
		Releases: []registrytest.Release{{Provider: "registry.example.com/acme/rocket", Version: "1.2.3", Platforms: []string{"linux_amd64", "darwin_arm64"}}},
		OCI:      registrytest.OCI{Empty: true},
	})
	w := &bundleWorld{
		Server: srv, t: t, path: filepath.Join(t.TempDir(), "providers.tar"),
		provider: sources.MustParseProvider("registry.example.com/acme/rocket"), version: sources.MustParseVersion("1.2.3"),
	}
	w.fill()
	return w
}

// fill writes the bundle.
func (w *bundleWorld) fill() {
	w.t.Helper()
	writer, err := bundle.Create(w.path)
	if err != nil {
		w.t.Fatal(err)
	}
	defer writer.Close()
	registry := direct.New(direct.Config{
		Client:   w.Client(),
		Services: map[sources.Host]map[string]string{w.provider.Host(): w.HostServices("registry.example.com")},
	})
	in := &installer.Installer{Source: registry, Dir: w.t.TempDir()}
	r := sources.Release{Provider: w.provider, Version: w.version}
	for _, on := range []sources.Platform{{OS: "linux", Arch: "amd64"}, {OS: "darwin", Arch: "arm64"}} {
		a, err := in.Fetch(w.t.Context(), w.provider, w.version, on, filepath.Join(w.t.TempDir(), "package.zip"))
		if err != nil {
			w.t.Fatal(err)
		}
		r.Archives, r.Statement = append(r.Archives, a.Publishable()), a.Statement
	}
	if _, err := writer.Push(w.t.Context(), r); err != nil {
		w.t.Fatal(err)
	}
	if err := writer.Commit(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
}

// skopeo runs the program of that name, without any configuration of this machine.
func (w *bundleWorld) skopeo(args ...string) (string, error) {
	w.t.Helper()
	program, err := exec.LookPath("skopeo")
	if err != nil {
		w.t.Skip("skopeo is not on PATH: the test needs it to read and write bundles; Debian has a package of this name")
	}
	cmd := exec.CommandContext(w.t.Context(), program, append([]string{"--insecure-policy"}, args...)...)
	cmd.Env = []string{"HOME=" + w.t.TempDir(), "TMPDIR=" + w.t.TempDir(), "PATH=/usr/bin:/bin"}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (w *bundleWorld) mustSkopeo(args ...string) string {
	w.t.Helper()
	out, err := w.skopeo(args...)
	if err != nil {
		w.t.Fatalf("skopeo %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

// mirror is what an OCI registry has, read as OpenTofu would.
func (w *bundleWorld) mirror() sources.Source {
	w.t.Helper()
	source, err := ocimirror.New(ocimirror.Config{
		Repository: func(sources.Provider) (string, string, error) { return w.Host(), "mirror/rocket", nil },
		Client:     w.Client(),
		Backoff:    time.Millisecond,
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return source
}

// mustInstall makes sure that a source has the package.
func (w *bundleWorld) mustInstall(from sources.Source) {
	w.t.Helper()
	in := &installer.Installer{Source: from, Dir: w.t.TempDir(), Platform: sources.Platform{OS: "linux", Arch: "amd64"}}
	request := installer.Request{Requirements: installer.Requirements{w.provider: sources.MustParseConstraints("1.2.3")}}
	if _, err := in.Install(w.t.Context(), request); err != nil {
		w.t.Errorf("%s: %v", from, err)
	}
}

const bundledName = "registry.example.com/acme/rocket:1.2.3"

// skopeo finds a version in a bundle by its name, and reads all of it: it checks the digest of whatever it copies.
func TestSkopeoReadsBundles(t *testing.T) {
	t.Parallel()
	w := newBundleWorld(t)
	var index struct {
		MediaType, ArtifactType string
		Manifests               []any
	}
	if err := json.Unmarshal([]byte(w.mustSkopeo("inspect", "--raw", "oci-archive:"+w.path+":"+bundledName)), &index); err != nil {
		t.Fatal(err)
	}
	if index.ArtifactType != ocimirror.ArtifactTypeProvider || len(index.Manifests) != 2 {
		t.Errorf("skopeo sees %+v", index)
	}
	w.mustSkopeo("copy", "--all", "oci-archive:"+w.path+":"+bundledName, "dir:"+t.TempDir())
}

// skopeo copies a version from a bundle to a registry, where it can be installed from, and back into a tar, which is a bundle
// again.
func TestSkopeoCopiesBundles(t *testing.T) {
	t.Parallel()
	w := newBundleWorld(t)
	at := w.Host() + "/mirror/rocket:1.2.3"
	out, err := w.skopeo("copy", "--all", "--preserve-digests", "--dest-tls-verify=false", "oci-archive:"+w.path+":"+bundledName, "docker://"+at)
	switch {
	case err != nil && strings.Contains(out, "we cannot modify it"):
		t.Skip("this skopeo is too old: it would write the version's index anew, without its artifact type, and says so")
	case err != nil:
		t.Fatalf("%v\n%s", err, out)
	}
	w.mustInstall(w.mirror())

	back := filepath.Join(t.TempDir(), "back.tar")
	w.mustSkopeo("copy", "--all", "--preserve-digests", "--src-tls-verify=false", "docker://"+at, "oci-archive:"+back+":"+bundledName)
	b, err := bundle.Open(back)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if report, err := b.Verify(t.Context(), bundle.VerifyOptions{}); err != nil || len(report.Items) != 1 || report.Items[0].Signed {
		t.Errorf("the report is %+v, %v", report, err)
	}
	w.mustInstall(b)
}
