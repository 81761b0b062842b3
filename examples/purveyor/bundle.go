package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/installer/mirror"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/bundle"
)

var bundleExportCommand = &command{
	name: "bundle export", args: "[ADDRESS[@CONSTRAINT] …]", takes: addresses(0, unlimited),
	about: "put providers into one file, to be carried to where there is no network",
	examples: `
# What the module here requires:
purveyor bundle export -o providers.tar -platform=linux_amd64
purveyor bundle export -o providers.tar -latest=3 'hashicorp/aws@~> 5.0'
# For terraform, whose registry is not the default:
purveyor bundle export -o a.tar -registry=registry.terraform.io hashicorp/aws
`,
	setup: func(s *session, flags *flag.FlagSet) action {
		e := &bundling{session: s}
		s.askFlags(flags)
		e.selection.flags(s, flags)
		s.policyFlags(flags)
		flags.StringVar(&e.file, "o", "", "write this `FILE` (required)")
		s.accountFlags(flags)
		return e.run
	},
}

// bundling is a run of bundle export.
type bundling struct {
	*session
	selection
	file string
}

func (e *bundling) run(ctx context.Context) (err error) {
	if e.file == "" {
		return usagef("-o is required: the file to write")
	}
	plan, err := e.plan(e.session)
	if err != nil {
		return err
	}
	b, err := e.builder(e.session, plan, nil)
	if err != nil {
		return err
	}
	path, err := e.absolute(e.file)
	if err != nil {
		return err
	}
	w, err := bundle.Create(path)
	if err != nil {
		return err
	}
	defer w.Close()
	b.Target = w
	report, err := b.Build(ctx, plan)
	if err != nil {
		return err // a bundle that lacks something is none: it would be missed where it cannot be had
	}
	if err := w.Commit(ctx); err != nil {
		return err
	}
	e.report(report)
	e.note("%s is written", e.show(path))
	return nil
}

var bundleImportCommand = &command{
	name: "bundle import", args: "FILE", takes: operands{what: "file", least: 1, most: 1},
	about: "publish what is in a bundle in a directory or in an OCI registry",
	examples: `
purveyor bundle import -dir=/srv/mirror providers.tar
# Only what this key has signed:
purveyor bundle import -dir=/srv/mirror \
  -signer=34365D9472D7468F34365D9472D7468F34365D94 providers.tar
`,
	setup: func(s *session, flags *flag.FlagSet) action {
		i := &unbundling{session: s}
		s.policyFlags(flags)
		i.destination.flags(flags)
		s.accountFlags(flags)
		return i.run
	},
}

// unbundling is a run of bundle import.
type unbundling struct {
	*session
	destination
}

func (i *unbundling) run(ctx context.Context) error {
	if err := i.destination.check(); err != nil {
		return err
	}
	b, err := i.open()
	if err != nil {
		return err
	}
	defer b.Close()
	items, err := b.Contents(ctx)
	if err != nil {
		return err
	}
	var plan mirror.Plan
	i.required = installer.Requirements{}
	for _, item := range items {
		i.required[item.Provider] = sources.Constraints{}
		plan.Wants = append(plan.Wants, mirror.Want{Provider: item.Provider, Version: item.Version, Platforms: item.Platforms, Origin: b.String()})
	}
	if err := i.configure(i.registry); err != nil {
		return err
	}
	target, err := i.destination.target(i.session)
	if err != nil {
		return err
	}
	in := &installer.Installer{Source: b, Policy: i.policy, Notify: i.notify}
	report, err := (&mirror.Builder{Installer: in, Target: target, Notify: i.notifyMirror}).Build(ctx, plan)
	i.report(report)
	return keptOf(ctx, report, err)
}

// open opens the bundle of the command line.
func (s *session) open() (*bundle.Bundle, error) {
	path, err := s.absolute(s.paths[0])
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, fmt.Errorf("%s is a directory, not a bundle: purveyor verify checks a mirror's directory", s.show(path))
	}
	return bundle.Open(path)
}

var bundleVerifyCommand = &command{
	name: "bundle verify", args: "FILE", takes: operands{what: "file", least: 1, most: 1},
	about: "read all of a bundle, check its hashes and signatures, and list what it has",
	examples: `
purveyor bundle verify providers.tar
# All must be signed by this key:
purveyor bundle verify \
  -signer=34365D9472D7468F34365D9472D7468F34365D94 providers.tar
`,
	setup: func(s *session, flags *flag.FlagSet) action {
		var options bundle.VerifyOptions
		signerFlag(flags, "everything must be signed by the key with this `FINGERPRINT` of 40 or 64 digits; can be repeated", &options.Signers)
		s.accountFlags(flags)
		return func(ctx context.Context) error { return s.verifyBundle(ctx, options) }
	},
}

func (s *session) verifyBundle(ctx context.Context, options bundle.VerifyOptions) error {
	b, err := s.open()
	if err != nil {
		return err
	}
	defer b.Close()
	report, err := b.Verify(ctx, options)
	if report == nil {
		return err
	}
	for _, item := range report.Items {
		r := record{Event: "verified", Provider: item.Provider.String(), Version: item.Version.String(), Digest: item.Digest, Present: texts(item.Platforms)}
		if item.Signer != nil {
			r = r.signedBy(item.Signer)
		}
		s.out.print(r)
	}
	s.note("%s and %s: all are what their digests say", count(report.Blobs, "blob", "blobs"), size(report.Bytes))
	for what, names := range map[string][]string{
		"nothing leads to the blob": report.Unreferenced, "a bundle has no file": report.Unknown, "no version of a provider is": report.Foreign,
	} {
		if len(names) > 0 {
			s.out.print(record{Event: "warning", Message: fmt.Sprintf("%s %s", what, strings.Join(names, ", "))})
		}
	}
	return err
}
