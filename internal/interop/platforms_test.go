package interop_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

func TestLocksForSeveralPlatformsEqualTheClients(t *testing.T) {
	withEach(t, func(t *testing.T, c cli) {
		platforms := []string{"darwin_arm64", "linux_amd64", "linux_arm64", "windows_amd64"}
		const afterInit = "added to what init has recorded"
		for name, release := range map[string]registrytest.Release{
			afterInit:                           {Platforms: platforms},
			"all that there are":                {Platforms: platforms},
			"some of those that there are":      {Platforms: append(platforms, "freebsd_386"), Manifest: true},
			"a source that publishes h1 hashes": {Platforms: platforms, Packages: true},
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				release.Provider, release.Version = "acme/rocket", "1.2.3"
				w := newWorld(t, c, registrytest.Config{Releases: []registrytest.Release{release}})
				theirs := w.module(t, files{"main.tf": requires(rocket + " ~> 1.0")})
				ours := w.module(t, files{"main.tf": requires(rocket + " ~> 1.0")})

				if name == afterInit {
					theirs.run(t, "init")
					ours.install(t)
				}
				lockForPlatforms(t, theirs, ours, platforms)
				if diff := cmp.Diff(theirs.locked(t), ours.locked(t)); diff != "" {
					t.Errorf("the lock file differs (-%s +ours):\n%s", c.name, diff)
				}
			})
		}
	})
}

// lockForPlatforms lets them do it in one module and us in another.
func lockForPlatforms(t *testing.T, theirs, ours *module, platforms []string) {
	t.Helper()
	args := []string{"providers", "lock"}
	var parsed []sources.Platform
	for _, platform := range platforms {
		args = append(args, "-platform="+platform)
		p, err := sources.ParsePlatform(platform)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, p)
	}
	theirs.run(t, args...)
	if err := ours.init(ours).Lock(t.Context(), parsed...); err != nil {
		t.Fatal(err)
	}
}
