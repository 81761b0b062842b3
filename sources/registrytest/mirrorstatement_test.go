package registrytest_test

import (
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/hashing/signature"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

type statementDoc struct {
	Statement *struct {
		Sums      string   `json:"shasums_url"`
		Signature string   `json:"shasums_signature_url"`
		Keys      []string `json:"signing_keys_urls"`
	} `json:"origin_statement"`
}

// kept fetches what the mirror keeps of acme/alpha 1.0.0, and whether that is a good signature over the registry's sums.
func kept(t *testing.T, s *registrytest.Server) statementDoc {
	t.Helper()
	base, err := url.Parse(s.MirrorURL() + alphaMirror + "1.0.0.json")
	if err != nil {
		t.Fatal(err)
	}
	doc := decode[statementDoc](t, good(t, s.Client(), base.String()).body)
	if doc.Statement == nil {
		return doc
	}
	part := func(reference string) []byte {
		u, err := base.Parse(reference)
		if err != nil {
			t.Fatal(err)
		}
		return good(t, s.Client(), u.String()).body
	}
	var keys []string
	for _, reference := range doc.Statement.Keys {
		keys = append(keys, string(part(reference)))
	}
	sums := part(doc.Statement.Sums)
	if _, err := signature.Verify(sums, part(doc.Statement.Signature), keys, s.Requests()[0].Start); err != nil {
		t.Error(err)
	}
	if want := good(t, s.Client(), s.URL()+path.Dir(alphaArchive)+"/terraform-provider-alpha_1.0.0_SHA256SUMS").body; string(sums) != string(want) {
		t.Errorf("the mirror's sums are %q, the registry's %q", sums, want)
	}
	return doc
}

func TestMirrorsKeepWhatTheOriginSigned(t *testing.T) {
	t.Parallel()
	keep := func(r *registrytest.Release) {
		r.MirrorStatement, r.ExtraKeys = true, []*registrytest.Signer{newSigner(t, registrytest.SignerOptions{})}
	}
	s := serveAlpha(t, keep)
	doc := kept(t, s)
	if doc.Statement == nil || len(doc.Statement.Keys) != 2 || strings.Contains(doc.Statement.Sums, "/") {
		t.Fatalf("the member is %+v", doc.Statement)
	}
	for kind, want := range map[registrytest.Kind]int{registrytest.KindSums: 2, registrytest.KindSignature: 1, registrytest.KindKey: 2} {
		if got := s.Count(kind); got != want { // the sums were fetched from the registry, too
			t.Errorf("%d requests for a %s", got, kind)
		}
	}

	dir := filepath.Join(written(t, s, registrytest.Packed, "registry.example.com/acme/alpha"), filepath.FromSlash(alphaMirror))
	for _, name := range append([]string{doc.Statement.Sums, doc.Statement.Signature}, doc.Statement.Keys...) {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, "1.0.0.json"))
	if err != nil {
		t.Fatal(err)
	}
	if onDisk := decode[statementDoc](t, data); onDisk.Statement == nil || !slices.Equal(onDisk.Statement.Keys, doc.Statement.Keys) {
		t.Errorf("the member on disk is %+v", onDisk.Statement)
	}
}

func TestMirrorsKeepNothingUnasked(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*registrytest.Release){
		"not asked": func(*registrytest.Release) {},
		"unsigned":  func(r *registrytest.Release) { r.MirrorStatement, r.Unsigned = true, true },
	} {
		if doc := kept(t, serveAlpha(t, change)); doc.Statement != nil {
			t.Errorf("%s: the member is %+v", name, doc.Statement)
		}
	}
}

func TestMirroredStatementsGoWrong(t *testing.T) {
	t.Parallel()
	stranger := newSigner(t, registrytest.SignerOptions{})
	s := serveAlpha(t, func(r *registrytest.Release) { r.MirrorStatement = true })
	doc := kept(t, s)
	fetch := func(name string) response { return get(t, s.Client(), s.MirrorURL()+alphaMirror+name) }
	genuine := fetch(doc.Statement.Signature)
	for _, f := range []registrytest.Fault{{WrongSigner: stranger}, {Kind: registrytest.KindKey, Status: http.StatusNotFound}} {
		if err := s.AddFault(f); err != nil {
			t.Fatal(err)
		}
	}
	if forged := fetch(doc.Statement.Signature); forged.status != http.StatusOK || string(forged.body) == string(genuine.body) {
		t.Errorf("the signature is the genuine one, or %d", forged.status)
	}
	if key := fetch(doc.Statement.Keys[0]); key.status != http.StatusNotFound {
		t.Errorf("the key's status is %d", key.status)
	}
}
