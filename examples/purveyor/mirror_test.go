package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

const rocketHome = "registry.example.com/acme/rocket"

func TestMirrorFillsADirectory(t *testing.T) {
	t.Parallel()
	w := newWorld(t, registrytest.Config{})
	w.write(t, "main.tf", requires(rocket+" ~> 1.0"))
	o := w.must(t, "mirror", "-dir=mirror", "-platform=linux_amd64", "-platform=darwin_arm64")
	if want := rocket + " 1.4.0: added: darwin_arm64, linux_amd64; signed by "; !strings.Contains(o.out, want) {
		t.Errorf("nothing about %q in:\n%s", want, o.out)
	}
	if index := w.read(t, "mirror/"+rocketHome+"/index.json"); !strings.Contains(index, `"1.4.0"`) {
		t.Errorf("the index is %s", index)
	}

	w.srv.ResetRequests()
	o = w.must(t, "mirror", "-dir=mirror", "-platform=linux_amd64", "-platform=darwin_arm64")
	if !strings.Contains(o.out, "there already: darwin_arm64, linux_amd64") || w.srv.Count(registrytest.KindArchive) != 0 {
		t.Errorf("the second time, %d requests for archives:\n%s", w.srv.Count(registrytest.KindArchive), o.out)
	}
}

func TestMirrorPrunes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, registrytest.Config{})
	w.write(t, "all.hcl", "platforms = [\"linux_amd64\"]\nprovider \""+rocket+"\" {\n  versions = \"1.4.0\"\n}\nprovider \"hashicorp/alpha\" {\n}\n")
	w.must(t, "mirror", "-dir=mirror", "-plan=all.hcl")
	alpha := "mirror/registry.opentofu.org/hashicorp/alpha/"
	packages := func() int {
		found, _ := filepath.Glob(filepath.Join(w.dir, filepath.FromSlash(alpha), "*.zip"))
		return len(found)
	}
	only := []string{"mirror", "-dir=mirror", "-platform=linux_amd64", rocket + "@1.4.0", "-prune"}
	o := w.must(t, append(only, "-dry-run")...)
	if !strings.Contains(o.err, "hashicorp/alpha 3.1.0: not asked for: linux_amd64") || packages() != 1 {
		t.Errorf("the dry run left %d packages, and says:\n%s", packages(), o.err)
	}
	if o := w.must(t, only...); !strings.Contains(o.err, "hashicorp/alpha 3.1.0: removed for linux_amd64") || packages() != 0 {
		t.Errorf("%d packages are left:\n%s", packages(), o.err)
	}
}

func TestMirrorRefusals(t *testing.T) {
	t.Parallel()
	w := newWorld(t, registrytest.Config{})
	w.fails(t, []string{"mirror", rocket}, exitUsage, "one of -dir and -to is required")
	w.fails(t, []string{"mirror", "-dir=a", "-dry-run", rocket}, exitUsage, "-dry-run is for -prune")
	w.fails(t, []string{"mirror", "-dir=a", "-prune", rocket}, exitUsage, "-prune needs -platform")
	w.fails(t, []string{"mirror", "-dir=a", "-latest=-5", rocket}, exitUsage, "-latest: -5 is no number of versions, nor -1 for all")
	w.fails(t, []string{"mirror", "-dir=a", rocket + "@> 77"}, exitFailed, "cannot mirror "+rocket)
	w.write(t, "bad.hcl", "provider \"a/b/c/d\" {\n}\n")
	w.fails(t, []string{"mirror", "-dir=a", "-plan=bad.hcl"}, exitFailed, "bad.hcl", "a/b/c/d")
	w.fails(t, []string{"mirror", "-dir=a", "-signer=" + strings.Repeat("AB", 20), "-platform=linux_amd64", rocket}, exitFailed, "cannot mirror "+rocket+" 1.4.0 for linux_amd64")
	if _, err := os.Stat(filepath.Join(w.dir, "a", filepath.FromSlash(rocketHome), "index.json")); err == nil {
		t.Error("something was published")
	}
}

func TestMirrorFillsARegistry(t *testing.T) {
	t.Parallel()
	w, template := harbour(t, registrytest.OCIAuth{})
	w.must(t, "mirror", "-to", template, "-platform=linux_amd64", rocket+"@~> 1.0")
	if index := w.fetch(t, "own/acme-rocket/manifests/1.4.0"); !strings.Contains(index, `"architecture":"amd64"`) {
		t.Errorf("the index is %s", index)
	}
	w.fails(t, []string{"mirror", "-to", w.srv.Host() + "/all", "-platform=linux_amd64", rocket, "hashicorp/alpha"}, exitFailed, "cannot share the repository")
}

// A bundle goes from where there is a registry to where there is none; what is installed there is what its origin signed.
func TestBundleCrossesTheGap(t *testing.T) {
	t.Parallel()
	signer, err := registrytest.NewSigner("registrytest", registrytest.SignerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	w, key := newWorld(t, registrytest.Config{Signer: signer}), signer.Fingerprint()
	w.must(t, "bundle", "export", "-o=providers.tar", rocket+"@~> 1.0", "hashicorp/alpha")
	if o := w.must(t, "bundle", "verify", "-signer="+key, "providers.tar"); strings.Count(o.out, "signed by registrytest") != 2 {
		t.Errorf("verify says:\n%s", o.out)
	}
	w.fails(t, []string{"bundle", "verify", "-signer=" + strings.Repeat("AB", 20), "providers.tar"}, exitFailed, "signed")

	w.srv.Close()
	w.must(t, "bundle", "import", "-dir=mirror", "-signer="+key, "providers.tar")
	w.configure(t, "provider_installation {\n  filesystem_mirror {\n    path = \"mirror\"\n  }\n}\n")
	w.write(t, "main.tf", requires(rocket, "hashicorp/alpha"))
	o := w.must(t, "install")
	if strings.Count(o.out, "signed by registrytest") != 2 {
		t.Errorf("install says:\n%s", o.out)
	}
	if o := w.must(t, "verify"); strings.Count(o.out, "as locked") != 2 {
		t.Errorf("verify says:\n%s", o.out)
	}
	if o := w.must(t, "verify", "-signer="+key, "mirror"); strings.Count(o.out, "signed by registrytest") != 2 {
		t.Errorf("verify of the mirror says:\n%s", o.out)
	}
	w.fails(t, []string{"verify", "-signer=" + strings.Repeat("AB", 20), "mirror"}, exitFailed, "cannot accept "+rocket)
}

// TestAnExpiredKeyIsNamed: bundle verify says of a signer what mirror says.
func TestAnExpiredKeyIsNamed(t *testing.T) {
	t.Parallel()
	signer, err := registrytest.NewSigner("old", registrytest.SignerOptions{Expired: true})
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, registrytest.Config{Signer: signer})
	w.must(t, "bundle", "export", "-o=b.tar", "-platform=linux_amd64", rocket+"@1.4.0")
	for _, args := range [][]string{{"bundle", "verify", "b.tar"}, {"mirror", "-dir=m", "-platform=linux_amd64", rocket + "@1.4.0"}} {
		if o := w.must(t, args...); !strings.Contains(o.out+o.err, ", expired on 20") {
			t.Errorf("purveyor %s says:\n%s%s", strings.Join(args, " "), o.out, o.err)
		}
	}
}

func TestBundleRefusals(t *testing.T) {
	t.Parallel()
	w := newWorld(t, registrytest.Config{})
	w.fails(t, []string{"bundle", "export", rocket}, exitUsage, "-o is required")
	w.fails(t, []string{"bundle", "import", "-dir=mirror", "absent.tar"}, exitFailed, "absent.tar")
	w.write(t, "no.tar", strings.Repeat("not a bundle. ", 1000))
	w.must(t, "bundle", "export", "-o=whole.tar", rocket)
	whole := w.read(t, "whole.tar")
	w.write(t, "cut.tar", whole[:len(whole)*2/3])
	w.write(t, "oci-layout/x", "")
	for name, says := range map[string]string{
		"no.tar":     "It is not a bundle: purveyor bundle export writes them.",
		"cut.tar":    "Copy the bundle again; it is incomplete.",
		"oci-layout": "oci-layout is a directory, not a bundle",
	} {
		for _, command := range [][]string{{"bundle", "verify"}, {"bundle", "import", "-dir=mirror"}} {
			if o := w.fails(t, append(command, name), exitFailed, name, says); strings.Contains(o.err, "registry or mirror") {
				t.Errorf("it speaks of registries:\n%s", o.err)
			}
		}
	}
	w.fails(t, []string{"bundle", "export", "-o=half.tar", rocket, "acme/absent"}, exitFailed, "cannot mirror")
	if _, err := os.Stat(filepath.Join(w.dir, "half.tar")); err == nil {
		t.Error("half a bundle was written")
	}
}

func TestVerifyFindsDamage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, registrytest.Config{})
	w.write(t, "main.tf", requires(rocket+" ~> 1.0"))
	w.fails(t, []string{"verify"}, exitFailed, "there is no .terraform.lock.hcl, and so nothing to compare with")
	w.write(t, "main.tf", requires(rocket+" ~> 1.0", "hashicorp/alpha"))
	w.must(t, "lock")
	if o := w.fails(t, []string{"verify"}, exitFailed, "it is not installed"); strings.Count(o.err, "Error: ") != 2 || strings.Count(o.err, "\n") != 2 {
		t.Errorf("not each of two problems is an error:\n%s", o.err)
	}
	w.must(t, "install")
	w.must(t, "verify")
	executables, err := filepath.Glob(filepath.Join(w.dir, ".terraform", "providers", filepath.FromSlash(rocketHome), "1.4.0", "*", "terraform-provider-*"))
	if err != nil || len(executables) != 1 {
		t.Fatal(executables, err)
	}
	if err := os.WriteFile(executables[0], []byte("something else"), 0o755); err != nil {
		t.Fatal(err)
	}
	w.fails(t, []string{"verify"}, exitFailed, "which the lock file does not have")
}
