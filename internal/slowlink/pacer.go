package slowlink

import (
	"sync"
	"time"
)

// pacer says when a piece of data has left the sender, who sends one piece after the other.
type pacer struct {
	perSecond int64 // bytes; zero, or less: no limit

	mu   sync.Mutex
	free time.Time // when what was sent so far has left
}

// newPacer returns one that sends nothing before a time.
func newPacer(perSecond int64, before time.Time) *pacer {
	return &pacer{perSecond: perSecond, free: before}
}

// send returns when n bytes, which are there now, have left. It counts with the time at which the last piece has left, not
// with the time at which the caller noticed that, so that late callers do not lower the rate.
func (p *pacer) send(n int, now time.Time) time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.free.Before(now) {
		p.free = now
	}
	if p.perSecond > 0 {
		p.free = p.free.Add(time.Duration(float64(n) / float64(p.perSecond) * float64(time.Second)))
	}
	return p.free
}

const (
	maxPiece      = 32 << 10              // bytes
	piecesASecond = 200                   // at least, where the rate is so low that maxPiece takes longer
	ahead         = 20 * time.Millisecond // of what has left, at most
)

// pieceFor returns how many bytes to send at once.
func pieceFor(rates ...int64) int {
	piece := int64(maxPiece)
	for _, rate := range rates {
		if rate > 0 {
			piece = min(piece, max(1, rate/piecesASecond))
		}
	}
	return int(piece)
}
