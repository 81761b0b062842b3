package main

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources"
)

var versionsCommand = &command{
	name: "versions", args: "ADDRESS", takes: addresses(1, 1),
	about: "list the versions of a provider",
	examples: `
purveyor versions hashicorp/random
purveyor versions -platform=windows_arm64 registry.example.com/acme/rocket
`,
	setup: func(s *session, flags *flag.FlagSet) action {
		s.askFlags(flags)
		s.platformFlag(flags)
		s.accountFlags(flags)
		return s.versions
	},
}

// versions prints a provider's versions, the newest first, one on each line, and behind each what is special about it.
func (s *session) versions(ctx context.Context) error {
	listing, err := s.list(ctx)
	if err != nil {
		return err
	}
	s.warn(listing.Warnings)
	slices.SortFunc(listing.Versions, func(a, b sources.Available) int { return b.Version.Compare(a.Version) })
	if s.json {
		for _, version := range listing.Versions {
			s.out.print(s.versionRecord(version))
		}
		return nil
	}
	table := tabwriter.NewWriter(s.stdout, 0, 0, 2, ' ', tabwriter.StripEscape)
	for _, version := range listing.Versions {
		line := version.Version.String()
		remarks := s.remarks(version)
		if len(s.chain) > 1 {
			remarks = append(remarks, "from "+strings.Join(version.From, ", "))
		}
		if len(remarks) > 0 {
			line += "\t" + strings.Join(remarks, "; ")
		}
		fmt.Fprintln(table, printable(line))
	}
	return table.Flush()
}

// list asks the configured sources for the versions of the provider of the command line. The listing has an account of
// who said what also if there is an error.
func (s *session) list(ctx context.Context) (sources.Listing, error) {
	if err := s.enter(); err != nil {
		return sources.Listing{}, err
	}
	s.required = together(s.named)
	if err := s.configure(s.registry); err != nil {
		return sources.Listing{}, err
	}
	p := s.named[0].provider
	listing, err := s.chain.Versions(ctx, p)
	if err != nil {
		err = &installer.ProviderError{Provider: p, Phase: installer.PhaseResolve, Err: err}
	}
	return listing, err
}

func (s *session) warn(messages []string) {
	for _, message := range messages {
		s.out.print(record{Event: "warning", Provider: s.named[0].provider.String(), Message: message})
	}
}

func (s *session) versionRecord(a sources.Available) record {
	return record{
		Event: "version", Provider: s.named[0].provider.String(), Version: a.Version.String(), Platforms: texts(a.Platforms),
		Protocols: texts(a.Protocols), From: a.From, Message: strings.Join(s.remarks(a), "; "),
	}
}

// remarks says what speaks against a version.
func (s *session) remarks(a sources.Available) []string {
	var remarks []string
	on := s.target()
	if a.Platforms != nil && !slices.Contains(a.Platforms, on) {
		remarks = append(remarks, "not for "+on.String())
	}
	if err := sources.CheckProtocols(a.Protocols); err != nil {
		remarks = append(remarks, err.Error())
	}
	return remarks
}

// targets returns the platforms that packages are for.
func (s *session) targets() []sources.Platform {
	if len(s.platforms) == 0 {
		return []sources.Platform{sources.CurrentPlatform()}
	}
	return s.platforms
}

// target returns the first of them.
func (s *session) target() sources.Platform { return s.targets()[0] }
