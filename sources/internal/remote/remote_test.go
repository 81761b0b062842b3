package remote_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/sources/internal/remote"
)

func TestWarningsAreFitToBeShown(t *testing.T) {
	t.Parallel()
	got := remote.Warnings([]string{"plain", "", "two\nlines", "\x1b[31mred\x07", strings.Repeat("long", 1000)})
	want := []string{"plain", "two lines", "[31mred", strings.Repeat("long", 250)}
	if !slices.Equal(got, want) {
		t.Errorf("warnings are %q, want %q", got, want)
	}
	if n := len(remote.Warnings(slices.Repeat([]string{"more"}, 10_000))); n > 100 {
		t.Errorf("%d warnings are shown", n)
	}
}

func TestOurOwnWarningsAreBounded(t *testing.T) {
	t.Parallel()
	few := []string{"a", "b"}
	if got := remote.Bounded(few); !slices.Equal(got, few) {
		t.Errorf("two warnings became %q", got)
	}
	many := remote.Bounded(slices.Repeat([]string{"more"}, 1_000_000))
	if len(many) > 30 || !strings.Contains(many[len(many)-1], "999980 more") {
		t.Errorf("a million warnings became %d, the last %q", len(many), many[len(many)-1])
	}
}
