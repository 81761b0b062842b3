package sources_test

import (
	"errors"
	"testing"

	"github.com/purveyor-dev/purveyor/sources"
)

func TestErrorTexts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  error
		want string
	}{
		{
			&sources.Error{Op: "list versions", Source: "mirror", Provider: rocket, Err: sources.ErrNotFound},
			"mirror: cannot list versions of registry.opentofu.org/acme/rocket: not found",
		},
		{
			&sources.Error{Op: "describe package", Source: "mirror", Provider: rocket, Version: v1, Platform: linux, Err: sources.ErrUnavailable},
			"mirror: cannot describe package of registry.opentofu.org/acme/rocket 1.0.0 for linux_amd64: unavailable",
		},
		{
			&sources.Error{Op: "publish packages", Source: "mirror", Provider: rocket, Version: v1, Err: sources.ErrUnauthorized},
			"mirror: cannot publish packages of registry.opentofu.org/acme/rocket 1.0.0: unauthorized",
		},
		{&sources.Error{Op: "list packages", Source: "mirror", Err: sources.ErrUnavailable}, "mirror: cannot list packages: unavailable"},
		{&sources.FieldError{Field: "Config.Name", Problem: "is required"}, "Config.Name: is required"},
		{&sources.PlatformError{Platform: linux}, "no package for linux_amd64"},
		{
			&sources.PlatformError{Platform: linux, Available: []sources.Platform{windows, darwin}},
			"no package for linux_amd64; there are packages for darwin_arm64, windows_amd64",
		},
		{&sources.AbsentError{}, "no configured source includes this provider"},
		{&sources.AbsentError{Asked: []string{"a", "b"}}, "not found in a, b"},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("%T says %q, want %q", c.err, got, c.want)
		}
	}
}

func TestErrorKinds(t *testing.T) {
	t.Parallel()
	for _, err := range []error{&sources.PlatformError{}, &sources.AbsentError{}, &sources.Error{Err: sources.ErrNotFound}} {
		if !errors.Is(err, sources.ErrNotFound) || errors.Is(err, sources.ErrUnavailable) {
			t.Errorf("%T is not what it is", err)
		}
	}
}
