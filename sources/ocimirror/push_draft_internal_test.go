package ocimirror

import (
	"bytes"
	"slices"
	"testing"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/purveyor-dev/purveyor/sources"
)

func draftOf(document []byte) (*draft, error) {
	return newDraft(&manifest{artifact: "example", mediaType: ocispec.MediaTypeImageIndex, body: document,
		header: header{MediaType: ocispec.MediaTypeImageIndex, ArtifactType: ArtifactTypeProvider}})
}

// Whatever index there is, adding a package changes nothing about the others, and adding it twice changes nothing.
func FuzzDraft(f *testing.F) {
	for _, seed := range []string{
		``, `{}`, `null`, `{"manifests":null}`, `{"manifests":[null,{},1]}`, `{"manifests":[{"platform":null}],"subject":{},"annotations":null}`,
		`{"manifests":[{"artifactType":"application/vnd.opentofu.provider-target","platform":{"os":"linux","architecture":"amd64"}}]}`,
		`{"manifests":[{"artifactType":"application/vnd.opentofu.provider-target","platform":{"os":"linux_x","architecture":""},"digest":"x:y"}]}`,
	} {
		f.Add([]byte(seed))
	}
	on := sources.Platform{OS: "plan9", Arch: "mips"}
	added := newDraftEntry(newEntry([]byte("manifest"), on))
	f.Fuzz(func(t *testing.T, document []byte) {
		before, err := draftOf(document)
		if err != nil {
			return
		}
		if got := before.bytes(); !bytes.Equal(got, document) {
			t.Errorf("untouched, it is %q", got)
		}
		after, err := draftOf(before.with(added).bytes())
		if err != nil {
			t.Fatal(err)
		}
		if got := after.packages(on); len(got) != 1 || got[0].Digest != added.Digest {
			t.Errorf("the package is %v", got)
		}
		for _, p := range before.platforms() {
			if p != on && len(after.packages(p)) != len(before.packages(p)) {
				t.Errorf("%s had %d packages, now %d", p, len(before.packages(p)), len(after.packages(p)))
			}
		}
		if !bytes.Equal(after.with(added).bytes(), after.bytes()) {
			t.Errorf("once more it is %s, not %s", after.with(added).bytes(), after.bytes())
		}
		if !slices.IsSortedFunc(after.entries, func(a, b entry) int { return a.platform().Compare(b.platform()) }) {
			t.Errorf("it is not sorted: %s", after.bytes())
		}
	})
}
