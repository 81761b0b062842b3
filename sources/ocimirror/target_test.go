package ocimirror_test

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/ocimirror"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

var (
	rover     = sources.MustParseProvider("registry.example.com/acme/rover")
	rover1    = sources.MustParseVersion("1.0.0")
	onLinux   = sources.Platform{OS: "linux", Arch: "amd64"}
	onDarwin  = sources.Platform{OS: "darwin", Arch: "arm64"}
	onWindows = sources.Platform{OS: "windows", Arch: "amd64"}
)

// dock is a registry that has nothing but what is published there.
type dock struct {
	*registrytest.Server
	t *testing.T
}

func newDock(t *testing.T, oci registrytest.OCI) *dock {
	t.Helper()
	oci.Empty = true
	return &dock{registrytest.New(t, registrytest.Config{OCI: oci}), t}
}

const roverRepository = "mirror/acme-rover"

func (d *dock) config() ocimirror.Config {
	return ocimirror.Config{
		Repository: func(p sources.Provider) (registry, repository string, err error) {
			return d.Host(), "mirror/" + p.Namespace() + "-" + p.Type(), nil
		},
		Name:    "dock",
		Client:  d.Client(),
		Backoff: time.Millisecond,
	}
}

// target returns a new target, edited by whoever wants something special.
func (d *dock) target(edits ...func(*ocimirror.TargetConfig)) *ocimirror.Target {
	d.t.Helper()
	config := ocimirror.TargetConfig{Config: d.config()}
	for _, edit := range edits {
		edit(&config)
	}
	target, err := ocimirror.NewTarget(config)
	if err != nil {
		d.t.Fatal(err)
	}
	return target
}

func replacing(c *ocimirror.TargetConfig) { c.Replace = true }

// push publishes with a new target, as another process would.
func (d *dock) push(r sources.Release) *sources.Pushed {
	d.t.Helper()
	pushed, err := d.target().Push(d.t.Context(), r)
	if err != nil {
		d.t.Fatal(err)
	}
	return pushed
}

// get fetches a document, with no help from what is tested.
func (d *dock) get(path string) []byte {
	d.t.Helper()
	req, err := http.NewRequestWithContext(d.t.Context(), http.MethodGet, d.URL()+"/v2/"+roverRepository+"/"+path, nil)
	if err != nil {
		d.t.Fatal(err)
	}
	resp, err := d.Client().Do(req)
	if err != nil {
		d.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		d.t.Fatalf("GET %s: %s, %v", path, resp.Status, err)
	}
	return body
}

// put stores a manifest under a tag, as another tool would.
func (d *dock) put(mediaType, tag, manifest string) {
	d.t.Helper()
	req, err := http.NewRequestWithContext(d.t.Context(), http.MethodPut, d.URL()+"/v2/"+roverRepository+"/manifests/"+tag, strings.NewReader(manifest))
	if err != nil {
		d.t.Fatal(err)
	}
	req.Header.Set("Content-Type", mediaType)
	resp, err := d.Client().Do(req)
	if err != nil {
		d.t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, _ := io.ReadAll(resp.Body); resp.StatusCode != http.StatusCreated {
		d.t.Fatalf("PUT %s: %s %s", tag, resp.Status, body)
	}
}

// tags returns what the repository lists.
func (d *dock) tags() []string {
	d.t.Helper()
	var list struct{ Tags []string }
	if err := json.Unmarshal(d.get("tags/list"), &list); err != nil {
		d.t.Fatal(err)
	}
	slices.Sort(list.Tags)
	return list.Tags
}

// platforms returns what the index of a version has, as anybody would read it.
func (d *dock) platforms(tag string) []string {
	d.t.Helper()
	var index struct {
		Manifests []struct {
			Platform struct{ OS, Architecture string }
		}
	}
	if err := json.Unmarshal(d.get("manifests/"+tag), &index); err != nil {
		d.t.Fatal(err)
	}
	var all []string
	for _, m := range index.Manifests {
		all = append(all, m.Platform.OS+"_"+m.Platform.Architecture)
	}
	return all
}

// written counts the requests that change something, apart from those that only ask for an upload.
func (d *dock) written() (requests []string) {
	for _, r := range d.Requests() {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			requests = append(requests, r.Method+" "+r.Path)
		}
	}
	return requests
}

// freight writes a file and returns it as the archive for a platform.
func freight(t *testing.T, on sources.Platform, content string) sources.Archive {
	t.Helper()
	path := filepath.Join(t.TempDir(), "archive.zip")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return sources.Archive{Platform: on, Path: path, Sum: zhOf(content)}
}

func zhOf(content string) hashing.Hash { return hashing.ZH(sha256.Sum256([]byte(content))) }

func digestOf[T string | []byte](content T) string {
	return fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(content)))
}

func roverRelease(archives ...sources.Archive) sources.Release {
	return sources.Release{Provider: rover, Version: rover1, Archives: archives}
}

func TestStoredPackagesAreListed(t *testing.T) {
	t.Parallel()
	d := newDock(t, registrytest.OCI{})
	none, err := d.target().Stored(t.Context(), rover, rover1)
	if err != nil || len(none) != 0 {
		t.Errorf("an empty registry has %v, %v", none, err)
	}
	d.push(roverRelease(freight(t, onLinux, "linux"), freight(t, onDarwin, "darwin")))
	stored, err := d.target().Stored(t.Context(), rover, rover1)
	if err != nil || len(stored) != 2 || stored[onLinux] != zhOf("linux") || stored[onDarwin] != zhOf("darwin") {
		t.Errorf("stored are %v, %v", stored, err)
	}
}

func TestReleasesThatAreNone(t *testing.T) {
	t.Parallel()
	d := newDock(t, registrytest.OCI{})
	good := freight(t, onLinux, "linux")
	edit := func(change func(*sources.Archive)) []sources.Archive {
		a := good
		change(&a)
		return []sources.Archive{a}
	}
	long := sources.MustParseVersion("1.0.0-" + strings.Repeat("long", 40))
	for name, r := range map[string]sources.Release{
		"no provider":          {Version: rover1, Archives: []sources.Archive{good}},
		"no version":           {Provider: rover, Archives: []sources.Archive{good}},
		"no archive":           {Provider: rover, Version: rover1},
		"a version too long":   {Provider: rover, Version: long, Archives: []sources.Archive{good}},
		"a platform twice":     roverRelease(good, good),
		"no platform":          roverRelease(edit(func(a *sources.Archive) { a.Platform = sources.Platform{} })...),
		"a strange platform":   roverRelease(edit(func(a *sources.Archive) { a.Platform.Arch = "../../x" })...),
		"no sum":               roverRelease(edit(func(a *sources.Archive) { a.Sum = "" })...),
		"another kind of hash": roverRelease(edit(func(a *sources.Archive) { a.Sum = "h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=" })...),
		"upper case":           roverRelease(edit(func(a *sources.Archive) { a.Sum = "zh:" + hashing.Hash(strings.ToUpper(a.Sum.Value())) })...),
	} {
		_, err := d.target().Push(t.Context(), r)
		var release *sources.ReleaseError
		if !errors.As(err, &release) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := len(d.Requests()); n != 0 {
		t.Errorf("%d requests were made", n)
	}
}

func TestTargetNeedsRepositories(t *testing.T) {
	t.Parallel()
	var field *sources.FieldError
	if _, err := ocimirror.NewTarget(ocimirror.TargetConfig{}); !errors.As(err, &field) || field.Field != "Config.Repository" {
		t.Errorf("the error is %v", err)
	}
	if _, err := ocimirror.New(ocimirror.Config{}); !errors.As(err, &field) || field.Field != "Config.Repository" {
		t.Errorf("the error is %v", err)
	}
	cause := errors.New("this provider has none")
	target, err := ocimirror.NewTarget(ocimirror.TargetConfig{Config: ocimirror.Config{
		Repository: func(sources.Provider) (string, string, error) { return "", "", cause },
	}})
	if err != nil {
		t.Fatal(err)
	}
	_, pushing := target.Push(t.Context(), roverRelease(freight(t, onLinux, "linux")))
	_, listing := target.Stored(t.Context(), rover, rover1)
	for op, err := range map[string]error{"publish packages": pushing, "list packages": listing} {
		var asked *sources.Error
		if !errors.Is(err, cause) || !errors.As(err, &asked) || asked.Op != op || asked.Source != target.String() || asked.Provider != rover || asked.Version != rover1 {
			t.Errorf("%s: the error is %v", op, err)
		}
	}
	var release *sources.ReleaseError
	if !errors.As(pushing, &release) || release.Field != "Provider" {
		t.Errorf("the error is %v", pushing)
	}
}
