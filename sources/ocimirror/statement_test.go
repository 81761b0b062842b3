package ocimirror_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/hashing/signature"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/ocimirror"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

func newSigner(t *testing.T) *registrytest.Signer {
	t.Helper()
	signer, err := registrytest.NewSigner("Acme", registrytest.SignerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return signer
}

// attest signs the sums of archives, as an origin does.
func attest(t *testing.T, signer *registrytest.Signer, archives ...sources.Archive) *hashing.Statement {
	t.Helper()
	var sums strings.Builder
	for _, a := range archives {
		fmt.Fprintf(&sums, "%s  %s\n", a.Sum.Value(), sources.ArchiveName(rover, rover1, a.Platform))
	}
	return attestText(t, signer, sums.String())
}

func attestText(t *testing.T, signer *registrytest.Signer, sums string) *hashing.Statement {
	t.Helper()
	sig, err := signer.Sign([]byte(sums))
	if err != nil {
		t.Fatal(err)
	}
	return &hashing.Statement{Sums: []byte(sums), Signature: sig, Keys: []string{signer.Armored()}}
}

// claims asks a new source who vouches for a package.
func (d *dock) claims(on sources.Platform) (hashing.Claims, error) {
	d.t.Helper()
	source, err := ocimirror.New(d.config())
	if err != nil {
		d.t.Fatal(err)
	}
	pkg, err := source.Package(d.t.Context(), rover, rover1, on)
	if err != nil {
		d.t.Fatal(err)
	}
	return pkg.Claims(d.t.Context())
}

// wantSigned makes sure that packages are signed by somebody.
func (d *dock) wantSigned(signer *registrytest.Signer, archives ...sources.Archive) {
	d.t.Helper()
	for _, a := range archives {
		claims, err := d.claims(a.Platform)
		if err != nil || claims.Signer == nil || claims.Signer.Fingerprint != signer.Fingerprint() || !claims.Signer.Carried {
			d.t.Errorf("%s is not signed: %+v, %v", a.Platform, claims, err)
			continue
		}
		proof, err := hashing.Judge(hashing.Computed{Archive: a.Sum}, nil, claims)
		if err != nil || proof.Authority != hashing.Signed {
			d.t.Errorf("%s is proven by %+v, %v", a.Platform, proof, err)
		}
	}
}

func (d *dock) wantReported(on sources.Platform) {
	d.t.Helper()
	claims, err := d.claims(on)
	if err != nil || claims.Signer != nil || len(claims.Package) != 1 || claims.Package[0].Authority != hashing.Reported {
		d.t.Errorf("%s has the claims %+v, %v", on, claims, err)
	}
}

// bothKinds runs a test with a registry that has the referrers API and with one that has not.
func bothKinds(t *testing.T, test func(t *testing.T, d *dock)) {
	for name, without := range map[string]bool{"referrers API": false, "tags for referrers": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, newDock(t, registrytest.OCI{NoReferrers: without}))
		})
	}
}

func TestStatementsTravelAlong(t *testing.T) {
	t.Parallel()
	bothKinds(t, func(t *testing.T, d *dock) {
		signer := newSigner(t)
		linux, darwin := freight(t, onLinux, "linux"), freight(t, onDarwin, "darwin")
		r := roverRelease(linux, darwin)
		r.Statement = attest(t, signer, linux, darwin)
		if pushed := d.push(r); !pushed.Signed {
			t.Errorf("pushed is %+v", pushed)
		}
		d.wantSigned(signer, linux, darwin)
		claims, err := d.claims(onLinux)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(r.Statement, claims.Statement); diff != "" {
			t.Errorf("the statement has changed (-want, +got): %s", diff)
		}
		if len(claims.Others) != 1 || claims.Others[0].Hash != darwin.Sum {
			t.Errorf("claims about others are %v", claims.Others)
		}

		d.ResetRequests()
		if again := d.push(r); !again.Signed || len(d.written()) != 0 {
			t.Errorf("again it is %+v, with %q", again, d.written())
		}
	})
}

func TestStatementsAreOptional(t *testing.T) {
	t.Parallel()
	bothKinds(t, func(t *testing.T, d *dock) {
		if pushed := d.push(roverRelease(freight(t, onLinux, "linux"))); pushed.Signed {
			t.Errorf("pushed is %+v", pushed)
		}
		d.wantReported(onLinux)
	})
}

// TestWhatAStatementIs has the manifest word for word: other programs may read it.
func TestWhatAStatementIs(t *testing.T) {
	t.Parallel()
	d := newDock(t, registrytest.OCI{})
	linux := freight(t, onLinux, "linux")
	r := roverRelease(linux)
	r.Statement = attest(t, newSigner(t), linux)
	r.Statement.Keys = append(r.Statement.Keys, newSigner(t).Armored())
	index := d.push(r).Digest

	var referrers struct {
		Manifests []struct{ Digest, ArtifactType string }
	}
	if err := json.Unmarshal(d.get("referrers/"+index), &referrers); err != nil || len(referrers.Manifests) != 1 {
		t.Fatalf("referrers are %+v, %v", referrers, err)
	}
	if got := referrers.Manifests[0].ArtifactType; got != "application/vnd.purveyor.provider.statement.v1" {
		t.Errorf("the artifact type is %q", got)
	}
	layer := func(mediaType, content, title string) string {
		return fmt.Sprintf(`{"mediaType":"%s","digest":"%s","size":%d,"annotations":{"org.opencontainers.image.title":"terraform-provider-rover_1.0.0_SHA256SUMS%s"}}`,
			mediaType, digestOf(content), len(content), title)
	}
	want := `{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","artifactType":"application/vnd.purveyor.provider.statement.v1",` +
		`"config":{"mediaType":"application/vnd.purveyor.provider.statement.v1","digest":"sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a","size":2,"data":"e30="},"layers":[` +
		layer("text/plain", string(r.Statement.Sums), "") + `,` +
		layer("application/pgp-signature", string(r.Statement.Signature), ".sig") + `,` +
		layer("application/pgp-keys", r.Statement.Keys[0], ".key1.asc") + `,` +
		layer("application/pgp-keys", r.Statement.Keys[1], ".key2.asc") + `],` +
		fmt.Sprintf(`"subject":{"mediaType":"application/vnd.oci.image.index.v1+json","digest":"%s","size":%d}}`, index, len(d.get("manifests/"+index)))
	if diff := cmp.Diff(want, string(d.get("manifests/"+referrers.Manifests[0].Digest))); diff != "" {
		t.Errorf("the manifest (-want, +got): %s", diff)
	}
	for _, content := range []string{string(r.Statement.Sums), string(r.Statement.Signature), r.Statement.Keys[0], r.Statement.Keys[1]} {
		if got := string(d.get("blobs/" + digestOf(content))); got != content {
			t.Errorf("a layer is %q, want %q", got, content)
		}
	}
	if tags := d.tags(); len(tags) != 2 {
		t.Errorf("OpenTofu has to look at the tags %q", tags)
	}
}

// Whoever adds a package, with the statement or without, takes the statements along to the new index.
func TestStatementsFollowTheIndex(t *testing.T) {
	t.Parallel()
	bothKinds(t, func(t *testing.T, d *dock) {
		signer := newSigner(t)
		linux, darwin, windows := freight(t, onLinux, "linux"), freight(t, onDarwin, "darwin"), freight(t, onWindows, "windows")
		statement := attest(t, signer, linux, darwin, windows)
		first, second := roverRelease(linux), roverRelease(windows)
		first.Statement, second.Statement = statement, statement
		d.push(first)
		d.wantSigned(signer, linux)
		if pushed := d.push(roverRelease(darwin)); !pushed.Signed {
			t.Errorf("pushed is %+v", pushed)
		}
		d.wantSigned(signer, linux, darwin)
		d.push(second)
		d.wantSigned(signer, linux, darwin, windows)
	})
}

func TestStatementsCanComeLater(t *testing.T) {
	t.Parallel()
	bothKinds(t, func(t *testing.T, d *dock) {
		signer := newSigner(t)
		linux, darwin := freight(t, onLinux, "linux"), freight(t, onDarwin, "darwin")
		before := d.push(roverRelease(linux, darwin))
		d.wantReported(onLinux)
		r := roverRelease(linux)
		r.Statement = attest(t, signer, linux, darwin)
		if after := d.push(r); after.Digest != before.Digest || !after.Signed {
			t.Errorf("before it was %+v, then %+v", before, after)
		}
		d.wantSigned(signer, linux, darwin)
	})
}

// An origin that signs once more, with other sums or another key, is believed as well.
func TestStatementsOfTwoSigners(t *testing.T) {
	t.Parallel()
	bothKinds(t, func(t *testing.T, d *dock) {
		old, young := newSigner(t), newSigner(t)
		linux, darwin := freight(t, onLinux, "linux"), freight(t, onDarwin, "darwin")
		first, second := roverRelease(linux), roverRelease(darwin)
		first.Statement, second.Statement = attest(t, old, linux), attest(t, young, linux, darwin)
		d.push(first)
		d.push(second)
		d.wantSigned(young, darwin)
		if claims, err := d.claims(onLinux); err != nil || claims.Signer == nil {
			t.Errorf("claims are %+v, %v", claims, err)
		}
	})
}

func TestStatementsThatDoNotFit(t *testing.T) {
	t.Parallel()
	signer, stranger := newSigner(t), newSigner(t)
	linux, darwin := freight(t, onLinux, "linux"), freight(t, onDarwin, "darwin")
	edited := func(edit func(*hashing.Statement)) *hashing.Statement {
		s := *attest(t, signer, linux)
		edit(&s)
		return &s
	}
	for name, test := range map[string]struct {
		statement *hashing.Statement
		is        func(error) bool
	}{
		"of another package": {attest(t, signer, darwin), isStatementError},
		"of another archive": {attest(t, signer, freight(t, onLinux, "other")), func(err error) bool {
			var mismatch *hashing.MismatchError
			return isStatementError(err) && errors.As(err, &mismatch)
		}},
		"of another version": {attestText(t, signer, linux.Sum.Value()+"  terraform-provider-rover_2.0.0_linux_amd64.zip\n"), isStatementError},
		"of nothing":         {edited(func(s *hashing.Statement) { s.Sums = nil }), isSignatureError},
		"with altered sums":  {edited(func(s *hashing.Statement) { s.Sums = append([]byte("# "), s.Sums...) }), isSignatureError},
		"without a key":      {edited(func(s *hashing.Statement) { s.Keys = nil }), isSignatureError},
		"with another key":   {edited(func(s *hashing.Statement) { s.Keys = []string{stranger.Armored()} }), isSignatureError},
	} {
		d := newDock(t, registrytest.OCI{})
		r := roverRelease(linux)
		r.Statement = test.statement
		if _, err := d.target().Push(t.Context(), r); err == nil || !test.is(err) {
			t.Errorf("a statement %s: %v", name, err)
		}
		if n := len(d.Requests()); n != 0 {
			t.Errorf("a statement %s: there were %d requests", name, n)
		}
	}
}

func isStatementError(err error) bool {
	var statement *sources.StatementError
	return errors.As(err, &statement) && statement.Platform == onLinux
}

func isSignatureError(err error) bool {
	var failed *signature.Error
	return errors.As(err, &failed)
}

// Nothing is published that would make a package of the version unacceptable to those who verify statements.
func TestStatementsThatLeaveAPackageOut(t *testing.T) {
	t.Parallel()
	bothKinds(t, func(t *testing.T, d *dock) {
		signer := newSigner(t)
		linux, darwin := freight(t, onLinux, "linux"), freight(t, onDarwin, "darwin")
		r := roverRelease(linux)
		r.Statement = attest(t, signer, linux)
		d.push(r)
		before := string(d.get("manifests/1.0.0"))
		_, err := d.target().Push(t.Context(), roverRelease(darwin))
		var statement *sources.StatementError
		if !errors.As(err, &statement) || statement.Platform != onDarwin {
			t.Errorf("the error is %v", err)
		}
		if after := string(d.get("manifests/1.0.0")); after != before {
			t.Errorf("the index has become %s", after)
		}
		d.wantSigned(signer, linux)
	})
}

// carry makes the registry list a statement about an index that no registry would take, alone or before those it has.
func (d *dock) carry(index, manifest string, alone bool) {
	d.t.Helper()
	const image = "application/vnd.oci.image.manifest.v1+json"
	manifest = strings.ReplaceAll(manifest, "INDEX", fmt.Sprintf(`{"mediaType":"application/vnd.oci.image.index.v1+json","digest":"%s","size":%d}`, index, len(d.get("manifests/"+index))))
	d.fault(registrytest.Fault{
		Kind: registrytest.KindOCIManifest, Path: digestOf(manifest),
		Body: []byte(manifest), ContentType: image, Header: map[string]string{"Docker-Content-Digest": digestOf(manifest)},
	})
	d.fault(registrytest.Fault{Kind: registrytest.KindOCIReferrers, Path: index, Edit: func(list []byte) []byte {
		begin, rest, _ := strings.Cut(string(list), `"manifests":[`)
		entry := fmt.Sprintf(`"manifests":[{"mediaType":%q,"digest":%q,"size":%d,"artifactType":%q}`, image, digestOf(manifest), len(manifest), ocimirror.ArtifactTypeStatement)
		if alone {
			return []byte(begin + entry + "]}")
		}
		return []byte(begin + entry + "," + rest)
	}})
}

func TestBrokenStatementsAreErrors(t *testing.T) {
	t.Parallel()
	signer, stranger := newSigner(t), newSigner(t)
	linux := freight(t, onLinux, "linux")
	good := attest(t, signer, linux)
	const begin = `{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","artifactType":"application/vnd.purveyor.provider.statement.v1",` +
		`"config":{"mediaType":"application/vnd.oci.empty.v1+json","digest":"sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a","size":2},"subject":INDEX,"layers":[`
	layer := func(mediaType, content string) string {
		return fmt.Sprintf(`{"mediaType":%q,"digest":%q,"size":%d}`, mediaType, digestOf(content), len(content))
	}
	sums, sig, key := layer("text/plain", string(good.Sums)), layer("application/pgp-signature", string(good.Signature)), layer("application/pgp-keys", good.Keys[0])
	other := layer("application/pgp-keys", stranger.Armored())
	layers := func(l ...string) string { return begin + strings.Join(l, ",") + "]}" }
	for name, test := range map[string]struct {
		manifest string
		is       func(error) bool
	}{
		"without sums":        {layers(sig, key), isMalformed},
		"without a signature": {layers(sums, key), isMalformed},
		"without keys":        {layers(sums, sig), isMalformed},
		"with two sums":       {layers(sums, sums, sig, key), isMalformed},
		"with null layers":    {begin + `null]}`, isMalformed},
		"with giant layers":   {layers(sums, `{"mediaType":"application/pgp-signature","digest":"`+digestOf(good.Signature)+`","size":1000000000000}`, key), isMalformed},
		"with a wrong size":   {layers(sums, `{"mediaType":"application/pgp-signature","digest":"`+digestOf(good.Signature)+`","size":1}`, key), isAnyError},
		"with a foreign key":  {layers(sums, sig, other), isSignatureError},
		"with swapped layers": {layers(layer("text/plain", string(good.Signature)), layer("application/pgp-signature", string(good.Sums)), key), isSignatureError},
	} {
		d := newDock(t, registrytest.OCI{})
		r := roverRelease(linux)
		r.Statement = &hashing.Statement{Sums: good.Sums, Signature: good.Signature, Keys: []string{good.Keys[0], stranger.Armored()}}
		index := d.push(r).Digest
		d.carry(index, test.manifest, true)
		if claims, err := d.claims(onLinux); err == nil || !test.is(err) {
			t.Errorf("a statement %s: %+v, %v", name, claims, err)
		}
		d.ClearFaults()
		d.carry(index, test.manifest, false)
		if claims, err := d.claims(onLinux); err != nil || claims.Signer == nil { // one that verifies is enough
			t.Errorf("a good statement beside one %s: %+v, %v", name, claims, err)
		}
	}
}

// A statement that does not verify is replaced by one that does, and by nothing else.
func TestBrokenStatementsAreReplaced(t *testing.T) {
	t.Parallel()
	signer, stranger := newSigner(t), newSigner(t)
	linux, darwin := freight(t, onLinux, "linux"), freight(t, onDarwin, "darwin")
	broken := *attest(t, signer, linux, darwin)
	d := newDock(t, registrytest.OCI{})
	r := roverRelease(linux)
	r.Statement = attest(t, signer, linux, darwin)
	r.Statement.Keys = append(r.Statement.Keys, stranger.Armored())
	index := d.push(r).Digest
	d.carry(index, fmt.Sprintf(`{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","artifactType":"application/vnd.purveyor.provider.statement.v1","subject":INDEX,"layers":[`+
		`{"mediaType":"text/plain","digest":%q,"size":%d},{"mediaType":"application/pgp-signature","digest":%q,"size":%d},{"mediaType":"application/pgp-keys","digest":%q,"size":%d}]}`,
		digestOf(broken.Sums), len(broken.Sums), digestOf(r.Statement.Signature), len(r.Statement.Signature), digestOf(stranger.Armored()), len(stranger.Armored())), true)

	_, err := d.target().Push(t.Context(), roverRelease(darwin))
	if !isSignatureError(err) || slices.Contains(d.platforms("1.0.0"), "darwin_arm64") {
		t.Errorf("the error is %v, and the index has %q", err, d.platforms("1.0.0"))
	}
	repair := roverRelease(darwin)
	repair.Statement = attest(t, signer, linux, darwin)
	if _, err := d.target().Push(t.Context(), repair); err != nil {
		t.Fatal(err)
	}
	d.ClearFaults()
	d.wantSigned(signer, linux, darwin)
}

func isAnyError(err error) bool { return err != nil }

func isMalformed(err error) bool { return errors.Is(err, sources.ErrMalformed) }

// A statement of which a part is lost is not taken for none.
func TestStatementsInParts(t *testing.T) {
	t.Parallel()
	d := newDock(t, registrytest.OCI{})
	linux := freight(t, onLinux, "linux")
	r := roverRelease(linux)
	r.Statement = attest(t, newSigner(t), linux)
	d.push(r)
	d.fault(registrytest.Fault{Kind: registrytest.KindOCIBlob, Path: digestOf(r.Statement.Signature), Status: http.StatusNotFound})
	if claims, err := d.claims(onLinux); err == nil || errors.Is(err, sources.ErrNotFound) {
		t.Errorf("claims are %+v, %v", claims, err)
	}
}

// A registry that cannot say whether there are statements is not taken for one that has none.
func TestReferrersThatAreNotTold(t *testing.T) {
	t.Parallel()
	for _, status := range []int{http.StatusInternalServerError, http.StatusForbidden, http.StatusUnauthorized} {
		d := newDock(t, registrytest.OCI{})
		d.push(roverRelease(freight(t, onLinux, "linux")))
		d.fault(registrytest.Fault{Kind: registrytest.KindOCIReferrers, Status: status})
		if claims, err := d.claims(onLinux); err == nil {
			t.Errorf("%d: claims are %+v", status, claims)
		}
	}
}

// Registries have several ways to say that they have no referrers API.
func TestReferrersThatAreUnknown(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]registrytest.Fault{
		"no such repository": {Status: 404, Body: []byte(`{"errors":[{"code":"NAME_UNKNOWN","message":"repository name not known to registry"}]}`)},
		"not allowed":        {Status: 405},
		"not implemented":    {Status: 501},
		"unsupported":        {Status: 400, Body: []byte(`{"errors":[{"code":"UNSUPPORTED","message":"The operation is unsupported."}]}`)},
		"a web page":         {Status: 200, Body: []byte(`<html>`), ContentType: "text/html"},
	} {
		d := newDock(t, registrytest.OCI{NoReferrers: true})
		answer.Kind = registrytest.KindOCIReferrers
		d.fault(answer)
		signer := newSigner(t)
		linux, darwin := freight(t, onLinux, "linux"), freight(t, onDarwin, "darwin")
		first, second := roverRelease(linux), roverRelease(darwin)
		first.Statement = attest(t, signer, linux, darwin)
		d.push(first)
		if pushed := d.push(second); !pushed.Signed {
			t.Errorf("%s: %+v", name, pushed)
		}
		d.wantSigned(signer, linux, darwin)
	}
}

func TestTooManyStatements(t *testing.T) {
	t.Parallel()
	d := newDock(t, registrytest.OCI{})
	linux := freight(t, onLinux, "linux")
	r := roverRelease(linux)
	var err error
	for range ocimirror.MaxStatements + 1 {
		r.Statement = attest(t, newSigner(t), linux)
		_, err = d.target().Push(t.Context(), r)
	}
	if !errors.Is(err, sources.ErrTooLarge) {
		t.Errorf("the error is %v", err)
	}
	if claims, err := d.claims(onLinux); err != nil || claims.Signer == nil {
		t.Errorf("claims are %+v, %v", claims, err)
	}
}

// A malformed statement is replaced like one that does not verify.
func TestMalformedStatementsAreReplaced(t *testing.T) {
	t.Parallel()
	signer := newSigner(t)
	linux, darwin := freight(t, onLinux, "linux"), freight(t, onDarwin, "darwin")
	for name, layers := range map[string]string{"no layers": "", "a thousand and one": strings.Repeat("{},", 1000) + "{}", "not a layer": "1"} {
		d := newDock(t, registrytest.OCI{})
		index := d.push(roverRelease(linux)).Digest
		d.carry(index, `{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","artifactType":"application/vnd.purveyor.provider.statement.v1","subject":INDEX,"layers":[`+layers+`]}`, true)
		if _, err := d.claims(onLinux); !isMalformed(err) {
			t.Errorf("%s: the error is %v", name, err)
		}
		if _, err := d.target().Push(t.Context(), roverRelease(darwin)); !isMalformed(err) {
			t.Errorf("%s: the error is %v", name, err)
		}
		repair := roverRelease(darwin)
		repair.Statement = attest(t, signer, linux, darwin)
		if _, err := d.target().Push(t.Context(), repair); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		d.ClearFaults()
		d.wantSigned(signer, linux, darwin)
	}
}

// A statement that nobody can find has not been published.
func TestStatementsThatAreNotShown(t *testing.T) {
	t.Parallel()
	const indexType = "application/vnd.oci.image.index.v1+json"
	linux := freight(t, onLinux, "linux")
	for name, unsigned := range map[string]bool{"with the packages": false, "later": true} {
		d := newDock(t, registrytest.OCI{})
		if unsigned {
			d.push(roverRelease(linux))
		}
		d.fault(registrytest.Fault{Kind: registrytest.KindOCIReferrers, ContentType: indexType,
			Body: []byte(`{"schemaVersion":2,"mediaType":"` + indexType + `","manifests":[]}`)})
		r := roverRelease(linux)
		r.Statement = attest(t, newSigner(t), linux)
		pushed, err := d.target().Push(t.Context(), r)
		var contended *ocimirror.ContendedError
		if !errors.As(err, &contended) {
			t.Errorf("%s: %+v, %v", name, pushed, err)
		}
	}
}

// withoutFile is an archive that is said to be there.
func withoutFile(a sources.Archive) sources.Archive {
	a.Path = ""
	return a
}

// What is there needs no files to get its signature, or another platform.
func TestStatementsForWhatIsThere(t *testing.T) {
	t.Parallel()
	d := newDock(t, registrytest.OCI{})
	signer := newSigner(t)
	linux, darwin := freight(t, onLinux, "linux"), freight(t, onDarwin, "darwin")
	d.push(roverRelease(linux))
	before := d.get("manifests/1.0.0")

	r := roverRelease(withoutFile(linux))
	if same := d.push(r); same.Signed || len(same.Present) != 1 || same.Uploaded.Count != 0 {
		t.Errorf("without anything new it was %+v", same)
	}
	r.Statement = attest(t, signer, linux, darwin)
	if signed := d.push(r); !signed.Signed || len(signed.Present) != 1 || len(signed.Added) != 0 {
		t.Errorf("the statement was %+v", signed)
	}
	if after := d.get("manifests/1.0.0"); string(after) != string(before) {
		t.Errorf("the index has become %s", after)
	}
	d.ResetRequests()
	if again := d.push(r); !again.Signed || len(d.written()) != 0 {
		t.Errorf("the second time it was %+v, with %v", again, d.written())
	}
	both := roverRelease(withoutFile(linux), darwin)
	both.Statement = r.Statement
	if pushed := d.push(both); !pushed.Signed || len(pushed.Present) != 1 || len(pushed.Added) != 1 {
		t.Errorf("with another platform it was %+v", pushed)
	}
	for _, on := range []sources.Platform{onLinux, onDarwin} {
		if claims, err := d.claims(on); err != nil || claims.Signer == nil || claims.Signer.Fingerprint != signer.Fingerprint() {
			t.Errorf("%s: %+v, %v", on, claims, err)
		}
	}
}

func TestWhatIsNotThereNeedsAFile(t *testing.T) {
	t.Parallel()
	d := newDock(t, registrytest.OCI{})
	other := freight(t, onLinux, "another")
	absent := roverRelease(withoutFile(freight(t, onLinux, "linux")), freight(t, onDarwin, "darwin"))
	for name, edits := range map[string][]func(*ocimirror.TargetConfig){"kept": nil, "replaced": {replacing}} {
		for _, there := range []bool{false, true} {
			if there {
				d.push(roverRelease(other))
			}
			d.ResetRequests()
			_, err := d.target(edits...).Push(t.Context(), absent)
			var release *sources.ReleaseError
			var conflict *sources.ConflictError
			if !errors.As(err, &release) && !errors.As(err, &conflict) || len(d.written()) != 0 {
				t.Errorf("%s, %v: %v, %v", name, there, err, d.written())
			}
		}
	}
}
