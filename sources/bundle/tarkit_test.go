package bundle_test

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"testing"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/bundle"
)

// tarFile is a file in a tar.
type tarFile struct {
	tar.Header
	data []byte
}

func file(name, data string) tarFile {
	return tarFile{tar.Header{Typeflag: tar.TypeReg, Name: name, Size: int64(len(data)), Mode: 0o644}, []byte(data)}
}

func digestOf(data []byte) digest.Digest { return digest.FromBytes(data) }

func blobName(data []byte) string { return "blobs/sha256/" + digestOf(data).Encoded() }

// files reads a tar with the standard library.
func files(t testing.TB, data []byte) []tarFile {
	t.Helper()
	var all []tarFile
	for r := tar.NewReader(bytes.NewReader(data)); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, file(header.Name, string(content)))
	}
}

// archived writes a tar with the standard library.
func archived(t testing.TB, all []tarFile) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, f := range all {
		if err := w.WriteHeader(&f.Header); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(f.data); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func encode(t testing.TB, document any) []byte {
	t.Helper()
	data, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func indexOf(t testing.TB, all []tarFile) ocispec.Index {
	t.Helper()
	var index ocispec.Index
	i := slices.IndexFunc(all, func(f tarFile) bool { return f.Name == ocispec.ImageIndexFile })
	if err := json.Unmarshal(all[i].data, &index); err != nil {
		t.Fatal(err)
	}
	return index
}

// with replaces a file, or adds it.
func with(all []tarFile, f tarFile) []tarFile {
	all = slices.Clone(all)
	if i := slices.IndexFunc(all, func(old tarFile) bool { return old.Name == f.Name }); i >= 0 {
		all[i] = f
		return all
	}
	return append(all, f)
}

func withIndex(t testing.TB, all []tarFile, index ocispec.Index) []tarFile {
	t.Helper()
	return with(all, file(ocispec.ImageIndexFile, string(encode(t, index))))
}

// named adds an entry to index.json.
func named(t testing.TB, all []tarFile, name, mediaType string, manifest []byte) []tarFile {
	t.Helper()
	index := indexOf(t, all)
	index.Manifests = append(index.Manifests, ocispec.Descriptor{
		MediaType: mediaType, Digest: digestOf(manifest), Size: int64(len(manifest)),
		Annotations: map[string]string{ocispec.AnnotationRefName: name},
	})
	return withIndex(t, all, index)
}

// wantFileError makes sure that an error says that something is wrong with the file, and is not one to wait out or pass over.
func wantFileError(t testing.TB, what string, err, reason error) {
	t.Helper()
	var wrong *bundle.FileError
	if !errors.As(err, &wrong) || !errors.Is(err, reason) || !errors.Is(err, sources.ErrMalformed) {
		t.Errorf("%s: the error is %v, want %v", what, err, reason)
	}
	if errors.Is(err, sources.ErrNotFound) || errors.Is(err, sources.ErrUnavailable) {
		t.Errorf("%s: a chain would pass over this: %v", what, err)
	}
}
