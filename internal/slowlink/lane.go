package slowlink

import (
	"bytes"
	"io"
	"time"
)

// lane is one direction of a connection. A sender puts on it what it reads, as fast as the pacers let it, and a receiver
// writes that when it is due.
type lane struct {
	own, shared *pacer
	delay       time.Duration
	piece       int // bytes
	onTheWay    *queue
}

// newLane returns a lane on which nothing is sent before a time.
func (l Link) newLane(shared *pacer, before time.Time) *lane {
	return &lane{
		own:      newPacer(l.BytesPerSecond, before),
		shared:   shared,
		delay:    max(0, l.Delay),
		piece:    pieceFor(l.BytesPerSecond, l.SharedBytesPerSecond),
		onTheWay: newQueue(),
	}
}

// carry returns when everything up to the end of what is read has been written, or when writing fails.
func (l *lane) carry(to io.Writer, from io.Reader) {
	go l.send(from)
	l.deliver(to)
	l.onTheWay.leave()
}

// send ends when reading does. Why it does makes no difference to the receiver.
func (l *lane) send(from io.Reader) {
	buffer := make([]byte, l.piece)
	for {
		n, err := from.Read(buffer)
		if n > 0 && !l.onTheWay.push(packet{bytes.Clone(buffer[:n]), l.due(n)}) {
			return
		}
		if err != nil {
			l.onTheWay.push(packet{nil, l.due(0)})
			return
		}
	}
}

// due returns when n bytes arrive that are there now, after having waited if that is not soon: a sender may be a little
// ahead of time, so that it need not wake up for each piece, and is not late when it wakes up late.
func (l *lane) due(n int) time.Time {
	now := time.Now()
	sent := l.own.send(n, now)
	if shared := l.shared.send(n, now); shared.After(sent) {
		sent = shared
	}
	if sent.Sub(now) > ahead {
		time.Sleep(time.Until(sent) - ahead/2)
	}
	return sent.Add(l.delay)
}

// together is the time within which packets are delivered at once: that many fewer times is the receiver woken, who
// shares the processors with what is measured.
const together = time.Millisecond

// deliver ends with the last packet, or when writing fails.
func (l *lane) deliver(to io.Writer) {
	for {
		first := l.onTheWay.first()
		time.Sleep(time.Until(first.due))
		data, ended := l.onTheWay.due(first.due.Add(together))
		packets := len(data)
		if _, err := data.WriteTo(to); err != nil || ended {
			return
		}
		l.onTheWay.arrived(packets)
	}
}
