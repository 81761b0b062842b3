package netmirror_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/hashing/signature"
	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/netmirror"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

func member(change func(map[string]any)) registrytest.Fault {
	return registrytest.Fault{Kind: registrytest.KindMirrorVersion, Edit: func(body []byte) []byte {
		var doc map[string]any
		if err := json.Unmarshal(body, &doc); err != nil {
			panic(err)
		}
		change(doc["origin_statement"].(map[string]any))
		edited, err := json.Marshal(doc)
		if err != nil {
			panic(err)
		}
		return edited
	}}
}

func set(name string, value any) func(map[string]any) {
	return func(m map[string]any) { m[name] = value }
}

func TestBrokenStatementsAreErrors(t *testing.T) {
	t.Parallel()
	const sums, sig, key, version = registrytest.KindSums, registrytest.KindSignature, registrytest.KindKey, registrytest.KindMirrorVersion
	large := func(n int) []byte { return bytes.Repeat([]byte(" "), n+1) }
	manyKeys := slices.Repeat([]string{"x.asc"}, 33)
	tests := map[string]struct {
		fault registrytest.Fault
		want  error // nil: any
	}{
		"altered sums":      {registrytest.Fault{Kind: sums, Edit: func(b []byte) []byte { return append(b, '\n') }}, signature.ErrBadSignature},
		"other signature":   {registrytest.Fault{WrongSigner: newSigner(t)}, signature.ErrUnknownIssuer},
		"garbage":           {registrytest.Fault{Kind: sig, Body: []byte("garbage")}, signature.ErrBadSignature},
		"empty signature":   {registrytest.Fault{Kind: sig, Body: []byte{}}, signature.ErrUnsigned},
		"no key":            {registrytest.Fault{Kind: key, Body: []byte("no key")}, nil},
		"missing sums":      {registrytest.Fault{Kind: sums, Status: http.StatusNotFound}, nil},
		"missing signature": {registrytest.Fault{Kind: sig, Status: http.StatusNotFound}, nil},
		"missing key":       {registrytest.Fault{Kind: key, Status: http.StatusNotFound}, nil},
		"refused":           {registrytest.Fault{Kind: sums, Status: http.StatusForbidden}, sources.ErrUnauthorized},
		"failing":           {registrytest.Fault{Kind: key, Status: http.StatusBadGateway}, sources.ErrUnavailable},
		"large sums":        {registrytest.Fault{Kind: sums, Body: large(hashing.MaxSumsBytes)}, sources.ErrTooLarge},
		"large signature":   {registrytest.Fault{Kind: sig, Body: large(signature.MaxSignatureBytes)}, sources.ErrTooLarge},
		"large key":         {registrytest.Fault{Kind: key, Body: large(signature.MaxKeyBytes)}, sources.ErrTooLarge},
		"an empty member":   {member(func(m map[string]any) { clear(m) }), sources.ErrMalformed},
		"no signature URL":  {member(set("shasums_signature_url", "")), sources.ErrMalformed},
		"no keys":           {member(set("signing_keys_urls", []string{})), sources.ErrMalformed},
		"too many keys":     {member(set("signing_keys_urls", manyKeys)), sources.ErrMalformed},
		"no URL":            {member(set("shasums_url", "://secret")), sources.ErrMalformed},
		"another type":      {member(set("shasums_url", 7)), sources.ErrMalformed},
		"plain http":        {member(set("shasums_url", "http://mirror.example.com/sums")), nil},
		"a file":            {member(set("shasums_url", "file:///etc/passwd")), nil},
		"not an object":     {registrytest.Fault{Kind: version, Edit: registrytest.SetJSON("/origin_statement", []int{1})}, sources.ErrMalformed},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := keeping(t, newSigner(t))
			fault(t, s, test.fault)
			got, err := ask(t, connect(t, s))
			if err == nil || test.want != nil && !errors.Is(err, test.want) {
				t.Errorf("claims are %+v, error is %v, want %v", got, err, test.want)
			}
			if errors.Is(err, sources.ErrNotFound) || err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

func TestStatementsThatDoNotFit(t *testing.T) {
	t.Parallel()
	wrong := "zh:" + strings.Repeat("0", 64)
	hashes := registrytest.SetJSON("/archives/linux_amd64/hashes", []string{wrong})
	others := registrytest.SetJSON("/archives/darwin_arm64/hashes", []string{wrong})
	of := func(lines func(old string) string) func(*testing.T, *registrytest.Server, *registrytest.Signer) {
		return func(t *testing.T, s *registrytest.Server, signer *registrytest.Signer) { resign(t, s, signer, lines) }
	}
	edit := func(change func([]byte) []byte) func(*testing.T, *registrytest.Server, *registrytest.Signer) {
		return func(t *testing.T, s *registrytest.Server, _ *registrytest.Signer) {
			fault(t, s, registrytest.Fault{Kind: registrytest.KindMirrorVersion, Edit: change})
		}
	}
	malformed := func(err error) bool { return errors.Is(err, sources.ErrMalformed) }
	mismatch := func(err error) bool {
		var e *hashing.MismatchError
		return errors.As(err, &e) && e.By == hashing.BySums
	}
	for name, test := range map[string]struct {
		spoil func(*testing.T, *registrytest.Server, *registrytest.Signer)
		want  func(error) bool
	}{
		"of another version":  {of(func(old string) string { return strings.ReplaceAll(old, "_1.0.0_", "_0.9.0_") }), malformed},
		"of another type":     {of(func(old string) string { return strings.ReplaceAll(old, "rocket", "rover") }), malformed},
		"of another platform": {of(func(old string) string { return strings.ReplaceAll(old, "linux_amd64", "linux_arm64") }), malformed},
		"of another archive": {of(func(string) string {
			return strings.Repeat("0", 64) + "  terraform-provider-rocket_1.0.0_linux_amd64.zip\n"
		}), mismatch},
		"contradicted":         {edit(hashes), mismatch},
		"others contradicted":  {edit(others), mismatch},
		"contradicted in part": {edit(registrytest.SetJSON("/archives/linux_amd64/hashes/-", wrong)), mismatch},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			signer := newSigner(t)
			s := keeping(t, signer)
			test.spoil(t, s, signer)
			got, err := ask(t, connect(t, s, func(c *netmirror.Config) { c.TrustAllHashes = true }))
			if err == nil || !test.want(err) {
				t.Errorf("claims are %+v, error is %v", got, err)
			}
		})
	}
}

func resign(t *testing.T, s *registrytest.Server, signer *registrytest.Signer, change func(string) string) {
	t.Helper()
	original, err := ask(t, connect(t, s))
	if err != nil {
		t.Fatal(err)
	}
	sums := []byte(change(string(original.Statement.Sums)))
	sig, err := signer.Sign(sums)
	if err != nil {
		t.Fatal(err)
	}
	fault(t, s, registrytest.Fault{Kind: registrytest.KindSums, Body: sums})
	fault(t, s, registrytest.Fault{Kind: registrytest.KindSignature, Body: sig})
}

func TestSwappedKeysAreFoundOutByPinning(t *testing.T) {
	t.Parallel()
	signer, mallory := newSigner(t), newSigner(t)
	pinned := installer.Policy{Signers: []string{signer.Fingerprint()}}
	install := func(signer *registrytest.Signer, keep bool, policy installer.Policy) (*installer.Result, error) {
		s := keeping(t, signer, func(c *registrytest.Config) { c.Releases[0].MirrorStatement = keep })
		in := &installer.Installer{Source: connect(t, s), Dir: t.TempDir(), Platform: linux, Policy: policy}
		return in.Install(t.Context(), installer.Request{Requirements: installer.Requirements{rocket: sources.MustParseConstraints("")}})
	}
	result, err := install(signer, true, pinned)
	if err != nil {
		t.Fatal(err)
	}
	if proof := result.Packages[0].Proof; proof.Authority != hashing.Signed || proof.Signer.Fingerprint != signer.Fingerprint() {
		t.Errorf("the proof is %+v", proof)
	}
	var refused *installer.PolicyError
	if _, err := install(mallory, true, pinned); !errors.As(err, &refused) || refused.Signer.Fingerprint != mallory.Fingerprint() {
		t.Errorf("a swapped mirror: %v", err)
	}
	if _, err := install(signer, false, pinned); !errors.As(err, &refused) || refused.Signer != nil {
		t.Errorf("a mirror without its statement: %v", err)
	}
	if result, err = install(mallory, true, installer.Policy{}); err != nil || !result.Packages[0].Proof.Signer.Carried {
		t.Errorf("without a pin, the proof must say that the key came along: %v", err)
	}
}

func TestReplacedArchivesAreRefused(t *testing.T) {
	t.Parallel()
	s := keeping(t, newSigner(t))
	fault(t, s, registrytest.Fault{Kind: registrytest.KindArchive, Edit: func(archive []byte) []byte {
		archive[10] ^= 1 // the time of a file, where nobody looks
		return archive
	}})
	fault(t, s, registrytest.Fault{Kind: registrytest.KindMirrorVersion, Edit: registrytest.SetJSON("/archives/linux_amd64/hashes", []string{})})
	in := &installer.Installer{Source: connect(t, s), Dir: t.TempDir(), Platform: linux}
	_, err := in.Install(t.Context(), installer.Request{Requirements: installer.Requirements{rocket: sources.MustParseConstraints("")}})
	var mismatch *hashing.MismatchError
	if !errors.As(err, &mismatch) {
		t.Errorf("the error is %v", err)
	}
}
