package fsmirror_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/hashing/signature"
	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/fsmirror"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// A mirror written by somebody else, with the origin's statement.
func TestStatementsOfOthersAreRead(t *testing.T) {
	t.Parallel()
	signer := newSigner(t)
	srv := registrytest.New(t, registrytest.Config{Signer: signer, Releases: []registrytest.Release{{
		Provider: rocket.String(), Version: "1.0", Platforms: []string{linux.String(), darwin.String()},
		MirrorStatement: true, Manifest: true, ExtraKeys: []*registrytest.Signer{newSigner(t)},
	}}})
	dir := t.TempDir()
	if err := srv.WriteMirror(dir, registrytest.Packed); err != nil {
		t.Fatal(err)
	}
	got, err := claims(t, fsmirror.New(dir), linux)
	if err != nil || got.Signer == nil || got.Signer.Fingerprint != signer.Fingerprint() || !got.Signer.Carried {
		t.Fatalf("claims are %+v, %v", got, err)
	}
	if len(got.Package) != 1 || got.Package[0].Authority != hashing.Signed || len(got.Others) != 2 {
		t.Errorf("claims are %+v; want one for the package, and those of another platform and the manifest", got)
	}
	if err := srv.WriteMirror(dir, registrytest.Unpacked); err != nil {
		t.Fatal(err)
	}
	if got, err := claims(t, fsmirror.New(dir), linux); err != nil || got.Signer != nil || got.Package != nil {
		t.Errorf("an unpacked package has claims: %+v, %v", got, err)
	}
}

// The origin's own files do not have the keys with them.
func TestOriginsOwnFilesAreNoStatement(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	push(t, dir, release(packed(t, linux, "linux")))
	for _, suffix := range []string{"SHA256SUMS", "SHA256SUMS.sig", "SHA256SUMS.72D7468F.sig", "manifest.json"} {
		put(t, dir, "terraform-provider-rocket_1.0.0_"+suffix, "whatever")
	}
	if got, err := claims(t, fsmirror.New(dir), linux); err != nil || got.Signer != nil {
		t.Errorf("claims are %+v, %v", got, err)
	}
}

func TestBrokenStatementsAreErrors(t *testing.T) {
	t.Parallel()
	signer := newSigner(t)
	a := packed(t, linux, "linux")
	old := attest(t, signer, a)
	old.Sums = []byte(strings.ReplaceAll(string(old.Sums), "1.0.0", "0.9.0"))
	old.Signature = mustSign(t, signer, old.Sums)
	const key = ".key1.asc"
	for name, test := range map[string]struct {
		damage func(dir, sums string)
		want   error // nil: any
	}{
		"altered sums":      {func(dir, sums string) { put(t, dir, sums, "altered") }, signature.ErrBadSignature},
		"altered signature": {func(dir, sums string) { put(t, dir, sums+".sig", "altered") }, signature.ErrBadSignature},
		"empty signature":   {func(dir, sums string) { put(t, dir, sums+".sig", "") }, signature.ErrUnsigned},
		"a stranger's key":  {func(dir, sums string) { put(t, dir, sums+key, newSigner(t).Armored()) }, signature.ErrUnknownIssuer},
		"no signature":      {func(dir, sums string) { removeFile(t, dir, sums+".sig") }, fs.ErrNotExist},
		"no key":            {func(dir, sums string) { removeFile(t, dir, sums+key) }, fs.ErrNotExist},
		"large sums":        {func(dir, sums string) { put(t, dir, sums, strings.Repeat(" ", hashing.MaxSumsBytes+1)) }, sources.ErrTooLarge},
		"large signature":   {func(dir, sums string) { put(t, dir, sums+".sig", strings.Repeat(" ", signature.MaxSignatureBytes+1)) }, sources.ErrTooLarge},
		"large key":         {func(dir, sums string) { put(t, dir, sums+key, strings.Repeat(" ", signature.MaxKeyBytes+1)) }, sources.ErrTooLarge},
		"a directory":       {func(dir, sums string) { removeFile(t, dir, sums+key); put(t, dir, sums+key+"/x", "") }, nil},
		"of another version": {func(dir, sums string) {
			put(t, dir, sums, string(old.Sums))
			put(t, dir, sums+".sig", string(old.Signature))
		}, sources.ErrMalformed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			push(t, dir, signedBy(t, signer, release(a)))
			test.damage(dir, sumsNames(t, dir)[0])
			got, err := claims(t, fsmirror.New(dir), linux)
			if err == nil || test.want != nil && !errors.Is(err, test.want) || errors.Is(err, sources.ErrNotFound) {
				t.Errorf("claims are %+v, error is %v, want %v", got, err, test.want)
			}
		})
	}
}

func mustSign(t *testing.T, signer *registrytest.Signer, text []byte) []byte {
	t.Helper()
	sig, err := signer.Sign(text)
	if err != nil {
		t.Fatal(err)
	}
	return sig
}

// Of several statements one that holds is enough, and one that has not expired is better.
func TestSeveralStatements(t *testing.T) {
	t.Parallel()
	dir, signer := t.TempDir(), newSigner(t)
	stale, err := registrytest.NewSigner("Acme", registrytest.SignerOptions{Expired: true})
	if err != nil {
		t.Fatal(err)
	}
	a := packed(t, linux, "linux")
	push(t, dir, signedBy(t, stale, release(a)))
	if got, err := claims(t, fsmirror.New(dir), linux); err != nil || got.Signer == nil || got.Signer.ExpiredAt.IsZero() {
		t.Errorf("claims are %+v, %v", got, err)
	}
	push(t, dir, signedBy(t, signer, release(a)))
	put(t, dir, "terraform-provider-rocket_1.0.0_0000_SHA256SUMS", "broken")
	put(t, dir, "terraform-provider-rocket_1.0.0_ffff_SHA256SUMS", "broken")
	if n := len(sumsNames(t, dir)); n != 4 {
		t.Fatalf("there are %d statements", n)
	}
	if got, err := claims(t, fsmirror.New(dir), linux); err != nil || got.Signer == nil || !got.Signer.ExpiredAt.IsZero() {
		t.Errorf("claims are %+v, %v", got, err)
	}
	for i := range fsmirror.MaxStatements {
		put(t, dir, fmt.Sprintf("terraform-provider-rocket_1.0.0_%d_SHA256SUMS", i), "broken")
	}
	if _, err := fsmirror.New(dir).Package(t.Context(), rocket, v1, linux); !errors.Is(err, sources.ErrTooLarge) {
		t.Errorf("too many statements: %v", err)
	}
}

// installed installs rocket from a directory that somebody may have tampered with.
func installed(t *testing.T, dir string, policy installer.Policy) (*installer.Result, error) {
	t.Helper()
	in := &installer.Installer{Source: fsmirror.New(dir), Dir: t.TempDir(), Platform: linux, Policy: policy}
	return in.Install(t.Context(), installer.Request{Requirements: installer.Requirements{rocket: sources.MustParseConstraints("")}})
}

// Whoever runs the mirror can replace everything, and is found out by those who know the key.
func TestSwappedKeysAreFoundOutByPinning(t *testing.T) {
	t.Parallel()
	signer, mallory := newSigner(t), newSigner(t)
	pinned := installer.Policy{Signers: []string{signer.Fingerprint()}}
	genuine, swapped := t.TempDir(), t.TempDir()
	push(t, genuine, signedBy(t, signer, release(packed(t, linux, "genuine"))))
	push(t, swapped, signedBy(t, mallory, release(packed(t, linux, "swapped"))))

	result, err := installed(t, genuine, pinned)
	if err != nil {
		t.Fatal(err)
	}
	if proof := result.Packages[0].Proof; proof.Authority != hashing.Signed || proof.Signer.Fingerprint != signer.Fingerprint() {
		t.Errorf("the proof is %+v", proof)
	}
	var refused *installer.PolicyError
	if _, err := installed(t, swapped, pinned); !errors.As(err, &refused) || refused.Rule != "Signers" || refused.Signer.Fingerprint != mallory.Fingerprint() {
		t.Errorf("a swapped mirror: %v", err)
	}
	if result, err = installed(t, swapped, installer.Policy{}); err != nil || !result.Packages[0].Proof.Signer.Carried {
		t.Errorf("without a pin, the proof must say that the key came along: %v", err)
	}
	for _, name := range statementNames(t, swapped) {
		removeFile(t, swapped, name)
	}
	if _, err := installed(t, swapped, pinned); !errors.As(err, &refused) || refused.Signer != nil {
		t.Errorf("a mirror without its statement: %v", err)
	}
}

// What is signed is the archive: whatever is in its place is refused, with or without a policy.
func TestReplacedArchivesAreRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	push(t, dir, signedBy(t, newSigner(t), release(packed(t, linux, "genuine"))))
	other, err := os.ReadFile(packed(t, linux, "other").Path)
	if err != nil {
		t.Fatal(err)
	}
	put(t, dir, sources.ArchiveName(rocket, v1, linux), string(other))
	var mismatch *hashing.MismatchError
	if _, err := installed(t, dir, installer.Policy{}); !errors.As(err, &mismatch) {
		t.Errorf("the error is %v", err)
	}
}

func TestLinkedStatementsAreFollowed(t *testing.T) {
	t.Parallel()
	dir, elsewhere, signer := t.TempDir(), t.TempDir(), newSigner(t)
	a := packed(t, linux, "linux")
	push(t, dir, signedBy(t, signer, release(a)))
	for _, name := range statementNames(t, dir) {
		from, to := filepath.Join(dir, home, name), filepath.Join(elsewhere, name)
		if err := errors.Join(os.Rename(from, to), os.Symlink(to, from)); err != nil {
			t.Skip(err)
		}
	}
	wantSigned(t, dir, signer, a)
}
