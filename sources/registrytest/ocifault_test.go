package registrytest_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

const alphaIndex = alphaOCI + "/manifests/1.0.0"

// TestFlawedArtifactsFitTogether: a client that checks digests and sizes alone finds nothing wrong.
func TestFlawedArtifactsFitTogether(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		fault registrytest.Fault
		want  string // in the index or in the images
	}{
		"media type":   {registrytest.Fault{EditIndex: registrytest.SetJSON("/mediaType", "text/html")}, `"mediaType":"text/html"`},
		"no platform":  {registrytest.Fault{EditIndex: registrytest.DeleteJSON("/manifests/1/platform")}, `"os":"linux"}`},
		"null entries": {registrytest.Fault{EditIndex: registrytest.SetJSON("/manifests/-", nil)}, `,null]`},
		"variants": {registrytest.Fault{EditIndex: registrytest.Edits(
			registrytest.CopyJSON("/manifests/0", "/manifests/-"), registrytest.SetJSON("/manifests/2/platform/variant", "v8"),
		)}, `{"architecture":"amd64","os":"linux","variant":"v8"}`},
		"annotation":   {registrytest.Fault{EditIndex: registrytest.SetJSON("/annotations", map[string]string{"filler": strings.Repeat("x", 5<<20)})}, `"filler":"xxx`},
		"layer":        {registrytest.Fault{EditImage: registrytest.SetJSON("/layers/0", nil)}, `"layers":[null]`},
		"layer's size": {registrytest.Fault{EditImage: registrytest.SetJSON("/layers/0/size", -1)}, `"size":-1`},
		"both": {registrytest.Fault{
			EditImage: registrytest.DeleteJSON("/artifactType"), EditIndex: registrytest.SetJSON("/annotations", nil),
		}, `"annotations":null,"`},
	} {
		s := faulty(t, tt.fault)
		index := good(t, s.Client(), s.URL()+alphaIndex)
		all := checkArtifact(t, s, index)
		if !strings.Contains(all, tt.want) {
			t.Errorf("%s: %.2000s", name, all)
		}
		head := sent(t, 200, s.Client(), "HEAD", s.URL()+alphaIndex, "")
		if digest := head.header.Get("Docker-Content-Digest"); digest != sum(index.body) || head.header.Get("Content-Type") != indexType {
			t.Errorf("%s: HEAD says %v", name, head.header)
		}
		s.ClearFaults()
		if after := good(t, s.Client(), s.URL()+alphaIndex); bytes.Equal(after.body, index.body) {
			t.Errorf("%s: the artifact is the same without the fault", name)
		}
	}
}

// checkArtifact gets all documents of an artifact by digest, and returns them.
func checkArtifact(t *testing.T, s *registrytest.Server, index response) string {
	t.Helper()
	var all strings.Builder
	for _, m := range decode[indexDoc](t, index.body).Manifests {
		if m.Digest == "" {
			continue
		}
		image := good(t, s.Client(), s.URL()+alphaOCI+"/manifests/"+m.Digest)
		if sum(image.body) != m.Digest || len(image.body) != m.Size || image.header.Get("Content-Type") != imageType {
			t.Errorf("the image %s has %d bytes, want %+v", sum(image.body), len(image.body), m)
		}
		all.Write(image.body)
	}
	if got := good(t, s.Client(), s.URL()+alphaOCI+"/manifests/"+sum(index.body)); !bytes.Equal(got.body, index.body) {
		t.Error("the index is another by digest")
	}
	return all.String() + string(index.body)
}

func TestEditsOfWhatIsNoIndexLeaveImagesAlone(t *testing.T) {
	t.Parallel()
	s := emptyRegistry(t, registrytest.OCI{})
	pushImage(t, s, "a/b", "v1", image)
	if err := s.AddFault(registrytest.Fault{EditImage: registrytest.SetJSON("/layers", nil), EditIndex: registrytest.SetJSON("/x", 1)}); err != nil {
		t.Fatal(err)
	}
	got := string(good(t, s.Client(), s.URL()+"/v2/a/b/manifests/v1").body)
	if !strings.Contains(got, `"x":1`) || !strings.Contains(got, `"layers":[]`) {
		t.Errorf("got %s", got)
	}
	sent(t, 404, s.Client(), "GET", s.URL()+"/v2/a/b/manifests/v2", "")
}

func TestUnknownAlgorithm(t *testing.T) {
	t.Parallel()
	s := faulty(t, registrytest.Fault{EditIndex: registrytest.SetJSON("/manifests/0/digest", "md5:d41d8cd98f00b204e9800998ecf8427e")})
	if got := decode[indexDoc](t, good(t, s.Client(), s.URL()+alphaIndex).body); !strings.HasPrefix(got.Manifests[0].Digest, "md5:") {
		t.Errorf("got %+v", got)
	}
}

func TestHeadersAreChanged(t *testing.T) {
	t.Parallel()
	const digest = "Docker-Content-Digest"
	for name, fault := range map[string]registrytest.Fault{
		"wrong":   {Kind: registrytest.KindOCIManifest, Header: map[string]string{digest: sum(nil)}},
		"removed": {Kind: registrytest.KindOCIManifest, Method: "HEAD", Header: map[string]string{digest: ""}},
		"edited":  {Kind: registrytest.KindOCIManifest, Edit: registrytest.SetJSON("/x", 1), Header: map[string]string{digest: sum(nil)}},
		"error":   {Kind: registrytest.KindOCIManifest, Status: 404, Header: map[string]string{digest: sum(nil)}},
	} {
		s := faulty(t, fault)
		want := fault.Header[digest]
		if got := send(t, s.Client(), "HEAD", s.URL()+alphaIndex, "").header.Get(digest); got != want {
			t.Errorf("%s: HEAD has %q", name, got)
		}
		if got := get(t, s.Client(), s.URL()+alphaIndex).header.Get(digest); fault.Method == "" && got != want || fault.Method != "" && got == "" {
			t.Errorf("%s: GET has %q", name, got)
		}
	}
}

func TestLinksLeadElsewhere(t *testing.T) {
	t.Parallel()
	for _, link := range []string{`<https://evil.example.com/v2/x/tags/list>; rel="next"`, `<http://127.0.0.1/v2/x/tags/list>; rel="next"`} {
		s := faulty(t, registrytest.Fault{Kind: registrytest.KindOCITags, Header: map[string]string{"Link": link}})
		if r := good(t, s.Client(), s.URL()+alphaOCI+"/tags/list"); r.header.Get("Link") != link {
			t.Errorf("the link is %q", r.header.Get("Link"))
		}
	}
}

func TestHostileTags(t *testing.T) {
	t.Parallel()
	tags := []string{"99999999999999999999999.0.0", "../../etc/passwd", "1.0.0\n", ""}
	s := faulty(t, registrytest.Fault{Kind: registrytest.KindOCITags, Edit: registrytest.SetJSON("/tags", tags)})
	if got := decode[tagsDoc](t, good(t, s.Client(), s.URL()+alphaOCI+"/tags/list").body).Tags; fmt.Sprintf("%q", got) != fmt.Sprintf("%q", tags) {
		t.Errorf("got %q", got)
	}
}

func TestTagsWithoutEnd(t *testing.T) {
	t.Parallel()
	s := faulty(t, registrytest.Fault{EndlessTags: true, Times: 3})
	pages := tagPages(t, s, alphaOCI+"/tags/list?n=2") // the fourth is a good one
	want := []string{
		"[0.0.0-x000000000000000001 0.0.0-x000000000000000002]",
		"[0.0.0-x000000000000000003 0.0.0-x000000000000000004]",
		"[0.0.0-x000000000000000005 0.0.0-x000000000000000006]", "[1.0.0]",
	}
	if strings.Join(pages, "") != strings.Join(want, "") {
		t.Errorf("got %v", pages)
	}
	if pages := tagPages(t, faulty(t, registrytest.Fault{EndlessTags: true, Times: 1}), alphaOCI+"/tags/list"); len(strings.Fields(pages[0])) != 100 {
		t.Errorf("a page is %v", pages[0])
	}
}

func TestWrongBodies(t *testing.T) {
	t.Parallel()
	for kind, path := range map[registrytest.Kind]string{registrytest.KindOCIManifest: alphaIndex, registrytest.KindOCIBlob: ""} {
		s := faulty(t, registrytest.Fault{Kind: kind, WrongHash: true, Times: 1})
		if path == "" {
			path = alphaOCI + "/blobs/" + alphaBlob(t, s)
		}
		bad, whole := good(t, s.Client(), s.URL()+path), good(t, s.Client(), s.URL()+path)
		bad.body[len(bad.body)/2] ^= 1
		if !bytes.Equal(bad.body, whole.body) || bad.header.Get("Docker-Content-Digest") != sum(whole.body) {
			t.Errorf("%s: not one bit was wrong", kind)
		}
	}
}

func TestChallengesGoOn(t *testing.T) {
	t.Parallel()
	s := guarded(t, registrytest.OCIAuth{Scheme: registrytest.OCIBearer})
	if err := s.AddFault(registrytest.Fault{Kind: registrytest.KindOCITags, Status: 401}); err != nil {
		t.Fatal(err)
	}
	refused := get(t, s.Client(), s.URL()+alphaOCI+"/tags/list")
	for range 3 {
		doc := token(t, s, refused, basic("ann", "secret"))
		refused = get(t, s.Client(), s.URL()+alphaOCI+"/tags/list", "Authorization", "Bearer "+doc.Token)
	}
	challenged(t, refused)
}

func TestRegistryIsBusy(t *testing.T) {
	t.Parallel()
	s := faulty(t,
		registrytest.Fault{Kind: registrytest.KindOCIBlob, Status: 429, RetryAfter: "3", Times: 1},
		registrytest.Fault{Kind: registrytest.KindOCIBlob, Status: 500, Times: 2},
	)
	url := s.URL() + alphaOCI + "/blobs/" + alphaBlob(t, s)
	if r := get(t, s.Client(), url); r.status != 429 || r.header.Get("Retry-After") != "3" {
		t.Errorf("status %d, %v", r.status, r.header)
	}
	sent(t, 500, s.Client(), "GET", url, "")
	sent(t, 500, s.Client(), "GET", url, "")
	good(t, s.Client(), url)
}

// TestBlobsAreElsewhere: the contents are on another origin, which wants no credentials and gets none from [http.Client].
func TestBlobsAreElsewhere(t *testing.T) {
	t.Parallel()
	s := registrytest.New(t, registrytest.Config{
		Releases: []registrytest.Release{alpha},
		OCI: registrytest.OCI{
			BlobHost: "storage.example.com",
			Auth:     registrytest.OCIAuth{Scheme: registrytest.OCIBasic, Users: map[string]string{"ann": "secret"}},
		},
		Faults: []registrytest.Fault{{Kind: registrytest.KindOCIStorage, CutAt: 1000, Times: 1}},
	})
	archive := good(t, s.Client(), s.URL()+alphaArchive).body
	url := s.URL() + alphaOCI + "/blobs/" + sum(archive)
	redirect := get(t, unredirected(s), url, "Authorization", basic("ann", "secret"))
	storage := redirect.header.Get("Location")
	if redirect.status != http.StatusTemporaryRedirect || !strings.HasPrefix(storage, "https://storage.example.com:") {
		t.Fatalf("status %d to %q", redirect.status, storage)
	}
	if r := get(t, s.Client(), url, "Authorization", basic("ann", "secret")); r.err == nil || len(r.body) != 1000 {
		t.Errorf("%d bytes, error %v", len(r.body), r.err)
	}
	if r := get(t, s.Client(), url, "Authorization", basic("ann", "secret"), "Range", "bytes=1000-"); r.status != 206 || !bytes.Equal(r.body, archive[1000:]) {
		t.Errorf("status %d, %d bytes", r.status, len(r.body))
	}
	for _, r := range s.Requests() {
		if r.Kind == registrytest.KindOCIStorage && (r.Authorization != "" || !strings.HasPrefix(r.Host, "storage.example.com:")) {
			t.Errorf("the log has %+v", r)
		}
	}
	sent(t, 400, s.Client(), "GET", storage, "", "Authorization", basic("ann", "secret"))
	sent(t, 403, s.Client(), "GET", strings.Split(storage, "?")[0], "")
	sent(t, 404, s.Client(), "GET", strings.Replace(storage, "sha256:", "sha256:0", 1), "")
	sent(t, 405, s.Client(), "POST", storage, "")
}

func TestUploadsAreCut(t *testing.T) {
	t.Parallel()
	for _, http1 := range []bool{false, true} {
		s := registrytest.New(t, registrytest.Config{HTTP1: http1, Faults: []registrytest.Fault{
			{Kind: registrytest.KindOCIUpload, Method: "PATCH", CutUploadAt: 1000, Times: 1},
			{Kind: registrytest.KindOCIUpload, Method: "PUT", CutUploadAt: -1, Times: 1},
		}})
		blob := strings.Repeat("x", 100_000)
		url := location(t, s, sent(t, 202, s.Client(), "POST", s.URL()+"/v2/a/b/blobs/uploads/", ""), "")
		if r := send(t, s.Client(), "PATCH", url, blob); r.err == nil {
			t.Errorf("HTTP1 %v: status %d", http1, r.status)
		}
		if got := sent(t, 204, s.Client(), "GET", url, "").header.Get("Range"); got != "0-999" {
			t.Errorf("HTTP1 %v: the upload is at %s", http1, got)
		}
		end := url + "&digest=" + sum([]byte(blob))
		if r := send(t, s.Client(), "PUT", end, blob[1000:]); r.err == nil {
			t.Errorf("HTTP1 %v: status %d", http1, r.status)
		}
		sent(t, 201, s.Client(), "PUT", end, blob[1000:], "Content-Range", "1000-99999")
	}
}

func TestUploadsThatFitAreNotCut(t *testing.T) {
	t.Parallel()
	s := faulty(t, registrytest.Fault{Kind: registrytest.KindOCIUpload, CutUploadAt: 4})
	upload(t, s, "a/b", "blob")
}
