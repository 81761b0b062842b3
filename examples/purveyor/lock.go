package main

import (
	"context"
	"errors"
)

// lock does what "providers lock" does: it installs nothing.
func lock(ctx context.Context, s *session) error {
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
