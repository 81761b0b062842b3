package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

func TestCacheCare(t *testing.T) {
	t.Parallel()
	w := newWorld(t, registrytest.Config{})
	w.fails(t, []string{"cache", "list"}, exitUsage, "there is no plugin cache")
	w.cache(t)
	w.write(t, "main.tf", requires(rocket+" ~> 1.0", "hashicorp/alpha"))
	w.must(t, "install")
	if o := w.must(t, "cache", "list"); strings.Count(o.out, "\n") != 2 || !strings.Contains(o.out, rocket+" 1.4.0 for ") {
		t.Errorf("the list is:\n%s", o.out)
	}
	if o := w.must(t, "cache", "verify", "-lock=.terraform.lock.hcl"); strings.Count(o.out, "as locked") != 2 {
		t.Errorf("verify says:\n%s", o.out)
	}
	if o := w.must(t, "cache", "verify"); strings.Count(o.out, "signed by registrytest") != 2 {
		t.Errorf("verify by what is remembered says:\n%s", o.out)
	}
	w.env = append(w.env, "XDG_CACHE_HOME="+t.TempDir())
	if o := w.must(t, "cache", "verify"); strings.Count(o.out, "nobody vouches for it") != 2 {
		t.Errorf("verify without anything to compare with says:\n%s", o.out)
	}
	w.fails(t, []string{"cache", "prune"}, exitUsage, "-older-than or -max-size is required")
	w.fails(t, []string{"cache", "prune", "-older-than=soon"}, exitUsage, "30d")

	w.age(t)
	if o := w.must(t, "cache", "prune", "-older-than=1d", "-dry-run"); strings.Count(o.out, "not asked for") != 2 {
		t.Errorf("the dry run says:\n%s", o.out)
	}
	if o := w.must(t, "cache", "prune", "-older-than=1d", "-keep=.terraform.lock.hcl"); o.out != "" {
		t.Errorf("what a lock file has was removed:\n%s", o.out)
	}
	w.fails(t, []string{"cache", "prune", "-older-than=1d", "-keep=typo.hcl"}, exitFailed, "reading the dependency lock file", "typo.hcl")
	w.fails(t, []string{"cache", "verify", "-lock=typo.hcl"}, exitFailed, "reading the dependency lock file", "typo.hcl")
	if o := w.must(t, "cache", "prune", "-older-than=1d"); strings.Count(o.out, "removed for") != 2 {
		t.Errorf("prune says:\n%s", o.out)
	}
	if o := w.must(t, "cache", "list"); o.out != "" {
		t.Errorf("what is left:\n%s", o.out)
	}
}

// age makes everything in the cache look as if it had not been used for a month.
func (w *world) age(t *testing.T) {
	t.Helper()
	dir := ""
	for _, variable := range w.env {
		if path, ok := strings.CutPrefix(variable, "TF_PLUGIN_CACHE_DIR="); ok {
			dir = path
		}
	}
	old := time.Now().Add(-30 * 24 * time.Hour)
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chtimes(path, old, old)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func FuzzParseSize(f *testing.F) {
	for _, seed := range []string{"", "10GB", "1", "9223372036854775807TB", "-1MB", "kB"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if n, err := parseSize(text); err == nil && n <= 0 {
			t.Errorf("%q is %d", text, n)
		}
		if age, err := parseAge(text); err == nil && age <= 0 {
			t.Errorf("%q is %v", text, age)
		}
	})
}
