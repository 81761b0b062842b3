package literal_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"github.com/purveyor-dev/purveyor/internal/literal"
)

func TestTooDeep(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"a = [\"1\"]\nb {\n  c = \"2\"\n}\n":      false,
		strings.Repeat("a = []\n", 1000):          false,
		"a = " + strings.Repeat("[", 64):          false,
		"a = " + strings.Repeat("[", 65):          true,
		"a = " + strings.Repeat("!", 65) + "true": true,
		strings.Repeat("a = \"${b}\"\n", 65):      true,
	} {
		if at, deep := literal.TooDeep([]byte(text), "f"); deep != want || deep && at.Filename != "f" {
			t.Errorf("%.20q…: %v at %v", text, deep, at)
		}
	}
}

func TestText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{`"a"`: "a", `""`: "", `"${b}"`: "!", `b`: "!", `1`: "!"} {
		expr, diags := hclsyntax.ParseExpression([]byte(text), "f", hcl.InitialPos)
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		var p literal.Problems
		got, ok := p.Text(expr, "value")
		if !ok {
			got = "!"
		}
		if got != want || ok == p.Diags.HasErrors() {
			t.Errorf("%s is %q, %v", text, got, p.Diags)
		}
	}
}
