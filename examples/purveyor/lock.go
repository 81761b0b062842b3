package main

import (
	"context"
	"errors"
	"flag"
)

var lockCommand = &command{
	name: "lock", takes: addresses(0, 0),
	about: "record hashes for several platforms in the lock file",
	examples: `
purveyor lock -platform=linux_amd64 -platform=darwin_arm64
`,
	setup: func(s *session, flags *flag.FlagSet) action {
		s.askFlags(flags)
		s.platformsFlag(flags, "to record hashes for")
		s.accountFlags(flags)
		return s.lock
	},
}

// lock does what "providers lock" does: it installs nothing.
func (s *session) lock(ctx context.Context) error {
	request, err := s.module()
	if err != nil {
		return err
	}
	locks, err := s.installer().Lock(ctx, request, s.platforms)
	if locks == nil {
		return err
	}
	failed, done := failures(err), 0
	for provider, lock := range locks.Sorted() {
		if failed[provider] == nil {
			s.out.print(record{Event: "locked", Provider: provider.String(), Version: lock.Version.String(), Hashes: len(lock.Hashes)})
			done++
		}
	}
	return errors.Join(kept(ctx, err, done), s.writeLocks(request.Locks, locks))
}
