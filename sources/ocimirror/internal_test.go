package ocimirror

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/purveyor-dev/purveyor/internal/web"
	"github.com/purveyor-dev/purveyor/sources"
)

func TestNextLink(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		``:                               "",
		`</a>; rel="next"`:               "/a",
		`</a>;rel=next`:                  "/a",
		`</a>; REL="Next"; title="x"`:    "/a",
		`</a>`:                           "/a",
		`</a>; rel="prev"`:               "",
		`</a>; rel=prev, </b>; rel=next`: "/b",
		`</a>; rel="first",</b>;rel="next",</c>;rel="last"`:         "/b",
		`<https://r.example/v2/a/tags/list?n=1&last=x>; rel="next"`: "https://r.example/v2/a/tags/list?n=1&last=x",
		`<>; rel="next"`:       "",
		`/a; rel="next"`:       "",
		`</a; rel="next"`:      "",
		`><; rel="next"`:       "",
		`</a,b;c>; rel="next"`: "/a,b;c",
	} {
		if got := nextLink(http.Header{"Link": {value}}); got != want {
			t.Errorf("%s: %q, want %q", value, got, want)
		}
	}
	if got := nextLink(http.Header{"Link": {`</a>; rel="prev"`, `</b>; rel="next"`}}); got != "/b" {
		t.Errorf("several headers: %q", got)
	}
}

func FuzzNextLink(f *testing.F) {
	f.Add(`</v2/a/tags/list?n=1&last=x>; rel="next"`)
	f.Add(`<a>,<b>;rel=prev,<<>>`)
	f.Fuzz(func(t *testing.T, value string) {
		if got := nextLink(http.Header{"Link": {value}}); !strings.Contains(value, "<"+got+">") && got != "" {
			t.Errorf("%q is not in %q", got, value)
		}
	})
}

func TestTagsAndVersions(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"1.0.0", "1.0.0-rc1", "1.0.0+build.5", "1.0.0-rc.1+b-1.c"} {
		v := sources.MustParseVersion(version)
		if got, err := versionOf(tagOf(v)); err != nil || got != v {
			t.Errorf("%s becomes %s, %v", version, got, err)
		}
	}
	if tag := tagOf(sources.MustParseVersion("1.0.0-rc1+build.5")); tag != "1.0.0-rc1_build.5" {
		t.Errorf("the tag is %q", tag)
	}
}

func FuzzVersionOf(f *testing.F) {
	for _, tag := range []string{"1.0.0", "1.0.0_build", "latest", "v1", "99999999999999999999.0.0", "1_2_3", "1.0.0-", "_"} {
		f.Add(tag)
	}
	f.Fuzz(func(t *testing.T, tag string) {
		v, err := versionOf(tag)
		if err != nil {
			return
		}
		if tagOfSpelling(spellingOf(tag)) != tag {
			t.Errorf("%q is asked for as %q", tag, tagOfSpelling(spellingOf(tag)))
		}
		if strings.Trim(tag, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-_") != "" {
			t.Errorf("%q is no tag, but version %s", tag, v)
		}
	})
}

func FuzzConfigFile(f *testing.F) {
	f.Add(`{"auths":{"r.example":{"auth":"dTpw"},"s.example/a":{"identitytoken":"x"}},"credHelpers":{"r.example":"x"},"credsStore":"y"}`)
	f.Add(`{"auths":{"https://index.docker.io/v1/":null}}`)
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range []string{"config.json", ".dockercfg"} {
			file, err := parseConfigFile([]byte(text), name)
			if err != nil {
				continue
			}
			for _, c := range file.candidates("r.example", "a/b") {
				if strings.ContainsAny(c.helper, `/\`) {
					t.Errorf("the helper %q", c.helper)
				}
			}
			_ = file.problems(name, nil)
		}
	})
}

func FuzzHelperAnswer(f *testing.F) {
	f.Add(`{"Username":"u","Secret":"s"}`)
	f.Add(`null`)
	f.Fuzz(func(t *testing.T, answer string) {
		c, err := parseHelperAnswer([]byte(answer))
		if err != nil && strings.Contains(err.Error(), answer) && len(answer) > 3 {
			t.Errorf("the error repeats the answer: %v", err)
		}
		if strings.ContainsAny(c.Username+string(c.Password)+string(c.RefreshToken), "\r\n\x00") {
			t.Error("there are control characters")
		}
	})
}

// No document makes the reader panic, and what it accepts can be asked for.
func FuzzManifests(f *testing.F) {
	digest := "sha256:" + strings.Repeat("0", 64)
	entry := `{"mediaType":"` + ocispec.MediaTypeImageManifest + `","artifactType":"` + ArtifactTypePackage + `","digest":"` + digest + `","size":2,"platform":{"os":"linux","architecture":"amd64"}}`
	f.Add(`{"mediaType":"` + ocispec.MediaTypeImageIndex + `","artifactType":"` + ArtifactTypeProvider + `","manifests":[` + entry + `]}`)
	f.Add(`{"mediaType":"` + ocispec.MediaTypeImageManifest + `","artifactType":"` + ArtifactTypePackage + `","layers":[{"mediaType":"archive/zip","digest":"` + digest + `","size":3}]}`)
	f.Add(`{"mediaType":"` + ocispec.MediaTypeImageIndex + `","manifests":[` + strings.Repeat(`{"artifactType":"`+ArtifactTypeStatement+`"},`, MaxStatements) + `{}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		on := sources.Platform{OS: "linux", Arch: "amd64"}
		for _, mediaType := range []string{ocispec.MediaTypeImageIndex, ocispec.MediaTypeImageManifest} {
			m, err := newManifest("r.example/a:1.0.0", &web.Document{Body: []byte(text), MediaType: mediaType})
			if err != nil {
				return
			}
			if x, err := newPackageIndex(m); err == nil {
				if d, err := x.find(on); err == nil && (d.Digest.Validate() != nil || d.Size < 0) {
					t.Errorf("found %+v", d)
				}
			}
			if d, err := m.archive(on); err == nil && (d.Digest.Validate() != nil || d.Size < 0 || d.Digest.Algorithm() != "sha256") {
				t.Errorf("found %+v", d)
			}
			statements := &referrerList{}
			if _ = statements.add(m); len(statements.found) > MaxStatements {
				t.Errorf("%d statements", len(statements.found))
			}
			_ = m.descriptor()
		}
	})
}

func TestMessagesOfServers(t *testing.T) {
	t.Parallel()
	req := &http.Request{Header: http.Header{}}
	req.SetBasicAuth("u", "s3cr3t")
	for body, want := range map[string]string{
		``:              "",
		`<html>`:        "",
		`[]`:            "",
		`null`:          "",
		`{"errors":[]}`: "",
		`{"errors":[{"code":"DENIED","message":"no","detail":{"x":1}}]}`: "denied: no",
		`{"errors":[{"code":"DENIED"}]}`:                                 "denied",
		`{"details":"incorrect username or password"}`:                   "incorrect username or password",
		`{"error":"invalid_grant","error_description":"expired"}`:        "expired",
		`{"details":"s3cr3t is wrong"}`:                                  "",
		`{"details":"` + "two\\nlines" + `"}`:                            "two lines",
	} {
		if got := messageOf([]byte(body), req); got != want {
			t.Errorf("%s: %q, want %q", body, got, want)
		}
	}
	long, err := json.Marshal(map[string]string{"details": strings.Repeat("x", 10_000)})
	if err != nil {
		t.Fatal(err)
	}
	if got := messageOf(long, req); len(got) != maxMessage {
		t.Errorf("a message of %d characters", len(got))
	}
}

// sender is a network in which every registry sends its clients to the next port.
type sender struct{ came []*http.Request }

func (s *sender) RoundTrip(req *http.Request) (*http.Response, error) {
	s.came = append(s.came, req)
	resp := &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: http.NoBody, Request: req}
	if len(s.came) == 1 {
		resp.StatusCode = http.StatusTemporaryRedirect
		resp.Header.Set("Location", "https://127.0.0.1:2/elsewhere")
	}
	return resp, nil
}

// The client of oras copies credentials into a request itself. They do not follow a redirect either; and what it is told
// to request elsewhere is not requested at all.
func TestTheClientOfOrasIsWatched(t *testing.T) {
	t.Parallel()
	network := &sender{}
	c, err := newConnection(Config{
		Repository: func(sources.Provider) (string, string, error) { return "127.0.0.1:1", "a/b", nil },
		Client:     &http.Client{Transport: network},
	})
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.repository(sources.MustParseProvider("a/b"))
	if err != nil {
		t.Fatal(err)
	}
	for url, want := range map[string]int{"https://127.0.0.1:1/v2/a/b/x": 2, "https://127.0.0.1:2/v2/a/b/x": 0, "http://127.0.0.1:1/v2/a/b/x": 0} {
		network.came = nil
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer s3cr3t")
		resp, err := newOutlet(r).Client.Do(req)
		var refused *web.RefusedError
		if err == nil {
			resp.Body.Close()
		} else if !errors.As(err, &refused) {
			t.Errorf("%s: %v", url, err)
		}
		if len(network.came) != want {
			t.Errorf("%s: %d requests", url, len(network.came))
		}
		if want == 2 && (network.came[0].Header.Get("Authorization") == "" || network.came[1].Header.Get("Authorization") != "") {
			t.Errorf("%s: the redirect took credentials along", url)
		}
	}
}
