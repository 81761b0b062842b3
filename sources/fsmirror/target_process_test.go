package fsmirror_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/fsmirror"
)

// order is what a child process is to publish, handed over in an environment variable.
type order struct {
	Dir       string
	Archives  []sources.Archive
	Statement *hashing.Statement
}

const orderVariable = "PURVEYOR_TEST_ORDER"

// TestMain makes the test binary a program that publishes, when it finds an order.
func TestMain(m *testing.M) {
	if text := os.Getenv(orderVariable); text != "" {
		if err := obey(text); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func obey(text string) error {
	var o order
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return err
	}
	_, err := fsmirror.NewTarget(o.Dir).Push(context.Background(), o.release())
	return err
}

func (o order) release() sources.Release {
	r := release(o.Archives...)
	r.Statement = o.Statement
	return r
}

// start begins to publish in another process.
func (o order) start(t *testing.T) *exec.Cmd {
	t.Helper()
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program)
	cmd.Env, cmd.Stderr = append(os.Environ(), orderVariable+"="+string(text)), os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd
}

// fleet makes packages for many platforms, whose contents need not be hashed.
func fleet(t *testing.T, n, size int) []sources.Archive {
	t.Helper()
	var archives []sources.Archive
	for i := range n {
		on := sources.Platform{OS: "plan", Arch: fmt.Sprint(i)}
		a := packedBytes(t, on, []byte(strings.Repeat(fmt.Sprint(i%10), size)))
		a.H1 = "h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
		archives = append(archives, a)
	}
	return archives
}

func TestAKilledPublisherIsContinued(t *testing.T) {
	t.Parallel()
	signer := newSigner(t)
	archives := fleet(t, 12, 500<<10)
	statement := attest(t, signer, archives...)
	whole := t.TempDir()
	want := order{whole, archives, statement}
	push(t, whole, want.release())
	killed := 0
	for _, sign := range []string{".purveyor-*.tmp", "*.key1.asc", "*_SHA256SUMS", "*.zip", "1.0.0.json"} {
		dir := t.TempDir()
		o := order{dir, slices.Clone(archives), statement}
		if kill(t, o.start(t), filepath.Join(dir, home, sign)) {
			killed++
		}
		checkNoHalf(t, []sources.Source{fsmirror.New(dir), served(t, dir)}, signer.Fingerprint(), archives)
		if text := files(t, dir)[filepath.ToSlash(filepath.Join(home, "1.0.0.json"))]; text != "" && strings.Count(text, ".zip") != len(archives) {
			t.Errorf("killed at %s, the index is %s", sign, text)
		}
		stored, err := fsmirror.NewTarget(dir).Stored(t.Context(), rocket, v1)
		if err != nil {
			t.Fatal(err)
		}
		for i, a := range o.Archives {
			if stored[a.Platform] == a.Sum {
				o.Archives[i].Path = "" // finished packages need not be fetched
			}
		}
		push(t, dir, o.release())
		if diff := cmp.Diff(files(t, whole), files(t, dir)); diff != "" {
			t.Errorf("killed at %s, the mirror differs: %.500s", sign, diff)
		}
	}
	if killed == 0 {
		t.Error("nobody was killed before the end")
	}
}

// kill kills a process when a file of that pattern is there; it reports whether that came before the end.
func kill(t *testing.T, cmd *exec.Cmd, pattern string) bool {
	t.Helper()
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		select {
		case err := <-ended:
			if err != nil {
				t.Error(err)
			}
			return false
		default:
		}
		if found, _ := filepath.Glob(pattern); len(found) > 0 {
			_ = cmd.Process.Kill()
			return <-ended != nil
		}
		time.Sleep(100 * time.Microsecond) // for the child's sake: it needs a processor
	}
}

// checkNoHalf makes sure that what readers find is whole: packages have a statement that holds, and documents list all of
// the release.
func checkNoHalf(t *testing.T, readers []sources.Source, fingerprint string, archives []sources.Archive) {
	t.Helper()
	for _, source := range readers {
		found := 0
		for _, a := range archives {
			pkg, err := source.Package(t.Context(), rocket, v1, a.Platform)
			if errors.Is(err, sources.ErrNotFound) {
				if found > 0 && strings.HasPrefix(source.String(), "network") {
					t.Errorf("%s has a part of the packages, without %s", source, a.Platform)
				}
				continue
			}
			if err != nil || pkg.Claims == nil {
				t.Errorf("%s: %s has no claims: %v", source, a.Platform, err)
				return
			}
			found++
			claims, err := pkg.Claims(t.Context())
			if err != nil || claims.Signer == nil || claims.Signer.Fingerprint != fingerprint || claims.Package[0].Hash != a.Sum {
				t.Errorf("%s: %s has claims %+v, %v", source, a.Platform, claims, err)
			}
		}
	}
}

// Whoever reads while somebody publishes never finds a half of something.
func TestReadersFindNoHalf(t *testing.T) {
	t.Parallel()
	dir, signer := t.TempDir(), newSigner(t)
	archives := fleet(t, 8, 4<<20)
	cmd := order{dir, archives, attest(t, signer, archives...)}.start(t)
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	readers := []sources.Source{fsmirror.New(dir), served(t, dir)}
	for {
		checkNoHalf(t, readers, signer.Fingerprint(), archives)
		select {
		case err := <-ended:
			if err != nil {
				t.Error(err)
			}
			wantSigned(t, dir, signer, archives...)
			return
		default:
		}
	}
}

// Publishers that know nothing of each other lose none of their packages.
func TestTwoPublishersLoseNothing(t *testing.T) {
	t.Parallel()
	dir, signer := t.TempDir(), newSigner(t)
	archives := fleet(t, 20, 100<<10)
	statement := attest(t, signer, archives...)
	halves := []*exec.Cmd{
		order{dir, archives[:12], statement}.start(t),
		order{dir, archives[8:], statement}.start(t),
	}
	for _, cmd := range halves {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	whole := t.TempDir()
	push(t, whole, order{whole, archives, statement}.release())
	if diff := cmp.Diff(files(t, whole), files(t, dir)); diff != "" {
		t.Errorf("the mirror differs: %.500s", diff)
	}
}

// One target serves many callers at once.
func TestATargetIsShared(t *testing.T) {
	t.Parallel()
	dir, signer := t.TempDir(), newSigner(t)
	archives := fleet(t, 10, 10<<10)
	statement := attest(t, signer, archives...)
	target := fsmirror.NewTarget(dir)
	errs := make(chan error, len(archives))
	for _, a := range archives {
		go func() {
			_, err := target.Push(t.Context(), order{dir, []sources.Archive{a}, statement}.release())
			_, listing := target.Stored(t.Context(), rocket, v1)
			errs <- errors.Join(err, listing)
		}()
	}
	for range archives {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	wantSigned(t, dir, signer, archives...)
}
