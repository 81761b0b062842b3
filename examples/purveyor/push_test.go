package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/registry"

	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// harbour is a registry to publish in, in the world's own server, beside the registry that packages come from.
func harbour(t *testing.T, auth registrytest.OCIAuth) (*world, string) {
	t.Helper()
	w := newWorld(t, registrytest.Config{OCI: registrytest.OCI{Empty: true, Auth: auth}})
	return w, w.srv.Host() + "/own/${namespace}-${type}"
}

func (w *world) fetch(t *testing.T, path string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, w.srv.URL()+"/v2/"+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := w.srv.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("GET %s: %s, %v", path, resp.Status, err)
	}
	return string(body)
}

// TestOnlyPushOffersToReplace: no other command that publishes has the flag.
func TestOnlyPushOffersToReplace(t *testing.T) {
	t.Parallel()
	w, template := harbour(t, registrytest.OCIAuth{})
	w.must(t, "push", "-to", template, "-platform=linux_amd64", rocket+"@1.4.0")
	other := newWorld(t, registrytest.Config{Releases: []registrytest.Release{
		{Provider: "acme/rocket", Version: "1.4.0", Platforms: []string{"linux_amd64"}, Executable: []byte("another")},
	}})
	other.must(t, "mirror", "-dir="+w.dir+"/other", "-platform=linux_amd64", rocket)
	other.must(t, "bundle", "export", "-o="+w.dir+"/other.tar", "-platform=linux_amd64", rocket)
	for _, args := range [][]string{
		{"push", "-to", template, "-from=other", "-platform=linux_amd64", rocket},
		{"mirror", "-to", template, "-from=other", "-platform=linux_amd64", rocket},
		{"bundle", "import", "-to", template, "other.tar"},
	} {
		o := w.fails(t, args, exitFailed, "another")
		if strings.Contains(o.err, "-replace") != (args[0] == "push") {
			t.Errorf("purveyor %s says:\n%s", strings.Join(args, " "), o.err)
		}
	}
}

func TestPushPublishes(t *testing.T) {
	t.Parallel()
	w, template := harbour(t, registrytest.OCIAuth{})
	args := []string{"push", "-to", template, "-platform=linux_amd64", "-platform=darwin_arm64", rocket + "@~> 1.0"}
	o := w.must(t, args...)
	address := w.srv.Host() + "/own/acme-rocket:1.4.0"
	if !strings.HasPrefix(o.out, address+"@sha256:") || strings.Count(o.out, "\n") != 1 {
		t.Errorf("the output is %q", o.out)
	}
	if want := rocket + " 1.4.0: published for darwin_arm64, linux_amd64 in " + address + ", signed by registrytest"; !strings.Contains(o.err, want) {
		t.Errorf("nothing about %q in:\n%s", want, o.err)
	}
	index := w.fetch(t, "own/acme-rocket/manifests/1.4.0")
	for _, want := range []string{`"artifactType":"application/vnd.opentofu.provider"`, `{"architecture":"amd64","os":"linux"}`, `{"architecture":"arm64","os":"darwin"}`} {
		if !strings.Contains(index, want) {
			t.Errorf("nothing about %s in:\n%s", want, index)
		}
	}

	again := w.must(t, args...)
	if again.out != o.out || !strings.Contains(again.err, address+" has it for darwin_arm64, linux_amd64") {
		t.Errorf("the second time:\n%s%s", again.out, again.err)
	}
	more := w.must(t, "push", "-to", template, "-platform=windows_amd64", "-json", rocket+"@1.4.0")
	lines := strings.Split(strings.TrimSpace(more.out), "\n")
	var pushed record
	if err := json.Unmarshal([]byte(lines[len(lines)-2]), &pushed); err != nil {
		t.Fatal(err)
	}
	if pushed.Event != "pushed" || fmt.Sprint(pushed.Added, pushed.Present) != "[windows_amd64] []" || pushed.Location != address || pushed.Bytes == 0 || pushed.Authority != "signed" {
		t.Errorf("the record is %+v", pushed)
	}
	if index := w.fetch(t, "own/acme-rocket/manifests/1.4.0"); strings.Count(index, `"platform"`) != 3 || pushed.Digest == "" {
		t.Errorf("the index is %s", index)
	}
}

// TestPushedIsInstalled: what was published is installed by its configuration, and the origin's signature is still there.
func TestPushedIsInstalled(t *testing.T) {
	t.Parallel()
	w, template := harbour(t, registrytest.OCIAuth{})
	w.must(t, "push", "-to", template, rocket+"@1.4.0")
	w.through(t, registrytest.Method{Type: registrytest.MethodOCIMirror, Template: template, Include: []string{"registry.example.com/*/*"}})
	w.srv.ResetRequests()
	o := w.must(t, "install", rocket)
	if !strings.Contains(o.err, rocket+" 1.4.0: installed, signed by registrytest") {
		t.Errorf("the output is:\n%s", o.err)
	}
	if n := w.srv.Count(registrytest.KindArchive) + w.srv.Count(registrytest.KindVersions); n != 0 {
		t.Errorf("the origin was asked %d times", n)
	}
}

// TestPushGoesOn: what cannot be published does not keep the rest from it.
func TestPushGoesOn(t *testing.T) {
	t.Parallel()
	w, template := harbour(t, registrytest.OCIAuth{})
	o := w.fails(t, []string{"push", "-to", template, "-platform=linux_amd64", "-platform=plan9_mips", rocket, "hashicorp/alpha"}, exitFailed,
		"cannot fetch "+rocket+" 1.4.0 for plan9_mips: no package for plan9_mips", "cannot fetch registry.opentofu.org/hashicorp/alpha 3.1.0 for plan9_mips")
	if o.out != "" {
		t.Errorf("the output is %q", o.out)
	}
	o = w.fails(t, []string{"push", "-to", template, "-platform=linux_amd64", "-platform=darwin_arm64", "hashicorp/alpha", rocket}, exitFailed,
		"cannot fetch registry.opentofu.org/hashicorp/alpha 3.1.0 for darwin_arm64: no package for darwin_arm64")
	if !strings.HasPrefix(o.out, w.srv.Host()+"/own/acme-rocket:1.4.0@") {
		t.Errorf("the output is %q", o.out)
	}
}

func TestPushFromADirectory(t *testing.T) {
	t.Parallel()
	w, template := harbour(t, registrytest.OCIAuth{})
	for _, layout := range []registrytest.Layout{registrytest.Packed, registrytest.Unpacked} {
		if err := w.srv.WriteMirror(filepath.Join(w.dir, fmt.Sprint(layout)), layout, rocket); err != nil {
			t.Fatal(err)
		}
	}
	w.srv.ResetRequests()
	o := w.must(t, "push", "-offline", "-from", fmt.Sprint(registrytest.Packed), "-to", template, rocket)
	if !strings.Contains(o.err, "not verified") {
		t.Errorf("the output is:\n%s", o.err)
	}
	if n := w.srv.Count(registrytest.KindArchive) + w.srv.Count(registrytest.KindVersions); n != 0 {
		t.Errorf("the origin was asked %d times", n)
	}
	w.fails(t, []string{"push", "-from", fmt.Sprint(registrytest.Unpacked), "-to", template, rocket}, exitFailed, "A mirror of archives is needed")
	w.fails(t, []string{"push", "-from", "missing", "-to", template, rocket}, exitFailed, "missing")
}

func TestPushReplacesOnRequestOnly(t *testing.T) {
	t.Parallel()
	w, template := harbour(t, registrytest.OCIAuth{})
	args := []string{"push", "-to", template, rocket + "@1.4.0"}
	w.must(t, args...)
	changed := registrytest.Release{Provider: "acme/rocket", Version: "1.4.0", Executable: []byte("something else"), Unsigned: true}
	mirror := filepath.Join(w.dir, "mirror")
	if err := w.srv.Add(changed); err != nil {
		t.Fatal(err)
	}
	if err := w.srv.WriteMirror(mirror, registrytest.Packed, rocket); err != nil {
		t.Fatal(err)
	}
	args = append(args, "-from", mirror)
	w.fails(t, args, exitFailed, "cannot push "+rocket+" 1.4.0: OCI mirror ", "another package", "With -replace")
	w.fails(t, append(args, "-replace"), exitFailed, "do not fit the package") // the statement is that of the first one
}

func TestPushAuthenticates(t *testing.T) {
	t.Parallel()
	w, template := harbour(t, registrytest.OCIAuth{Scheme: registrytest.OCIBearer, Users: map[string]string{"writer": "open-sesame"}})
	args := []string{"push", "-to", template, rocket + "@1.4.0"}
	o := w.fails(t, args, exitFailed, "Credentials for OCI registries come from")
	if strings.Contains(o.err, "TF_TOKEN_") {
		t.Errorf("the hint is about the wrong credentials:\n%s", o.err)
	}
	w.configure(t, w.srv.CLIConfig()+fmt.Sprintf("oci_credentials %q {\n  username = \"writer\"\n  password = \"open-sesame\"\n}\n", w.srv.Host()))
	if o := w.must(t, args...); strings.Contains(o.out+o.err, "open-sesame") {
		t.Errorf("the password is told:\n%s%s", o.out, o.err)
	}
}

func TestPushNeedsARepositoryForEach(t *testing.T) {
	t.Parallel()
	w, _ := harbour(t, registrytest.OCIAuth{})
	w.fails(t, []string{"push", "-to", w.srv.Host() + "/own/${namespace}", rocket, "registry.example.com/acme/other"}, exitFailed, "cannot share the repository")
	w.fails(t, []string{"push", "-to", "registry.example.com/own", "-plain-http", rocket}, exitFailed, "loopback")
	if n := w.srv.Count(registrytest.KindOCIManifest); n != 0 {
		t.Errorf("%d manifests were asked for", n)
	}
}

func TestPushByPlainHTTP(t *testing.T) {
	t.Parallel()
	w, _ := harbour(t, registrytest.OCIAuth{})
	plain := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	defer plain.Close()
	template := plain.Listener.Addr().String() + "/own/${namespace}-${type}"
	if o := w.must(t, "push", "-to", template, "-plain-http", rocket); !strings.HasPrefix(o.out, plain.Listener.Addr().String()+"/own/acme-rocket:1.4.0@") {
		t.Errorf("the output is %q", o.out)
	}
	w.fails(t, []string{"push", "-to", template, rocket}, exitFailed, "cannot push")
}

func TestPushLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	w, template := harbour(t, registrytest.OCIAuth{})
	w.must(t, "push", "-to", template, rocket+"@1.4.0")
	entries, err := os.ReadDir(w.dir)
	if err != nil || len(entries) != 0 {
		t.Errorf("the module's directory has %v, %v", entries, err)
	}
}
