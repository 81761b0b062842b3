package installer_test

import (
	"crypto/sha256"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// fetch fetches version 1.0.0 of acme/alpha, and checks the events.
func (f *fixture) fetch(path string) (archive *installer.Archive, err error) {
	err = f.call(func() error {
		archive, err = f.in.Fetch(f.Context(), provider("acme/alpha"), version("1.0.0"), sources.CurrentPlatform(), path)
		return err
	})
	return archive, err
}

func TestFetch(t *testing.T) {
	t.Parallel()
	f := setup(t, release("acme/alpha", "1.0.0"))
	path := filepath.Join(t.TempDir(), "archive.zip")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	var fetched installer.Event
	f.on(installer.EventFetched, func(e installer.Event) { fetched = e })
	archive, err := f.fetch(path)
	if err != nil {
		t.Fatal(err)
	}
	f.wantKinds(installer.EventFetching, installer.EventUnpacking, installer.EventVerified, installer.EventFetched)
	bytes, err := os.ReadFile(path)
	if err != nil || hashing.ZH(sha256.Sum256(bytes)) != archive.Proof.Computed.Archive || int64(len(bytes)) != archive.Size {
		t.Errorf("%d bytes are at the path (%v), want %+v", len(bytes), err, archive)
	}
	if archive.Proof.Authority != hashing.Signed || archive.Statement == nil || archive.Path != path {
		t.Errorf("the archive is %+v", archive)
	}
	if fetched.Path != path || fetched.Size != archive.Size || fetched.Proof != archive.Proof {
		t.Errorf("the event is %+v", fetched)
	}
	f.wantAlone(path)
}

// wantAlone asserts that nothing else is in a file's directory.
func (f *fixture) wantAlone(path string) {
	f.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 {
		f.Errorf("beside %s is %v (%v)", path, entries, err)
	}
}

// The error says what was being done, and for which platform. What was at the path is still there.
func TestFetchRefusesWrongBytes(t *testing.T) {
	t.Parallel()
	f := setup(t, release("acme/alpha", "1.0.0"))
	f.fault(registrytest.Fault{Kind: registrytest.KindArchive, WrongHash: true})
	path := filepath.Join(t.TempDir(), "archive.zip")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := f.fetch(path)
	var failure *installer.ProviderError
	var mismatch *hashing.MismatchError
	var damaged *installer.ArchiveError // whichever shows first
	if !errors.As(err, &failure) || !errors.As(err, &mismatch) && !errors.As(err, &damaged) {
		t.Fatalf("error is %v", err)
	}
	if on := sources.CurrentPlatform(); failure.Phase != installer.PhaseFetch || failure.Platform != on || failure.Version != version("1.0.0") ||
		!strings.HasPrefix(err.Error(), "cannot fetch registry.example.com/acme/alpha 1.0.0 for "+on.String()+": ") {
		t.Errorf("the failure is %+v", failure)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "old" {
		t.Errorf("at the path is %q (%v)", text, err)
	}
	f.wantAlone(path)
}

func TestFetchNeedsAnArchive(t *testing.T) {
	t.Parallel()
	f := setup(t)
	pkg, _ := unpackedAlpha(t)
	f.in.Source = oneSource{pkg}
	if _, err := f.fetch(filepath.Join(t.TempDir(), "archive.zip")); !errors.Is(err, installer.ErrNoArchive) {
		t.Errorf("error is %v", err)
	}
	f.wantKinds(installer.EventFailed)
}

// What a killed Fetch left is removed when nobody can be writing to it any more, also in directories whose names are
// patterns. What others have there stays.
func TestFetchClearsOldLeftovers(t *testing.T) {
	t.Parallel()
	f := setup(t, release("acme/alpha", "1.0.0"))
	dir := filepath.Join(t.TempDir(), "[a]*")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	const prefix = ".purveyor-fetch-"
	for name, age := range map[string]time.Duration{
		prefix + "1": 25 * time.Hour, prefix + "2": 23 * time.Hour,
		prefix: 7 * day, prefix + "config.toml": 7 * day, ".fetch-1": 7 * day,
	} {
		path, written := filepath.Join(dir, name), time.Now().Add(-age)
		if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Chtimes(path, written, written)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := f.fetch(filepath.Join(dir, "archive.zip")); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, entry := range entries {
		left = append(left, entry.Name())
	}
	if want := []string{".fetch-1", prefix, prefix + "2", prefix + "config.toml", "archive.zip"}; !slices.Equal(left, want) {
		t.Errorf("left are %v, want %v", left, want)
	}
}
