// Package slowlink makes the loopback interface as slow as a real link, for benchmarks and tests: [Link.Listen] wraps a
// [net.Listener], and every connection that it accepts is behind a link of its own with a delay and a rate.
//
// # What is simulated
//
//   - Delay. Bytes arrive a fixed time after they were sent, in either direction, so that a question and its answer take
//     a round trip of twice the delay. Handshakes of protocols above TCP, such as TLS, pass over the link like anything
//     else and so take their round trips.
//   - The handshake of TCP. The kernel makes connections before the listener hears of them, at once. Instead, what
//     either end sends first is held back for one more round trip.
//   - Rate. Each direction of each connection carries so many bytes per second; if the link is shared, the same directions
//     of all connections together, in turn, piece by piece. A piece takes at most a hundredth of a second, except at
//     rates below 100 bytes per second. Time in which there was nothing to send is lost.
//   - Window. No more than [Window] bytes are on their way in one direction of a connection; then the sender has to wait.
//     As with TCP, whose buffers are of about this size, more than Window in the time of the delay is not possible.
//
// Rates are of the bytes that TCP carries, without its headers. There is no slow start, no loss, no jitter, and the delay
// does not grow with the load. Whatever the processor cannot do in time comes late; what is late by up to a hundredth of
// a second does not lower the rate.
//
// # What a connection is
//
// Deadlines, and closing either direction alone, work as with TCP. What was written before Close still arrives, as long as
// the other end takes it within [Linger]. A connection that is reset looks as if it had been closed.
package slowlink

import (
	"net"
	"time"
)

const (
	Window = 4 << 20         // bytes on their way in one direction of a connection
	Linger = 5 * time.Second // for what is on its way when a connection is closed, besides the delay
)

// Link says how slow to be. The zero value is not slow, and only counts connections.
type Link struct {
	// Delay is how long bytes are on their way, one way. Zero, or less: no time at all.
	Delay time.Duration

	// BytesPerSecond is what each direction of each connection carries. Zero, or less: no limit.
	BytesPerSecond int64

	// SharedBytesPerSecond is what the same direction of all connections carries together. Zero, or less: no limit.
	SharedBytesPerSecond int64
}

// Listen puts this link in front of all connections that inner accepts.
func (l Link) Listen(inner net.Listener) *Listener {
	return &Listener{
		Listener: inner,
		link:     l,
		up:       newPacer(l.SharedBytesPerSecond, time.Time{}),
		down:     newPacer(l.SharedBytesPerSecond, time.Time{}),
	}
}

// isSlow reports whether the link does more than count.
func (l Link) isSlow() bool {
	return l.Delay > 0 || l.BytesPerSecond > 0 || l.SharedBytesPerSecond > 0
}
