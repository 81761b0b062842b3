package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// entries returns the first words of the lines of a table in the schema, all those under headings that begin so.
func entries(headings ...string) map[string]bool {
	found := map[string]bool{}
	inside := false
	for line := range strings.Lines(schema) {
		switch {
		case !strings.HasPrefix(line, " ") && line != "\n":
			inside = slices.ContainsFunc(headings, func(h string) bool { return strings.HasPrefix(line, h) })
		case inside && strings.HasPrefix(line, "  ") && !strings.HasPrefix(line, "   "):
			found[strings.Fields(line)[0]] = true
		}
	}
	return found
}

func same(t *testing.T, what string, documented, real map[string]bool) {
	t.Helper()
	if len(real) < 10 {
		t.Errorf("only %d %s were found", len(real), what)
	}
	for _, name := range slices.Sorted(maps.Keys(real)) {
		if !documented[name] {
			t.Errorf("of the %s, %q is not documented", what, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(documented)) {
		if !real[name] {
			t.Errorf("of the %s, %q is documented, and there is none", what, name)
		}
	}
}

func TestTheSchemaHasAllFields(t *testing.T) {
	t.Parallel()
	real := map[string]bool{}
	for field := range fieldsOf(reflect.TypeFor[record]()) {
		real[field] = true
	}
	same(t, "fields", entries("Fields"), real)
}

func fieldsOf(of reflect.Type) map[string]bool {
	names := map[string]bool{}
	for i := range of.NumField() {
		if name, _, _ := strings.Cut(of.Field(i).Tag.Get("json"), ","); name != "" {
			names[name] = true
		}
	}
	return names
}

// TestTheSchemaHasAllEvents: the installer's, but for "failed", which has another meaning here, and those that this program's
// source has.
func TestTheSchemaHasAllEvents(t *testing.T) {
	t.Parallel()
	real := constantsOf(t, filepath.Join("..", "..", "installer", "event.go"), "EventKind")
	own := regexp.MustCompile(`\bEvent: +"([a-z-]+)"|\bevent :?= "([a-z-]+)"|\br\.Event(?:, r\.Platform)? = "([a-z-]+)"|cachedRecord\("([a-z-]+)"`)
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range own.FindAllStringSubmatch(string(text), -1) {
			real[strings.Join(found[1:], "")] = true
		}
	}
	same(t, "events", entries("Events", "Results"), real)
}

// constantsOf returns the values of a file's constants of a type.
func constantsOf(t *testing.T, path, of string) map[string]bool {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok {
			if name, ok := spec.Type.(*ast.Ident); ok && name.Name == of {
				values[strings.Trim(spec.Values[0].(*ast.BasicLit).Value, `"`)] = true
			}
		}
		return true
	})
	return values
}

// TestTheSchemaIsInThePackageComment, where Go's readers look.
func TestTheSchemaIsInThePackageComment(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(schema) {
		line = strings.TrimSuffix(line, "\n")
		comment := "// " + line
		if table, ok := strings.CutPrefix(line, "  "); ok {
			comment = "//\t" + table
		}
		if line != "" && !strings.Contains(string(text), "\n"+comment+"\n") {
			t.Errorf("doc.go lacks the line %q", line)
		}
	}
}
