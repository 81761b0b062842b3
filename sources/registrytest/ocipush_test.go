package registrytest_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// send makes a request with a body, and headers given as name, value, name, value.
func send(t *testing.T, client *http.Client, method, url, body string, header ...string) response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	return do(client, req)
}

// sent is send for answers that must have the given status.
func sent(t *testing.T, status int, client *http.Client, method, url, body string, header ...string) response {
	t.Helper()
	r := send(t, client, method, url, body, header...)
	if r.err != nil || r.status != status {
		t.Fatalf("%s %s: status %d, want %d, %.500q, error %v", method, url, r.status, status, r.body, r.err)
	}
	return r
}

// code returns the code of an error that the registry answered.
func code(t *testing.T, r response) string {
	t.Helper()
	if doc := decode[ociErrors](t, r.body); len(doc.Errors) == 1 {
		return fmt.Sprint(r.status, " ", doc.Errors[0].Code)
	}
	return string(r.body)
}

func emptyRegistry(t *testing.T, cfg registrytest.OCI) *registrytest.Server {
	t.Helper()
	return registrytest.New(t, registrytest.Config{OCI: cfg})
}

// upload pushes a blob at once.
func upload(t *testing.T, s *registrytest.Server, repository, blob string) {
	t.Helper()
	sent(t, 201, s.Client(), "POST", s.URL()+"/v2/"+repository+"/blobs/uploads/?digest="+sum([]byte(blob)), blob)
}

// location returns where an answer sends the client, with a digest added, if there is one.
func location(t *testing.T, s *registrytest.Server, r response, digest string) string {
	t.Helper()
	u, err := url.Parse(s.URL() + r.header.Get("Location"))
	if err != nil {
		t.Fatal(err)
	}
	if digest != "" {
		query := u.Query()
		query.Set("digest", digest)
		u.RawQuery = query.Encode()
	}
	return u.String()
}

func TestBlobsArePushed(t *testing.T) {
	t.Parallel()
	const blob = "0123456789"
	digest := sum([]byte(blob))
	for name, push := range map[string]func(s *registrytest.Server, uploads string) response{
		"in one request": func(s *registrytest.Server, uploads string) response {
			return sent(t, 201, s.Client(), "POST", uploads+"?digest="+digest, blob)
		},
		"in two requests": func(s *registrytest.Server, uploads string) response {
			r := sent(t, 202, s.Client(), "POST", uploads, "")
			return sent(t, 201, s.Client(), "PUT", location(t, s, r, digest), blob)
		},
		"in a stream": func(s *registrytest.Server, uploads string) response {
			r := sent(t, 202, s.Client(), "POST", uploads, "")
			r = sent(t, 202, s.Client(), "PATCH", location(t, s, r, ""), blob)
			return sent(t, 201, s.Client(), "PUT", location(t, s, r, digest), "")
		},
		"in chunks": func(s *registrytest.Server, uploads string) response {
			r := sent(t, 202, s.Client(), "POST", uploads, "")
			r = sent(t, 202, s.Client(), "PATCH", location(t, s, r, ""), blob[:4], "Content-Range", "0-3")
			r = sent(t, 202, s.Client(), "PATCH", location(t, s, r, ""), blob[4:7], "Content-Range", "4-6")
			r = sent(t, 204, s.Client(), "GET", location(t, s, r, ""), "")
			if got := r.header.Get("Range"); got != "0-6" {
				t.Errorf("the upload is at %q", got)
			}
			return sent(t, 201, s.Client(), "PUT", location(t, s, r, digest), blob[7:], "Content-Range", "7-9")
		},
	} {
		s := emptyRegistry(t, registrytest.OCI{})
		r := push(s, s.URL()+"/v2/a/b/blobs/uploads/")
		if got := r.header.Get("Docker-Content-Digest"); got != digest {
			t.Errorf("%s: digest %q", name, got)
		}
		if got := good(t, s.Client(), location(t, s, r, "")); string(got.body) != blob {
			t.Errorf("%s: the blob is %q", name, got.body)
		}
	}
}

func TestUploadsThatAreRefused(t *testing.T) {
	t.Parallel()
	s := emptyRegistry(t, registrytest.OCI{})
	uploads := s.URL() + "/v2/a/b/blobs/uploads/"
	begin := func() response { return sent(t, 202, s.Client(), "POST", uploads, "") }
	for name, tt := range map[string]struct {
		answer response
		want   string
	}{
		"another digest":         {send(t, s.Client(), "POST", uploads+"?digest="+sum(nil), "x"), "400 DIGEST_INVALID"},
		"another algorithm":      {send(t, s.Client(), "POST", uploads+"?digest=md5:00", "x"), "400 DIGEST_INVALID"},
		"another digest at last": {send(t, s.Client(), "PUT", location(t, s, begin(), sum(nil)), "x"), "400 DIGEST_INVALID"},
		"a gap":                  {send(t, s.Client(), "PATCH", location(t, s, begin(), ""), "x", "Content-Range", "5-5"), "416 BLOB_UPLOAD_INVALID"},
		"a gap at last":          {send(t, s.Client(), "PUT", location(t, s, begin(), sum(nil)), "x", "Content-Range", "5-5"), "416 BLOB_UPLOAD_INVALID"},
		"unknown":                {send(t, s.Client(), "PATCH", uploads+"x", "x"), "404 BLOB_UPLOAD_UNKNOWN"},
		"elsewhere":              {send(t, s.Client(), "PATCH", strings.Replace(location(t, s, begin(), ""), "a/b", "a/c", 1), "x"), "404 BLOB_UPLOAD_UNKNOWN"},
		"without its state":      {send(t, s.Client(), "PATCH", strings.Split(location(t, s, begin(), ""), "?")[0], "x"), "404 BLOB_UPLOAD_UNKNOWN"},
		"method of uploads":      {send(t, s.Client(), "PUT", uploads, "x"), "405 UNSUPPORTED"},
		"method of an upload":    {send(t, s.Client(), "POST", location(t, s, begin(), ""), "x"), "405 UNSUPPORTED"},
		"method of a blob":       {send(t, s.Client(), "POST", s.URL()+"/v2/a/b/blobs/"+sum(nil), "x"), "404 BLOB_UNKNOWN"},
	} {
		if got := code(t, tt.answer); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}

func TestUploadsEnd(t *testing.T) {
	t.Parallel()
	s := emptyRegistry(t, registrytest.OCI{})
	for _, end := range []func(url string) response{
		func(url string) response { return sent(t, 204, s.Client(), "DELETE", url, "") },
		func(url string) response { return sent(t, 201, s.Client(), "PUT", url+"&digest="+sum(nil), "") },
		func(url string) response { return sent(t, 400, s.Client(), "PUT", url+"&digest="+sum(nil), "x") },
	} {
		url := location(t, s, sent(t, 202, s.Client(), "POST", s.URL()+"/v2/a/b/blobs/uploads/", ""), "")
		end(url)
		if got := code(t, send(t, s.Client(), "GET", url, "")); got != "404 BLOB_UPLOAD_UNKNOWN" {
			t.Errorf("got %s", got)
		}
	}
}

// TestSlowUploadHoldsUpNobody: not even another upload to the same repository.
func TestSlowUploadHoldsUpNobody(t *testing.T) {
	t.Parallel()
	s := emptyRegistry(t, registrytest.OCI{})
	body, client := io.Pipe()
	url := location(t, s, sent(t, 202, s.Client(), "POST", s.URL()+"/v2/a/b/blobs/uploads/", ""), sum([]byte("slow")))
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, url, body)
	if err != nil {
		t.Fatal(err)
	}
	slow := make(chan response)
	go func() { slow <- do(s.Client(), req) }()
	_, _ = io.WriteString(client, "sl") // arrives, since a pipe waits for its reader
	upload(t, s, "a/b", "quick")
	_, _ = io.WriteString(client, "ow")
	_ = client.Close()
	if r := <-slow; r.status != http.StatusCreated {
		t.Errorf("status %d, error %v", r.status, r.err)
	}
}

func TestBlobsAreMounted(t *testing.T) {
	t.Parallel()
	for refused, wanted := range map[bool]int{false: 201, true: 202} {
		s := emptyRegistry(t, registrytest.OCI{NoMount: refused})
		upload(t, s, "a/b", "blob")
		digest := sum([]byte("blob"))
		query := "/v2/c/blobs/uploads/?mount=" + digest + "&from="
		sent(t, 202, s.Client(), "POST", s.URL()+query+"nowhere", "")
		sent(t, 404, s.Client(), "HEAD", s.URL()+"/v2/c/blobs/"+digest, "")
		r := sent(t, wanted, s.Client(), "POST", s.URL()+query+"a/b", "")
		if refused {
			r = sent(t, 201, s.Client(), "PUT", location(t, s, r, digest), "blob")
		}
		if got := good(t, s.Client(), location(t, s, r, "")); string(got.body) != "blob" {
			t.Errorf("refused %v: the blob is %q", refused, got.body)
		}
	}
}

const (
	emptyConfig = `{"mediaType":"application/vnd.oci.empty.v1+json","digest":"sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a","size":2}`
	imageType   = "application/vnd.oci.image.manifest.v1+json"
	image       = `{"schemaVersion":2,"mediaType":"` + imageType + `","artifactType":"x/y","config":` + emptyConfig + `,"layers":[]}`
)

// pushImage pushes an image with what it needs.
func pushImage(t *testing.T, s *registrytest.Server, repository, reference, manifest string) response {
	t.Helper()
	upload(t, s, repository, "{}")
	return sent(t, 201, s.Client(), "PUT", s.URL()+"/v2/"+repository+"/manifests/"+reference, manifest, "Content-Type", imageType)
}

func TestManifestsArePushedByTagAndDigest(t *testing.T) {
	t.Parallel()
	for pushed, tags := range map[string]string{"v1": "[v1]", sum([]byte(image)): "[]", sum512([]byte(image)): "[]"} {
		s := emptyRegistry(t, registrytest.OCI{})
		r := pushImage(t, s, "a/b", pushed, image)
		manifests := s.URL() + "/v2/a/b/manifests/"
		for _, url := range []string{location(t, s, r, ""), manifests + pushed, manifests + sum([]byte(image))} {
			if got := good(t, s.Client(), url); string(got.body) != image || got.header.Get("Content-Type") != imageType {
				t.Errorf("%s: %s of type %q", url, got.body, got.header.Get("Content-Type"))
			}
		}
		want := sum([]byte(image))
		if strings.HasPrefix(pushed, "sha512:") {
			want = pushed
		}
		if got := good(t, s.Client(), manifests+pushed).header.Get("Docker-Content-Digest"); got != want {
			t.Errorf("%s: the digest is %q", pushed, got)
		}
		if got := decode[tagsDoc](t, good(t, s.Client(), s.URL()+"/v2/a/b/tags/list").body).Tags; got == nil || fmt.Sprint(got) != tags {
			t.Errorf("%s: the tags are %v", pushed, got)
		}
	}
}

func TestManifestsThatAreRefused(t *testing.T) {
	t.Parallel()
	s := emptyRegistry(t, registrytest.OCI{})
	upload(t, s, "a/b", "{}")
	missing := `{"digest":"` + sum([]byte("missing")) + `"}`
	for name, tt := range map[string]struct{ reference, mediaType, body, want string }{
		"another digest":     {sum(nil), imageType, image, "400 DIGEST_INVALID"},
		"another sha512":     {sum512(nil), imageType, image, "400 DIGEST_INVALID"},
		"no digest":          {"md5:00", imageType, image, "400 DIGEST_INVALID"},
		"no tag":             {"a+b", imageType, image, "400 DIGEST_INVALID"},
		"no media type":      {"v1", "", image, "400 MANIFEST_INVALID"},
		"another media type": {"v1", indexType, image, "400 MANIFEST_INVALID"},
		"no JSON":            {"v1", imageType, "{", "400 MANIFEST_INVALID"},
		"missing config":     {"v1", imageType, `{"config":` + missing + `}`, "400 MANIFEST_BLOB_UNKNOWN"},
		"missing layer":      {"v1", imageType, `{"config":` + emptyConfig + `,"layers":[` + missing + `]}`, "400 MANIFEST_BLOB_UNKNOWN"},
		"missing image":      {"v1", indexType, `{"manifests":[` + missing + `]}`, "400 MANIFEST_BLOB_UNKNOWN"},
		"giant":              {"v1", imageType, strings.Repeat(" ", registrytest.MaxOCIManifest+1), "413 MANIFEST_INVALID"},
	} {
		r := send(t, s.Client(), "PUT", s.URL()+"/v2/a/b/manifests/"+tt.reference, tt.body, "Content-Type", tt.mediaType)
		if got := code(t, r); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}

// TestNullMembersAreTaken, so that hostile documents can come from clients, too.
func TestNullMembersAreTaken(t *testing.T) {
	t.Parallel()
	s := emptyRegistry(t, registrytest.OCI{})
	for mediaType, body := range map[string]string{imageType: `{"config":null,"layers":[null]}`, indexType: `{"manifests":[null]}`} {
		url := s.URL() + "/v2/a/b/manifests/v1"
		sent(t, 201, s.Client(), "PUT", url, body, "Content-Type", mediaType)
		if got := good(t, s.Client(), url); string(got.body) != body || got.header.Get("Content-Type") != mediaType {
			t.Errorf("%s of type %q", got.body, got.header.Get("Content-Type"))
		}
	}
}

func TestMethodsThatAreRefused(t *testing.T) {
	t.Parallel()
	s := registrytest.New(t, registrytest.Config{Releases: []registrytest.Release{alpha}})
	for _, path := range []string{"/tags/list", "/manifests/1.0.0", "/blobs/" + alphaBlob(t, s), "/referrers/" + sum(nil)} {
		if got := code(t, send(t, s.Client(), "POST", s.URL()+alphaOCI+path, "")); got != "405 UNSUPPORTED" {
			t.Errorf("%s: %s", path, got)
		}
	}
	if got := code(t, get(t, s.Client(), s.URL()+alphaOCI+"/referrers/latest")); got != "400 DIGEST_INVALID" {
		t.Errorf("referrers of a tag: %s", got)
	}
}

// TestPlatformIsAddedToARelease: what the server offers and what clients push are in the same repositories.
func TestPlatformIsAddedToARelease(t *testing.T) {
	t.Parallel()
	s := registrytest.New(t, registrytest.Config{Releases: []registrytest.Release{alpha}})
	url := s.URL() + alphaOCI + "/manifests/"
	index := good(t, s.Client(), url+"1.0.0").body
	pushImage(t, s, "mirror/acme/alpha", sum([]byte(image)), image)
	entry := fmt.Sprintf(`"manifests":[{"mediaType":%q,"digest":%q,"size":%d},`, imageType, sum([]byte(image)), len(image))
	merged := bytes.Replace(index, []byte(`"manifests":[`), []byte(entry), 1)
	sent(t, 201, s.Client(), "PUT", url+"1.0.0", string(merged), "Content-Type", indexType)
	if got := good(t, s.Client(), url+"1.0.0").body; !bytes.Equal(got, merged) {
		t.Errorf("the index is\n%s", got)
	}
	good(t, s.Client(), url+sum(index))
}

func TestManifestsAreDeleted(t *testing.T) {
	t.Parallel()
	s := emptyRegistry(t, registrytest.OCI{})
	manifests, other := s.URL()+"/v2/a/b/manifests/", strings.Replace(image, "x/y", "x/z", 1)
	for _, tag := range []string{"v1", "v2", "v3"} {
		pushImage(t, s, "a/b", tag, image)
	}
	pushImage(t, s, "a/b", "other", other)
	sent(t, 202, s.Client(), "DELETE", manifests+"v1", "")
	sent(t, 404, s.Client(), "GET", manifests+"v1", "")
	good(t, s.Client(), manifests+sum([]byte(image)))
	sent(t, 202, s.Client(), "DELETE", manifests+sum([]byte(image)), "")
	sent(t, 404, s.Client(), "DELETE", manifests+sum([]byte(image)), "")
	if got := decode[tagsDoc](t, good(t, s.Client(), s.URL()+"/v2/a/b/tags/list").body).Tags; fmt.Sprint(got) != "[other]" {
		t.Errorf("the tags are %v", got)
	}
	sent(t, 202, s.Client(), "DELETE", s.URL()+"/v2/a/b/blobs/"+sum([]byte("{}")), "")
	sent(t, 404, s.Client(), "DELETE", s.URL()+"/v2/a/b/blobs/"+sum([]byte("{}")), "")
}

func TestTagsComeInPages(t *testing.T) {
	t.Parallel()
	for size, want := range map[int]map[string]string{
		0: {"": "[a b c d e]", "?n=2": "[a b] [c d] [e]", "?n=5": "[a b c d e]", "?n=0": "[]", "?last=b": "[c d e]", "?last=bb&n=1": "[c] [d] [e]", "?last=x": "[]"},
		2: {"": "[a b] [c d] [e]", "?n=1": "[a] [b] [c] [d] [e]", "?n=100": "[a b] [c d] [e]"},
	} {
		s := emptyRegistry(t, registrytest.OCI{PageSize: size})
		for _, tag := range []string{"c", "a", "e", "b", "d"} {
			pushImage(t, s, "a/b", tag, image)
		}
		for query, pages := range want {
			if got := strings.Join(tagPages(t, s, "/v2/a/b/tags/list"+query), " "); got != pages {
				t.Errorf("%d at once, %s: got %s, want %s", size, query, got, pages)
			}
		}
		for _, query := range []string{"?n=x", "?n=-1", "?n=99999999999"} {
			if got := code(t, get(t, s.Client(), s.URL()+"/v2/a/b/tags/list"+query)); got != "400 PAGINATION_NUMBER_INVALID" {
				t.Errorf("%s: %s", query, got)
			}
		}
	}
}

// tagPages follows the links from page to page.
func tagPages(t *testing.T, s *registrytest.Server, path string) (pages []string) {
	t.Helper()
	for path != "" {
		r := good(t, s.Client(), s.URL()+path)
		pages = append(pages, fmt.Sprint(decode[tagsDoc](t, r.body).Tags))
		link, _, _ := strings.Cut(strings.TrimPrefix(r.header.Get("Link"), "<"), ">")
		path = link
	}
	return pages
}

type indexDoc struct {
	MediaType string
	Manifests []struct {
		MediaType, ArtifactType, Digest string
		Size                            int
		Annotations                     map[string]string
	}
}

func TestReferrersAreFound(t *testing.T) {
	t.Parallel()
	s := emptyRegistry(t, registrytest.OCI{})
	subject := sum([]byte("subject, which need not be there"))
	withSubject := strings.Replace(image, `"layers"`, `"annotations":{"k":"v"},"subject":{"digest":"`+subject+`"},"layers"`, 1)
	withoutType := strings.Replace(withSubject, `"artifactType":"x/y",`, "", 1)
	for _, manifest := range []string{withSubject, withoutType} {
		r := pushImage(t, s, "a/b", sum([]byte(manifest)), manifest)
		if got := r.header.Get("OCI-Subject"); got != subject {
			t.Errorf("the subject is %q", got)
		}
	}
	if got := pushImage(t, s, "a/b", "v1", image).header.Get("OCI-Subject"); got != "" {
		t.Errorf("without a subject, it is %q", got)
	}
	r := good(t, s.Client(), s.URL()+"/v2/a/b/referrers/"+subject+"?artifactType=x/y")
	doc := decode[indexDoc](t, r.body)
	if r.header.Get("OCI-Filters-Applied") != "artifactType" || r.header.Get("Content-Type") != indexType || doc.MediaType != indexType || len(doc.Manifests) != 1 {
		t.Fatalf("got %s, %v", r.body, r.header)
	}
	m := doc.Manifests[0]
	if m.Digest != sum([]byte(withSubject)) || m.Size != len(withSubject) || m.MediaType != imageType || m.ArtifactType != "x/y" || m.Annotations["k"] != "v" {
		t.Errorf("got %+v", m)
	}
	all := decode[indexDoc](t, good(t, s.Client(), s.URL()+"/v2/a/b/referrers/"+subject).body).Manifests
	if len(all) != 2 || all[0].ArtifactType == all[1].ArtifactType {
		t.Errorf("got %+v", all)
	}
	none := good(t, s.Client(), s.URL()+"/v2/a/b/referrers/"+sum(nil))
	if !strings.Contains(string(none.body), `"manifests":[]`) || none.header.Get("OCI-Filters-Applied") != "" {
		t.Errorf("got %s", none.body)
	}
}

func TestRegistryWithoutReferrers(t *testing.T) {
	t.Parallel()
	s := emptyRegistry(t, registrytest.OCI{NoReferrers: true})
	manifest := strings.Replace(image, `"layers"`, `"subject":{"digest":"`+sum(nil)+`"},"layers"`, 1)
	if got := pushImage(t, s, "a/b", "v1", manifest).header.Get("OCI-Subject"); got != "" {
		t.Errorf("the subject is %q", got)
	}
	sent(t, 404, s.Client(), "GET", s.URL()+"/v2/a/b/referrers/"+sum(nil), "")
}
