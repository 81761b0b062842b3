package sources_test

import (
	"testing"

	"github.com/purveyor-dev/purveyor/sources"
)

func TestLayout(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ provider, version, path, archive string }{
		{
			"acme/rocket", "1.2",
			"registry.opentofu.org/acme/rocket/1.2.0/linux_amd64",
			"registry.opentofu.org/acme/rocket/terraform-provider-rocket_1.2.0_linux_amd64.zip",
		},
		{
			"bücher.example:8443/Verlag/Buch", "1.0.0-rc.1+build.7",
			"bücher.example:8443/verlag/buch/1.0.0-rc.1+build.7/linux_amd64",
			"bücher.example:8443/verlag/buch/terraform-provider-buch_1.0.0-rc.1+build.7_linux_amd64.zip",
		},
	} {
		p, v := sources.MustParseProvider(c.provider), sources.MustParseVersion(c.version)
		if got := sources.PackagePath(p, v, linux); got != c.path {
			t.Errorf("PackagePath = %s, want %s", got, c.path)
		}
		if got := sources.ArchivePath(p, v, linux); got != c.archive {
			t.Errorf("ArchivePath = %s, want %s", got, c.archive)
		}
	}
}
