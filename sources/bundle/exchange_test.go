package bundle_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2"
	"oras.land/oras-go/v2/content/memory"
	"oras.land/oras-go/v2/content/oci"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/installer/mirror"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/bundle"
	"github.com/purveyor-dev/purveyor/sources/fsmirror"
	"github.com/purveyor-dev/purveyor/sources/ocimirror"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

const name = "registry.example.com/acme/rocket:1.0.0"

// mirrors are targets of other kinds, with the sources that read them.
func mirrors(t *testing.T) map[sources.Target]sources.Source {
	t.Helper()
	dir := t.TempDir()
	srv := registrytest.New(t, registrytest.Config{OCI: registrytest.OCI{Empty: true}})
	config := ocimirror.Config{
		Repository: func(p sources.Provider) (string, string, error) {
			return srv.Host(), "mirror/" + p.Namespace() + "-" + p.Type(), nil
		},
		Client:  srv.Client(),
		Backoff: time.Millisecond,
	}
	source, err := ocimirror.New(config)
	if err != nil {
		t.Fatal(err)
	}
	target, err := ocimirror.NewTarget(ocimirror.TargetConfig{Config: config})
	if err != nil {
		t.Fatal(err)
	}
	return map[sources.Target]sources.Source{fsmirror.NewTarget(dir): fsmirror.New(dir), target: source}
}

// pinned accepts what a signer has signed, and nothing else.
func pinned(signer *registrytest.Signer) installer.Policy {
	return installer.Policy{Signers: []string{signer.Fingerprint()}}
}

// From a registry into a bundle, from there into a mirror, from there into a bundle again: signatures hold all the way,
// and the bundles are the same.
func TestThereAndBackAgain(t *testing.T) {
	t.Parallel()
	signer, stranger := newSigner(t), newSigner(t)
	first := filepath.Join(t.TempDir(), "first.tar")
	w := create(t, first)
	if pushed := transfer(t, origin(t, signer, "1.0.0"), installer.Policy{RequireSignature: true}, w, v1, linux, darwin); !pushed.Signed {
		t.Errorf("pushed is %+v", pushed)
	}
	commit(t, w)
	for target, source := range mirrors(t) {
		if pushed := transfer(t, open(t, first), pinned(signer), target, v1, linux, darwin); !pushed.Signed || len(pushed.Added) != 2 {
			t.Errorf("%s: pushed is %+v", target, pushed)
		}
		again := filepath.Join(t.TempDir(), "again.tar")
		w := create(t, again)
		transfer(t, source, pinned(signer), w, v1, linux, darwin)
		commit(t, w)
		if !bytes.Equal(readFile(t, first), readFile(t, again)) {
			t.Errorf("%s: the bundles differ", target)
		}
		var policy *installer.PolicyError
		in := &installer.Installer{Source: open(t, again), Dir: t.TempDir(), Policy: pinned(stranger)}
		if _, err := in.Fetch(t.Context(), rocket, v1, linux, filepath.Join(t.TempDir(), "x.zip")); !errors.As(err, &policy) {
			t.Errorf("%s: somebody else's key: %v", target, err)
		}
	}
}

// all asks for everything that a bundle has.
func all(t *testing.T, b *bundle.Bundle) mirror.Plan {
	t.Helper()
	items, err := b.Contents(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var plan mirror.Plan
	for _, item := range items {
		plan.Wants = append(plan.Wants, mirror.Want{Provider: item.Provider, Version: item.Version, Platforms: item.Platforms})
	}
	return plan
}

// What builds mirrors fills bundles, and mirrors from bundles. A version that is in the mirror already is not fetched.
func TestBuildingFromABundle(t *testing.T) {
	t.Parallel()
	signer := newSigner(t)
	path := filepath.Join(t.TempDir(), "providers.tar")
	w := create(t, path)
	plan := mirror.Plan{Platforms: []sources.Platform{linux, darwin}, Wants: []mirror.Want{{Provider: rocket, Latest: mirror.All}}}
	export := &mirror.Builder{Installer: &installer.Installer{Source: origin(t, signer, "1.0.0", "1.1.0"), Policy: pinned(signer)}, Target: w}
	for range 2 {
		if _, err := export.Build(t.Context(), plan); err != nil {
			t.Fatal(err)
		}
	}
	commit(t, w)
	b := open(t, path)
	for target, source := range mirrors(t) {
		load := &mirror.Builder{Installer: &installer.Installer{Source: b, Policy: pinned(signer)}, Target: target}
		if _, err := load.Build(t.Context(), all(t, b)); err != nil {
			t.Fatal(err)
		}
		listing, err := source.Versions(t.Context(), rocket)
		if err != nil || len(listing.Versions) != 2 {
			t.Errorf("%s: versions are %v, %v", target, listing.Versions, err)
		}
	}
}

// unreachable is a network that refuses everything.
type unreachable struct{ asked []string }

func (u *unreachable) RoundTrip(req *http.Request) (*http.Response, error) {
	u.asked = append(u.asked, req.URL.String())
	return nil, errors.New("there is no network")
}

// TestWithoutANetwork replaces the transport that everything uses which has none of its own. It does not run beside other
// tests.
func TestWithoutANetwork(t *testing.T) { //nolint:paralleltest
	signer := newSigner(t)
	path := bundled(t, released(t, rocket, v1, signer, packed(t, linux, "linux"), packed(t, darwin, "darwin")))
	usual, network := http.DefaultTransport, &unreachable{}
	http.DefaultTransport = network
	defer func() { http.DefaultTransport = usual }()

	in := &installer.Installer{Source: open(t, path), Dir: t.TempDir(), Platform: linux, Policy: pinned(signer)}
	request := installer.Request{Requirements: installer.Requirements{rocket: sources.MustParseConstraints("~> 1.0")}}
	result, err := in.Install(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	proof := result.Packages[0].Proof
	if proof.Authority != hashing.Signed || proof.Signer.Fingerprint != signer.Fingerprint() || !proof.Signer.Carried {
		t.Errorf("the proof is %+v", proof)
	}
	if _, err := os.Stat(result.Packages[0].Executable); err != nil {
		t.Error(err)
	}
	locks, err := in.Lock(t.Context(), request, []sources.Platform{linux, darwin})
	if err != nil || len(locks[rocket].Hashes) < 2 {
		t.Errorf("locks are %v, %v", locks, err)
	}
	if len(network.asked) > 0 {
		t.Errorf("asked for %q", network.asked)
	}
}

// What others' code reads: versions by name, all blobs, and what refers to a version.
func TestOrasReadsABundle(t *testing.T) {
	t.Parallel()
	path := bundled(t, released(t, rocket, v1, newSigner(t), packed(t, linux, "linux"), packed(t, darwin, "darwin")))
	store, err := oci.NewFromTar(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	var tags []string
	if err := store.Tags(t.Context(), "", func(page []string) error { tags = append(tags, page...); return nil }); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(tags, []string{name}) {
		t.Errorf("tags are %q", tags)
	}
	copied := memory.New()
	index, err := oras.ExtendedCopy(t.Context(), store, name, copied, "1.0.0", oras.ExtendedCopyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if index.ArtifactType != ocimirror.ArtifactTypeProvider || index.MediaType != ocispec.MediaTypeImageIndex {
		t.Errorf("the version is %+v", index)
	}
	referring, err := copied.Predecessors(t.Context(), index)
	if err != nil || len(referring) != 1 {
		t.Errorf("%v refer to it, %v", referring, err)
	}
}

// What others' code writes, with the names that a bundle has, is a bundle.
func TestWhatOrasWritesIsABundle(t *testing.T) {
	t.Parallel()
	signer := newSigner(t)
	archive := packed(t, linux, "linux")
	store, err := oci.NewFromTar(t.Context(), bundled(t, released(t, rocket, v1, signer, archive)))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	layout, err := oci.New(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := oras.ExtendedCopy(t.Context(), store, name, layout, name, oras.ExtendedCopyOptions{}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "other.tar")
	run(t, "tar", "-C", dir, "-cf", path, ".")
	b := open(t, path)
	items, err := b.Contents(t.Context())
	if err != nil || len(items) != 1 || !items[0].Signed {
		t.Errorf("there is %+v, %v", items, err)
	}
	in := &installer.Installer{Source: b, Dir: t.TempDir(), Policy: pinned(signer)}
	if _, err := in.Fetch(t.Context(), rocket, v1, linux, filepath.Join(t.TempDir(), "x.zip")); err != nil {
		t.Error(err)
	}
}

func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	program, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not on PATH", name)
	}
	out, err := exec.CommandContext(t.Context(), program, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

func TestPublishingSideBySide(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "providers.tar")
	w := create(t, path)
	signer := newSigner(t)
	archives := []sources.Archive{packed(t, linux, "linux"), packed(t, darwin, "darwin"), packed(t, windows, "windows")}
	whole := released(t, rocket, v1, signer, archives...)
	var group sync.WaitGroup
	for _, a := range archives {
		part := whole
		part.Archives = []sources.Archive{a}
		group.Go(func() { push(t, w, part) })
		group.Go(func() { push(t, w, released(t, omega, v1, nil, a)) })
	}
	group.Wait()
	commit(t, w)
	report, err := open(t, path).Verify(t.Context(), verifyBy(nil))
	if err != nil || len(report.Items) != 2 || len(report.Items[0].Platforms) != 3 || len(report.Items[1].Platforms) != 3 || report.Unreferenced != nil {
		t.Errorf("there is %+v, %v", report, err)
	}
}

func TestEverythingEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := released(t, rocket, v1, newSigner(t), packed(t, linux, "linux"))
	path := filepath.Join(t.TempDir(), "providers.tar")
	w := create(t, path)
	push(t, w, r)
	b := open(t, bundled(t, r))
	_, pushing := w.Push(ctx, r)
	_, contents := b.Contents(ctx)
	_, verifying := b.Verify(ctx, verifyBy(nil))
	for what, err := range map[string]error{"Push": pushing, "Commit": w.Commit(ctx), "Contents": contents, "Verify": verifying} {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if names := list(t, filepath.Dir(path)); len(names) != 0 {
		t.Errorf("there is %v", names)
	}
}
