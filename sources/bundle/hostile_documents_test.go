package bundle_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/bundle"
)

func TestIndexes(t *testing.T) {
	t.Parallel()
	good := files(t, small(t))
	entry := `{"mediaType":"x","digest":"sha256:` + strings.Repeat("0", 64) + `","size":1`
	for what, test := range map[string]struct {
		index string
		want  error
	}{
		"not JSON":        {"{", bundle.ErrDocument},
		"no list":         {`{"manifests":{}}`, bundle.ErrDocument},
		"deep":            {`{"manifests":` + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000) + `}`, bundle.ErrDocument},
		"no digest":       {`{"manifests":[{"digest":"sha256:xyz"}]}`, bundle.ErrDocument},
		"a path":          {`{"manifests":[{"digest":"../../etc/passwd"}]}`, bundle.ErrDocument},
		"an odd digest":   {`{"manifests":[{"digest":"md5:d41d8cd98f00b204e9800998ecf8427e"}]}`, bundle.ErrDocument},
		"a large one":     {`{"manifests":[]}` + strings.Repeat(" ", bundle.MaxIndex), sources.ErrTooLarge},
		"a name twice":    {`{"manifests":[` + entry + `,"annotations":{"org.opencontainers.image.ref.name":"a:1"}},` + strings.Replace(entry, "000", "111", 1) + `,"annotations":{"org.opencontainers.image.ref.name":"a:1"}}]}`, bundle.ErrDuplicate},
		"a size in words": {`{"manifests":[{"digest":"sha256:` + strings.Repeat("0", 64) + `","size":"1"}]}`, bundle.ErrDocument},
	} {
		wantFileError(t, what, openReader(archived(t, with(good, file("index.json", test.index)))), test.want)
	}
}

// What a version's name leads to is checked each time that it is read.
func TestManifestsThatWereSwapped(t *testing.T) {
	t.Parallel()
	good := files(t, small(t))
	for _, f := range good {
		if !strings.HasPrefix(f.Name, "blobs/") || !bytes.HasPrefix(f.data, []byte(`{"`)) {
			continue
		}
		altered := bytes.Replace(f.data, []byte(`"schemaVersion":2`), []byte(`"schemaVersion":3`), 1)
		b := opened(t, archived(t, with(good, file(f.Name, string(altered)))))
		pkg, err := b.Package(t.Context(), rocket, v1, linux)
		if err == nil { // so it is the statement's
			_, err = pkg.Claims(t.Context())
		}
		wantFileError(t, f.Name, err, bundle.ErrMismatch)
		if _, err = b.Versions(t.Context(), rocket); err != nil {
			t.Errorf("%s: %v", f.Name, err)
		}
	}
}

// An archive that is not what its digest says does not get installed, with or without signatures.
func TestArchivesThatWereSwapped(t *testing.T) {
	t.Parallel()
	for what, signer := range map[string]bool{"signed": true, "unsigned": false} {
		r := released(t, rocket, v1, nil, packed(t, linux, "linux"))
		if signer {
			r = released(t, rocket, v1, newSigner(t), r.Archives...)
		}
		forged := packed(t, linux, "linuy") // of the same size
		all := files(t, readFile(t, bundled(t, r)))
		all = with(all, file("blobs/sha256/"+r.Archives[0].Sum.Value(), string(readFile(t, forged.Path))))
		in := &installer.Installer{Source: opened(t, archived(t, all)), Dir: t.TempDir(), Platform: linux}
		_, err := in.Install(t.Context(), installer.Request{Requirements: installer.Requirements{rocket: sources.MustParseConstraints("")}})
		var mismatch *hashing.MismatchError
		if !errors.As(err, &mismatch) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestWhatIsMissing(t *testing.T) {
	t.Parallel()
	whole := small(t)
	for _, f := range files(t, whole) {
		if !strings.HasPrefix(f.Name, "blobs/") || string(f.data) == "{}" { // the config, which nobody reads
			continue
		}
		all := slices.DeleteFunc(files(t, whole), func(other tarFile) bool { return other.Name == f.Name })
		b := opened(t, archived(t, all))
		pkg, err := b.Package(t.Context(), rocket, v1, linux)
		if err == nil {
			_, claims := pkg.Claims(t.Context())
			err = errors.Join(claims, readArchive(t.Context(), pkg))
		}
		if !errors.Is(err, sources.ErrMalformed) || errors.Is(err, sources.ErrUnavailable) || errors.Is(err, sources.ErrNotFound) {
			t.Errorf("without %s: %v", f.Name, err)
		}
	}
}

// Documents that are something else than they should be.
func TestConfusedTypes(t *testing.T) {
	t.Parallel()
	good := files(t, small(t))
	version := indexOf(t, good).Manifests[0]
	for what, edit := range map[string]func(*ocispec.Index){
		"the index is a manifest": func(x *ocispec.Index) { x.Manifests[0].MediaType = ocispec.MediaTypeImageManifest },
		"the index is a list": func(x *ocispec.Index) {
			x.Manifests[0].MediaType = "application/vnd.docker.distribution.manifest.list.v2+json"
		},
		"the size is another": func(x *ocispec.Index) { x.Manifests[0].Size++ },
		"it leads to nothing": func(x *ocispec.Index) { x.Manifests[0].Digest = digestOf([]byte("nothing")) },
		"it leads to an archive": func(x *ocispec.Index) {
			for _, f := range good {
				if bytes.HasPrefix(f.data, []byte("PK")) {
					x.Manifests[0].Digest, x.Manifests[0].Size = digestOf(f.data), int64(len(f.data))
				}
			}
		},
		"it leads to the statement": func(x *ocispec.Index) {
			s := x.Manifests[1]
			s.Annotations = version.Annotations
			x.Manifests[0] = s
		},
	} {
		index := indexOf(t, good)
		edit(&index)
		_, err := opened(t, archived(t, withIndex(t, good, index))).Package(t.Context(), rocket, v1, linux)
		if !errors.Is(err, sources.ErrMalformed) || errors.Is(err, sources.ErrUnavailable) || errors.Is(err, sources.ErrNotFound) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// A package for no platform does not hide the others from Verify.
func TestPlatformsWithoutANameHideNothing(t *testing.T) {
	t.Parallel()
	good := files(t, small(t))
	var index ocispec.Index
	decode(t, blobOf(t, good, indexOf(t, good).Manifests[0]), &index)
	nameless := index.Manifests[0]
	nameless.Platform = &ocispec.Platform{}
	index.Manifests = append(index.Manifests, nameless)
	data := encode(t, index)
	all := append(slices.Clone(good), file(blobName(data), string(data)))
	list := indexOf(t, all)
	list.Manifests = list.Manifests[:0]
	all = named(t, withIndex(t, all, list), name, ocispec.MediaTypeImageIndex, data)
	b := opened(t, archived(t, all))
	_, contents := b.Contents(t.Context())
	_, verifying := b.Verify(t.Context(), bundle.VerifyOptions{})
	wantFileError(t, "Contents", contents, bundle.ErrDocument)
	wantFileError(t, "Verify", verifying, bundle.ErrDocument)
}

// Manifests that lead to manifests, in a long chain, and many times to the same.
func TestLongChains(t *testing.T) {
	t.Parallel()
	all := files(t, small(t))
	next := []byte("the end of the chain")
	mediaType := "application/octet-stream"
	for range 3000 {
		all = append(all, file(blobName(next), string(next)))
		link := ocispec.Descriptor{MediaType: mediaType, Digest: digestOf(next), Size: int64(len(next))}
		mediaType = ocispec.MediaTypeImageIndex
		next = encode(t, ocispec.Index{MediaType: mediaType, Manifests: []ocispec.Descriptor{link, link, link}})
	}
	all = append(all, file(blobName(next), string(next)))
	all = named(t, all, "registry.example.com/acme/chain:1.0.0", mediaType, next)
	report, err := opened(t, archived(t, all)).Verify(t.Context(), bundle.VerifyOptions{})
	if err != nil || len(report.Foreign) != 1 || report.Unreferenced != nil {
		t.Errorf("the report is %+v, %v", report, err)
	}
}

// What is content to one document, and a manifest to another, is read as a manifest.
func TestContentThatIsAManifest(t *testing.T) {
	t.Parallel()
	all := files(t, small(t))
	index := indexOf(t, all)
	content := index.Manifests[0]
	content.MediaType, content.Annotations, content.ArtifactType = "application/octet-stream", nil, ""
	index.Manifests = slices.Insert(index.Manifests, 0, content)
	all = withIndex(t, all, index)
	report, err := opened(t, archived(t, all)).Verify(t.Context(), bundle.VerifyOptions{})
	if err != nil || report.Unreferenced != nil {
		t.Fatalf("the report is %+v, %v", report, err)
	}
	all = slices.DeleteFunc(all, func(f tarFile) bool { return bytes.HasPrefix(f.data, []byte("PK")) })
	_, err = opened(t, archived(t, all)).Verify(t.Context(), bundle.VerifyOptions{})
	wantFileError(t, "without the package", err, bundle.ErrMissing)
}

// A tag that is too long for one is not that of a version, and hides none.
func TestTagsThatAreTooLong(t *testing.T) {
	t.Parallel()
	all := files(t, small(t))
	long := "registry.example.com/acme/rocket:1.0.0-" + strings.Repeat("x", 150)
	version := indexOf(t, all).Manifests[0]
	all = named(t, all, long, version.MediaType, blobOf(t, all, version))
	report, err := opened(t, archived(t, all)).Verify(t.Context(), bundle.VerifyOptions{})
	if err != nil || len(report.Items) != 1 || !slices.Equal(report.Foreign, []string{long}) {
		t.Errorf("the report is %+v, %v", report, err)
	}
}

// Many statements cannot take much memory.
func TestManyManifestsWithoutNames(t *testing.T) {
	if testing.Short() {
		t.Skip("makes a large archive")
	}
	t.Parallel()
	all := files(t, small(t))
	index := indexOf(t, all)
	large := []byte(`{"mediaType":"` + ocispec.MediaTypeImageManifest + `","x":"` + strings.Repeat("x", 4<<20-100) + `"}`)
	all = append(all, file(blobName(large), string(large)))
	for range bundle.MaxReferrers/len(large) + 2 {
		index.Manifests = append(index.Manifests, ocispec.Descriptor{MediaType: ocispec.MediaTypeImageManifest, Digest: digestOf(large), Size: int64(len(large))})
	}
	b := opened(t, archived(t, withIndex(t, all, index)))
	pkg, err := b.Package(t.Context(), rocket, v1, linux)
	if err != nil {
		t.Fatal(err)
	}
	_, err = pkg.Claims(t.Context())
	wantFileError(t, "claims", err, sources.ErrTooLarge)
}

// What Contents and Verify are told by a hostile index is bounded, and in one line.
func TestMessagesAreShort(t *testing.T) {
	t.Parallel()
	good := files(t, small(t))
	long := strings.Repeat("x\n\x1b[31m", 10_000)
	err := openReader(archived(t, with(good, file("index.json", `{"manifests":[{"digest":"`+strings.Repeat("y", 1<<20)+`"}]}`))))
	if err == nil || len(err.Error()) > 1000 {
		t.Errorf("the message has %d bytes", len(err.Error()))
	}
	quoted := string(encode(t, long))
	err = openReader(archived(t, with(good, file("oci-layout", `{"imageLayoutVersion":`+quoted+`}`))))
	if err == nil || len(err.Error()) > 1000 || strings.ContainsAny(err.Error(), "\n\x1b") {
		t.Errorf("the message is %q", err)
	}
}

func decode(t *testing.T, data []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(data, into); err != nil {
		t.Fatal(err)
	}
}

func blobOf(t *testing.T, all []tarFile, d ocispec.Descriptor) []byte {
	t.Helper()
	i := slices.IndexFunc(all, func(f tarFile) bool { return f.Name == "blobs/sha256/"+d.Digest.Encoded() })
	if i < 0 {
		t.Fatalf("there is no %s", d.Digest)
	}
	return all[i].data
}
