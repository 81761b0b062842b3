package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// What was verified for one module need not be downloaded for another one, which has no lock file yet.
func TestWhatWasVerifiedIsRemembered(t *testing.T) {
	t.Parallel()
	w := newWorld(t, registrytest.Config{})
	w.cache(t)
	w.must(t, "install", rocket)
	w.srv.ResetRequests()
	w.dir = t.TempDir()
	if w.must(t, "install", rocket); w.srv.Count(registrytest.KindArchive) != 0 {
		t.Error("it was downloaded again")
	}
}

// A directory that others can write to is not used, and nothing fails because of it.
func TestADirectoryOfOthersIsNotUsed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, registrytest.Config{})
	home := t.TempDir()
	shared := filepath.Join(home, "purveyor", "verified")
	if err := os.MkdirAll(shared, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(shared, 0o777); err != nil {
		t.Fatal(err)
	}
	w.env = append(w.env, "XDG_CACHE_HOME="+home)
	w.must(t, "install", rocket)
	if files, err := os.ReadDir(shared); err != nil || len(files) != 0 {
		t.Errorf("%v, %v", files, err)
	}
}
