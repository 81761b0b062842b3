package interop_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

const (
	rocketRepository = "mirror/acme/rocket"
	built            = "1.2.3+build.5" // has a character that tags cannot have
)

// The documents that OpenTofu installs from, byte for byte: https://github.com/opentofu/opentofu/blob/main/rfc/20241206-oci-registries/4-providers.md#storage-in-oci
const (
	ociManifest = `{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","artifactType":"application/vnd.opentofu.provider-target",` +
		`"config":{"mediaType":"application/vnd.oci.empty.v1+json","digest":"sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a","size":2,"data":"e30="},` +
		`"layers":[{"mediaType":"archive/zip","digest":"%s","size":%d,"annotations":{"org.opencontainers.image.title":"terraform-provider-rocket_1.2.3+build.5_%s.zip"}}]}`
	ociIndex = `{"schemaVersion":2,"mediaType":"application/vnd.oci.image.index.v1+json","artifactType":"application/vnd.opentofu.provider","manifests":[%s,%s]}`
	ociEntry = `{"mediaType":"application/vnd.oci.image.manifest.v1+json","digest":"%s","size":%d,"platform":{"architecture":"%s","os":"%s"},"artifactType":"application/vnd.opentofu.provider-target"}`
)

func digestOf[T string | []byte](data T) string {
	return fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(data)))
}

// manifestOf is the manifest of a package.
func manifestOf(t *testing.T, a sources.Archive) string {
	t.Helper()
	archive, err := os.ReadFile(a.Path)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf(ociManifest, digestOf(archive), len(archive), a.Platform)
}

func TestOCIArtifactsAreWhatOpenTofuReads(t *testing.T) {
	t.Parallel()
	w := newOCIWorld(t, registrytest.Config{Releases: []registrytest.Release{{Provider: "acme/rocket", Version: built, Platforms: everywhere}}})
	release := w.release(t, rocket, built, "linux_amd64", "darwin_arm64")
	pushed := w.push(t, release)

	linux, darwin := manifestOf(t, release.Archives[0]), manifestOf(t, release.Archives[1])
	index := fmt.Sprintf(ociIndex,
		fmt.Sprintf(ociEntry, digestOf(darwin), len(darwin), "arm64", "darwin"),
		fmt.Sprintf(ociEntry, digestOf(linux), len(linux), "amd64", "linux"))
	w.checkRaw(t, "manifests/1.2.3_build.5", "application/vnd.oci.image.index.v1+json", index)
	w.checkRaw(t, "manifests/"+digestOf(index), "application/vnd.oci.image.index.v1+json", index)
	w.checkRaw(t, "manifests/"+digestOf(linux), "application/vnd.oci.image.manifest.v1+json", linux)
	w.checkRaw(t, "manifests/"+digestOf(darwin), "application/vnd.oci.image.manifest.v1+json", darwin)
	for _, a := range release.Archives {
		archive, err := os.ReadFile(a.Path)
		if err != nil {
			t.Fatal(err)
		}
		w.checkRaw(t, "blobs/"+digestOf(archive), "application/octet-stream", string(archive))
	}
	w.checkRaw(t, "tags/list", "application/json", `{"name":"mirror/acme/rocket","tags":["1.2.3_build.5",`+
		`"purveyor.1.2.3_build.5.darwin_arm64","purveyor.1.2.3_build.5.linux_amd64","`+strings.Replace(digestOf(index), ":", "-", 1)+`"]}`+"\n")
	if want := w.oci.address + "/mirror/acme/rocket:1.2.3_build.5"; pushed.Address != want || pushed.Digest != digestOf(index) {
		t.Errorf("published is %s@%s, want %s@%s", pushed.Address, pushed.Digest, want, digestOf(index))
	}
}

// checkRaw checks what the registry has, byte for byte.
func (w *ociWorld) checkRaw(t *testing.T, path, mediaType, want string) {
	t.Helper()
	header, got := w.raw(t, http.MethodGet, rocketRepository+"/"+path, http.StatusOK)
	if got != want {
		t.Errorf("%s is:\n%s\nwant:\n%s", path, got, want)
	}
	if header.Get("Content-Type") != mediaType {
		t.Errorf("%s has the type %q", path, header.Get("Content-Type"))
	}
}

// The origin's signed checksums refer to the index. This registry has no referrers API, so that they are found by its tag.
func TestOCIStatementsAreTheOriginsOwn(t *testing.T) {
	t.Parallel()
	w := newOCIWorld(t, registrytest.Config{Releases: []registrytest.Release{{Provider: "acme/rocket", Version: built, Platforms: everywhere}}})
	release := w.release(t, rocket, built, "linux_amd64")
	pushed := w.push(t, release)
	w.raw(t, http.MethodGet, rocketRepository+"/referrers/"+pushed.Digest, http.StatusNotFound)
	_, list := w.raw(t, http.MethodGet, rocketRepository+"/manifests/"+strings.Replace(pushed.Digest, ":", "-", 1), http.StatusOK)
	type descriptor struct{ MediaType, ArtifactType, Digest string }
	var referrers struct{ Manifests []descriptor }
	var statement struct {
		ArtifactType string
		Subject      descriptor
		Layers       []descriptor
	}
	if err := json.Unmarshal([]byte(list), &referrers); err != nil || len(referrers.Manifests) != 1 {
		t.Fatalf("%v:\n%s", err, list)
	}
	_, document := w.raw(t, http.MethodGet, rocketRepository+"/manifests/"+referrers.Manifests[0].Digest, http.StatusOK)
	if err := json.Unmarshal([]byte(document), &statement); err != nil {
		t.Fatal(err)
	}
	if statement.Subject.Digest != pushed.Digest || statement.ArtifactType != "application/vnd.purveyor.provider.statement.v1" {
		t.Errorf("the statement is %s", document)
	}
	var got []string
	for _, layer := range statement.Layers {
		_, content := w.raw(t, http.MethodGet, rocketRepository+"/blobs/"+layer.Digest, http.StatusOK)
		got = append(got, layer.MediaType, content)
	}
	want := []string{"text/plain", string(release.Statement.Sums), "application/pgp-signature", string(release.Statement.Signature), "application/pgp-keys", w.signer.Armored()}
	if !slices.Equal(got, want) {
		t.Errorf("the layers differ (-want +got):\n%s", cmp.Diff(want, got))
	}
}
