package interop_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// A registry without keys is the default registry's privilege, for tofu and for the library. terraform asks every
// registry for keys; then there is nothing to compare, but it must not be stricter than we are elsewhere.
func TestUnsignedReleasesAreRecordedAlike(t *testing.T) {
	withEach(t, func(t *testing.T, c cli) {
		w := newWorld(t, c, registrytest.Config{Releases: []registrytest.Release{
			{Provider: "acme/rocket", Version: "1.0.0", Platforms: everywhere, Unsigned: true},
		}})
		theirs, ours := w.module(t, files{"main.tf": requires("acme/rocket")}), w.module(t, files{"main.tf": requires("acme/rocket")})
		output, err := theirs.try(t.Context(), "init")
		t.Log(output, err)
		ours.install(t)
		if err == nil {
			if diff := cmp.Diff(theirs.locked(t), ours.locked(t)); diff != "" {
				t.Errorf("the lock file differs (-%s +ours):\n%s", c.name, diff)
			}
		}
	})
}
