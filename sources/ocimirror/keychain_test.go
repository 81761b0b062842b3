package ocimirror_test

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/ocimirror"
)

// file writes a file with credentials; an "…" in quotes becomes the base64 that Docker writes.
func file(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// auths is a file with entries: each is a key and "user:password".
func auths(t *testing.T, entries ...string) string {
	t.Helper()
	var members []string
	for i := 0; i < len(entries); i += 2 {
		members = append(members, fmt.Sprintf(`%q:{"auth":%q}`, entries[i], base64.StdEncoding.EncodeToString([]byte(entries[i+1]))))
	}
	return file(t, "config.json", `{"auths":{`+strings.Join(members, ",")+`}}`)
}

// look looks for credentials and describes them.
func look(t *testing.T, k *ocimirror.Keychain, registry, repository string) string {
	t.Helper()
	c, err := k.Credential(t.Context(), registry, repository)
	if err != nil {
		t.Errorf("%s/%s: %v", registry, repository, err)
	}
	return strings.Join([]string{c.Username, string(c.Password), string(c.RefreshToken), string(c.AccessToken)}, "|")
}

func TestTheMostSpecificCounts(t *testing.T) {
	t.Parallel()
	environ, _ := helpers(t, "all", "one")
	k := &ocimirror.Keychain{
		Entries: []ocimirror.KeychainEntry{
			{Registry: "r.example", Repository: "team", Credential: secret("team", "1")},
			{Registry: "r.example", Credential: secret("registry", "2")},
			{Registry: "r.example", Repository: "team/x", Credential: secret("x", "3")},
			{Registry: "h.example", Helper: "one"},
		},
		DefaultHelper: "all",
		ConfigFiles: []string{
			auths(t, "r.example/team/x/y", "file:y", "r.example/team", "file:team", "f.example", "file:f", "h.example", "file:h", "h.example/deep", "file:deep"),
			auths(t, "f.example", "second:f", "g.example", "second:g"),
		},
		Environ: environ,
	}
	for repository, want := range map[string]string{
		"r.example/other":      "registry|2||",
		"r.example/team":       "team|1||", // before the file's, which is as specific
		"r.example/teams":      "registry|2||",
		"r.example/team/z":     "team|1||",
		"r.example/team/x":     "x|3||",
		"r.example/team/x/z":   "x|3||",
		"r.example/team/x/y":   "file|y||",
		"r.example/team/x/y/z": "file|y||",
		"r.example/team/x/yy":  "x|3||",
		"R.EXAMPLE:443/other":  "registry|2||",
		"r.example:5000/team":  "u|for https://r.example:5000||",
		"f.example/a":          "file|f||",
		"g.example/a":          "second|g||",
		"h.example/a":          "u|for https://h.example||",
		"h.example/deep/a":     "file|deep||",
		"q.example/a":          "u|for https://q.example||",
	} {
		registry, name, _ := strings.Cut(repository, "/")
		if got := look(t, k, registry, name); got != want {
			t.Errorf("%s: %q, want %q", repository, got, want)
		}
	}
	if problems := k.Problems(); len(problems) != 0 {
		t.Errorf("problems: %v", problems)
	}
}

// Whoever says that he has nothing does not keep others from having something.
func TestHelpersWithNothingArePassedOver(t *testing.T) {
	t.Parallel()
	environ, _ := helpers(t, "none", "store", "fail")
	k := &ocimirror.Keychain{
		DefaultHelper: "none",
		ConfigFiles:   []string{file(t, "config.json", `{"credHelpers":{"r.example":"none","s.example":"fail"},"auths":{"r.example":{},"s.example":null},"credsStore":"store"}`)},
		Environ:       environ,
	}
	if got := look(t, k, "r.example", "a"); got != "u|for https://r.example||" {
		t.Errorf("got %q", got)
	}
	_, err := k.Credential(t.Context(), "s.example", "a")
	var failed *ocimirror.HelperError
	if !errors.As(err, &failed) || failed.File != k.ConfigFiles[0] || !strings.Contains(err.Error(), k.ConfigFiles[0]) {
		t.Errorf("one that fails: %v", err)
	}
	k.Environ = nil
	if got := look(t, &ocimirror.Keychain{}, "r.example", "a"); got != "|||" {
		t.Errorf("nobody has %q", got)
	}
}

func TestWhatFilesSay(t *testing.T) {
	t.Parallel()
	b64 := func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
	for name, test := range map[string]struct{ entry, want string }{
		"auth":            {`{"auth":"` + b64("u:p") + `"}`, "u|p||"},
		"colons":          {`{"auth":"` + b64("u:p:q:") + `"}`, "u|p:q:||"},
		"zeros":           {`{"auth":"` + b64("u:p\x00\x00") + `"}`, "u|p||"},
		"plain":           {`{"username":"u","password":"p"}`, "u|p||"},
		"both":            {`{"auth":"` + b64("u:p") + `","username":"v","password":"q"}`, "u|p||"},
		"identity token":  {`{"auth":"` + b64("u:") + `","identitytoken":"i"}`, "u||i|"},
		"token by name":   {`{"auth":"` + b64("<token>:i") + `"}`, "||i|"},
		"registry token":  {`{"registrytoken":"r"}`, "|||r"},
		"more members":    {`{"auth":"` + b64("u:p") + `","email":"x@example.com","more":[1]}`, "u|p||"},
		"nothing":         {`{}`, "|||"},
		"null":            {`null`, "|||"},
		"an empty string": {`{"auth":""}`, "|||"},
	} {
		k := &ocimirror.Keychain{ConfigFiles: []string{file(t, "config.json", `{"auths":{"r.example":`+test.entry+`}}`)}}
		if got := look(t, k, "r.example", "a"); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
		if problems := k.Problems(); len(problems) != 0 {
			t.Errorf("%s: %v", name, problems)
		}
	}
}

func TestKeysOfFiles(t *testing.T) {
	t.Parallel()
	for key, places := range map[string]map[string]bool{
		"r.example":                      {"r.example/a": true, "s.example/a": false, "r.example:5000/a": false},
		"r.example:5000":                 {"r.example/a": false, "r.example:5000/a": true},
		"https://r.example":              {"r.example/a": true},
		"https://r.example/v1/":          {"r.example/a": true},
		"http://r.example/any/path":      {"r.example/a": true},
		"r.example/v2/":                  {"r.example/a": true},
		"r.example/a/b":                  {"r.example/a/b": true, "r.example/a/b/c": true, "r.example/a": false, "r.example/a/bc": false},
		"https://index.docker.io/v1/":    {"docker.io/a/b": true, "registry-1.docker.io/a": true, "index.docker.io/a": true, "r.example/a": false},
		"docker.io":                      {"docker.io/a": true, "registry-1.docker.io/a": true},
		"docker.io/a":                    {"registry-1.docker.io/a/b": true, "docker.io/b": false},
		"index.docker.io":                {"docker.io/a": true},
		"R.Example:443":                  {"r.example/a": true},
		"":                               {"r.example/a": false},
		"example":                        {"r.example/a": false},
		"https://":                       {"r.example/a": false},
		"https://https://r.example":      {"r.example/a": false},
		"r.example.evil":                 {"r.example/a": false},
		"https://r.example@evil.example": {"r.example/a": false, "evil.example/a": false},
	} {
		k := &ocimirror.Keychain{ConfigFiles: []string{auths(t, key, "u:p")}}
		for place, want := range places {
			registry, repository, _ := strings.Cut(place, "/")
			if got := look(t, k, registry, repository) == "u|p||"; got != want {
				t.Errorf("the key %q for %s: %v", key, place, got)
			}
		}
	}
}

// Of several entries for one registry, the one that Docker itself would take counts, whatever their order.
func TestKeysThatMeanTheSame(t *testing.T) {
	t.Parallel()
	for range 20 {
		k := &ocimirror.Keychain{ConfigFiles: []string{auths(t, "https://r.example/v1/", "a:1", "r.example", "b:2", "https://r.example", "c:3")}}
		if got := look(t, k, "r.example", "a"); got != "b|2||" {
			t.Fatalf("got %q", got)
		}
	}
}

func TestTheOlderFile(t *testing.T) {
	t.Parallel()
	text := `{"https://r.example/v1/":{"auth":"` + base64.StdEncoding.EncodeToString([]byte("u:p")) + `","email":""}}`
	if got := look(t, &ocimirror.Keychain{ConfigFiles: []string{file(t, ".dockercfg", text)}}, "r.example", "a"); got != "u|p||" {
		t.Errorf("got %q", got)
	}
	if got := look(t, &ocimirror.Keychain{ConfigFiles: []string{file(t, "config.json", text)}}, "r.example", "a"); got != "|||" {
		t.Errorf("by another name: %q", got)
	}
}

// brokenFiles are files of which the whole, or one entry, is of no use, and the key of that.
var brokenFiles = map[string]string{
	"nothing at all":       ``,
	"no JSON":              `{"auths":`,
	"an array":             `[]`,
	"auths that are none":  `{"auths":"s3cr3t"}`,
	"no base64":            `{"auths":{"r.example":{"auth":"s3cr3t!"}}}`,
	"no colon":             `{"auths":{"r.example":{"auth":"czNjcjN0"}}}`,
	"an entry of a kind":   `{"auths":{"r.example":"s3cr3t"}}`,
	"a helper with a path": `{"credHelpers":{"r.example":"../s3cr3t"}}`,
	"a helper of a kind":   `{"credHelpers":{"r.example":{"a":1}}}`,
	"a store with a path":  `{"credsStore":"/bin/sh"}`,
	"a store of a kind":    `{"credsStore":5}`,
	"too large":            `{"x":"` + strings.Repeat("x", ocimirror.MaxConfigFile) + `"}`,
}

func TestBrokenFilesAreReportedAndPassedOver(t *testing.T) {
	t.Parallel()
	for name, text := range brokenFiles {
		broken := file(t, "broken.json", text)
		k := &ocimirror.Keychain{ConfigFiles: []string{broken, filepath.Join(t.TempDir(), "missing"), auths(t, "r.example", "u:p")}}
		for range 3 {
			if got := look(t, k, "r.example", "a"); got != "u|p||" {
				t.Errorf("%s: got %q", name, got)
			}
		}
		problems := k.Problems()
		var problem *ocimirror.ConfigFileError
		if len(problems) != 1 || !errors.As(problems[0], &problem) || problem.File != broken {
			t.Errorf("%s: problems %v", name, problems)
			continue
		}
		if text := problem.Error(); !strings.Contains(text, broken) || strings.Contains(text, "s3cr3t") {
			t.Errorf("%s: %s", name, text)
		}
	}
}

func TestBrokenFilesThatAreNamedAreErrors(t *testing.T) {
	t.Parallel()
	for name, text := range brokenFiles {
		k := &ocimirror.Keychain{ConfigFiles: []string{auths(t, "r.example", "u:p"), file(t, "broken.json", text)}, ConfigFilesRequired: true}
		_, err := k.Credential(t.Context(), "r.example", "a")
		var broken *ocimirror.ConfigFileError
		if !errors.As(err, &broken) || broken.File != k.ConfigFiles[1] || strings.Contains(err.Error(), "s3cr3t") {
			t.Errorf("%s: %v", name, err)
		}
	}
	missing := &ocimirror.Keychain{ConfigFiles: []string{filepath.Join(t.TempDir(), "missing")}, ConfigFilesRequired: true}
	if _, err := missing.Credential(t.Context(), "r.example", "a"); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "missing") {
		t.Errorf("a missing file: %v", err)
	}
}

func TestAFileThatIsADirectory(t *testing.T) {
	t.Parallel()
	k := &ocimirror.Keychain{ConfigFiles: []string{t.TempDir()}}
	if got := look(t, k, "r.example", "a"); got != "|||" || len(k.Problems()) != 1 {
		t.Errorf("got %q, problems %v", got, k.Problems())
	}
}

// Credentials do not show themselves.
func TestCredentialsHideSecrets(t *testing.T) {
	t.Parallel()
	c := ocimirror.Credential{Username: "u", Password: "s3cr3t", AccessToken: "s3cr3t", RefreshToken: "s3cr3t"}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x"} {
		if text := fmt.Sprintf(verb, c); strings.Contains(text, "s3cr3t") || strings.Contains(text, "733363723374") {
			t.Errorf("%s shows %s", verb, text)
		}
	}
	if !(ocimirror.Credential{}).IsZero() || c.IsZero() {
		t.Error("IsZero is wrong")
	}
	var _ ocimirror.Credentials = (*ocimirror.Keychain)(nil)
	_ = sources.Token("")
}
