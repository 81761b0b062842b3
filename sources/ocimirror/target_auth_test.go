package ocimirror_test

import (
	"context"
	"errors"
	"io"
	"log"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/registry"

	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/ocimirror"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// badge is one user's password, wherever it is asked for.
type badge struct{ user, password string }

func (b badge) Credential(context.Context, string, string) (ocimirror.Credential, error) {
	return ocimirror.Credential{Username: b.user, Password: sources.Token(b.password)}, nil
}

func wearing(b badge) func(*ocimirror.TargetConfig) {
	return func(c *ocimirror.TargetConfig) { c.Credentials = b }
}

func TestPublishersAuthenticate(t *testing.T) {
	t.Parallel()
	for name, auth := range map[string]registrytest.OCIAuth{
		"by password":                 {Scheme: registrytest.OCIBasic},
		"by token":                    {Scheme: registrytest.OCIBearer},
		"by a token of another place": {Scheme: registrytest.OCIBearer, TokenHost: "localhost"},
	} {
		auth.Users = map[string]string{"writer": "open sesame", "reader": "only looking"}
		auth.Allow = func(user, _, action string) bool { return user == "writer" || user == "reader" && action == "pull" }
		d := newDock(t, registrytest.OCI{Auth: auth})
		signer := newSigner(t)
		linux := freight(t, onLinux, strings.Repeat("linux", 100_000))
		r := roverRelease(linux)
		r.Statement = attest(t, signer, linux)

		for _, b := range []badge{{}, {"writer", "wrong"}, {"reader", "only looking"}} {
			_, err := d.target(wearing(b)).Push(t.Context(), r)
			if !errors.Is(err, sources.ErrUnauthorized) || b.password != "" && strings.Contains(err.Error(), b.password) {
				t.Errorf("%s, as %q: %v", name, b.user, err)
			}
		}
		pushed, err := d.target(wearing(badge{"writer", "open sesame"})).Push(t.Context(), r)
		if err != nil || len(pushed.Added) != 1 || !pushed.Signed {
			t.Errorf("%s: %+v, %v", name, pushed, err)
		}
	}
}

// The registry of another make: it has other answers here and there, and lists a referrer by the type of its config.
func TestAnotherRegistry(t *testing.T) {
	t.Parallel()
	for name, option := range map[string]registry.Option{
		"with referrers":    registry.WithReferrersSupport(true),
		"without referrers": registry.WithReferrersSupport(false),
	} {
		srv := httptest.NewTLSServer(registry.New(option, registry.Logger(log.New(io.Discard, "", 0))))
		defer srv.Close()
		config := ocimirror.Config{
			Repository: func(sources.Provider) (string, string, error) {
				return srv.Listener.Addr().String(), roverRepository, nil
			},
			Client: srv.Client(),
		}
		publish := func(r sources.Release) *sources.Pushed {
			target, err := ocimirror.NewTarget(ocimirror.TargetConfig{Config: config})
			if err != nil {
				t.Fatal(err)
			}
			pushed, err := target.Push(t.Context(), r)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			return pushed
		}
		signer := newSigner(t)
		linux, darwin := freight(t, onLinux, "linux"), freight(t, onDarwin, "darwin")
		first, second := roverRelease(linux), roverRelease(darwin)
		first.Statement = attest(t, signer, linux, darwin)
		publish(first)
		if pushed := publish(second); !pushed.Signed {
			t.Errorf("%s: %+v", name, pushed)
		}
		source, err := ocimirror.New(config)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range []sources.Archive{linux, darwin} {
			pkg, err := source.Package(t.Context(), rover, rover1, a.Platform)
			if err != nil {
				t.Fatal(err)
			}
			claims, err := pkg.Claims(t.Context())
			if err != nil || claims.Signer == nil || claims.Signer.Fingerprint != signer.Fingerprint() {
				t.Errorf("%s: %+v, %v", name, claims, err)
			}
		}
	}
}
