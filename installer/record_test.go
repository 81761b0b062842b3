//go:build linux || darwin

package installer_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// remembering sets up an installation that is remembered, long enough ago to count.
func remembering(t *testing.T, r registrytest.Release) (*fixture, installer.Request, installer.Package) {
	t.Helper()
	f := setup(t, r)
	f.in.RecordDir = filepath.Join(t.TempDir(), "records")
	req := require("acme/alpha", "")
	result := f.install(req)
	age(t, f.in.RecordDir)
	f.srv.ResetRequests()
	f.kinds()
	return f, installer.Request{Requirements: req.Requirements, Locks: result.Locks}, result.Packages[0]
}

// age makes the records as good as old: those of files that were changed a moment ago do not count, for the clocks of file
// systems tick.
func age(t *testing.T, dir string) {
	t.Helper()
	date(t, dir, time.Now().Add(time.Hour))
}

// date changes when the states in records were taken.
func date(t *testing.T, dir string, at time.Time) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		path := filepath.Join(dir, entry.Name())
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var record map[string]json.RawMessage
		if err := json.Unmarshal(text, &record); err != nil {
			t.Fatal(err)
		}
		later, err := json.Marshal(at)
		if err != nil {
			t.Fatal(err)
		}
		record["At"] = later
		if text, err = json.Marshal(record); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// A file that was changed just before its state was taken could have been changed again without a sign: it is read.
func TestAFreshRecordIsNotBelievedUnread(t *testing.T) {
	t.Parallel()
	f := setup(t, release("acme/alpha", "1.0.0"))
	f.in.RecordDir = filepath.Join(t.TempDir(), "records")
	pkg := f.install(require("acme/alpha", "")).Packages[0]
	info, err := os.Stat(pkg.Executable)
	if err != nil {
		t.Fatal(err)
	}
	date(t, f.in.RecordDir, info.ModTime().Add(time.Millisecond))
	record := only(t, f.in.RecordDir)
	text, err := os.ReadFile(record)
	if err != nil {
		t.Fatal(err)
	}
	forged := bytes.ReplaceAll(text, []byte(pkg.Proof.Computed.Tree), []byte("h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="))
	if err := os.WriteFile(record, forged, 0o600); err != nil {
		t.Fatal(err)
	}
	f.srv.ResetRequests()
	f.install(require("acme/alpha", ""))
	if f.srv.Count(registrytest.KindArchive) != 1 {
		t.Error("the record was believed at once")
	}
}

// What was verified with a signature is used in a project without a lock file, with no download, and its lock entry is
// the same as if it had been downloaded.
func TestARememberedPackageNeedsNoLockFile(t *testing.T) {
	t.Parallel()
	f, req, _ := remembering(t, fourfold(release("acme/alpha", "1.0.0")))
	f.in.Dir = t.TempDir()
	result := f.install(installer.Request{Requirements: req.Requirements})
	if n := f.srv.Count(registrytest.KindArchive) + f.srv.Count(registrytest.KindPackage); n != 0 {
		t.Errorf("%d requests for a package that is known", n)
	}
	if !result.Locks.Equal(req.Locks) {
		t.Errorf("locks are %v, want %v", result.Locks, req.Locks)
	}
	if proof := result.Packages[0].Proof; proof.Authority != hashing.Signed || proof.Signer == nil {
		t.Errorf("proof is %+v", proof)
	}
}

// A remembered package is not read: what cannot be noticed without reading is not noticed. That is the bargain, and why
// the files' times count.
func TestARememberedPackageIsNotRead(t *testing.T) {
	t.Parallel()
	f, req, pkg := remembering(t, release("acme/alpha", "1.0.0"))
	record := only(t, f.in.RecordDir)
	text, err := os.ReadFile(record)
	if err != nil {
		t.Fatal(err)
	}
	// A record that tells another hash for the same files is believed, which shows that nobody looked.
	other := hashing.Hash("h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")
	forged := bytes.ReplaceAll(text, []byte(pkg.Proof.Computed.Tree), []byte(other))
	if err := os.WriteFile(record, forged, 0o600); err != nil {
		t.Fatal(err)
	}
	lock := req.Locks[provider("acme/alpha")]
	lock.Hashes = []hashing.Hash{other}
	req.Locks = installer.Locks{provider("acme/alpha"): lock}
	f.install(req)
	f.wantRequests(0)
	f.wantKinds(installer.EventResolving, installer.EventResolved, installer.EventPresent)
}

func only(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Fatalf("%s has %v (%v), want one entry", dir, entries, err)
	}
	return filepath.Join(dir, entries[0].Name())
}

// Every change to a file, and every file more or less, makes the package be read again.
func TestChangesAreNoticed(t *testing.T) {
	t.Parallel()
	flip := func(path string) error {
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		data[0] ^= 1
		return os.WriteFile(path, data, 0o755)
	}
	damages := map[string]func(path string) error{
		"written to": flip,
		"written to, with its old time": func(path string) error {
			info, err := os.Stat(path)
			return errors.Join(err, flip(path), os.Chtimes(path, info.ModTime(), info.ModTime()))
		},
		"replaced by another of the same size and time": func(path string) error {
			info, err := os.Stat(path)
			data, err2 := os.ReadFile(path)
			data[0] ^= 1
			return errors.Join(err, err2, os.Remove(path), os.WriteFile(path, data, 0o755), os.Chtimes(path, info.ModTime(), info.ModTime()))
		},
		"a file more":     func(path string) error { return os.WriteFile(path+"_more", nil, 0o644) },
		"a file less":     func(path string) error { return os.Remove(filepath.Join(filepath.Dir(path), "LICENSE")) },
		"a link in place": func(path string) error { return errors.Join(os.Rename(path, path+"~"), os.Symlink(path+"~", path)) },
	}
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, req, pkg := remembering(t, release("acme/alpha", "1.0.0"))
			if err := damage(pkg.Executable); err != nil {
				t.Fatal(err)
			}
			again := f.install(req).Packages[0]
			tree, err := hashing.Dir(t.Context(), again.Dir)
			if err != nil || tree != pkg.Proof.Computed.Tree {
				t.Errorf("tree is %s (%v), want %s", tree, err, pkg.Proof.Computed.Tree)
			}
			if kinds := f.kinds(); !slices.Contains(kinds, installer.EventHealed) {
				t.Errorf("events are %v", kinds)
			}
		})
	}
}

// A file that was only touched has the contents that were verified: it is read, not downloaded.
func TestATouchedPackageIsReadAndStaysProven(t *testing.T) {
	t.Parallel()
	f, req, pkg := remembering(t, release("acme/alpha", "1.0.0"))
	if err := os.Chtimes(pkg.Executable, time.Now(), time.Now()); err != nil {
		t.Fatal(err)
	}
	f.in.Dir = t.TempDir()
	proof := f.install(installer.Request{Requirements: req.Requirements}).Packages[0].Proof
	if proof.Authority != hashing.Signed || f.srv.Count(registrytest.KindArchive) != 0 {
		t.Errorf("proof is %+v; %d downloads", proof, f.srv.Count(registrytest.KindArchive))
	}
}

// What only the source vouched for is not remembered as proof for those who have no lock file, and a policy is not
// bypassed by memory.
func TestWhatIsRememberedIsJudged(t *testing.T) {
	t.Parallel()
	f, req, _ := remembering(t, release("acme/alpha", "1.0.0"))
	f.in.Dir = t.TempDir()
	f.in.Policy.Signers = []string{newSigner(t, registrytest.SignerOptions{}).Fingerprint()}
	_, err := f.installError(installer.Request{Requirements: req.Requirements})
	var policy *installer.PolicyError
	if !errors.As(err, &policy) {
		t.Errorf("error is %v, want the policy's", err)
	}

	unsigned := release("acme/beta", "1.0.0")
	unsigned.Unsigned = true
	g := setup(t, unsigned)
	g.in.RecordDir = t.TempDir()
	beta := require("registry.opentofu.org/acme/beta", "")
	g.install(beta)
	g.in.Dir = t.TempDir()
	g.install(beta)
	if n := g.srv.Count(registrytest.KindArchive); n != 2 {
		t.Errorf("%d downloads; a package that nobody signed is to be fetched and compared each time", n)
	}
}

func TestRecordsThatCannotBeTrusted(t *testing.T) {
	t.Parallel()
	f := setup(t, release("acme/alpha", "1.0.0"))
	open := filepath.Join(t.TempDir(), "open")
	if err := errors.Join(os.Mkdir(open, 0o700), os.Chmod(open, 0o777)); err != nil {
		t.Fatal(err)
	}
	f.in.RecordDir = open
	var field *sources.FieldError
	if _, err := f.installError(require("acme/alpha", "")); !errors.As(err, &field) || field.Field != "Installer.RecordDir" {
		t.Errorf("error is %v", err)
	}

	g, req, _ := remembering(t, release("acme/alpha", "1.0.0"))
	for _, text := range []string{"", "{", "null", `{"Files":null}`, `{"Tree":"nonsense"}`} {
		if err := os.WriteFile(only(t, g.in.RecordDir), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		g.install(req)
	}
	g.wantRequests(0)
}

// Twenty projects without lock files and with a common cache and memory: one download.
func TestManyProjectsWithoutLockFilesShareOneDownload(t *testing.T) {
	t.Parallel()
	f := setup(t, registrytest.Release{Provider: "acme/alpha", Version: "1.0.0", Size: 4 << 20})
	records := filepath.Join(t.TempDir(), "records")
	var wait sync.WaitGroup
	for range 20 {
		in := f.installer(t.TempDir(), f.in.CacheDir)
		in.RecordDir = records
		in.SegmentSize = 0 // one request for one archive
		wait.Go(func() {
			if _, err := in.Install(t.Context(), require("acme/alpha", "")); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if n := f.srv.Count(registrytest.KindArchive); n != 1 {
		t.Errorf("%d downloads, want 1", n)
	}
}

// A link to another package that is remembered proves nothing about the one that is wanted.
func TestAnotherPackagesRecordIsNoProof(t *testing.T) {
	t.Parallel()
	for _, wanted := range []string{"acme/alpha", "other/alpha"} {
		f := setup(t, release("acme/alpha", "0.9.0"), release("acme/alpha", "1.0.0"), release("other/alpha", "1.0.0"))
		f.in.RecordDir = filepath.Join(t.TempDir(), "records")
		old := f.install(require("acme/alpha", "0.9.0")).Packages[0]
		age(t, f.in.RecordDir)

		place := filepath.Join(f.in.Dir, filepath.FromSlash(host+wanted), "1.0.0", filepath.Base(old.Dir))
		if err := errors.Join(os.MkdirAll(filepath.Dir(place), 0o755), os.Symlink(old.Stored, place)); err != nil {
			t.Fatal(err)
		}
		got := f.install(require(wanted, "1.0.0")).Packages[0]
		if got.Proof.Computed.Tree == old.Proof.Computed.Tree || got.Downloaded == 0 {
			t.Errorf("%s 1.0.0 is what acme/alpha 0.9.0 was", wanted)
		}
	}
}

// What one project's lock file says is not remembered for others.
func TestLockHashesAreNotRemembered(t *testing.T) {
	t.Parallel()
	const foreign = hashing.Hash("h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")
	f := setup(t, release("acme/alpha", "1.0.0"))
	f.in.RecordDir = filepath.Join(t.TempDir(), "records")
	good := f.install(require("acme/alpha", "")).Locks[provider("acme/alpha")]
	for _, fresh := range []bool{false, true} {
		if fresh {
			f.in.CacheDir, f.in.RecordDir = t.TempDir(), filepath.Join(t.TempDir(), "records")
		}
		f.in.Dir = t.TempDir()
		locked := require("acme/alpha", "")
		lock := good
		lock.Hashes = append(slices.Clone(good.Hashes), foreign)
		locked.Locks = installer.Locks{provider("acme/alpha"): lock}
		f.install(locked)
		f.in.Dir = t.TempDir()
		if got := f.install(require("acme/alpha", "")).Locks[provider("acme/alpha")]; !slices.Equal(got.Hashes, good.Hashes) {
			t.Errorf("another project's lock has %v, want %v", got.Hashes, good.Hashes)
		}
	}
}
