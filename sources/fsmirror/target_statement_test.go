package fsmirror_test

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/hashing/signature"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/fsmirror"
)

// statementNames returns the names of the files of statements, sorted.
func statementNames(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	for name := range files(t, filepath.Join(dir, home)) {
		if strings.Contains(name, "SHA256SUMS") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// sumsNames returns the names of the statements' checksums, sorted.
func sumsNames(t *testing.T, dir string) []string {
	t.Helper()
	return slices.DeleteFunc(statementNames(t, dir), func(name string) bool { return !strings.HasSuffix(name, "SHA256SUMS") })
}

func TestStatementsAreVerbatim(t *testing.T) {
	t.Parallel()
	dir, signer, stranger := t.TempDir(), newSigner(t), newSigner(t)
	a := packed(t, linux, "linux")
	r := signedBy(t, signer, release(a))
	r.Statement.Keys = []string{stranger.Armored(), signer.Armored()}
	push(t, dir, r)
	for _, source := range []sources.Source{fsmirror.New(dir), served(t, dir)} {
		got, err := claims(t, source, linux)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(r.Statement, got.Statement); diff != "" {
			t.Errorf("%s: the statement has changed (-want, +got): %s", source, diff)
		}
	}
	member, _ := document(t, dir, "1.0.0.json")["origin_statement"].(map[string]any)
	sums, _ := member["shasums_url"].(string)
	want := map[string]any{
		"shasums_url":           sums,
		"shasums_signature_url": sums + ".sig",
		"signing_keys_urls":     []any{sums + ".key1.asc", sums + ".key2.asc"},
	}
	if diff := cmp.Diff(want, member); diff != "" || !strings.HasPrefix(sums, "terraform-provider-rocket_1.0.0_") {
		t.Errorf("the member is %v: %s", member, diff)
	}
	if got := statementNames(t, dir); len(got) != 4 || got[0] != sums {
		t.Errorf("there are %q", got)
	}
}

func TestStatementsThatDoNotFit(t *testing.T) {
	t.Parallel()
	signer := newSigner(t)
	a, b := packed(t, linux, "linux"), packed(t, darwin, "darwin")
	altered := attest(t, signer, a)
	altered.Sums = append(altered.Sums, '\n')
	for name, test := range map[string]struct {
		statement *hashing.Statement
		want      func(error) bool
	}{
		"altered":        {altered, isSignatureError(signature.ErrBadSignature)},
		"nobody's":       {&hashing.Statement{Sums: altered.Sums}, isSignatureError(signature.ErrUnsigned)},
		"no sums":        {attestText(t, signer, "no sums"), func(err error) bool { return errors.As(err, new(*hashing.SumsError)) }},
		"without one":    {attest(t, signer, a), about(darwin)},
		"of other bytes": {attest(t, signer, sources.Archive{Platform: linux, Sum: b.Sum}, b), about(linux)},
	} {
		dir := t.TempDir()
		r := release(a, b)
		r.Statement = test.statement
		_, err := fsmirror.NewTarget(dir).Push(t.Context(), r)
		if err == nil || !test.want(err) {
			t.Errorf("%s: the error is %v", name, err)
		}
		if len(files(t, dir)) != 0 {
			t.Errorf("%s: there are files", name)
		}
	}
}

// isSignatureError tells what is wrong with a signature from what is wrong with a statement's fit.
func isSignatureError(reason error) func(error) bool {
	return func(err error) bool {
		var wrong *signature.Error
		return errors.As(err, &wrong) && errors.Is(err, reason) && !errors.As(err, new(*sources.StatementError))
	}
}

// about tells errors about the statement's fit to a package.
func about(on sources.Platform) func(error) bool {
	return func(err error) bool {
		var misfit *sources.StatementError
		return errors.As(err, &misfit) && misfit.Platform == on
	}
}

// Whoever verifies statements would refuse a package that it leaves out, so there must not be one.
func TestAStatementCoversAllPackages(t *testing.T) {
	t.Parallel()
	signer := newSigner(t)
	a, b := packed(t, linux, "linux"), packed(t, darwin, "darwin")
	for name, first := range map[string]func(dir string){
		"published":  func(dir string) { push(t, dir, release(a)) },
		"no index":   func(dir string) { push(t, dir, release(a)); removeFile(t, dir, "1.0.0.json") },
		"index only": func(dir string) { push(t, dir, release(a)); removeFile(t, dir, sources.ArchiveName(rocket, v1, linux)) },
	} {
		dir := t.TempDir()
		first(dir)
		before := files(t, dir)
		if _, err := fsmirror.NewTarget(dir).Push(t.Context(), signedBy(t, signer, release(b))); !about(linux)(err) {
			t.Errorf("%s: a statement that leaves out what is there: %v", name, err)
		}
		if diff := cmp.Diff(before, files(t, dir)); diff != "" {
			t.Errorf("%s: the mirror has changed: %s", name, diff)
		}
		r := release(b)
		r.Statement = attest(t, signer, a, b)
		push(t, dir, r)
		if name == "published" {
			wantSigned(t, dir, signer, a)
		}
		wantSigned(t, dir, signer, b)
	}

	dir := t.TempDir()
	push(t, dir, signedBy(t, signer, release(a)))
	if _, err := fsmirror.NewTarget(dir).Push(t.Context(), release(b)); !about(darwin)(err) {
		t.Errorf("a package that the statement there leaves out: %v", err)
	}
}

func TestPackagesComeUnderTheStatementThatIsThere(t *testing.T) {
	t.Parallel()
	dir, signer := t.TempDir(), newSigner(t)
	a, b := packed(t, linux, "linux"), packed(t, darwin, "darwin")
	r := release(a)
	r.Statement = attest(t, signer, a, b)
	push(t, dir, r)
	if pushed := push(t, dir, release(b)); !pushed.Signed {
		t.Errorf("pushed is %+v", pushed)
	}
	// A narrower statement does not take its place.
	push(t, dir, signedBy(t, newSigner(t), release(b)))
	wantSigned(t, dir, signer, a, b)
	if got := sumsNames(t, dir); len(got) != 1 {
		t.Errorf("there are %q", got)
	}
}

// Readers who have seen the older index find what it refers to, once.
func TestTheLatestStatementCounts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a := packed(t, linux, "linux")
	var seen []string
	for range 3 {
		signer := newSigner(t)
		push(t, dir, signedBy(t, signer, release(a)))
		current := document(t, dir, "1.0.0.json")["origin_statement"].(map[string]any)["shasums_url"].(string)
		seen = append(seen, current)
		got, err := claims(t, served(t, dir), linux)
		if err != nil || got.Signer.Fingerprint != signer.Fingerprint() {
			t.Errorf("claims are %+v, %v", got, err)
		}
	}
	want := slices.Sorted(slices.Values(seen[1:]))
	if got := sumsNames(t, dir); !slices.Equal(got, want) || len(statementNames(t, dir)) != 6 {
		t.Errorf("there are %q, want %q", got, want)
	}
}

// An older statement that would mislead is not kept.
func TestMisleadingStatementsGo(t *testing.T) {
	t.Parallel()
	dir, signer := t.TempDir(), newSigner(t)
	a, b := packed(t, linux, "linux"), packed(t, darwin, "darwin")
	push(t, dir, signedBy(t, signer, release(a)))
	r := release(b)
	r.Statement = attest(t, signer, a, b)
	push(t, dir, r)
	if got := sumsNames(t, dir); len(got) != 1 {
		t.Errorf("there are %q", got)
	}
	wantSigned(t, dir, signer, a, b)
}

// "terraform providers mirror" writes VERSION.json anew.
func TestTheMemberIsPutBack(t *testing.T) {
	t.Parallel()
	dir, signer := t.TempDir(), newSigner(t)
	a := packed(t, linux, "linux")
	push(t, dir, signedBy(t, signer, release(a)))
	want := files(t, dir)
	put(t, dir, "1.0.0.json", `{"archives": {"linux_amd64": {"hashes": ["`+h1(t, a.Path)+`"], "url": "`+sources.ArchiveName(rocket, v1, linux)+`"}}}`)
	if got, err := claims(t, fsmirror.New(dir), linux); err != nil || got.Signer == nil {
		t.Errorf("the directory's claims are %+v, %v", got, err)
	}
	if got, err := claims(t, served(t, dir), linux); err != nil || got.Signer != nil {
		t.Errorf("the network mirror's claims are %+v, %v", got, err)
	}
	if pushed := push(t, dir, release(a)); !pushed.Signed {
		t.Errorf("pushed is %+v", pushed)
	}
	if diff := cmp.Diff(want, files(t, dir)); diff != "" {
		t.Errorf("the mirror is not as it was: %s", diff)
	}
}

func TestDamagedStatementsInTheWay(t *testing.T) {
	t.Parallel()
	signer := newSigner(t)
	a := packed(t, linux, "linux")
	for name, damage := range map[string]func(dir, sums string){
		"altered": func(dir, sums string) { put(t, dir, sums, "altered") },
		"no key":  func(dir, sums string) { removeFile(t, dir, sums+".key1.asc") },
		"no sums": func(dir, sums string) { removeFile(t, dir, sums) },
	} {
		dir := t.TempDir()
		r := signedBy(t, signer, release(a))
		push(t, dir, r)
		want := files(t, dir)
		damage(dir, sumsNames(t, dir)[0])
		_, err := fsmirror.NewTarget(dir).Push(t.Context(), release(a))
		var flaw *fsmirror.FileError
		if !errors.As(err, &flaw) || !errors.Is(err, sources.ErrMalformed) {
			t.Errorf("%s: the error is %v", name, err)
		}
		push(t, dir, r)
		if diff := cmp.Diff(want, files(t, dir)); diff != "" {
			t.Errorf("%s: the mirror is not as it was: %s", name, diff)
		}
	}
}

func TestRemoving(t *testing.T) {
	t.Parallel()
	dir, signer := t.TempDir(), newSigner(t)
	target := fsmirror.NewTarget(dir)
	remove := func(v sources.Version, platforms ...sources.Platform) {
		t.Helper()
		if err := target.Remove(t.Context(), rocket, v, platforms); err != nil {
			t.Fatal(err)
		}
	}
	remove(v1, linux)
	if _, err := os.Stat(filepath.Join(dir, home)); err == nil {
		t.Error("removing has made a directory")
	}
	a, b := packed(t, linux, "linux"), packed(t, darwin, "darwin")
	push(t, dir, signedBy(t, signer, release(a, b)))
	old := release(packed(t, linux, "older"))
	old.Version = version("0.9.0")
	push(t, dir, old)

	before := times(t, dir)
	remove(v1)
	remove(v1, windows)
	if diff := cmp.Diff(before, times(t, dir)); diff != "" {
		t.Errorf("removing nothing has changed something: %s", diff)
	}

	remove(v1, linux)
	wantSigned(t, dir, signer, b)
	if _, err := served(t, dir).Package(t.Context(), rocket, v1, linux); !errors.Is(err, sources.ErrNotFound) {
		t.Errorf("what was removed is there: %v", err)
	}

	remove(v1, linux, darwin)
	left := slices.Sorted(maps.Keys(files(t, filepath.Join(dir, home))))
	if want := []string{"0.9.0.json", "index.json", "terraform-provider-rocket_0.9.0_linux_amd64.zip"}; !slices.Equal(left, want) {
		t.Errorf("there are %q, want %q", left, want)
	}
	if _, listed := document(t, dir, "index.json")["versions"].(map[string]any)["1.0.0"]; listed {
		t.Error("the version is still listed")
	}

	remove(version("0.9.0"), linux)
	if left := files(t, dir); len(left) != 0 {
		t.Errorf("there are %q", left)
	}
	push(t, dir, signedBy(t, signer, release(a)))
	wantSigned(t, dir, signer, a)
}

// What nobody here has put there is nobody's to remove.
func TestRemovingLeavesTheRest(t *testing.T) {
	t.Parallel()
	dir, signer := t.TempDir(), newSigner(t)
	a := packed(t, linux, "linux")
	push(t, dir, signedBy(t, signer, release(a)))
	byHand := sources.ArchiveName(rocket, v1, windows)
	put(t, dir, byHand, "laid out by hand")
	if err := fsmirror.NewTarget(dir).Remove(t.Context(), rocket, v1, []sources.Platform{linux}); err != nil {
		t.Fatal(err)
	}
	left := slices.Sorted(maps.Keys(files(t, filepath.Join(dir, home))))
	if len(left) != 4 || !slices.Contains(left, byHand) {
		t.Errorf("there are %q, want the package and the statement", left)
	}
}
