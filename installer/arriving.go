package installer

import (
	"context"
	"io"

	"golang.org/x/sync/semaphore"

	"github.com/purveyor-dev/purveyor/internal/spool"
	"github.com/purveyor-dev/purveyor/internal/unzip"
)

// turnBytes is how much of an archive is read in one turn, so that small packages need not wait for the end of large
// ones.
const turnBytes = 8 << 20

// arriving is an archive that is read while it arrives, by somebody who holds one of the turns at the processors. While
// the bytes are not there, others have the turn.
type arriving struct {
	*spool.Spool
	turns *semaphore.Weighted
	keep  bool  // the archive itself is wanted, too
	read  int64 // bytes, in this turn
}

// ReadAt reads bytes, and waits for those that are not there.
func (a *arriving) ReadAt(p []byte, offset int64) (int, error) {
	length := int64(len(p))
	if !a.Has(offset, length) || a.read >= turnBytes {
		if err := a.passTurn(offset, length); err != nil {
			return 0, err
		}
	}
	a.read += length
	return a.Spool.ReadAt(p, offset)
}

// Discard gives up what lies before an offset, unless the archive is kept.
func (a *arriving) Discard(before int64) {
	if !a.keep {
		a.Spool.Discard(before)
	}
}

// passTurn lets others have the turn until the bytes are there. It always ends with the turn being held again; those
// who have it pass it on soon, also when everything is cancelled.
func (a *arriving) passTurn(offset, length int64) error {
	a.turns.Release(1)
	err := a.Await(offset, length)
	_ = a.turns.Acquire(context.Background(), 1) // cannot fail
	a.read = 0
	return err
}

var (
	_ io.ReaderAt     = (*arriving)(nil)
	_ unzip.Discarder = (*arriving)(nil)
)
