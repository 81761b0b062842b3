package sources_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/purveyor-dev/purveyor/sources"
)

// Only absence moves on, unless a rule says otherwise: an outage must not make other versions look like the newest.
func TestChainStopsAtFailures(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		chain sources.Chain
		want  error
	}{
		{"outage", chain(fails("a", errDown), holds("b", "1.0.0")), sources.ErrUnavailable},
		{"refusal", chain(fails("a", errRefused), holds("b", "1.0.0")), sources.ErrUnauthorized},
		{"malformed", chain(fails("a", sources.ErrMalformed), holds("b", "1.0.0")), sources.ErrMalformed},
		{"refusal is no outage", sources.Chain{passing(fails("a", errRefused)), {Source: holds("b", "1.0.0")}}, sources.ErrUnauthorized},
		{"malformed is no outage", sources.Chain{passing(fails("a", sources.ErrMalformed)), {Source: holds("b", "1.0.0")}}, sources.ErrMalformed},
		{"after absence", chain(holds("a"), fails("b", errDown), holds("c", "1.0.0")), sources.ErrUnavailable},
		{"after an outage passed over", sources.Chain{passing(fails("a", errDown)), {Source: fails("b", errRefused)}}, sources.ErrUnauthorized},
	} {
		if c.name != "after absence" { // a lists nothing, which is an answer
			if listing, err := c.chain.Versions(t.Context(), rocket); !errors.Is(err, c.want) {
				t.Errorf("%s: listing = %v, %v; want %v", c.name, listing, err, c.want)
			}
		}
		if pkg, err := c.chain.Package(t.Context(), rocket, v1, linux); !errors.Is(err, c.want) || errors.Is(err, sources.ErrNotFound) {
			t.Errorf("%s: package = %v, %v; want %v", c.name, pkg, err, c.want)
		}
	}
}

func TestOutagesThatArePassedOver(t *testing.T) {
	t.Parallel()
	c := sources.Chain{passing(fails("a", errDown)), passing(holds("b", "1.0.0"))}
	listing, err := c.Versions(t.Context(), rocket)
	if err != nil || len(listing.Versions) != 1 {
		t.Fatalf("listing = %v, %v", listing, err)
	}
	if len(listing.Warnings) != 1 || !strings.Contains(listing.Warnings[0], "a: no route") {
		t.Errorf("warnings = %q, want one about a", listing.Warnings)
	}
	// If nobody has it, nobody can say that it is absent: the source that is down may have it.
	c = sources.Chain{passing(fails("a", errDown)), passing(&shelf{name: "b"})}
	if _, err := c.Versions(t.Context(), rocket); !errors.Is(err, sources.ErrUnavailable) || errors.Is(err, sources.ErrNotFound) {
		t.Errorf("error = %v, want the outage", err)
	}
	if _, err := c.Package(t.Context(), rocket, v1, linux); !errors.Is(err, sources.ErrUnavailable) || errors.Is(err, sources.ErrNotFound) {
		t.Errorf("error = %v, want the outage", err)
	}
}

func TestFailureMakesOtherSourcesGiveUp(t *testing.T) {
	t.Parallel()
	for name, place := range map[string]int{"first": 0, "last": 2} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				slow := holds("slow", "1.0.0")
				slow.delay = time.Hour
				list := []sources.Source{slow, slow}
				begun := time.Now()
				_, err := chain(slices.Insert(list, place, sources.Source(fails("broken", errRefused)))...).Versions(t.Context(), rocket)
				if !errors.Is(err, sources.ErrUnauthorized) || errors.Is(err, context.Canceled) {
					t.Errorf("error = %v, want the failure and not what it caused", err)
				}
				if waited := time.Since(begun); waited >= time.Hour {
					t.Errorf("waited %v", waited)
				}
			})
		})
	}
}

func TestChainCancel(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := holds("slow", "1.0.0")
		slow.delay = time.Hour
		c := sources.Chain{passing(slow), passing(slow)}
		for name, ask := range map[string]func(context.Context) error{
			"Versions": func(ctx context.Context) error { _, err := c.Versions(ctx, rocket); return err },
			"Package":  func(ctx context.Context) error { _, err := c.Package(ctx, rocket, v1, linux); return err },
		} {
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Second, cancel)
			begun := time.Now()
			if err := ask(ctx); !errors.Is(err, context.Canceled) {
				t.Errorf("%s: error = %v, want Canceled", name, err)
			}
			if waited := time.Since(begun); waited != time.Second {
				t.Errorf("%s returned after %v", name, waited)
			}
		}
	})
}

func TestAbsentFromAllSources(t *testing.T) {
	t.Parallel()
	c := chain(&shelf{name: "a"}, &shelf{name: "b"})
	_, versions := c.Versions(t.Context(), rocket)
	_, pkg := c.Package(t.Context(), rocket, v1, linux)
	for _, err := range []error{versions, pkg} {
		var absence *sources.AbsentError
		if !errors.As(err, &absence) || !slices.Equal(absence.Asked, []string{"a", "b"}) || !errors.Is(err, sources.ErrNotFound) {
			t.Errorf("error = %v, want an AbsentError that names both", err)
		}
		if text := err.Error(); !strings.Contains(text, rocket.String()) || !strings.Contains(text, "not found in a, b") {
			t.Errorf("the error says %q", text)
		}
	}
}

func TestProviderOfNoRule(t *testing.T) {
	t.Parallel()
	for _, c := range []sources.Chain{nil, {{Source: holds("a", "1.0.0"), Exclude: patterns("*/*/*")}}} {
		_, err := c.Versions(t.Context(), rocket)
		if !errors.Is(err, sources.ErrNotFound) || !strings.Contains(err.Error(), "no configured source includes this provider") {
			t.Errorf("error = %v", err)
		}
	}
}

func TestPlatformErrorsAreMerged(t *testing.T) {
	t.Parallel()
	c := chain(holds("a", "1.0.0 linux_amd64 darwin_arm64"), &shelf{name: "b"}, holds("c", "1.0.0 darwin_arm64"))
	_, err := c.Package(t.Context(), rocket, v1, windows)
	var platform *sources.PlatformError
	if !errors.As(err, &platform) || platform.Platform != windows || !errors.Is(err, sources.ErrNotFound) {
		t.Fatalf("error = %v, want a PlatformError", err)
	}
	if want := []sources.Platform{darwin, linux}; !slices.Equal(platform.Available, want) {
		t.Errorf("available = %v, want %v", platform.Available, want)
	}
	if !strings.Contains(err.Error(), rocket.String()) {
		t.Errorf("the error does not name the provider: %v", err)
	}
}

func TestChainRefusesARuleWithoutASource(t *testing.T) {
	t.Parallel()
	c := append(chain(holds("a", "1.0.0")), sources.Rule{})
	_, listing := c.Versions(t.Context(), rocket)
	_, describing := c.Package(t.Context(), rocket, v1, linux)
	for op, err := range map[string]error{"list versions": listing, "describe package": describing} {
		var asked *sources.Error
		var wrong *sources.FieldError
		if !errors.As(err, &asked) || asked.Op != op || asked.Source != "chain" || asked.Provider != rocket {
			t.Errorf("%s: error %v does not say what was asked of whom", op, err)
		}
		if !errors.As(err, &wrong) || wrong.Field != "Chain[1].Source" || errors.Is(err, sources.ErrNotFound) {
			t.Errorf("%s: error is %v, want a *FieldError about the second rule", op, err)
		}
	}
}
