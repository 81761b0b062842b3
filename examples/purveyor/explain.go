package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"

	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources"
)

var explainCommand = &command{
	name: "explain", args: "ADDRESS[@CONSTRAINT]", takes: addresses(1, 1),
	about: "say which version would come from where, and why",
	examples: `
purveyor explain 'hashicorp/random@~> 3.6'
`,
	setup: func(s *session, flags *flag.FlagSet) action {
		s.askFlags(flags)
		s.platformFlag(flags)
		s.accountFlags(flags)
		return s.explain
	},
}

// explain says what each source has, which version is selected and which source its package would come from. Nothing is
// fetched but what describes providers.
func (s *session) explain(ctx context.Context) error {
	listing, err := s.list(ctx)
	if s.chain == nil {
		return err
	}
	e := &explanation{session: s, want: s.named[0], on: s.target(), listed: listing.Versions, from: -1}
	e.head()
	if err != nil {
		s.warn(listing.Warnings)
		e.account(listing.Asked)
		return err
	}
	// What the registries have answered is remembered by now.
	resolution, err := s.installer().Resolve(ctx, installer.Request{Requirements: s.required})
	if err != nil {
		e.account(listing.Asked)
		return err
	}
	e.selection = &resolution.Selections[0]
	e.find(ctx)
	e.account(e.selection.Asked)
	return e.verdict(ctx)
}

// explanation is the account of one selection.
type explanation struct {
	*session
	want      requirement
	on        sources.Platform
	listed    []sources.Available
	selection *installer.Selection // nil if there is none
	answers   []string             // of the rules of the chain, about the package
	from      int                  // the rule that has the package; -1: none
	location  string
}

// line is for people; in JSON, records say it.
func (e *explanation) line(format string, args ...any) {
	if e.json {
		return
	}
	fmt.Fprintln(e.stdout, printable(fmt.Sprintf(format, args...)))
}

func (e *explanation) head() {
	e.line("%s for %s", e.want.provider, e.on)
	if e.config.Implied {
		e.line("No provider_installation block is configured; without one, the sources are:")
	} else {
		e.line("The sources in provider_installation, in their order:")
	}
}

// find asks the sources for the package, in their order, as the chain does.
func (e *explanation) find(ctx context.Context) {
	v := e.selection.Version
	e.answers = make([]string, len(e.chain))
	done := false
	for i, rule := range e.chain {
		if !rule.Matches(e.want.provider) {
			continue
		}
		if done {
			e.answers[i] = "not asked for the package: a source before it decides"
			continue
		}
		pkg, err := rule.Source.Package(ctx, e.want.provider, v, e.on)
		if err == nil {
			e.from, e.location = i, pkg.Location
			e.answers[i] = fmt.Sprintf("has the package of %s", v)
		} else {
			e.answers[i] = reason(err)
		}
		done = err == nil || !errors.Is(err, sources.ErrNotFound)
	}
}

// account says what each source has answered.
func (e *explanation) account(asked []sources.Asked) {
	for i, a := range asked {
		said := []string{answer(a)}
		if e.answers != nil && e.answers[i] != "" && e.answers[i] != said[0] {
			said = append(said, e.answers[i])
		}
		e.line("%3d. %s\n     %s", i+1, a.Source, strings.Join(said, "\n     "))
		if e.json {
			e.out.print(record{Event: "asked", Provider: e.want.provider.String(), From: []string{a.Source}, Message: strings.Join(said, "; ")})
		}
	}
}

// answer says what one source contributed to the list of versions.
func answer(a sources.Asked) string {
	switch {
	case a.Filtered:
		return "not asked: its include and exclude leave this provider out"
	case errors.Is(a.Err, sources.ErrNotFound):
		return reason(a.Err)
	case errors.Is(a.Err, context.Canceled):
		return "no answer was waited for"
	case a.Err != nil:
		return "failed, which ends the search: " + reason(a.Err)
	case len(a.Versions) == 0:
		return "has no versions"
	}
	newest := slices.MaxFunc(a.Versions, sources.Version.Compare)
	return fmt.Sprintf("has %s, up to %s", count(len(a.Versions), "version", "versions"), newest)
}

// reason returns the text of a source's error, without the source, and without saying twice that nothing was found.
func reason(err error) string {
	var question *sources.Error
	if errors.As(err, &question) && err == error(question) {
		err = question.Err
	}
	return strings.TrimPrefix(err.Error(), sources.ErrNotFound.Error()+": ")
}

// verdict says what is selected and where it would come from.
func (e *explanation) verdict(ctx context.Context) error {
	s := e.selection
	meeting := count(s.Matching, "release", "releases")
	if text := s.Constraints.String(); text != "" {
		meeting = count(s.Matching, "version that meets ", "versions that meet ") + text
	}
	e.line("Selected: %s, the newest of %s; there are %d in all, up to %s.", s.Version, meeting, s.Listed, s.Newest)
	if e.from >= 0 {
		source := e.chain[e.from].Source.String()
		e.line("The package comes from %s: %s", source, e.location)
		if e.json {
			e.out.print(record{Event: "selected", Provider: s.Provider.String(), Version: s.Version.String(), Platform: e.on.String(), From: []string{source}, Location: e.location})
		}
		return nil
	}
	return e.nobodyHasIt(ctx)
}

// nobodyHasIt says why there is no package of the version that is selected, and which version could be used.
func (e *explanation) nobodyHasIt(ctx context.Context) error {
	s := e.selection
	_, err := e.chain.Package(ctx, s.Provider, s.Version, e.on) // the chain says it best
	var platform *sources.PlatformError
	switch {
	case err == nil:
		err = errors.New("the sources have just changed; try again")
	case errors.As(err, &platform):
		err = &installer.UnusableError{Version: s.Version, Usable: e.usable(), Err: err}
	}
	return &installer.ProviderError{Provider: s.Provider, Version: s.Version, Phase: installer.PhaseInstall, Err: err}
}

// usable returns the newest version that meets the constraint and is for the platform, by what the sources list; zero: none.
func (e *explanation) usable() sources.Version {
	version, _ := e.want.constraints.Newest(func(yield func(sources.Version) bool) {
		for _, a := range e.listed {
			if slices.Contains(a.Platforms, e.on) && sources.CheckProtocols(a.Protocols) == nil && !yield(a.Version) {
				return
			}
		}
	})
	return version
}
