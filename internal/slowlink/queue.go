package slowlink

import (
	"net"
	"sync"
	"time"
)

// packet is data on its way. Without data, it is the end.
type packet struct {
	data []byte
	due  time.Time // when it arrives
}

// overhead is what a packet takes in memory besides its data, in bytes: many small ones must not take much more than Window.
const overhead = 64

func (p packet) size() int { return len(p.data) + overhead }

// queue has what is on its way in one direction, in order, from one sender to one receiver.
type queue struct {
	mu      sync.Mutex
	changed sync.Cond // over mu
	packets []packet
	size    int  // bytes
	gone    bool // the receiver wants no more
}

func newQueue() *queue {
	q := new(queue)
	q.changed.L = &q.mu
	return q
}

// push waits until there is room. It reports false, and drops the packet, when the receiver wants no more.
func (q *queue) push(p packet) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.size > 0 && q.size+p.size() > Window && !q.gone {
		q.changed.Wait()
	}
	if q.gone {
		return false
	}
	q.packets = append(q.packets, p)
	q.size += p.size()
	q.changed.Broadcast()
	return true
}

// first waits for a packet and returns it. It stays in the queue.
func (q *queue) first() packet {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.packets) == 0 {
		q.changed.Wait()
	}
	return q.packets[0]
}

// due returns the data of the first packets, as far as they are due up to a time, and whether the end is next. They
// stay in the queue.
func (q *queue) due(until time.Time) (data net.Buffers, ended bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, p := range q.packets {
		if p.due.After(until) {
			break
		}
		if p.data == nil {
			return data, true
		}
		data = append(data, p.data)
	}
	return data, false
}

// arrived removes the first packets.
func (q *queue) arrived(packets int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i, p := range q.packets[:packets] {
		q.size -= p.size()
		q.packets[i] = packet{}
	}
	q.packets = q.packets[packets:]
	q.changed.Broadcast()
}

// leave says that the receiver wants no more.
func (q *queue) leave() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.gone = true
	q.packets = nil
	q.changed.Broadcast()
}
