package installer_test

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources"
)

func verify(t *testing.T, c *installer.Cache, locks ...installer.Locks) map[string]installer.CacheVerdict {
	t.Helper()
	verdicts, err := c.Verify(t.Context(), locks...)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]installer.CacheVerdict{}
	for _, v := range verdicts {
		all[v.Provider.Type()+"/"+v.Platform.String()] = v
	}
	return all
}

// remembered is a cache with a package, and records.
func remembered(t *testing.T) (f *fixture, req installer.Request, pkg installer.Package, c *installer.Cache) {
	t.Helper()
	f = setup(t, release("acme/alpha", "1.0.0"))
	f.in.RecordDir = filepath.Join(t.TempDir(), "records")
	req = require("acme/alpha", "")
	result := f.install(req)
	req.Locks = result.Locks
	return f, req, result.Packages[0], &installer.Cache{Dir: f.in.CacheDir, RecordDir: f.in.RecordDir}
}

func TestVerifySaysWhatProvesAPackage(t *testing.T) {
	t.Parallel()
	_, req, pkg, c := remembered(t)
	alpha := provider("acme/alpha")
	other, zhOnly := req.Locks.Clone(), req.Locks.Clone()
	other[alpha] = installer.Lock{Version: version("2.0.0"), Hashes: []hashing.Hash{"h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="}}
	zhOnly[alpha] = installer.Lock{Version: version("1.0.0"), Hashes: []hashing.Hash{pkg.Proof.Computed.Archive}}
	unrecorded := &installer.Cache{Dir: c.Dir}
	for name, test := range map[string]struct {
		cache  *installer.Cache
		locks  []installer.Locks
		locked bool
		signed bool
	}{
		"record":                    {cache: c, signed: true},
		"lock file":                 {cache: unrecorded, locks: []installer.Locks{req.Locks}, locked: true},
		"both":                      {cache: c, locks: []installer.Locks{other, req.Locks}, locked: true, signed: true},
		"nobody":                    {cache: unrecorded},
		"a lock for another":        {cache: unrecorded, locks: []installer.Locks{other}},
		"a lock of archives":        {cache: unrecorded, locks: []installer.Locks{zhOnly}},
		"no records where there...": {cache: &installer.Cache{Dir: c.Dir, RecordDir: filepath.Join(t.TempDir(), "none")}},
	} {
		v := verify(t, test.cache, test.locks...)["alpha/"+pkg.Platform.String()]
		if v.Err != nil || v.Tree != pkg.Proof.Computed.Tree {
			t.Errorf("%s: verdict is %+v", name, v)
		}
		if proven := test.locked || test.signed; proven != (v.Proof != nil) {
			t.Errorf("%s: proof is %+v", name, v.Proof)
		} else if proven && (v.Proof.Locked != test.locked || (v.Proof.Authority == hashing.Signed) != test.signed || test.signed && v.Proof.Signer == nil) {
			t.Errorf("%s: proof is %+v", name, v.Proof)
		}
	}
}

func TestVerifyFindsDamage(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(installer.Package) error{
		"changed":     func(p installer.Package) error { return os.WriteFile(p.Executable, []byte("evil"), 0o755) },
		"file added":  func(p installer.Package) error { return os.WriteFile(filepath.Join(p.Stored, "more"), nil, 0o644) },
		"emptied":     func(p installer.Package) error { return os.Remove(p.Executable) },
		"link inside": func(p installer.Package) error { return os.Symlink("/", filepath.Join(p.Stored, "root")) },
	} {
		f, req, pkg, c := remembered(t)
		key := "alpha/" + pkg.Platform.String()
		pkg.Executable = filepath.Join(pkg.Stored, filepath.Base(pkg.Executable))
		if err := damage(pkg); err != nil {
			t.Fatal(err)
		}
		for by, v := range map[string]installer.CacheVerdict{
			"the record":    verify(t, c)[key],
			"the lock file": verify(t, &installer.Cache{Dir: c.Dir}, req.Locks)[key],
			"both":          verify(t, c, req.Locks)[key],
		} {
			if v.Err == nil || v.Proof != nil {
				t.Errorf("%s, by %s: verdict is %+v", name, by, v)
			}
			var mismatch *hashing.MismatchError
			if name == "changed" && (!errors.As(v.Err, &mismatch) || !slices.Equal(mismatch.Want, []hashing.Hash{pkg.Proof.Computed.Tree})) {
				t.Errorf("%s, by %s: error is %v", name, by, v.Err)
			}
		}
		f.install(req) // heals
		if v := verify(t, c, req.Locks)[key]; v.Err != nil || v.Proof == nil || !v.Proof.Locked {
			t.Errorf("%s, healed: verdict is %+v", name, v)
		}
	}
}

// A lock file that has the hashes of other platforms only is no reason to call a package right.
func TestVerifyByALockFileForOthers(t *testing.T) {
	t.Parallel()
	f, req, pkg, _ := remembered(t)
	locks := maps.Clone(req.Locks)
	locks[provider("acme/alpha")] = installer.Lock{Version: version("1.0.0"), Hashes: []hashing.Hash{"h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="}}
	v := verify(t, &installer.Cache{Dir: f.in.CacheDir}, locks)["alpha/"+pkg.Platform.String()]
	var mismatch *hashing.MismatchError
	if !errors.As(v.Err, &mismatch) || mismatch.By != hashing.ByLock || v.Proof != nil {
		t.Errorf("verdict is %+v", v)
	}
}

// What was installed on the word of a mirror has a record, too. That does not outweigh a lock file.
func TestVerifyPrefersALockFileToAnUnsignedRecord(t *testing.T) {
	t.Parallel()
	f := setup(t, release("acme/alpha", "1.0.0"))
	f.in.RecordDir = filepath.Join(t.TempDir(), "records")
	f.in.Source = networkMirror(t, f)
	pkg := f.install(require("acme/alpha", "")).Packages[0]
	c, key := &installer.Cache{Dir: f.in.CacheDir, RecordDir: f.in.RecordDir}, "alpha/"+pkg.Platform.String()
	if v := verify(t, c)[key]; v.Proof == nil || v.Proof.Authority == hashing.Signed {
		t.Fatalf("without a lock file the verdict is %+v", v)
	}
	locks := installer.Locks{provider("acme/alpha"): {Version: version("1.0.0"), Hashes: []hashing.Hash{"h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="}}}
	v := verify(t, c, locks)[key]
	var mismatch *hashing.MismatchError
	if !errors.As(v.Err, &mismatch) || mismatch.By != hashing.ByLock || v.Proof != nil {
		t.Errorf("verdict is %+v", v)
	}
}

func TestVerifyPassesLinksOver(t *testing.T) {
	t.Parallel()
	s := newStock(t)
	s.hostile()
	path := filepath.Join(s.dir, filepath.FromSlash(host), "acme", "alpha", "1.0.0")
	s.age(filepath.Join(path, "linux_amd64"), 30*day)
	s.age(filepath.Join(path, "windows_amd64"), 30*day)
	before := s.list()
	verdicts := verify(t, s.cache())
	if len(verdicts) != 2 {
		t.Errorf("verdicts are %v", verdicts)
	}
	if v := verdicts["alpha/linux_amd64"]; v.Err == nil {
		t.Errorf("a package with a link out of it passed: %+v", v)
	}
	var executable *installer.ExecutableError
	if v := verdicts["alpha/windows_amd64"]; !errors.As(v.Err, &executable) {
		t.Errorf("a package without an executable: %+v", v)
	}
	if after := s.list(); !slices.Equal(before, after) { // looking is no use, in spite of the locks it takes
		t.Errorf("the cache is now %v\nit was %v", after, before)
	}
	if isThere(filepath.Join(path, ".staging-linux-amd64")) || isThere(filepath.Join(path, ".staging-windows-amd64")) {
		t.Error("something was left over")
	}
}

// Records that others can write prove nothing.
func TestVerifyNeedsPrivateRecords(t *testing.T) {
	t.Parallel()
	_, _, _, c := remembered(t)
	if err := os.Chmod(c.RecordDir, 0o777); err != nil {
		t.Fatal(err)
	}
	_, errVerify := c.Verify(t.Context())
	_, errPrune := c.Prune(t.Context(), installer.CachePrune{})
	for _, err := range []error{errVerify, errPrune} {
		var field *sources.FieldError
		if !errors.As(err, &field) || field.Field != "Cache.RecordDir" {
			t.Errorf("error is %v", err)
		}
	}
}
