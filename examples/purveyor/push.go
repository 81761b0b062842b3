package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/ocimirror"
)

// maxFetches is how many archives are downloaded at the same time.
const maxFetches = 4

var pushCommand = &command{
	name: "push", args: "ADDRESS[@CONSTRAINT] …", takes: addresses(1, unlimited),
	about: "publish packages in an OCI registry, for oci_mirror",
	examples: `
purveyor push -to='registry.example.com/mirror/${namespace}/${type}' \
  -platform=linux_amd64 hashicorp/random
`,
	setup: func(s *session, flags *flag.FlagSet) action {
		p := &publication{session: s}
		s.askFlags(flags)
		s.platformsFlag(flags, "to publish packages for")
		s.accountFlags(flags)
		p.outlet.flags(flags)
		fromFlag(flags, &p.from)
		flags.BoolVar(&p.replace, "replace", false, "replace packages that were published and are different")
		return p.run
	},
}

// publication is a run of push.
type publication struct {
	*session
	outlet
	from string // "": the sources of the configuration
}

// run publishes packages in an OCI registry: the newest versions that meet the constraints, as the sources have them,
// verified as for an installation.
func (s *publication) run(ctx context.Context) error {
	switch {
	case s.to == nil:
		return usagef("-to is required: the repositories to publish in")
	case s.offline && s.from == "":
		return usagef("-offline is for packages of a directory: -from is needed")
	}
	if err := s.prepare(); err != nil {
		return err
	}
	target, err := s.repositories(s.outlet)
	if err != nil {
		return err
	}
	resolution, err := s.pusher().Resolve(ctx, installer.Request{Requirements: s.required})
	if err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "purveyor-push-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	var failed installer.Error
	for _, selection := range resolution.Selections {
		if err := s.pushOne(ctx, target, selection, scratch); err != nil {
			failed.Failures = append(failed.Failures, pushFailure(selection, err))
		}
	}
	if len(failed.Failures) == 0 {
		return nil
	}
	return kept(ctx, &failed, len(resolution.Selections)-len(failed.Failures), "version")
}

// prepare finds out where packages come from and where they go.
func (s *publication) prepare() error {
	if err := s.enter(); err != nil {
		return err
	}
	s.required = together(s.named)
	if err := s.configure(s.registry); err != nil {
		return err
	}
	if s.from != "" {
		if err := s.only(s.from); err != nil {
			return err
		}
	}
	return s.checkRepositories(s.outlet)
}

// pusher is an installer for the platforms of the command line, by the first of which versions are selected.
func (s *publication) pusher() *installer.Installer {
	in := s.installer()
	in.Platform = s.targets()[0]
	return in
}

// pushOne fetches the packages of a version and publishes them.
func (s *publication) pushOne(ctx context.Context, target *ocimirror.Target, selection installer.Selection, scratch string) error {
	archives, err := s.fetch(ctx, selection, scratch)
	if err != nil {
		return err
	}
	release := sources.Release{Provider: selection.Provider, Version: selection.Version}
	for _, a := range archives {
		defer os.Remove(a.Path)
		release.Archives = append(release.Archives, a.Publishable())
		if release.Statement == nil {
			release.Statement = a.Statement
		}
	}
	pushed, err := target.Push(ctx, release)
	if err != nil {
		return err
	}
	s.out.print(pushRecord(selection, pushed, weakest(archives)))
	if !s.json {
		_, err = fmt.Fprintf(s.stdout, "%s@%s\n", pushed.Address, pushed.Digest)
	}
	return err
}

// fetch downloads and verifies the packages of a version.
func (s *publication) fetch(ctx context.Context, selection installer.Selection, scratch string) ([]*installer.Archive, error) {
	in, platforms := s.pusher(), s.targets()
	archives := make([]*installer.Archive, len(platforms))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(maxFetches)
	for i, on := range platforms {
		path := filepath.Join(scratch, sources.ArchiveName(selection.Provider, selection.Version, on))
		group.Go(func() (err error) {
			archives[i], err = in.Fetch(ctx, selection.Provider, selection.Version, on, path)
			return err
		})
	}
	return archives, group.Wait()
}

// weakest returns the proof that rests on the least: what holds for all the packages.
func weakest(archives []*installer.Archive) *hashing.Proof {
	return slices.MinFunc(archives, func(a, b *installer.Archive) int {
		return cmp.Compare(a.Proof.Authority, b.Proof.Authority)
	}).Proof
}

const phasePush installer.Phase = "push"

// pushFailure says of which provider a version could not be published. Of a package that could not be fetched, the installer
// has said it.
func pushFailure(selection installer.Selection, err error) *installer.ProviderError {
	var fetching *installer.ProviderError
	if errors.As(err, &fetching) {
		return fetching
	}
	return &installer.ProviderError{Provider: selection.Provider, Version: selection.Version, Phase: phasePush, Err: err}
}

func pushRecord(selection installer.Selection, pushed *sources.Pushed, proof *hashing.Proof) record {
	r := record{
		Event:    "pushed",
		Provider: selection.Provider.String(),
		Version:  selection.Version.String(),
		Location: pushed.Address,
		Digest:   pushed.Digest,
		Bytes:    pushed.Uploaded.Bytes,
		Added:    texts(pushed.Added),
		Present:  texts(pushed.Present),
	}
	return r.proven(*proof)
}
