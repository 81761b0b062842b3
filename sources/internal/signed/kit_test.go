package signed_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/internal/signed"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// The package that the tests ask about, as a mirror knows it, and what a good document lists.
var (
	linux   = signed.Release{Provider: sources.MustParseProvider("registry.example.com/acme/alpha"), Version: version("1.0.0"), Platform: on("linux_amd64")}
	release = document(
		entry(1, "terraform-provider-alpha_1.0.0_linux_amd64.zip"),
		entry(2, "terraform-provider-alpha_1.0.0_darwin_arm64.zip"),
		entry(3, "terraform-provider-alpha_1.0.0_manifest.json"),
		entry(4, "README.md"),
	)
)

func version(s string) sources.Version { return sources.MustParseVersion(s) }

func on(s string) sources.Platform {
	platform, err := sources.ParsePlatform(s)
	if err != nil {
		panic(err)
	}
	return platform
}

// zh is the hash of a made-up archive.
func zh(n int) hashing.Hash { return hashing.Hash(fmt.Sprintf("zh:%064x", n)) }

// entry is a line of a SHA256SUMS document.
func entry(n int, filename string) string { return zh(n).Value() + "  " + filename }

func document(lines ...string) []byte { return []byte(strings.Join(lines, "\n") + "\n") }

func newSigner(t testing.TB, options registrytest.SignerOptions) *registrytest.Signer {
	t.Helper()
	signer, err := registrytest.NewSigner("Acme", options)
	if err != nil {
		t.Fatal(err)
	}
	return signer
}

// statement is what an origin publishes: keys beside the signer's own come before it.
func statement(t testing.TB, sums []byte, signer *registrytest.Signer, others ...*registrytest.Signer) *hashing.Statement {
	t.Helper()
	signature, err := signer.Sign(sums)
	if err != nil {
		t.Fatal(err)
	}
	st := &hashing.Statement{Sums: sums, Signature: signature}
	for _, key := range append(others, signer) {
		st.Keys = append(st.Keys, key.Armored())
	}
	return st
}
