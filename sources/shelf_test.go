package sources_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/purveyor-dev/purveyor/sources"
)

var (
	linux   = sources.Platform{OS: "linux", Arch: "amd64"}
	darwin  = sources.Platform{OS: "darwin", Arch: "arm64"}
	windows = sources.Platform{OS: "windows", Arch: "amd64"}
)

// shelf is a source that answers from memory.
type shelf struct {
	name    string
	listing map[string]sources.Listing // by provider
	err     error                      // the answer to everything, if not nil
	delay   time.Duration              // before an answer
}

func (s *shelf) String() string { return s.name }

// pause waits until it is time for an answer.
func (s *shelf) pause(ctx context.Context) error {
	select {
	case <-time.After(s.delay):
		return ctx.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *shelf) Versions(ctx context.Context, p sources.Provider) (sources.Listing, error) {
	if err := s.pause(ctx); err != nil {
		return sources.Listing{}, err
	}
	listing, ok := s.listing[p.Display()]
	switch {
	case s.err != nil:
		return sources.Listing{}, s.err
	case !ok:
		return sources.Listing{}, s.absent(p)
	}
	return listing, nil
}

// absent is the error for what is not there.
func (s *shelf) absent(p sources.Provider) error {
	return &sources.Error{Op: "find the shelf", Source: s.name, Provider: p, Err: sources.ErrNotFound}
}

func (s *shelf) Package(ctx context.Context, p sources.Provider, v sources.Version, on sources.Platform) (*sources.Package, error) {
	if err := s.pause(ctx); err != nil {
		return nil, err
	}
	if s.err != nil {
		return nil, s.err
	}
	for _, a := range s.listing[p.Display()].Versions {
		switch {
		case a.Version != v:
		case a.Platforms != nil && !slices.Contains(a.Platforms, on):
			return nil, &sources.PlatformError{Platform: on, Available: a.Platforms}
		default:
			return &sources.Package{Provider: p, Version: v, Platform: on, Location: s.name, Content: sources.Content{Dir: "/" + s.name}}, nil
		}
	}
	return nil, s.absent(p)
}

// holds returns a shelf with versions of acme/rocket: "1.0.0" or "1.0.0 linux_amd64 darwin_arm64".
func holds(name string, versions ...string) *shelf {
	return &shelf{name: name, listing: map[string]sources.Listing{"acme/rocket": {Versions: available(versions...)}}}
}

func available(versions ...string) []sources.Available {
	var list []sources.Available
	for _, text := range versions {
		fields := strings.Fields(text)
		a := sources.Available{Version: sources.MustParseVersion(fields[0])}
		for _, field := range fields[1:] {
			on, err := sources.ParsePlatform(field)
			if err != nil {
				panic(err)
			}
			a.Platforms = append(a.Platforms, on)
		}
		list = append(list, a)
	}
	return list
}

// fails returns a shelf whose answer is an error.
func fails(name string, err error) *shelf {
	return &shelf{name: name, err: fmt.Errorf("%s: %w", name, err)}
}

var (
	rocket = sources.MustParseProvider("acme/rocket")
	v1     = sources.MustParseVersion("1.0.0")

	errDown    = fmt.Errorf("no route: %w", sources.ErrUnavailable)
	errRefused = fmt.Errorf("no token: %w", sources.ErrUnauthorized)
)

// chain puts sources in order, for all providers.
func chain(list ...sources.Source) sources.Chain {
	var c sources.Chain
	for _, s := range list {
		c = append(c, sources.Rule{Source: s})
	}
	return c
}

// passing lets a chain go on after outages of a source.
func passing(s sources.Source) sources.Rule {
	return sources.Rule{Source: s, Fallback: sources.OnOutage}
}

func patterns(texts ...string) []sources.Pattern {
	var list []sources.Pattern
	for _, text := range texts {
		p, err := sources.ParsePattern(text)
		if err != nil {
			panic(err)
		}
		list = append(list, p)
	}
	return list
}
