package hostname_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/internal/hostname"
)

func TestLabel(t *testing.T) {
	t.Parallel()
	for input, want := range map[string]string{
		"aws":                   "aws",
		"AzureRM":               "azurerm",
		"google-beta":           "google-beta",
		"1password":             "1password",
		"123":                   "123",
		"a-b-c":                 "a-b-c",
		"ａｗｓ":                   "aws",
		"ﬁle":                   "file",
		"Bu\u0308cher":          "bücher",
		"straße":                "straße",
		strings.Repeat("a", 99): strings.Repeat("a", 99),
	} {
		if got, err := hostname.Label(input); err != nil || got != want {
			t.Errorf("Label(%q) = %q, %v, want %q", input, got, err, want)
		}
	}
}

func TestLabelRefuses(t *testing.T) {
	t.Parallel()
	for input, reason := range map[string]string{
		"":              "empty",
		"\u00ad":        "only letters",
		"a.b":           "dots",
		".":             "dots",
		"..":            "dots",
		"．．":            "dots", // would be ".." in a path
		"a。b":           "dots",
		"a--b":          "two dashes",
		"a－－b":          "two dashes",
		"xn--bcher-kva": "two dashes",
		"x\u00adn--a":   "two dashes",
		"-a":            "beginning or end",
		"a-":            "beginning or end",
		"a_b":           "only letters",
		"a b":           "only letters",
		"a/b":           "only letters",
		`a\b`:           "only letters",
		"*":             "only letters",
		"a\x00":         "only letters",
		"\xff":          "only letters",
		"?":             "only letters",
	} {
		_, err := hostname.Label(input)
		var refused *hostname.Error
		if !errors.As(err, &refused) || !strings.Contains(refused.Reason, reason) {
			t.Errorf("Label(%q): got error %v, want %q", input, err, reason)
		}
	}
}

// Labels are stable and safe in paths.
func FuzzLabel(f *testing.F) {
	for _, seed := range []string{"aws", "google-beta", "．．", "xn--a", "ﬁle", "straße", "\u00ad", "a\u200d", "½", "\xff"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		label, err := hostname.Label(s)
		if err != nil {
			return
		}
		if again, err := hostname.Label(label); err != nil || again != label {
			t.Errorf("Label(%q) = %q, of which again %q, %v", s, label, again, err)
		}
		if label == "" || strings.ContainsAny(label, "./\\:*_ \x00") || strings.Contains(label, "--") {
			t.Errorf("Label(%q) = %q, which is no label", s, label)
		}
	})
}
