package interop_test

import (
	"errors"
	"testing"

	"github.com/purveyor-dev/purveyor/installer"
)

func TestBothRefuseToChangeAReadonlyLockFile(t *testing.T) {
	withEach(t, func(t *testing.T, c cli) {
		for name, main := range map[string]string{
			"a provider more": requires(rocket, "hashicorp/alpha"),
			"a provider less": "\n",
		} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				m := twoProviders(t, c).module(t, files{"main.tf": requires(rocket)})
				m.install(t)
				m.write(t, files{"main.tf": main})
				unchanged(t, m, func() {
					if output, err := m.try(t.Context(), "init", "-lockfile=readonly"); err == nil {
						t.Errorf("%s succeeded:\n%s", c.name, output)
					}
					init := m.init(m)
					init.Readonly = true
					var readonly *installer.ReadonlyError
					if _, err := init.Run(t.Context()); !errors.As(err, &readonly) {
						t.Errorf("we said %v", err)
					}
				})
			})
		}
	})
}
