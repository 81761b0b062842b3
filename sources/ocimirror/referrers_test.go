package ocimirror_test

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/ocimirror"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// How an answer names its type does not make what was signed merely reported.
func TestReferrersByAnotherName(t *testing.T) {
	t.Parallel()
	for _, mediaType := range []string{"application/vnd.oci.image.index.v1+json; charset=utf-8", "application/json", "Application/vnd.oci.image.index.v1+JSON"} {
		d := newDock(t, registrytest.OCI{})
		signer, linux := newSigner(t), freight(t, onLinux, "linux")
		r := roverRelease(linux)
		r.Statement = attest(t, signer, linux)
		d.push(r)
		d.fault(registrytest.Fault{Kind: registrytest.KindOCIReferrers, Header: map[string]string{"Content-Type": mediaType}})
		d.wantSigned(signer, linux)
	}
}

// Documents that are small and have very many elements cost little.
func TestReferrersTakeLittleMemory(t *testing.T) {
	many := `{"schemaVersion":2,"mediaType":"application/vnd.oci.image.index.v1+json","manifests":[` + strings.Repeat("{},", 1<<20) + "{}]}"
	d := newDock(t, registrytest.OCI{})
	d.push(roverRelease(freight(t, onLinux, "linux")))
	d.fault(registrytest.Fault{Kind: registrytest.KindOCIReferrers, Body: []byte(many), ContentType: "application/vnd.oci.image.index.v1+json"})
	source, err := ocimirror.New(d.config())
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := source.Package(t.Context(), rover, rover1, onLinux)
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = pkg.Claims(t.Context())
	runtime.ReadMemStats(&after)
	if n := (after.TotalAlloc - before.TotalAlloc) >> 20; !errors.Is(err, sources.ErrTooLarge) || n > 100 {
		t.Errorf("%d MiB were used, and the error is %v", n, err)
	}
}

// A registry, or a cache before it, can have the referrers API and know nothing by it.
func TestReferrersThatOnlyTheTagKnows(t *testing.T) {
	t.Parallel()
	const indexType = "application/vnd.oci.image.index.v1+json"
	d := newDock(t, registrytest.OCI{NoReferrers: true})
	d.fault(registrytest.Fault{Kind: registrytest.KindOCIReferrers, Status: 200, ContentType: indexType,
		Body: []byte(`{"schemaVersion":2,"mediaType":"` + indexType + `","manifests":[]}`)})
	signer := newSigner(t)
	linux, darwin := freight(t, onLinux, "linux"), freight(t, onDarwin, "darwin")
	first, second := roverRelease(linux), roverRelease(darwin)
	first.Statement = attest(t, signer, linux, darwin)
	d.push(first)
	if pushed := d.push(second); !pushed.Signed {
		t.Errorf("pushed is %+v", pushed)
	}
	d.wantSigned(signer, linux, darwin)
}

// A list that breaks off, or is something else, is not taken for one that ends.
func TestReferrersThatAreIncomplete(t *testing.T) {
	t.Parallel()
	const indexType = "application/vnd.oci.image.index.v1+json"
	for name, faults := range map[string][]registrytest.Fault{
		"a page that is not there": {{Kind: registrytest.KindOCIReferrers, Header: map[string]string{"Link": `</v2/mirror/nothing/manifests/1.0.0>; rel="next"`}}},
		"a page elsewhere":         {{Kind: registrytest.KindOCIReferrers, Header: map[string]string{"Link": `<https://127.0.0.1:1/>; rel="next"`}}},
		"no end":                   {{Kind: registrytest.KindOCIReferrers, Header: map[string]string{"Link": `<?page>; rel="next"`}}},
		"no list":                  {{Kind: registrytest.KindOCIReferrers, Body: []byte(`{"manifests":{}}`), ContentType: indexType}},
		"no document":              {{Kind: registrytest.KindOCIReferrers, Body: []byte(`<html>`), ContentType: indexType}},
	} {
		d := newDock(t, registrytest.OCI{})
		d.push(roverRelease(freight(t, onLinux, "linux")))
		for _, f := range faults {
			d.fault(f)
		}
		claims, err := d.claims(onLinux)
		if !isMalformed(err) && !errors.Is(err, sources.ErrTooLarge) {
			t.Errorf("%s: %+v, %v", name, claims, err)
		}
	}
}
