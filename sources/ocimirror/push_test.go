package ocimirror_test

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/ocimirror"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// TestWhatIsPublished has the documents word for word. Changing one byte here means that a mirror which was built before
// is published anew.
func TestWhatIsPublished(t *testing.T) {
	t.Parallel()
	d := newDock(t, registrytest.OCI{})
	r := roverRelease(freight(t, onLinux, "for linux"), freight(t, onDarwin, "for darwin"))
	r.Version = sources.MustParseVersion("1.0.0-beta.2+build.5")
	pushed := d.push(r)

	manifest := func(on, content string) string {
		return `{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json",` +
			`"artifactType":"application/vnd.opentofu.provider-target",` +
			`"config":{"mediaType":"application/vnd.oci.empty.v1+json","digest":"sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a","size":2,"data":"e30="},` +
			fmt.Sprintf(`"layers":[{"mediaType":"archive/zip","digest":"%s","size":%d,"annotations":{"org.opencontainers.image.title":"terraform-provider-rover_1.0.0-beta.2+build.5_%s.zip"}}]}`,
				digestOf(content), len(content), on)
	}
	darwin, linux := manifest("darwin_arm64", "for darwin"), manifest("linux_amd64", "for linux")
	entry := func(manifest, os, architecture string) string {
		return fmt.Sprintf(`{"mediaType":"application/vnd.oci.image.manifest.v1+json","digest":"%s","size":%d,`+
			`"platform":{"architecture":"%s","os":"%s"},"artifactType":"application/vnd.opentofu.provider-target"}`,
			digestOf(manifest), len(manifest), architecture, os)
	}
	index := `{"schemaVersion":2,"mediaType":"application/vnd.oci.image.index.v1+json","artifactType":"application/vnd.opentofu.provider",` +
		`"manifests":[` + entry(darwin, "darwin", "arm64") + `,` + entry(linux, "linux", "amd64") + `]}`

	for path, want := range map[string]string{
		"manifests/1.0.0-beta.2_build.5": index,
		"manifests/" + digestOf(linux):   linux,
		"manifests/" + digestOf(darwin):  darwin,
		"blobs/" + digestOf("for linux"): "for linux",
		"blobs/" + digestOf("{}"):        "{}",
	} {
		if diff := cmp.Diff(want, string(d.get(path))); diff != "" {
			t.Errorf("%s (-want, +got): %s", path, diff)
		}
	}
	want := []string{"1.0.0-beta.2_build.5", "purveyor.1.0.0-beta.2_build.5.darwin_arm64", "purveyor.1.0.0-beta.2_build.5.linux_amd64"}
	if got := d.tags(); !slices.Equal(got, want) {
		t.Errorf("tags are %q, want %q", got, want)
	}
	wanted := &sources.Pushed{
		Address:  d.Host() + "/mirror/acme-rover:1.0.0-beta.2_build.5",
		Digest:   digestOf(index),
		Added:    []sources.Platform{onDarwin, onLinux},
		Uploaded: sources.Blobs{Count: 3, Bytes: int64(len("for linux") + len("for darwin") + len("{}"))},
	}
	if diff := cmp.Diff(wanted, pushed); diff != "" {
		t.Errorf("what was pushed (-want, +got): %s", diff)
	}
}

func TestPublishedTwiceIsPublishedOnce(t *testing.T) {
	t.Parallel()
	d := newDock(t, registrytest.OCI{})
	r := roverRelease(freight(t, onLinux, "linux"), freight(t, onDarwin, "darwin"))
	first := d.push(r)
	d.ResetRequests()
	second := d.push(r)
	if requests := d.written(); len(requests) != 0 {
		t.Errorf("the second time there were %q", requests)
	}
	if second.Digest != first.Digest || len(second.Added) != 0 || len(second.Present) != 2 || second.Uploaded.Count != 0 || second.Reused.Count != 3 {
		t.Errorf("the second time it is %+v, the first time it was %+v", second, first)
	}
}

func TestPlatformsAreAdded(t *testing.T) {
	t.Parallel()
	linux, darwin := freight(t, onLinux, "linux"), freight(t, onDarwin, "darwin")
	together, later := newDock(t, registrytest.OCI{}), newDock(t, registrytest.OCI{})
	want := together.push(roverRelease(linux, darwin)).Digest
	later.push(roverRelease(linux))
	later.ResetRequests()
	got := later.push(roverRelease(darwin))
	if got.Digest != want {
		t.Errorf("one after another they have the index %s, together %s", got.Digest, want)
	}
	if !slices.Equal(got.Added, []sources.Platform{onDarwin}) || len(got.Present) != 0 || got.Uploaded.Count != 1 || got.Reused.Count != 1 {
		t.Errorf("adding one was %+v", got)
	}
}

// foreignIndex publishes an index as another tool might: with a platform that has its manifest, and things that purveyor
// knows nothing about.
func (d *dock) foreignIndex(archive string) (entries []string) {
	d.t.Helper()
	const image = "application/vnd.oci.image.manifest.v1+json"
	d.push(sources.Release{Provider: rover, Version: sources.MustParseVersion("0.0.1"), Archives: []sources.Archive{freight(d.t, onLinux, archive)}})
	manifest := fmt.Sprintf(`{"schemaVersion":2, "mediaType":%q, "artifactType":"application/vnd.opentofu.provider-target", "annotations":{"by":"hand"},`+
		`"config":{"mediaType":"application/vnd.oci.empty.v1+json","digest":%q,"size":2}, "layers":[{"mediaType":"archive/zip","digest":%q,"size":%d}]}`,
		image, digestOf("{}"), digestOf(archive), len(archive))
	d.put(image, "by-hand", manifest)
	entries = []string{
		fmt.Sprintf(`{"mediaType":%q,"size":%d,"digest":%q,"x-unknown":[1,2],"artifactType":"application/vnd.opentofu.provider-target","platform":{"os":"linux","architecture":"amd64","variant":"v1"}}`, image, len(manifest), digestOf(manifest)),
		fmt.Sprintf(`{"mediaType":%q,"digest":%q,"size":%d,"artifactType":"application/example"}`, image, digestOf(manifest), len(manifest)),
	}
	d.put("application/vnd.oci.image.index.v1+json", "1.0.0", `{"schemaVersion":2, "mediaType":"application/vnd.oci.image.index.v1+json",
		"artifactType":"application/vnd.opentofu.provider", "manifests":[`+strings.Join(entries, ", ")+`], "annotations":{"by":"hand"}}`)
	return entries
}

func TestWhatOthersPublishedIsKept(t *testing.T) {
	t.Parallel()
	d := newDock(t, registrytest.OCI{})
	entries := d.foreignIndex("linux")
	before := string(d.get("manifests/1.0.0"))

	same := d.push(roverRelease(freight(t, onLinux, "linux")))
	if after := string(d.get("manifests/1.0.0")); after != before || same.Digest != digestOf(before) || len(same.Present) != 1 {
		t.Errorf("the same archive again was %+v, and the index is\n%s", same, after)
	}
	d.push(roverRelease(freight(t, onDarwin, "darwin")))
	after := string(d.get("manifests/1.0.0"))
	for _, want := range append(entries, `"annotations":{"by":"hand"}`) {
		if !strings.Contains(after, want) {
			t.Errorf("%s is no longer in\n%s", want, after)
		}
	}
	if got := d.platforms("1.0.0"); !slices.Equal(got, []string{"_", "darwin_arm64", "linux_amd64"}) {
		t.Errorf("platforms are %q", got)
	}
}

func TestReleasedPackagesDoNotChange(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(d *dock){
		"published with purveyor": func(d *dock) { d.push(roverRelease(freight(d.t, onLinux, "linux"))) },
		"published otherwise":     func(d *dock) { d.foreignIndex("linux") },
	} {
		d := newDock(t, registrytest.OCI{})
		prepare(d)
		before := d.get("manifests/1.0.0")
		other := roverRelease(freight(t, onLinux, "another"), freight(t, onDarwin, "darwin"))
		_, err := d.target().Push(t.Context(), other)
		var conflict *sources.ConflictError
		if !errors.As(err, &conflict) || conflict.Platform != onLinux || conflict.Stored != zhOf("linux") || conflict.Pushed != zhOf("another") {
			t.Errorf("%s: %v", name, err)
		}
		if after := d.get("manifests/1.0.0"); string(after) != string(before) {
			t.Errorf("%s: the index has changed to %s", name, after)
		}

		pushed, err := d.target(replacing).Push(t.Context(), other)
		if err != nil || len(pushed.Added) != 2 {
			t.Fatalf("%s: %+v, %v", name, pushed, err)
		}
		if stored, err := d.target().Stored(t.Context(), rover, rover1); err != nil || stored[onLinux] != zhOf("another") {
			t.Errorf("%s: replaced, it is %v, %v", name, stored, err)
		}
		d.push(other) // which is what is there now
	}
}

// A package whose publisher got no further than its trace is as good as published.
func TestTracesCount(t *testing.T) {
	t.Parallel()
	d := newDock(t, registrytest.OCI{})
	if err := d.AddFault(registrytest.Fault{Kind: registrytest.KindOCIManifest, Method: "PUT", Path: "1.0.0", Status: 403, Times: 1}); err != nil {
		t.Fatal(err)
	}
	if _, err := d.target().Push(t.Context(), roverRelease(freight(t, onLinux, "linux"))); !errors.Is(err, sources.ErrUnauthorized) {
		t.Fatalf("the error is %v", err)
	}
	_, err := d.target().Push(t.Context(), roverRelease(freight(t, onLinux, "another")))
	var conflict *sources.ConflictError
	if !errors.As(err, &conflict) || conflict.Stored != zhOf("linux") {
		t.Errorf("the error is %v", err)
	}
	d.push(roverRelease(freight(t, onDarwin, "darwin")))
	if got := d.platforms("1.0.0"); !slices.Equal(got, []string{"darwin_arm64", "linux_amd64"}) {
		t.Errorf("platforms are %q", got)
	}
}

func TestTagsOfOtherThingsAreLeftAlone(t *testing.T) {
	t.Parallel()
	const image, index = "application/vnd.oci.image.manifest.v1+json", "application/vnd.oci.image.index.v1+json"
	for name, doc := range map[string][2]string{
		"a container image":   {image, `{"schemaVersion":2,"mediaType":"` + image + `","config":{"mediaType":"application/vnd.oci.image.config.v1+json","digest":"` + digestOf("{}") + `","size":2},"layers":[]}`},
		"an index of images":  {index, `{"schemaVersion":2,"mediaType":"` + index + `","manifests":[]}`},
		"a module":            {index, `{"schemaVersion":2,"mediaType":"` + index + `","artifactType":"application/vnd.opentofu.modulepkg","manifests":[]}`},
		"an index of no type": {index, `{"schemaVersion":2,"artifactType":"application/vnd.opentofu.provider","manifests":[]}`},
	} {
		d := newDock(t, registrytest.OCI{})
		d.push(sources.Release{Provider: rover, Version: sources.MustParseVersion("0.0.1"), Archives: []sources.Archive{freight(t, onLinux, "linux")}}) // brings the {}
		d.put(doc[0], "1.0.0", doc[1])
		for _, target := range []*ocimirror.Target{d.target(), d.target(replacing)} {
			_, err := target.Push(t.Context(), roverRelease(freight(t, onLinux, "linux")))
			var artifact *ocimirror.ArtifactError
			if !errors.As(err, &artifact) || !strings.Contains(err.Error(), "left alone") {
				t.Errorf("%s: %v", name, err)
			}
		}
		if after := string(d.get("manifests/1.0.0")); after != doc[1] {
			t.Errorf("%s has become %s", name, after)
		}
	}
}

// What changes between verifying and sending is not published.
func TestFilesThatChange(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{"changed": "Linux", "shorter": "li", "longer": "linux and more", "empty": ""} {
		d := newDock(t, registrytest.OCI{})
		archive := freight(t, onLinux, "linux")
		if err := os.WriteFile(archive.Path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := d.target().Push(t.Context(), roverRelease(archive))
		var mismatch *hashing.MismatchError
		if !errors.As(err, &mismatch) || !slices.Equal(mismatch.Want, []hashing.Hash{zhOf("linux")}) {
			t.Errorf("%s: %v", name, err)
		}
		if got := d.Requests(); slices.ContainsFunc(got, func(r registrytest.Request) bool {
			return r.Kind == registrytest.KindOCIManifest && r.Method == "PUT"
		}) {
			t.Errorf("%s: a manifest was published", name)
		}
	}
}

// A file of another size is not published either where the registry has the archive.
func TestFilesThatChangeAfterTheyWerePublished(t *testing.T) {
	t.Parallel()
	d := newDock(t, registrytest.OCI{})
	archive := freight(t, onLinux, "linux")
	d.push(roverRelease(archive))
	if err := os.WriteFile(archive.Path, []byte("linux and more"), 0o600); err != nil {
		t.Fatal(err)
	}
	other := roverRelease(archive)
	other.Version = sources.MustParseVersion("1.0.1")
	_, err := d.target().Push(t.Context(), other)
	var mismatch *hashing.MismatchError
	if !errors.As(err, &mismatch) {
		t.Errorf("the error is %v", err)
	}
}

func TestPathsThatAreNoFiles(t *testing.T) {
	t.Parallel()
	d := newDock(t, registrytest.OCI{})
	archive := freight(t, onLinux, "linux")
	archive.Path = t.TempDir()
	_, err := d.target().Push(t.Context(), roverRelease(archive))
	var release *sources.ReleaseError
	if !errors.As(err, &release) || len(d.Requests()) != 0 {
		t.Errorf("%v", err)
	}
}
