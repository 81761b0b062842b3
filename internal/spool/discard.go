package spool

import "errors"

// DiscardStep is how many bytes are given back to the file system at a time.
const DiscardStep int64 = 8 << 20

// ErrDiscarded says that bytes were read that had been given up.
var ErrDiscarded = errors.New("the bytes were discarded")

// Discard says that nobody reads what lies before an offset any more. The file keeps its size; the room on disk and in
// the system's memory is free for other files, which is a quarter of what unpacking a package takes. Not all file
// systems can do that, and what is not yet part of the sum is kept.
func (s *Spool) Discard(before int64) {
	from, to := s.giveUp(before)
	if from < to {
		punch(s.file, from, to-from) // or else the room is free when the file is removed
	}
}

// giveUp reserves whole steps, so that no read begins there.
func (s *Spool) giveUp(before int64) (from, to int64) {
	before = min(before, s.summed())
	s.mu.Lock()
	defer s.mu.Unlock()
	from, to = s.discarded, before/DiscardStep*DiscardStep
	s.discarded = max(from, to)
	return from, to
}
