package mirrorjson_test

import (
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/internal/mirrorjson"
)

func TestHome(t *testing.T) {
	t.Parallel()
	got, err := mirrorjson.Home("mirror", sources.MustParseProvider("bücher.example.com/Acme/rocket"))
	if want := filepath.Join("mirror", "xn--bcher-kva.example.com", "acme", "rocket"); got != want || err != nil {
		t.Errorf("home is %s, error %v", got, err)
	}
	if _, err := mirrorjson.Home("mirror", sources.Provider{}); err == nil {
		t.Error("no provider has a home")
	}
	_, err = mirrorjson.Home("mirror", sources.MustParseProvider("registry.example.com:8443/acme/rocket"))
	if (err != nil) != (runtime.GOOS == "windows") || err != nil && strings.Contains(err.Error(), "rocket") { // whoever asks names it
		t.Errorf("a host with a port: error %v", err)
	}
}

func TestParseArchiveName(t *testing.T) {
	t.Parallel()
	rocket := sources.MustParseProvider("registry.example.com/acme/rocket")
	for name, want := range map[string]bool{
		"terraform-provider-rocket_1.0.0_linux_amd64.zip":          true,
		"terraform-provider-rocket_1.0.0-rc1+x_linux_amd64.zip":    true,
		"terraform-provider-rocket_1.0_linux_amd64.zip":            false,
		"terraform-provider-rocket_1.0.0_Linux_amd64.zip":          false,
		"terraform-provider-rocket_1.0.0_linux_amd64_v1.zip":       false,
		"terraform-provider-rocket_1.0.0_linux_amd64.zip.zip":      false,
		"terraform-provider-rocket_1.0.0_linux_amd64.ZIP":          false,
		"terraform-provider-rocket_1.0.0_linux_amd64":              false,
		"terraform-provider-rockets_1.0.0_linux_amd64.zip":         false,
		"rocket_1.0.0_linux_amd64.zip":                             false,
		"terraform-provider-rocket_1.0.0_../../etc_amd64.zip":      false,
		"terraform-provider-rocket_../../1.0.0_linux_amd64.zip":    false,
		"terraform-provider-rocket_1.0.0_linux_amd64.zip/../x.zip": false,
		"": false,
	} {
		v, on, ok := mirrorjson.ParseArchiveName(name, rocket)
		if ok != want || ok && sources.ArchiveName(rocket, v, on) != name {
			t.Errorf("%s: version %s, platform %s, %v", name, v, on, ok)
		}
	}
}

func FuzzParseArchiveName(f *testing.F) {
	rocket := sources.MustParseProvider("registry.example.com/acme/rocket")
	f.Add("terraform-provider-rocket_1.0.0_linux_amd64.zip")
	f.Fuzz(func(t *testing.T, name string) {
		if v, on, ok := mirrorjson.ParseArchiveName(name, rocket); ok && sources.ArchiveName(rocket, v, on) != name {
			t.Errorf("%q is %s for %s", name, v, on)
		}
	})
}
