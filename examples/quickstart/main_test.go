package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheTourArrives(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var out bytes.Buffer
	if err := run(t.Context(), &out, dir); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"rocket   1.5.2   the newest of 2 that meet ~> 1.4; there are 4, up to 2.0.0, in the origin registry",
		"anvil    0.3.1   the newest of 1 that meet >= 0.3.0, != 0.3.9; there are 2, up to 0.3.9, in network mirror https://",
		"in filesystem mirror ",
		"proven   signed by Acme Corporation",
		"proven   by a hash that its mirror reports",
		"proven   by nobody",
		"→ requests: 1 versions, 1 mirror index\n",
		"→ requests: 1 package, 1 sums, 1 signature, 1 mirror version, 2 archive\n",
		"→ requests: none\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the account lacks %q:\n%s", want, out.String())
		}
	}
	lock, err := os.ReadFile(filepath.Join(dir, "module", ".terraform.lock.hcl"))
	if err != nil || bytes.Count(lock, []byte("\nprovider ")) != 3 {
		t.Errorf("the lock file is not there or not complete: %v\n%s", err, lock)
	}
}

// With everything kept from the first time, the second finds nothing to do.
func TestTheTourCanBeRepeated(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var first, second bytes.Buffer
	if err := run(t.Context(), &first, dir); err != nil {
		t.Fatal(err)
	}
	if err := run(t.Context(), &second, dir); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(second.String(), "→ requests: none"); n != 3 {
		t.Errorf("%d of 3 stages made no request:\n%s", n, second.String())
	}
}

func TestWithoutDirNothingIsKept(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	if err := run(t.Context(), new(bytes.Buffer), ""); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(left) != 0 {
		t.Errorf("%v was left (%v)", left, err)
	}
}
