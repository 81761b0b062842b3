package registrytest_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

func TestJSONEdits(t *testing.T) {
	t.Parallel()
	const doc = `{"a":[{"b":1},{"b":12345678901234567890}],"c/d~e":"x"}`
	for name, tt := range map[string]struct {
		edit func([]byte) []byte
		want string
	}{
		"member":          {registrytest.SetJSON("/a/0/b", "y"), `{"a":[{"b":"y"},{"b":12345678901234567890}],"c/d~e":"x"}`},
		"new member":      {registrytest.SetJSON("/a/0/c", true), `{"a":[{"b":1,"c":true},{"b":12345678901234567890}],"c/d~e":"x"}`},
		"null":            {registrytest.SetJSON("/a", nil), `{"a":null,"c/d~e":"x"}`},
		"document":        {registrytest.SetJSON("", nil), `null`},
		"element":         {registrytest.SetJSON("/a/1", json.RawMessage("1e999")), `{"a":[{"b":1},1e999],"c/d~e":"x"}`},
		"new element":     {registrytest.SetJSON("/a/-", 3), `{"a":[{"b":1},{"b":12345678901234567890},3],"c/d~e":"x"}`},
		"escapes":         {registrytest.SetJSON("/c~1d~0e", 1), `{"a":[{"b":1},{"b":12345678901234567890}],"c/d~e":1}`},
		"delete member":   {registrytest.DeleteJSON("/c~1d~0e"), `{"a":[{"b":1},{"b":12345678901234567890}]}`},
		"delete element":  {registrytest.DeleteJSON("/a/0"), `{"a":[{"b":12345678901234567890}],"c/d~e":"x"}`},
		"copy":            {registrytest.CopyJSON("/a/1", "/a/-"), `{"a":[{"b":1},{"b":12345678901234567890},{"b":12345678901234567890}],"c/d~e":"x"}`},
		"several":         {registrytest.Edits(registrytest.SetJSON("/a", 1), registrytest.SetJSON("/z", 2)), `{"a":1,"c/d~e":"x","z":2}`},
		"no edits":        {registrytest.Edits(), doc},
		"no member":       {registrytest.SetJSON("/b/c", 1), ""},
		"no element":      {registrytest.SetJSON("/a/2", 1), ""},
		"below a string":  {registrytest.SetJSON("/c~1d~0e/x", 1), ""},
		"below no index":  {registrytest.SetJSON("/a/x", 1), ""},
		"delete nothing":  {registrytest.DeleteJSON("/x"), ""},
		"copy nothing":    {registrytest.CopyJSON("/x", "/y"), ""},
		"no pointer":      {registrytest.SetJSON("a", 1), ""},
		"no value":        {registrytest.SetJSON("/a", func() {}), ""},
		"error and again": {registrytest.Edits(registrytest.DeleteJSON("/x"), registrytest.SetJSON("/a", 1)), ""},
	} {
		for range 2 { // an edit may be used again
			got := string(tt.edit([]byte(doc)))
			if tt.want != "" && got != tt.want || tt.want == "" && !strings.HasPrefix(got, "registrytest: cannot edit") {
				t.Errorf("%s: got %s", name, got)
			}
		}
	}
}

func FuzzSetJSON(f *testing.F) {
	f.Add(`{"a":[1]}`, "/a/-")
	f.Add(`[[]]`, "/0/0")
	f.Add(`null`, "")
	f.Fuzz(func(t *testing.T, doc, pointer string) {
		for _, edit := range []func([]byte) []byte{
			registrytest.SetJSON(pointer, 1), registrytest.DeleteJSON(pointer), registrytest.CopyJSON(pointer, pointer),
		} {
			if out := edit([]byte(doc)); !json.Valid(out) && !strings.HasPrefix(string(out), "registrytest: ") {
				t.Errorf("got %q", out)
			}
		}
	})
}
