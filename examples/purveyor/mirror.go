package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"slices"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/installer/mirror"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/fsmirror"
)

var mirrorCommand = &command{
	name: "mirror", args: "[ADDRESS[@CONSTRAINT] …]", takes: addresses(0, unlimited),
	about: "fill a mirror, in a directory or in an OCI registry, and prune it",
	examples: `
# What the module here requires:
purveyor mirror -dir=/srv/mirror -platform=linux_amd64 -platform=darwin_arm64
# The newest three versions of one provider, and the newest of another:
purveyor mirror -dir=/srv/mirror -latest=3 'hashicorp/aws@~> 5.0'
purveyor mirror -dir=/srv/mirror hashicorp/random
# For terraform, whose registry is not the default:
purveyor mirror -dir=mirror -registry=registry.terraform.io hashicorp/aws
# Say what is not needed any more:
purveyor mirror -dir=/srv/mirror -plan=mirror.hcl -prune -dry-run
# What a lock file has, in an OCI registry:
purveyor mirror -to='registry.example.com/mirror/${namespace}/${type}' \
  -lock=live/.terraform.lock.hcl
`,
	more: `
A plan file:
  platforms = ["linux_amd64", "darwin_arm64"]
  provider "hashicorp/aws" {
    versions = "~> 5.0"
    latest   = 3
  }
`,
	setup: func(s *session, flags *flag.FlagSet) action {
		m := &mirroring{session: s}
		s.askFlags(flags)
		m.selection.flags(s, flags)
		s.policyFlags(flags)
		m.destination.flags(flags)
		flags.BoolVar(&m.prune, "prune", false, "remove the packages that nothing asks for any more")
		flags.BoolVar(&m.dryRun, "dry-run", false, "change nothing: only say what -prune would remove")
		s.accountFlags(flags)
		return m.run
	},
}

// mirroring is a run of mirror.
type mirroring struct {
	*session
	selection
	destination
	prune, dryRun bool
}

func (m *mirroring) run(ctx context.Context) error {
	if err := m.destination.check(); err != nil {
		return err
	}
	if m.dryRun && !m.prune {
		return usagef("-dry-run is for -prune")
	}
	if err := m.enter(); err != nil {
		return err
	}
	plan, err := m.plan(m.session)
	if err != nil {
		return err
	}
	if m.prune && slices.ContainsFunc(plan.Wants, func(w mirror.Want) bool { return len(w.Platforms)+len(plan.Platforms) == 0 }) {
		return usagef("-prune needs -platform, or a plan file with platforms: packages for all others are removed")
	}
	b, err := m.builder(m.session, plan, nil)
	if err != nil {
		return err
	}
	if b.Target, err = m.destination.target(m.session); err != nil {
		return err
	}
	if m.dryRun {
		return m.surplus(ctx, b, plan)
	}
	report, err := b.Build(ctx, plan)
	m.report(report)
	if err == nil && m.prune {
		_, err = b.Prune(ctx, plan)
	}
	return keptOf(ctx, report, err)
}

// surplus says what pruning would remove.
func (m *mirroring) surplus(ctx context.Context, b *mirror.Builder, plan mirror.Plan) error {
	surplus, err := b.Surplus(ctx, plan)
	for _, u := range surplus {
		m.out.print(record{Event: "surplus", Provider: u.Provider.String(), Version: u.Version.String(), Present: texts(u.Platforms)})
	}
	return err
}

// report says what a mirror has now.
func (s *session) report(report *mirror.Report) {
	if report == nil {
		return
	}
	for _, r := range report.Releases {
		line := record{
			Event: "mirrored", Provider: r.Provider.String(), Version: r.Version.String(), Location: r.Address, Digest: r.Digest,
			Bytes: r.Bytes, Added: texts(r.Added), Present: texts(r.Present), Missing: texts(r.Missing), Authority: r.Authority, Keys: r.Signers,
		}
		if len(r.Signers) == 1 {
			line = line.signedBy(cmp.Or(s.signers[r.Signers[0]], &hashing.Signer{Fingerprint: r.Signers[0]}))
		}
		s.out.print(line)
	}
}

// keptOf adds to the error of an interrupted build how many of the packages that were asked for are published, and stay.
func keptOf(ctx context.Context, report *mirror.Report, err error) error {
	if report == nil {
		return err
	}
	done := 0
	for _, r := range report.Releases {
		done += len(r.Added) + len(r.Present)
	}
	return kept(ctx, err, done, "package")
}

func texts[T fmt.Stringer](values []T) (all []string) {
	for _, v := range values {
		all = append(all, v.String())
	}
	return all
}

// notifyMirror passes on what the report at the end does not have.
func (s *session) notifyMirror(e mirror.Event) {
	r := record{Provider: e.Provider.String(), Version: versionText(e.Version), Message: e.Message}
	switch e.Kind {
	case mirror.EventRemoved:
		r.Event, r.Platform = "removed", e.Platform.String()
	case mirror.EventWarning:
		r.Event = "warning"
	default:
		return
	}
	s.out.print(r)
}

// destination is where packages are published: exactly one of a directory and OCI repositories.
type destination struct {
	dir string
	oci outlet
}

func (d *destination) flags(set *flag.FlagSet) {
	set.StringVar(&d.dir, "dir", "", "fill the filesystem mirror in `DIR`, which any file server can serve as a network mirror")
	d.oci.flags(set)
}

func (d *destination) check() error {
	if (d.dir == "") == (d.oci.to == nil) {
		return usagef("one of -dir and -to is required: the directory, or the repositories, to publish in")
	}
	return nil
}

// target makes the target; what is required is known by then.
func (d *destination) target(s *session) (sources.Target, error) {
	if d.dir != "" {
		return fsmirror.NewTarget(s.inModule(d.dir)), nil
	}
	if err := s.checkRepositories(d.oci); err != nil {
		return nil, err
	}
	return s.repositories(d.oci)
}

// unmirrored returns the failures of a build, for people.
func (s *session) unmirrored(err error) []record {
	var failures *mirror.Error
	if !errors.As(err, &failures) {
		return nil
	}
	var all []record
	for _, f := range failures.Failures {
		subject := f.Provider.String()
		if !f.Version.IsZero() {
			subject += " " + f.Version.String()
		}
		if !f.Platform.IsZero() {
			subject += " for " + f.Platform.String()
		}
		all = s.add(all, f.Err, func(err error) []record {
			return []record{{
				Event: "error", Provider: f.Provider.String(), Version: versionText(f.Version),
				Message: fmt.Sprintf("cannot mirror %s: %s", subject, cause(err)),
				Hint:    s.hint(&installer.ProviderError{Provider: f.Provider, Version: f.Version, Err: err}, err),
			}}
		})
	}
	return all
}
