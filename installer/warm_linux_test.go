package installer_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// A package that is locked, installed and remembered is not read again: no byte of it.
func TestKnownPackagesAreNotRead(t *testing.T) {
	t.Parallel()
	const size = 8 << 20
	f := setup(t, registrytest.Release{Provider: "acme/alpha", Version: "1.0.0", Size: size})
	o := f.order(require("acme/alpha", ""))
	o.Records, o.Account = filepath.Join(t.TempDir(), "records"), filepath.Join(t.TempDir(), "io")
	f.in.RecordDir = o.Records
	locks := f.install(require("acme/alpha", "")).Locks
	req := require("acme/alpha", "")
	req.Locks = locks
	o.Locked = f.order(req).Locked
	f.srv.ResetRequests()

	read := func() (bytes int64) {
		t.Helper()
		if err := o.child(t).Run(); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(o.Account)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Sscanf(string(data), "rchar: %d", &bytes); err != nil {
			t.Fatal(err)
		}
		return bytes
	}
	known := read()
	o.Records = ""
	unknown := read()
	f.wantRequests(0)
	if known > 1<<20 {
		t.Errorf("the process read %d bytes, of which none should be of the package of %d", known, size)
	}
	if unknown < size {
		t.Errorf("without a record the process read %d bytes, which is less than the package of %d: this test counts wrongly", unknown, size)
	}
}
