package interop_test

import (
	"errors"
	"testing"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// publishedRocket is a world in which an OCI registry has versions of a provider for this machine.
func publishedRocket(t *testing.T, versions ...string) *ociWorld {
	t.Helper()
	w := newOCIWorld(t, registrytest.Config{Releases: releases("acme/rocket", versions...)})
	for _, version := range versions {
		w.publish(t, rocket, version, here)
	}
	w.forget(t)
	return w
}

// here is the platform that packages are installed for.
var here = sources.CurrentPlatform().String()

// forget makes both registries begin to count anew.
func (w *ociWorld) forget(t *testing.T) {
	t.Helper()
	w.oci.forget(t)
	w.srv.ResetRequests()
}

// checkOriginNotAsked checks that the provider registry has had no requests.
func (w *ociWorld) checkOriginNotAsked(t *testing.T) {
	t.Helper()
	for _, r := range w.srv.Requests() {
		t.Errorf("the provider registry was asked: %s %s", r.Method, r.Path)
	}
}

func TestInstallFromAnOCIRegistry(t *testing.T) {
	t.Parallel()
	w := publishedRocket(t, "1.0.0", built)
	m := w.module(t, files{"main.tf": requires(rocket + " ~> 1.0")}).sharing(t.TempDir())
	result := w.useMirrors(t, m)
	checkPackages(t, m, m.cache)
	checkTidy(t, m.cache)
	w.checkOriginNotAsked(t)
	proof := result.Packages[0].Proof
	if version := result.Packages[0].Selection.Version.String(); version != built {
		t.Errorf("installed is %s", version)
	}
	if proof.Authority != hashing.Signed || proof.Signer == nil || proof.Signer.Fingerprint != w.signer.Fingerprint() || !proof.Signer.Carried {
		t.Errorf("the proof is %+v, signed by %+v", proof, proof.Signer)
	}
	// The challenge; tags, index, manifest and archive; what refers to the index, in vain; by its tag, the statement and its
	// three parts.
	if requests := w.oci.requests(t); len(requests) > 11 {
		t.Errorf("there were %d requests: %v", len(requests), requests)
	}

	w.forget(t)
	again := w.module(t, files{"main.tf": requires(rocket + " ~> 1.0"), ".terraform.lock.hcl": m.lock(t)}).sharing(m.cache)
	w.useMirrors(t, again)
	if requests := w.oci.requests(t); len(requests) != 0 {
		t.Errorf("with lock file and cache, there were %d requests", len(requests))
	}
}

// A signature that came with the package through a mirror is one for those who know the key.
func TestPoliciesAboutOCIRegistries(t *testing.T) {
	t.Parallel()
	w := publishedRocket(t, "1.0.0")
	stranger, err := registrytest.NewSigner("stranger", registrytest.SignerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		policy installer.Policy
		broken string // rule; "": accepted
	}{
		"none":                         {},
		"a signature":                  {installer.Policy{RequireSignature: true}, "RequireSignature"},
		"a signature by the author":    {installer.Policy{Signers: []string{w.signer.Fingerprint()}}, ""},
		"both":                         {installer.Policy{RequireSignature: true, Signers: []string{w.signer.Fingerprint()}}, ""},
		"a signature by somebody else": {installer.Policy{Signers: []string{stranger.Fingerprint()}}, "Signers"},
	} {
		in := &installer.Installer{Source: w.mirrors(t), Dir: t.TempDir(), Policy: test.policy}
		_, err := in.Get(t.Context(), rocket, "")
		var refused *installer.PolicyError
		switch {
		case test.broken == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case test.broken != "" && (!errors.As(err, &refused) || refused.Rule != test.broken):
			t.Errorf("%s: the error is %v", name, err)
		}
	}
}
