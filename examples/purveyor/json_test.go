package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// records reads what -json printed, and fails for fields that the schema does not have.
func records(t *testing.T, out string) []record {
	t.Helper()
	var all []record
	for line := range strings.Lines(out) {
		decoder := json.NewDecoder(strings.NewReader(line))
		decoder.DisallowUnknownFields()
		var r record
		if err := decoder.Decode(&r); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if !strings.Contains(schema, "\n  "+r.Event+" ") {
			t.Errorf("the event is not documented: %s", line)
		}
		all = append(all, r)
	}
	return all
}

func eventsOf(all []record) []string {
	var events []string
	for _, r := range all {
		if r.Event != "progress" {
			events = append(events, r.Event)
		}
	}
	return events
}

func TestJSONOfAnInstallation(t *testing.T) {
	t.Parallel()
	w := newWorld(t, registrytest.Config{})
	w.write(t, "main.tf", requires(rocket))
	o := w.must(t, "install", "-json")
	all := records(t, o.out)
	want := []string{"resolving", "resolved", "fetching", "unpacking", "verified", "installed", "package", "lockfile", "done"}
	if got := eventsOf(all); !slices.Equal(got, want) || o.err != "" {
		t.Errorf("the events are %v, want %v\n%s", got, want, o.err)
	}
	pkg := all[slices.IndexFunc(all, func(r record) bool { return r.Event == "package" })]
	if pkg.Provider != rocket || pkg.Version != "1.4.0" || pkg.Authority != "signed" || pkg.Signer != "registrytest" || len(pkg.Key) < 40 ||
		pkg.Bytes == 0 || !strings.HasPrefix(pkg.Executable, pkg.Path) {
		t.Errorf("the package is %+v", pkg)
	}
	if lock := all[len(all)-2]; lock.Message != "changed" || !strings.HasSuffix(lock.Path, ".terraform.lock.hcl") {
		t.Errorf("the lock file is %+v", lock)
	}
	want = []string{"resolving", "resolved", "present", "package", "lockfile", "done"}
	if got := eventsOf(records(t, w.must(t, "install", "-json").out)); !slices.Equal(got, want) {
		t.Errorf("the second time, the events are %v, want %v", got, want)
	}
}

func TestJSONOfNamedProviders(t *testing.T) {
	t.Parallel()
	w := newWorld(t, registrytest.Config{})
	all := records(t, w.must(t, "install", "-json", rocket).out)
	if got := eventsOf(all); slices.Contains(got, "lockfile") || !slices.Contains(got, "package") {
		t.Errorf("the events are %v", got)
	}
}

func TestJSONOfFailures(t *testing.T) {
	t.Parallel()
	w := newWorld(t, registrytest.Config{})
	w.write(t, "main.tf", requires("acme/nobody"))
	o := w.fails(t, []string{"install", "-json"}, exitFailed)
	all := records(t, o.out)
	if got, want := eventsOf(all), []string{"resolving", "lockfile", "error", "failed"}; !slices.Equal(got, want) || o.err != "" {
		t.Fatalf("the events are %v, want %v\n%s", got, want, o.err)
	}
	if r := all[len(all)-2]; r.Provider != "registry.opentofu.org/acme/nobody" || r.Message == "" || !strings.Contains(r.Hint, "main.tf") {
		t.Errorf("the error is %+v", r)
	}

	w.write(t, "main.tf", "terraform {")
	all = records(t, w.fails(t, []string{"install", "-json"}, exitFailed).out)
	if all[0].Event != "error" || all[0].Location != "main.tf:1" {
		t.Errorf("the error is %+v", all[0])
	}
}

func TestJSONOfLock(t *testing.T) {
	t.Parallel()
	w := newWorld(t, registrytest.Config{})
	w.write(t, "main.tf", requires(rocket))
	all := records(t, w.must(t, "lock", "-json").out)
	i := slices.IndexFunc(all, func(r record) bool { return r.Event == "lock" })
	if got, want := eventsOf(all), []string{"resolving", "resolved", "locked", "lock", "note", "lockfile", "done"}; !slices.Equal(got, want) {
		t.Errorf("the events are %v, want %v", got, want)
	}
	if i < 0 || all[i].Hashes == 0 || all[i].Version != "1.4.0" || len(all[i].Platforms) != 1 {
		t.Errorf("the records are %+v", all)
	}
}

func TestJSONOfVersions(t *testing.T) {
	t.Parallel()
	w := newWorld(t, registrytest.Config{})
	all := records(t, w.must(t, "versions", "-json", "-platform=plan9_mips", rocket).out)
	if got, want := eventsOf(all), []string{"version", "version", "version", "done"}; !slices.Equal(got, want) {
		t.Fatalf("the events are %v, want %v", got, want)
	}
	if r := all[1]; r.Provider != rocket || r.Version != "1.4.0" || len(r.Platforms) != 4 || len(r.Protocols) == 0 || len(r.From) != 1 || r.Message != "not for plan9_mips" {
		t.Errorf("the version is %+v", r)
	}
}

func TestJSONOfExplain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, registrytest.Config{})
	all := records(t, w.must(t, "explain", "-json", "-platform=linux_amd64", rocket).out)
	if got, want := eventsOf(all), []string{"resolving", "resolved", "asked", "selected", "done"}; !slices.Equal(got, want) {
		t.Fatalf("the events are %v, want %v", got, want)
	}
	if r := all[2]; len(r.From) != 1 || !strings.Contains(r.Message, "has 3 versions") || !strings.Contains(r.Message, "has the package of 1.4.0") {
		t.Errorf("what was asked is %+v", r)
	}
	if r := all[3]; r.Version != "1.4.0" || r.Platform != "linux_amd64" || len(r.From) != 1 || !strings.HasPrefix(r.Location, "https://") {
		t.Errorf("what is selected is %+v", r)
	}
	all = records(t, w.fails(t, []string{"explain", "-json", "-platform=plan9_mips", rocket}, exitFailed).out)
	if got := eventsOf(all); !slices.Equal(got[len(got)-2:], []string{"error", "failed"}) {
		t.Errorf("the events are %v", got)
	}
}

// TestJSONOfWrongUsage: what is wrong may turn out when files were read, and something about them has been said.
func TestJSONOfWrongUsage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, registrytest.Config{})
	w.onlyTerraform(t)
	w.write(t, "tf/main.tf", requires("hashicorp/alpha"))
	w.must(t, "lock", "-chdir=tf", "-registry=registry.terraform.io")
	o := w.fails(t, []string{"mirror", "-dir=m", "-prune", "-json", "-module=tf"}, exitUsage, "-prune needs -platform")
	if got, want := eventsOf(records(t, o.out)), []string{"note"}; !slices.Equal(got, want) {
		t.Errorf("the events are %v, want %v", got, want)
	}
}
