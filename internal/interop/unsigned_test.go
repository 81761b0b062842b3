package interop_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/purveyor-dev/purveyor/hashing/signature"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// tofu accepts releases without keys from its default registry, terraform from none: whoever asks registry.terraform.io
// must find the library as strict as terraform is.
func TestUnsignedReleasesAreAcceptedByBothOrNeither(t *testing.T) {
	withEach(t, func(t *testing.T, c cli) {
		w := newWorld(t, c, registrytest.Config{Releases: []registrytest.Release{
			{Provider: "acme/rocket", Version: "1.0.0", Platforms: everywhere, Unsigned: true},
		}})
		main := files{"main.tf": requires("acme/rocket")} // of the default registry
		theirs, ours := w.module(t, main), w.module(t, main)
		output, err := theirs.try(t.Context(), "init")
		_, ourErr := ours.init(ours).Run(t.Context())
		switch {
		case err != nil && !errors.Is(ourErr, signature.ErrUnsigned):
			t.Errorf("%s refused, we said %v:\n%s", c.name, ourErr, output)
		case err == nil && ourErr != nil:
			t.Errorf("%s accepted, we said %v", c.name, ourErr)
		case err == nil:
			if diff := cmp.Diff(theirs.locked(t), ours.locked(t)); diff != "" {
				t.Errorf("the lock file differs (-%s +ours):\n%s", c.name, diff)
			}
		}
	})
}
