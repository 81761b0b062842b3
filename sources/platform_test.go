package sources_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/sources"
)

func ExampleParsePlatform() {
	p, err := sources.ParsePlatform("linux_arm64")
	fmt.Println(p.OS, p.Arch, err)
	_, err = sources.ParsePlatform("linux/arm64")
	fmt.Println(err)
	// Output:
	// linux arm64 <nil>
	// invalid platform "linux/arm64": a platform has the form os_arch, in lower-case letters and digits, like linux_amd64
}

func TestParsePlatform(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"linux_amd64", "windows_386", "plan9_arm", "templeos_6502"} {
		if p, err := sources.ParsePlatform(s); err != nil || p.String() != s {
			t.Errorf("ParsePlatform(%q) = %q, %v", s, p, err)
		}
	}
}

func TestParsePlatformRefuses(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"", "_", "linux", "linux_", "_amd64", "linux_amd64_v1", "linux__amd64", "Linux_amd64", "linux amd64", "linux_amd64 ",
		"../.._..", "linux_..", "linux_a/b", `linux_a\b`, "linux_a.b", "línux_amd64", "linux_amd64\n", "linux_amd64\x00",
	} {
		p, err := sources.ParsePlatform(s)
		var refused *sources.PlatformSyntaxError
		if !errors.As(err, &refused) || refused.Input != s || !p.IsZero() {
			t.Errorf("ParsePlatform(%q) = %q, %v, want a *PlatformSyntaxError", s, p, err)
		}
	}
}

func TestCurrentPlatformIsValid(t *testing.T) {
	t.Parallel()
	current := sources.CurrentPlatform()
	if got, err := sources.ParsePlatform(runtime.GOOS + "_" + runtime.GOARCH); err != nil || got != current {
		t.Errorf("the current platform is %q; its text is %q, %v", current, got, err)
	}
}

func TestPlatformOrder(t *testing.T) {
	t.Parallel()
	platforms := []sources.Platform{{"windows", "386"}, {"linux", "arm64"}, {"linux", "amd64"}, {"darwin", "arm64"}}
	slices.SortFunc(platforms, sources.Platform.Compare)
	if got := fmt.Sprint(platforms); got != "[darwin_arm64 linux_amd64 linux_arm64 windows_386]" {
		t.Errorf("sorted: %s", got)
	}
}

func TestPlatformAsText(t *testing.T) {
	t.Parallel()
	in := []sources.Platform{{OS: "linux", Arch: "amd64"}, {}}
	text, err := json.Marshal(in)
	if err != nil || string(text) != `["linux_amd64",""]` {
		t.Fatalf("marshalled: %s, %v", text, err)
	}
	var out []sources.Platform
	if err := json.Unmarshal(text, &out); err != nil || !slices.Equal(out, in) {
		t.Errorf("unmarshalled: %v, %v, want %v", out, err, in)
	}
	var refused *sources.PlatformSyntaxError
	if err := json.Unmarshal([]byte(`["linux"]`), &out); !errors.As(err, &refused) {
		t.Errorf("got error %v, want a *PlatformSyntaxError", err)
	}
}

func FuzzParsePlatform(f *testing.F) {
	for _, seed := range []string{"linux_amd64", "_", "a_b_c", "..", "a_", "A_b", "ａ_b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := sources.ParsePlatform(s)
		if err != nil {
			return
		}
		if p.String() != s || strings.Count(s, "_") != 1 || strings.ContainsAny(s, "./\\: ") {
			t.Errorf("ParsePlatform(%q) = %q", s, p)
		}
	})
}
