package interop_test

import (
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// fromOCI is a module that was installed from an OCI registry, with a cache.
func fromOCI(t *testing.T, c cli) (*ociWorld, *module) {
	t.Helper()
	w := newOCIWorldFor(t, c, registrytest.Config{Releases: releases("acme/rocket", "1.0.0", built)})
	w.publish(t, rocket, "1.0.0", here)
	w.publish(t, rocket, built, here)
	m := w.module(t, files{"main.tf": requires(rocket + " ~> 1.0")}).sharing(t.TempDir())
	w.forget(t)
	w.useMirrors(t, m)
	w.checkOriginNotAsked(t)
	return w, m
}

func TestClientsUseWhatCameFromOCI(t *testing.T) {
	withEach(t, func(t *testing.T, c cli) {
		w, m := fromOCI(t, c)
		unchanged(t, m, func() {
			withoutDownloads(t, w.world, func() { m.run(t, "init", "-lockfile=readonly") })
		})

		second := w.module(t, files{"main.tf": requires(rocket + " ~> 1.0"), ".terraform.lock.hcl": m.lock(t)}).sharing(m.cache)
		unchanged(t, second, func() {
			withoutDownloads(t, w.world, func() { second.run(t, "init") })
		})
		checkPackages(t, second, m.cache)
	})
}

// A cache is a filesystem mirror, too: what came from an OCI registry needs no registry any more.
func TestClientsTakeTheCacheFromOCIForAMirror(t *testing.T) {
	withEach(t, func(t *testing.T, c cli) {
		w, m := fromOCI(t, c)
		writeFiles(t, w.home, files{"mirror.tfrc": block("filesystem_mirror", `path = "`+filepath.ToSlash(m.cache)+`"`)})
		w.env = append(w.env, "TF_CLI_CONFIG_FILE="+filepath.Join(w.home, "mirror.tfrc"))
		offline := w.module(t, files{"main.tf": requires(rocket + " ~> 1.0"), ".terraform.lock.hcl": m.lock(t)})
		unchanged(t, offline, func() {
			withoutRequests(t, w.world, func() { offline.run(t, "init", "-lockfile=readonly") })
		})
		checkPackages(t, offline, "")
	})
}

// The lock file that comes from an OCI registry has nothing that the one from the provider registry does not have.
func TestLockFilesFromOCIAddNothing(t *testing.T) {
	withEach(t, func(t *testing.T, c cli) {
		w, m := fromOCI(t, c)
		theirs := w.module(t, files{"main.tf": requires(rocket + " ~> 1.0")})
		theirs.run(t, "init")
		known := theirs.locks(t)[sources.MustParseProvider(rocket)]
		got := m.locks(t)[sources.MustParseProvider(rocket)]
		if got.Version != known.Version || len(got.Hashes) == 0 {
			t.Errorf("the lock is %+v, want %+v", got, known)
		}
		for _, hash := range got.Hashes {
			if !slices.Contains(known.Hashes, hash) {
				t.Errorf("%s is not in the lock file of %s", hash, c.name)
			}
		}
	})
}

// OpenTofu reads oci_mirror blocks: it installs what was published here, and agrees about what it is.
func TestTofuInstallsWhatWePublished(t *testing.T) {
	t.Parallel()
	path, err := exec.LookPath("tofu")
	if err != nil {
		t.Skip("not tested: tofu is not on PATH to be the judge; terraform has no oci_mirror")
	}
	w, ours := fromOCI(t, cli{name: "tofu", path: path, registry: sources.OpenTofuRegistry})
	w.publish(t, rocket, built, "linux_arm64", "darwin_arm64") // so that there is something to choose from
	w.forget(t)
	theirs := w.module(t, files{"main.tf": requires(rocket + " ~> 1.0")})
	w.env = w.ociEnv()
	theirs.run(t, "init")
	w.checkOriginNotAsked(t)
	checkPackages(t, theirs, "")
	if len(w.oci.successful(t, "GET", "/blobs/")) == 0 {
		t.Error("nothing was downloaded from the OCI registry")
	}
	if diff := cmp.Diff(theirs.locked(t), ours.locked(t)); diff != "" {
		t.Errorf("the lock file differs (-tofu +ours):\n%s", diff)
	}
	unchanged(t, ours, func() { ours.run(t, "init", "-lockfile=readonly") })
	unchanged(t, theirs, func() { w.useMirrors(t, theirs) })
}
