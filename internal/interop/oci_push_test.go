package interop_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// entriesOf returns the entries of a version's index by their platforms.
func (w *ociWorld) entriesOf(t *testing.T, tag string) map[string]string {
	t.Helper()
	_, document := w.raw(t, http.MethodGet, rocketRepository+"/manifests/"+tag, http.StatusOK)
	var index struct {
		Manifests []struct {
			Digest   string
			Platform struct{ OS, Architecture string }
		}
	}
	if err := json.Unmarshal([]byte(document), &index); err != nil {
		t.Fatalf("%v:\n%s", err, document)
	}
	entries := map[string]string{}
	for _, m := range index.Manifests {
		entries[m.Platform.OS+"_"+m.Platform.Architecture] = m.Digest
	}
	if len(entries) != len(index.Manifests) {
		t.Errorf("a platform has several entries:\n%s", document)
	}
	return entries
}

// checkOffer checks that a version has exactly these packages, as the author signed them.
func (w *ociWorld) checkOffer(t *testing.T, version string, platforms ...string) {
	t.Helper()
	source := w.mirrors(t)
	for _, platform := range platforms {
		on, err := sources.ParsePlatform(platform)
		if err != nil {
			t.Fatal(err)
		}
		in := &installer.Installer{Source: source, Dir: t.TempDir(), Platform: on, Policy: installer.Policy{Signers: []string{w.signer.Fingerprint()}}}
		if _, err := in.Get(t.Context(), rocket, version); err != nil {
			t.Errorf("%s: %v", platform, err)
		}
	}
	if n := len(w.entriesOf(t, version)); n != len(platforms) {
		t.Errorf("the index has %d packages, want %d", n, len(platforms))
	}
}

func rocketWorld(t *testing.T) *ociWorld {
	t.Helper()
	return newOCIWorld(t, registrytest.Config{Releases: []registrytest.Release{{Provider: "acme/rocket", Version: "1.0.0", Platforms: everywhere}}})
}

func TestPublishingAgainSendsNothing(t *testing.T) {
	t.Parallel()
	w := rocketWorld(t)
	release := w.release(t, rocket, "1.0.0", everywhere...)
	first := w.push(t, release)
	t.Logf("first: %d requests, of which %d to write; %+v", len(w.oci.requests(t)), len(w.oci.writes(t)), first.Uploaded)
	if len(w.oci.writes(t)) == 0 || len(first.Added) != len(everywhere) {
		t.Fatalf("published is %+v", first)
	}
	w.forget(t)
	again := w.push(t, release)
	if writes := w.oci.writes(t); len(writes) != 0 {
		t.Errorf("there are requests to write: %v", writes)
	}
	t.Logf("again: %d requests; %+v", len(w.oci.requests(t)), again)
	if again.Digest != first.Digest || len(again.Added) != 0 || len(again.Present) != len(everywhere) || again.Uploaded.Count != 0 || !again.Signed {
		t.Errorf("published is %+v, before %+v", again, first)
	}
}

func TestPlatformsAreAddedLater(t *testing.T) {
	t.Parallel()
	w := rocketWorld(t)
	w.publish(t, rocket, "1.0.0", "linux_amd64", "windows_amd64")
	before := w.entriesOf(t, "1.0.0")
	w.forget(t)
	pushed := w.publish(t, rocket, "1.0.0", "darwin_arm64")
	after := w.entriesOf(t, "1.0.0")
	for platform, digest := range before {
		if after[platform] != digest {
			t.Errorf("%s was %s and is %s", platform, digest, after[platform])
		}
	}
	if pushed.Uploaded.Count != 1 {
		t.Errorf("more than one archive was sent: %+v", pushed)
	}
	w.checkOffer(t, "1.0.0", "darwin_arm64", "linux_amd64", "windows_amd64")
}

// Neither targets that know nothing of each other nor processes lose a package.
func TestConcurrentPublishersOfOCI(t *testing.T) {
	t.Parallel()
	platforms := append([]string{"freebsd_386", "freebsd_amd64", "freebsd_arm", "linux_386", "linux_arm"}, everywhere...)
	w := newOCIWorld(t, registrytest.Config{Releases: []registrytest.Release{{Provider: "acme/rocket", Version: "1.0.0", Platforms: platforms}}})
	w.configure(t, w.srv.CLIConfig(hosts...)+ociCredentials(w.oci.address)) // packages come from the provider registry
	purveyor := buildPurveyor(t)
	var group errgroup.Group
	for i, platform := range platforms {
		if i%2 == 0 {
			cmd := exec.CommandContext(t.Context(), purveyor, "push", "-to", w.oci.address+"/mirror/${namespace}/${type}", "-platform", platform, rocket+"@1.0.0")
			cmd.Dir, cmd.Env = t.TempDir(), w.ociEnv()
			group.Go(func() error {
				if output, err := cmd.CombinedOutput(); err != nil {
					return fmt.Errorf("%w\n%s", err, output)
				}
				return nil
			})
			continue
		}
		target, release := w.target(t, w.oci.address), w.release(t, rocket, "1.0.0", platform)
		group.Go(func() error {
			_, err := target.Push(t.Context(), release)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	t.Logf("the index was written %d times", len(w.oci.successful(t, "PUT", "/manifests/1.0.0")))
	w.mirrorAt(t, w.oci.address)
	w.checkOffer(t, "1.0.0", platforms...)
}

// Blobs that another repository got from the same target are not sent again.
func TestOCIRegistriesMount(t *testing.T) {
	t.Parallel()
	w := rocketWorld(t)
	w.add(t, registrytest.Release{Provider: "acme/sled", Version: "1.0.0"})
	release := w.release(t, rocket, "1.0.0", here)
	target := w.target(t, w.oci.address)
	if _, err := target.Push(t.Context(), release); err != nil {
		t.Fatal(err)
	}
	release.Provider, release.Statement = sources.MustParseProvider(sled), nil // the same archive under another name
	pushed, err := target.Push(t.Context(), release)
	if err != nil {
		t.Fatal(err)
	}
	if pushed.Uploaded.Count != 0 || pushed.Mounted.Count == 0 {
		t.Errorf("published is %+v", pushed)
	}
}

// A released package does not change.
func TestConflictsInOCIRegistries(t *testing.T) {
	t.Parallel()
	w := rocketWorld(t)
	release := w.release(t, rocket, "1.0.0", "linux_amd64")
	pushed := w.push(t, release)
	other := w.release(t, rocket, "1.0.0", "windows_amd64").Archives[0]
	other.Platform = release.Archives[0].Platform
	w.forget(t)
	_, err := w.target(t, w.oci.address).Push(t.Context(), sources.Release{Provider: release.Provider, Version: release.Version, Archives: []sources.Archive{other}})
	var conflict *sources.ConflictError
	if !errors.As(err, &conflict) || conflict.Stored != release.Archives[0].Sum || conflict.Pushed != other.Sum {
		t.Errorf("the error is %v", err)
	}
	if writes := w.oci.writes(t); len(writes) != 0 {
		t.Errorf("there are requests to write: %v", writes)
	}
	if header, _ := w.raw(t, http.MethodHead, rocketRepository+"/manifests/1.0.0", http.StatusOK); header.Get("Docker-Content-Digest") != pushed.Digest {
		t.Errorf("the tag names %s now", header.Get("Docker-Content-Digest"))
	}
}

// What is not the archive that was verified does not get into the registry.
func TestChangedArchivesAreNotPublished(t *testing.T) {
	t.Parallel()
	w := rocketWorld(t)
	release := w.release(t, rocket, "1.0.0", "linux_amd64")
	writeFiles(t, "", files{release.Archives[0].Path: "something else"})
	_, err := w.target(t, w.oci.address).Push(t.Context(), release)
	var mismatch *hashing.MismatchError
	if !errors.As(err, &mismatch) {
		t.Errorf("the error is %v", err)
	}
	w.raw(t, http.MethodGet, rocketRepository+"/manifests/1.0.0", http.StatusNotFound)
}

// Whoever withdraws a version deletes its tag and those of its packages.
func TestVersionsAreWithdrawnFromOCIRegistries(t *testing.T) {
	t.Parallel()
	w := publishedRocket(t, "1.0.0", "1.1.0")
	for _, tag := range []string{"1.1.0", "purveyor.1.1.0." + here} {
		w.raw(t, http.MethodDelete, rocketRepository+"/manifests/"+tag, http.StatusAccepted)
	}
	listing, err := w.mirrors(t).Versions(t.Context(), sources.MustParseProvider(rocket))
	if err != nil || len(listing.Versions) != 1 || listing.Versions[0].Version.String() != "1.0.0" {
		t.Errorf("listed are %+v, %v", listing.Versions, err)
	}
	_, err = w.mirrors(t).Package(t.Context(), sources.MustParseProvider(rocket), sources.MustParseVersion("1.1.0"), sources.CurrentPlatform())
	if !errors.Is(err, sources.ErrNotFound) {
		t.Errorf("the error is %v", err)
	}
	w.publish(t, rocket, "1.1.0", here)
	w.checkOffer(t, "1.1.0", here)
}
