package installer

import (
	"sync"
	"time"
)

const progressInterval = 100 * time.Millisecond // between two Progress events of one download

// progress tells how far a download is, not too often. It is safe for concurrent use.
type progress struct {
	mu   sync.Mutex
	job  *job // nil: nobody wants to know
	size int64
	last time.Time
}

func (p *progress) begin(j *job, size int64) {
	p.size = size
	if j.in.Notify != nil || j.in.Logger != nil {
		p.job = j
	}
}

// at tells the number of bytes that there are.
func (p *progress) at(bytes func() int64) {
	if p.job == nil || !p.mu.TryLock() {
		return // another tells it just now
	}
	defer p.mu.Unlock()
	if time.Since(p.last) >= progressInterval {
		p.tell(bytes())
	}
}

// end tells the final number.
func (p *progress) end(bytes int64) {
	if p.job == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tell(bytes)
}

func (p *progress) tell(bytes int64) {
	p.last = time.Now()
	p.job.send(Event{Kind: EventProgress, Bytes: bytes, Size: p.size})
}
