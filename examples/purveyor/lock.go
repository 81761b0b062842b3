package main

import (
	"context"
	"errors"
	"flag"
	"slices"
	"strings"

	"github.com/purveyor-dev/purveyor/hashing"
)

var lockCommand = &command{
	name: "lock", takes: addresses(0, 0),
	about: "record hashes for several platforms in the lock file",
	examples: `
# Signed hashes; nothing is downloaded:
purveyor lock -platform=linux_amd64 -platform=darwin_arm64
# Complete, also for "init -lockfile=readonly":
purveyor lock -platform=linux_amd64 -platform=darwin_arm64 -h1
`,
	setup: func(s *session, flags *flag.FlagSet) action {
		s.askFlags(flags)
		s.platformsFlag(flags, "to record hashes for")
		s.policyFlags(flags)
		s.accountFlags(flags)
		h1 := flags.Bool("h1", false, "record the hashes of the packages' contents, too, as \"terraform providers lock\" does; downloads what nobody publishes them of")
		return func(ctx context.Context) error { return s.lock(ctx, *h1) }
	},
}

// isContents reports whether a hash is one of a package's contents.
func isContents(h hashing.Hash) bool { return strings.HasPrefix(string(h), "h1:") }

// lock does what "providers lock" does: it installs nothing.
func (s *session) lock(ctx context.Context, h1 bool) error {
	request, err := s.module()
	if err != nil {
		return err
	}
	request.H1 = h1
	locks, err := s.installer().Lock(ctx, request, s.platforms)
	if locks == nil {
		return err
	}
	failed, done, partly := failures(err), 0, false
	for provider, lock := range locks.Sorted() {
		if failed[provider] == nil {
			s.out.print(record{Event: "lock", Provider: provider.String(), Version: lock.Version.String(), Platforms: texts(s.targets()), Hashes: len(lock.Hashes)})
			partly = partly || !slices.ContainsFunc(lock.Hashes, isContents)
			done++
		}
	}
	if partly {
		s.note("installing will add h1 hashes; -h1 records them now")
	}
	return errors.Join(kept(ctx, err, done, "provider"), s.writeLocks(request.Locks, locks))
}
