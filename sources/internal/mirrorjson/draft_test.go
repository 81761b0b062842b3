package mirrorjson_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/internal/mirrorjson"
)

func index(t *testing.T, text string) *mirrorjson.IndexDraft {
	t.Helper()
	d, err := mirrorjson.ParseIndexDraft([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestIndexDrafts(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ before, added, removed string }{
		"nothing":         {``, `{"versions":{"1.0.0":{}}}`, `{"versions":{}}`},
		"null":            {`null`, `{"versions":{"1.0.0":{}}}`, `{"versions":{}}`},
		"null versions":   {`{"versions":null}`, `{"versions":{"1.0.0":{}}}`, `{"versions":{}}`},
		"others":          {`{"x":[1.0],"versions":{"0.1.0":{"y":null}}}`, `{"versions":{"0.1.0":{"y":null},"1.0.0":{}},"x":[1.0]}`, `{"versions":{"0.1.0":{"y":null}},"x":[1.0]}`},
		"listed":          {`{"versions":{"1.0.0":{"y":1}}}`, `{"versions":{"1.0.0":{"y":1}}}`, `{"versions":{}}`},
		"oddly spelled":   {`{"versions":{"1":{"y":1},"1.0":{},"v1":{}}}`, `{"versions":{"1.0.0":{},"v1":{}}}`, `{"versions":{"v1":{}}}`},
		"other case":      {`{"Versions":{"0.1.0":{}}}`, `{"versions":{"0.1.0":{},"1.0.0":{}}}`, `{"versions":{"0.1.0":{}}}`},
		"two spellings":   {`{"versions":{"1.0":{"y":1},"1.0.0":{"y":2}}}`, `{"versions":{"1.0.0":{"y":2}}}`, `{"versions":{}}`},
		"escaped as ever": {`{"x":"<>"}`, `{"versions":{"1.0.0":{}},"x":"\u003c\u003e"}`, `{"versions":{},"x":"\u003c\u003e"}`},
	} {
		d := index(t, test.before)
		d.Add(v1)
		if diff := cmp.Diff(indented(t, test.added), string(d.Bytes())); diff != "" {
			t.Errorf("%s: added (-want, +got): %s", name, diff)
		}
		d.Remove(v1)
		if diff := cmp.Diff(indented(t, test.removed), string(d.Bytes())); diff != "" {
			t.Errorf("%s: removed (-want, +got): %s", name, diff)
		}
		if want := test.removed == `{"versions":{}}`; d.IsEmpty() != want {
			t.Errorf("%s: empty is %v", name, d.IsEmpty())
		}
	}
	if got := index(t, `{"versions":{"1.0.0":{},"1":{},"2":{}}}`).Spellings(v1); !slices.Equal(got, []string{"1", "1.0.0"}) {
		t.Errorf("spellings are %q", got)
	}
}

func indented(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(text), "", "  "); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestVersionDrafts(t *testing.T) {
	t.Parallel()
	d, err := mirrorjson.ParseVersionDraft([]byte(`{"archives":{"darwin_arm64":{"url":"d.zip","size":10000000000000000001},"linux_amd64":7,"x":null},"origin_statement":3,"z":{}}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := d.Platforms(); !slices.Equal(got, []sources.Platform{darwin, linux}) {
		t.Errorf("platforms are %v", got)
	}
	if d.Statement() != nil || d.Archive(linux).URL != "" || d.Archive(darwin).URL != "d.zip" {
		t.Errorf("the draft says %+v, %+v, %+v", d.Statement(), d.Archive(linux), d.Archive(darwin))
	}
	for _, on := range []sources.Platform{linux, darwin} {
		d.SetArchive(on, mirrorjson.Archive{URL: on.OS, Hashes: []string{"h1:1"}})
	}
	d.SetStatement(&mirrorjson.Statement{Sums: "a", Signature: "b", Keys: []string{"c"}})
	want := indented(t, `{"archives":{"darwin_arm64":{"hashes":["h1:1"],"size":10000000000000000001,"url":"darwin"},"linux_amd64":{"hashes":["h1:1"],"url":"linux"},"x":null},`+
		`"origin_statement":{"shasums_url":"a","shasums_signature_url":"b","signing_keys_urls":["c"]},"z":{}}`)
	if diff := cmp.Diff(want, string(d.Bytes())); diff != "" {
		t.Errorf("the document (-want, +got): %s", diff)
	}
	if d.Statement().Sums != "a" {
		t.Errorf("the statement is %+v", d.Statement())
	}
	d.SetStatement(nil)
	d.RemoveArchive(linux)
	d.RemoveArchive(darwin)
	if d.Statement() != nil || d.IsEmpty() {
		t.Error("there is a statement, or what nobody knows is gone")
	}
}

func TestDocumentsThatAreNone(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`[]`, `"x"`, `{`, `{} {}`, `{"versions":[],"archives":[]}`, `7`} {
		if _, err := mirrorjson.ParseIndexDraft([]byte(text)); err == nil {
			t.Errorf("the index %s was accepted", text)
		}
		if _, err := mirrorjson.ParseVersionDraft([]byte(text)); err == nil {
			t.Errorf("the version %s was accepted", text)
		}
	}
}

// What was written once is written the same again, and still says everything.
func FuzzDrafts(f *testing.F) {
	f.Add([]byte(`{"versions":{"1.0":{},"x":null},"y":[1,{}]}`))
	f.Add([]byte(`{"Archives":{"linux_amd64":{"hAshes":[100000]}},"origin_Statement":null}`))
	f.Add([]byte(`{"archives":{"linux_amd64":{"url":"x.zip","hashes":["h1:x"]},"darwin_arm64":null},"origin_statement":{"shasums_url":"s"}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if d, err := mirrorjson.ParseIndexDraft(data); err == nil {
			d.Add(v1)
			once := d.Bytes()
			again, err := mirrorjson.ParseIndexDraft(once)
			if err != nil || !bytes.Equal(again.Bytes(), once) {
				t.Errorf("%s becomes %s, %v", data, once, err)
			}
		}
		if d, err := mirrorjson.ParseVersionDraft(data); err == nil {
			d.SetArchive(linux, mirrorjson.Archive{URL: "x", Hashes: []string{"y"}})
			_, _ = d.Statement(), d.Platforms()
			once := d.Bytes()
			again, err := mirrorjson.ParseVersionDraft(once)
			if err != nil || !bytes.Equal(again.Bytes(), once) || again.Archive(linux).URL != "x" {
				t.Errorf("%s becomes %s, %v", data, once, err)
			}
		}
	})
}
