package slowlink

import (
	"net"
	"sync"
	"time"
)

// Listener accepts connections behind a [Link], and counts them. Closing it leaves them open. It is safe for concurrent use.
type Listener struct {
	net.Listener
	link     Link
	up, down *pacer // what all connections share

	mu    sync.Mutex
	count Connections
}

var _ net.Listener = (*Listener)(nil)

// Connections says how many there are. A connection counts from when it was accepted until both ends are done with it.
type Connections struct {
	Now  int // open
	Most int // open at a time
	All  int // accepted
}

// Connections returns how many connections there are, and were since the start or the last [Listener.Recount].
func (l *Listener) Connections() Connections {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.count
}

// Recount returns the same as [Listener.Connections] and starts to count anew, with the connections that are open.
func (l *Listener) Recount() Connections {
	l.mu.Lock()
	defer l.mu.Unlock()
	count := l.count
	l.count = Connections{Now: count.Now, Most: count.Now}
	return count
}

// Accept waits for the next connection. Its errors are those of the wrapped listener.
func (l *Listener) Accept() (net.Conn, error) {
	inner, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	l.opened()
	counted := &counted{Conn: inner, closed: sync.OnceFunc(l.closed)}
	if !l.link.isSlow() {
		return counted, nil
	}
	return l.link.connect(counted, l.up, l.down, time.Now()), nil
}

func (l *Listener) opened() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.count.All++
	l.count.Now++
	l.count.Most = max(l.count.Most, l.count.Now)
}

func (l *Listener) closed() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.count.Now--
}

// counted is a connection that tells when it is closed.
type counted struct {
	net.Conn
	closed func()
}

// Close implements [net.Conn].
func (c *counted) Close() error {
	defer c.closed()
	return c.Conn.Close()
}

// CloseWrite tells the other end that nothing more comes.
func (c *counted) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}
