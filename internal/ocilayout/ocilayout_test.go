package ocilayout_test

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/purveyor-dev/purveyor/internal/ocilayout"
)

const repository = "registry.example.com/acme/rocket"

// ask makes a request, and returns the status, the header and the body of the answer.
func ask(t testing.TB, l *ocilayout.Layout, method, path, mediaType, body string, header ...string) (int, http.Header, string) {
	t.Helper()
	var content io.Reader
	if body != "" {
		content = strings.NewReader(body)
	}
	req, err := http.NewRequestWithContext(t.Context(), method, "https://bundle.invalid/v2/"+repository+"/"+path, content)
	if err != nil {
		t.Fatal(err)
	}
	if mediaType != "" {
		req.Header.Set("Content-Type", mediaType)
	}
	if len(header) > 0 {
		req.Header.Set("Range", header[0])
	}
	resp, err := l.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if method != http.MethodHead && resp.ContentLength != int64(len(answer)) {
		t.Errorf("%s %s: %d bytes of %d", method, path, len(answer), resp.ContentLength)
	}
	return resp.StatusCode, resp.Header, string(answer)
}

const (
	blob  = "the content of a layer"
	image = `{"mediaType":"application/vnd.oci.image.manifest.v1+json","config":{"digest":"CONFIG","size":22},"layers":[]}`
)

var manifest = strings.Replace(image, "CONFIG", digest.FromString(blob).String(), 1)

// filled is a layout that has an image of the tag 1.0.0, and something that refers to it.
func filled(t testing.TB) *ocilayout.Layout {
	t.Helper()
	l := ocilayout.New(t.TempDir())
	for _, put := range []struct{ path, mediaType, body string }{
		{"blobs/uploads/new?digest=" + digest.FromString(blob).String(), "", blob},
		{"manifests/1.0.0", ocispec.MediaTypeImageManifest, manifest},
		{"manifests/other", ocispec.MediaTypeImageManifest, manifest},
		{"manifests/" + digest.FromString(referrer()).String(), ocispec.MediaTypeImageManifest, referrer()},
	} {
		if status, _, answer := ask(t, l, http.MethodPut, put.path, put.mediaType, put.body); status != http.StatusCreated {
			t.Fatalf("PUT %s: %d %s", put.path, status, answer)
		}
	}
	return l
}

func referrer() string {
	return `{"mediaType":"application/vnd.oci.image.manifest.v1+json","artifactType":"test/x","subject":{"digest":"` + digest.FromString(manifest).String() + `","size":1}}`
}

// written turns a layout into a tar.
func written(t testing.TB, l *ocilayout.Layout) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := l.WriteTar(t.Context(), &out, func(_, tag string) bool { return tag != "other" }); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func opened(t testing.TB, data []byte) *ocilayout.Layout {
	t.Helper()
	l, err := ocilayout.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// What a layout answers is the same while it is being made and afterwards.
func TestAnswers(t *testing.T) {
	t.Parallel()
	made := filled(t)
	read := opened(t, written(t, filled(t)))
	named, there := digest.FromString(manifest).String(), digest.FromString(blob).String()
	absent := digest.FromString("absent").String()
	for _, test := range []struct {
		method, path, byteRange string
		status                  int
		header                  http.Header
		body                    string
	}{
		{"GET", "manifests/1.0.0", "", 200, http.Header{"Content-Type": {ocispec.MediaTypeImageManifest}, "Docker-Content-Digest": {named}}, manifest},
		{"HEAD", "manifests/1.0.0", "", 200, http.Header{"Docker-Content-Digest": {named}}, ""},
		{"GET", "manifests/" + named, "", 200, http.Header{"Content-Type": {ocispec.MediaTypeImageManifest}}, manifest},
		{"GET", "manifests/2.0.0", "", 404, nil, "MANIFEST_UNKNOWN"},
		{"GET", "manifests/" + absent, "", 404, nil, "MANIFEST_UNKNOWN"},
		{"GET", "blobs/" + there, "", 200, http.Header{"Accept-Ranges": {"bytes"}}, blob},
		{"HEAD", "blobs/" + there, "", 200, http.Header{"Content-Length": {"22"}}, ""},
		{"GET", "blobs/" + there, "bytes=4-10", 206, http.Header{"Content-Range": {"bytes 4-10/22"}}, "content"},
		{"GET", "blobs/" + there, "bytes=17-", 206, http.Header{"Content-Range": {"bytes 17-21/22"}}, "layer"},
		{"GET", "blobs/" + there, "bytes=17-99", 206, http.Header{"Content-Range": {"bytes 17-21/22"}}, "layer"},
		{"GET", "blobs/" + there, "bytes=22-", 416, nil, "SIZE_INVALID"},
		{"GET", "blobs/" + there, "bytes=5-4", 416, nil, "SIZE_INVALID"},
		{"GET", "blobs/" + there, "bytes=-4", 416, nil, "SIZE_INVALID"},
		{"GET", "blobs/" + there, "lines=1-2", 416, nil, "SIZE_INVALID"},
		{"GET", "referrers/" + named, "", 200, http.Header{"Content-Type": {ocispec.MediaTypeImageIndex}}, digest.FromString(referrer()).String()},
		{"GET", "referrers/" + absent, "", 200, nil, `"manifests":[]`},
		{"DELETE", "manifests/1.0.0", "", 0, nil, "UNSUPPORTED"},
		{"GET", "", "", 0, nil, "UNSUPPORTED"},
	} {
		for what, l := range map[string]*ocilayout.Layout{"made": made, "read": read} {
			ranges := []string{}
			if test.byteRange != "" {
				ranges = append(ranges, test.byteRange)
			}
			status, header, body := ask(t, l, test.method, test.path, "", "", ranges...)
			if test.status != 0 && status != test.status || test.status == 0 && status < 400 || !strings.Contains(body, test.body) || test.method == "HEAD" && body != "" {
				t.Errorf("%s: %s %s: %d %q", what, test.method, test.path, status, body)
			}
			for name := range test.header {
				if header.Get(name) != test.header.Get(name) {
					t.Errorf("%s: %s %s: %s is %q", what, test.method, test.path, name, header.Get(name))
				}
			}
		}
	}
	if _, _, body := ask(t, made, "GET", "tags/list", "", ""); !strings.Contains(body, `["1.0.0","other"]`) {
		t.Errorf("tags are %s", body)
	}
	if _, _, body := ask(t, read, "GET", "tags/list", "", ""); !strings.Contains(body, `["1.0.0"]`) {
		t.Errorf("tags are %s", body)
	}
}

// Somebody who makes a layout asks for what is not there yet. In a layout that is complete, nothing may be missing.
func TestMissingBlobs(t *testing.T) {
	t.Parallel()
	read := opened(t, written(t, filled(t)))
	for _, reference := range []string{digest.FromString("absent").String(), "..", "passwd", "sha256:0"} {
		if status, _, _ := ask(t, filled(t), "GET", "blobs/"+reference, "", ""); status != 404 {
			t.Errorf("%s: %d", reference, status)
		}
		req, err := http.NewRequestWithContext(t.Context(), "GET", "https://bundle.invalid/v2/x/blobs/"+reference, nil)
		if err != nil {
			t.Fatal(err)
		}
		var wrong *ocilayout.Error
		if _, err := read.RoundTrip(req); !errors.As(err, &wrong) || !errors.Is(err, ocilayout.ErrMissing) { //nolint:bodyclose // there is none
			t.Errorf("%s: %v", reference, err)
		}
	}
}

func TestUploadsThatAreRefused(t *testing.T) {
	t.Parallel()
	read := opened(t, written(t, filled(t)))
	for _, test := range []struct {
		layout             *ocilayout.Layout
		method, path, body string
		status             int
	}{
		{filled(t), "PUT", "blobs/uploads/new?digest=" + digest.FromString("x").String(), "y", 400},
		{filled(t), "PUT", "blobs/uploads/new?digest=md5:x", "y", 400},
		{filled(t), "PUT", "blobs/uploads/new?digest=sha256:../../../etc/passwd", "y", 400},
		{filled(t), "PUT", "manifests/" + digest.FromString("x").String(), "{}", 400},
		{filled(t), "PUT", "manifests/1.0.0", "no JSON", 400},
		{filled(t), "PUT", "manifests/1.0.0", `"` + strings.Repeat("x", ocilayout.MaxManifest) + `"`, 413},
		{read, "POST", "blobs/uploads/", "", 405},
		{read, "PUT", "manifests/2.0.0", "{}", 405},
	} {
		if status, _, body := ask(t, test.layout, test.method, test.path, "", test.body); status != test.status {
			t.Errorf("%s %s: %d %s", test.method, test.path, status, body)
		}
		if status, _, body := ask(t, test.layout, "GET", "manifests/1.0.0", "", ""); status != 200 || body != manifest {
			t.Errorf("after %s %s, there is %d %s", test.method, test.path, status, body)
		}
	}
}

// The spool has nothing in the end, and what nobody kept is left out.
func TestWriting(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l := ocilayout.New(dir)
	stray := "nothing leads here"
	ask(t, l, "PUT", "blobs/uploads/new?digest="+digest.FromString(stray).String(), "", stray)
	if files, _ := filepath.Glob(filepath.Join(dir, "*")); len(files) != 1 {
		t.Fatalf("the spool has %q", files)
	}
	data := written(t, l)
	if bytes.Contains(data, []byte(stray)) {
		t.Error("what nothing leads to was written")
	}
	data = written(t, filled(t))
	var names []string
	for r := tar.NewReader(bytes.NewReader(data)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Mode != 0o644 || h.ModTime.Unix() != 0 || h.Uid != 0 || h.Uname != "" || h.Format != tar.FormatUSTAR {
			t.Errorf("the header is %+v", h)
		}
		names = append(names, h.Name)
	}
	if len(names) != 5 || names[0] != "oci-layout" || names[1] != "index.json" || !slices.IsSorted(names[2:]) {
		t.Errorf("the files are %q", names)
	}
	audit, err := opened(t, data).Audit(t.Context())
	if err != nil || audit.Blobs != 3 || audit.Unreferenced != nil || audit.Trailing != 0 {
		t.Errorf("the audit is %+v, %v", audit, err)
	}
}

// What could not be opened is not written.
func TestWritingTooMuch(t *testing.T) {
	if testing.Short() {
		t.Skip("makes many entries")
	}
	t.Parallel()
	l := filled(t)
	for i := range ocilayout.MaxListed {
		ask(t, l, "PUT", fmt.Sprintf("manifests/2.0.%d", i), ocispec.MediaTypeImageManifest, manifest)
	}
	var out bytes.Buffer
	err := l.WriteTar(t.Context(), &out, func(string, string) bool { return true })
	var wrong *ocilayout.Error
	if !errors.As(err, &wrong) || !errors.Is(err, ocilayout.ErrTooLarge) || out.Len() > 0 {
		t.Errorf("the error is %v, after %d bytes", err, out.Len())
	}
}

// What is listed twice refers to something once.
func TestReferringTwice(t *testing.T) {
	t.Parallel()
	data := written(t, filled(t))
	entry := `{"mediaType":"` + ocispec.MediaTypeImageManifest + `","digest":"` + digest.FromString(referrer()).String() + `"}`
	once, twice := `{"manifests":[`+entry+`]}`, `{"manifests":[`+entry+`,`+entry+`]}`
	for _, index := range []string{once, twice} {
		found, err := opened(t, edited(t, data, "index.json", index)).Referrers(digest.FromString(manifest))
		if err != nil || len(found) != 1 {
			t.Errorf("%s: %v, %v", index, found, err)
		}
	}
}

func TestWritingEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := filled(t).WriteTar(ctx, io.Discard, func(string, string) bool { return true })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}

// What is accepted has the same files in it for the reader of the standard library, in the same places.
func FuzzOpen(f *testing.F) {
	data := written(f, filled(f))
	f.Add(data)
	f.Add(data[:len(data)-512])
	f.Add(slices.Concat(data[:512], data))
	for _, format := range []tar.Format{tar.FormatGNU, tar.FormatPAX} {
		f.Add(rewritten(f, data, format))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := ocilayout.Open(bytes.NewReader(data), int64(len(data)))
		var wrong *ocilayout.Error
		if err != nil {
			if !errors.As(err, &wrong) {
				t.Errorf("the error is %v", err)
			}
			return
		}
		found := standard(t, data)
		if len(found["oci-layout"]) == 0 {
			t.Error("accepted without oci-layout")
		}
		for name, content := range found {
			rest, ok := strings.CutPrefix(name, "blobs/")
			if algorithm, encoded, _ := strings.Cut(rest, "/"); ok && digest.Digest(algorithm+":"+encoded).Validate() == nil {
				if _, _, body := ask(t, l, "GET", "blobs/"+algorithm+":"+encoded, "", ""); body != content {
					t.Errorf("%s is another one", name)
				}
			}
		}
		audit, err := l.Audit(t.Context())
		if err != nil && !errors.As(err, &wrong) || audit == nil {
			t.Errorf("the audit is %+v, %v", audit, err)
		}
	})
}

// standard reads a tar with the standard library.
func standard(t testing.TB, data []byte) map[string]string {
	t.Helper()
	found := map[string]string{}
	for r := tar.NewReader(bytes.NewReader(data)); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return found
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == tar.TypeReg {
			found[strings.TrimPrefix(h.Name, "./")] = string(content)
		}
	}
}

// edited is an archive in which a file has another content.
func edited(t testing.TB, data []byte, name, content string) []byte {
	t.Helper()
	files := standard(t, data)
	files[name] = content
	return archived(t, files, tar.FormatUSTAR)
}

// rewritten is the same archive in another format.
func rewritten(t testing.TB, data []byte, format tar.Format) []byte {
	t.Helper()
	return archived(t, standard(t, data), format)
}

func archived(t testing.TB, files map[string]string, format tar.Format) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for name, content := range files {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: "./" + name, Size: int64(len(content)), Format: format}
		if format == tar.FormatPAX {
			h.PAXRecords = map[string]string{"PURVEYOR.x": "y"}
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
