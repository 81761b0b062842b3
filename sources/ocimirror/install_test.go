package ocimirror_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/ocimirror"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// order is what is to be installed from where, handed to a child process in an environment variable.
type order struct {
	CA       []byte
	Host     string // of the registry, for the user of these tests
	Dir      string
	CacheDir string
}

const orderVariable = "PURVEYOR_TEST_ORDER"

// obey does what an order says: in a process of its own, so that it can be killed.
func obey(text string) error {
	var o order
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return err
	}
	in, err := o.installer()
	if err == nil {
		_, err = in.Install(context.Background(), wanted(nil))
	}
	return err
}

func (o order) installer() (*installer.Installer, error) {
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(o.CA)
	source, err := ocimirror.New(ocimirror.Config{
		Repository:  at(o.Host),
		Client:      &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}},
		Credentials: signedIn(),
		Backoff:     time.Millisecond,
	})
	return &installer.Installer{Source: source, Dir: o.Dir, CacheDir: o.CacheDir, Platform: linux, SegmentSize: 64 << 10}, err
}

// wanted asks for rocket, whatever the version, with a dependency lock file.
func wanted(locks installer.Locks) installer.Request {
	return installer.Request{Requirements: installer.Requirements{rocket: sources.MustParseConstraints("")}, Locks: locks}
}

// workshop is a registry and where to install from it.
func workshop(t *testing.T, size int64) (*registrytest.Server, order) {
	t.Helper()
	release := released("1.0.0")
	release.Size = size
	s := start(t, registrytest.Config{Releases: []registrytest.Release{release}, OCI: registrytest.OCI{Auth: bearer()}})
	return s, order{CA: s.CA(), Host: s.Host(), Dir: t.TempDir(), CacheDir: t.TempDir()}
}

func (o order) install(t *testing.T, locks installer.Locks) (*installer.Result, error) {
	t.Helper()
	in, err := o.installer()
	if err != nil {
		t.Fatal(err)
	}
	return in.Install(t.Context(), wanted(locks))
}

// fresh is the same order for new directories.
func (o order) fresh(t *testing.T) order {
	t.Helper()
	o.Dir, o.CacheDir = t.TempDir(), t.TempDir()
	return o
}

// only keeps the hashes of a scheme.
func only(locks installer.Locks, scheme string) installer.Locks {
	kept := locks.Clone()
	lock := kept[rocket]
	lock.Hashes = slices.DeleteFunc(slices.Clone(lock.Hashes), func(h hashing.Hash) bool { return h.Scheme() != scheme })
	kept[rocket] = lock
	return kept
}

func TestInstallingByALockFile(t *testing.T) {
	t.Parallel()
	_, o := workshop(t, 0)
	result, err := o.install(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, scheme := range []string{hashing.SchemeH1, hashing.SchemeZH} {
		locks := only(result.Locks, scheme)
		if n := len(locks[rocket].Hashes); n == 0 {
			t.Fatalf("there are no %s hashes in %v", scheme, result.Locks)
		}
		again, err := o.fresh(t).install(t, locks)
		if err != nil || !again.Packages[0].Proof.Locked {
			t.Errorf("with %s hashes only: %v", scheme, err)
		}
	}
}

func TestInstallingAgainstALockFile(t *testing.T) {
	t.Parallel()
	_, o := workshop(t, 0)
	for _, hash := range []hashing.Hash{"h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", "zh:" + zeros} {
		locks := installer.Locks{rocket: {Version: v1, Hashes: []hashing.Hash{hash}}}
		o = o.fresh(t)
		_, err := o.install(t, locks)
		var mismatch *hashing.MismatchError
		if !errors.As(err, &mismatch) || mismatch.By != hashing.ByLock {
			t.Errorf("%s: %v", hash, err)
		}
		mustBeEmpty(t, o)
	}
}

// mustBeEmpty checks that nothing was installed.
func mustBeEmpty(t *testing.T, o order) {
	t.Helper()
	for _, dir := range []string{o.Dir, o.CacheDir} {
		if found, _ := filepath.Glob(filepath.Join(dir, "*", "*", "*", "*", linux.String())); len(found) > 0 {
			t.Errorf("there is %v", found)
		}
	}
}

func TestInstallingWhatWasAltered(t *testing.T) {
	t.Parallel()
	s, o := workshop(t, 0)
	fault(t, s, registrytest.Fault{Kind: registrytest.KindOCIBlob, Edit: func(archive []byte) []byte {
		archive[10] ^= 1 // the time of a file, where nobody looks
		return archive
	}})
	_, err := o.install(t, nil)
	var mismatch *hashing.MismatchError
	if !errors.As(err, &mismatch) || mismatch.By != hashing.BySource {
		t.Errorf("error is %v", err)
	}
	mustBeEmpty(t, o)
}

func TestInstallingSideBySide(t *testing.T) {
	t.Parallel()
	s, o := workshop(t, 4<<20)
	first, err := o.install(t, nil)
	if err != nil {
		t.Fatal(err)
	}
	o = o.fresh(t)
	s.ResetRequests()
	var group sync.WaitGroup
	for range 8 {
		own := o
		own.Dir = t.TempDir()
		group.Go(func() {
			if _, err := own.install(t, first.Locks); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if sent := sentBytes(s, registrytest.KindOCIBlob); sent > 4<<20 {
		t.Errorf("%d bytes were sent: more than once the archive", sent)
	}
}

// Wherever an installation is killed, the next one succeeds without anybody's help.
func TestInstallingAfterKills(t *testing.T) {
	if testing.Short() {
		t.Skip("runs many processes")
	}
	t.Parallel()
	_, o := workshop(t, 4<<20)
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	started := time.Now()
	if err := child(t, string(text)).Run(); err != nil {
		t.Fatal(err)
	}
	whole := time.Since(started)
	killed := 0
	for i := range 8 {
		o := o.fresh(t)
		if text, err = json.Marshal(o); err != nil {
			t.Fatal(err)
		}
		cmd := child(t, string(text))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(rand.N(whole))
		_ = cmd.Process.Kill() // it may have ended
		if cmd.Wait() != nil {
			killed++
		}
		if _, err := o.install(t, nil); err != nil {
			t.Errorf("after kill %d: %v", i, err)
		}
	}
	if killed < 2 {
		t.Errorf("only %d kills came before the end", killed)
	}
}

func child(t *testing.T, order string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), orderVariable+"="+order)
	cmd.Stderr = os.Stderr
	return cmd
}

// Memory does not grow with the package.
func TestInstallingTakesLittleMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("makes a large package")
	}
	_, o := workshop(t, 100<<20)
	var peak uint64
	stop, done := make(chan struct{}), make(chan struct{})
	runtime.GC()
	go func() {
		defer close(done)
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			peak = max(peak, m.HeapInuse)
			select {
			case <-stop:
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	_, err := o.install(t, nil)
	close(stop)
	<-done
	if err != nil {
		t.Fatal(err)
	}
	if peak > 50<<20 {
		t.Errorf("the heap grew to %d MiB", peak>>20)
	}
}
