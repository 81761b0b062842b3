package direct_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/hashing/signature"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// Documents that are not there are a failure of the registry, never an absence that a chain would pass over.
func TestMissingSumsAreNoAbsence(t *testing.T) {
	t.Parallel()
	s := start(t)
	misbehave(t, s, registrytest.Fault{Kind: registrytest.KindSums, Status: 404})
	if _, _, err := examine(t, s, nil); err == nil || errors.Is(err, sources.ErrNotFound) {
		t.Errorf("error = %v, want another than ErrNotFound", err)
	}
}

// TestSums has documents whose signature is as good as their author made it.
func TestSums(t *testing.T) {
	t.Parallel()
	isMalformed := func(err error) bool { return errors.Is(err, sources.ErrMalformed) }
	isMismatch := func(err error) bool { var e *hashing.MismatchError; return errors.As(err, &e) }
	isSums := func(err error) bool { var e *hashing.SumsError; return errors.As(err, &e) }
	zeros := strings.Repeat("0", 64)
	for _, c := range []struct {
		name string
		edit func(lines []string) []string // of darwin and linux
		bad  func(error) bool              // nil: good
	}{
		{"as they are", func(l []string) []string { return l }, nil},
		{"blank lines", func(l []string) []string { return []string{"", l[0], " ", l[1], "", ""} }, nil},
		{"CR LF", func(l []string) []string { return []string{l[0] + "\r", l[1] + "\r"} }, nil},
		{"binary marker", func(l []string) []string { return []string{strings.ReplaceAll(l[1], "  ", " *")} }, nil},
		{"upper case", func(l []string) []string { return []string{strings.ToUpper(l[1][:64]) + l[1][64:]} }, nil},
		{"repeated line", func(l []string) []string { return []string{l[1], l[1]} }, nil},
		{"file missing", func(l []string) []string { return l[:1] }, isMalformed},
		{"nothing", func([]string) []string { return nil }, isMalformed},
		{"file of a longer name", func(l []string) []string { return []string{l[1] + ".bak"} }, isMalformed},
		{"file in a directory", func(l []string) []string { return []string{strings.ReplaceAll(l[1], "  ", "  dir/")} }, isMalformed},
		{"another sum", func(l []string) []string { return []string{zeros + l[1][64:]} }, isMismatch},
		{"two sums", func(l []string) []string { return []string{l[1], zeros + l[1][64:]} }, isSums},
		{"short sum", func(l []string) []string { return []string{l[1][1:]} }, isSums},
		{"long sum", func(l []string) []string { return []string{"00" + l[1]} }, isSums},
		{"damaged line", func(l []string) []string { return append(l, "x") }, isSums},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			author := signer(t, registrytest.SignerOptions{})
			release := alpha()
			release.Signer = author
			s := start(t, release)
			edited := func(body []byte) []byte {
				lines := strings.Split(strings.TrimSuffix(string(body), "\n"), "\n")
				return []byte(strings.Join(c.edit(lines), "\n") + "\n")
			}
			var sums []byte
			misbehave(t, s, registrytest.Fault{Kind: registrytest.KindSums, Edit: func(body []byte) []byte {
				sums = edited(body)
				return sums
			}})
			for range 2 { // the signature is made when the sums are known
				_, _, err := examine(t, s, nil)
				sig, signErr := author.Sign(sums)
				if signErr != nil {
					t.Fatal(signErr)
				}
				misbehave(t, s, registrytest.Fault{Kind: registrytest.KindSignature, Body: sig})
				if s.Count(registrytest.KindSums) == 1 {
					continue
				}
				if (err == nil) != (c.bad == nil) || err != nil && !c.bad(err) {
					t.Errorf("error = %v", err)
				}
			}
		})
	}
}

func TestShasumOfThePackageDocumentBinds(t *testing.T) {
	t.Parallel()
	s := start(t)
	misbehave(t, s, registrytest.Fault{Kind: registrytest.KindPackage, Edit: set("shasum", strings.Repeat("0", 64))})
	_, _, err := examine(t, s, nil)
	var mismatch *hashing.MismatchError
	if !errors.As(err, &mismatch) || strings.Contains(err.Error(), "the the") {
		t.Errorf("error = %v, want a MismatchError", err)
	}
}

func TestSumsAreFetchedOnceForAllPlatforms(t *testing.T) {
	t.Parallel()
	release := alpha()
	release.Platforms = nil
	for i := range 10 {
		release.Platforms = append(release.Platforms, fmt.Sprintf("linux_arch%d", i))
	}
	s := registrytest.New(t, registrytest.Config{Releases: []registrytest.Release{release}, Latency: 10 * time.Millisecond})
	source, p := connect(s, nil), provider(t, s, "acme/alpha")
	var wait sync.WaitGroup
	for _, name := range release.Platforms {
		wait.Go(func() {
			on, err := sources.ParsePlatform(name)
			if err != nil {
				t.Error(err)
			}
			pkg, err := source.Package(t.Context(), p, v1, on)
			if err != nil {
				t.Error(err)
				return
			}
			if _, err := pkg.Claims(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if sums, sigs := s.Count(registrytest.KindSums), s.Count(registrytest.KindSignature); sums != 1 || sigs != 1 {
		t.Errorf("%d requests for sums, %d for signatures; want 1 and 1", sums, sigs)
	}
}

// Checksums that do not fit are not kept: they are fetched again for the next package, or when somebody tries again.
func TestSumsThatDoNotFitAreNotKept(t *testing.T) {
	t.Parallel()
	s := start(t)
	misbehave(t, s, registrytest.Fault{WrongSigner: signer(t, registrytest.SignerOptions{}), Times: 1})
	pkg, err := connect(s, nil).Package(t.Context(), provider(t, s, "acme/alpha"), v1, linux)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pkg.Claims(t.Context()); !errors.Is(err, signature.ErrUnknownIssuer) {
		t.Errorf("error = %v, want ErrUnknownIssuer", err)
	}
	if _, err := pkg.Claims(t.Context()); err != nil {
		t.Errorf("still: %v", err)
	}
}
