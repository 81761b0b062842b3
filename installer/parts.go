package installer

import (
	"cmp"
	"slices"
	"sync"
)

// part is a range of an archive's bytes.
type part struct{ from, to int64 }

// parts gives out the parts of an archive to those who fetch them, from the beginning on, because it is unpacked in that
// order. It is safe for concurrent use.
type parts struct {
	mu      sync.Mutex
	next    int64  // nobody has had what follows
	end     int64  // of the archive, or where its tail begins that was given out before
	segment int64  // bytes in one part, at most
	sharing int    // how many work on it at a time, at most
	back    []part // given back, in order
}

// smallestPart is how small parts get towards the end, where they are cut so that all workers end at about the same
// time.
const smallestPart = 1 << 20

// tailSize is enough for the directory of all but odd archives, and comes with the first packets of a connection.
const tailSize = 16 << 10

// takeTail gives out the end of the archive, where its directory is.
func (p *parts) takeTail() part {
	p.mu.Lock()
	defer p.mu.Unlock()
	tail := part{p.end - tailSize, p.end}
	p.end = tail.from
	return tail
}

// take gives out the first part that is left.
func (p *parts) take() (part, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.back) > 0 {
		first := p.back[0]
		p.back = p.back[1:]
		return first, true
	}
	return p.cut()
}

// follow gives out the part that begins at an offset, to somebody who is reading there anyway.
func (p *parts) follow(at int64) (part, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, b := range p.back {
		if b.from == at {
			p.back = slices.Delete(p.back, i, i+1)
			return b, true
		}
	}
	if p.next != at {
		return part{}, false
	}
	return p.cut()
}

// cut cuts a part off what nobody has had.
func (p *parts) cut() (part, bool) {
	left := p.end - p.next
	if left <= 0 {
		return part{}, false
	}
	size := left
	if p.sharing > 1 {
		size = min(left, p.segment, max(smallestPart, left/int64(2*p.sharing)))
	}
	cut := part{p.next, p.next + size}
	p.next = cut.to
	return cut, true
}

// unite stops the sharing: the rest is one part.
func (p *parts) unite() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sharing = 1
}

// giveBack returns what could not be fetched, for others to try.
func (p *parts) giveBack(rest part) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if rest.from < rest.to {
		p.back = append(p.back, rest)
		slices.SortFunc(p.back, func(a, b part) int { return cmp.Compare(a.from, b.from) })
	}
}

// allTaken reports whether there is nothing to give out.
func (p *parts) allTaken() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.back) == 0 && p.next >= p.end
}
