package slowlink

import (
	"errors"
	"net"
	"sync"
	"time"
)

// conn is the listener's end of a slow connection.
type conn struct {
	inner    *counted
	in, out  net.Conn // read from, written to: ends of pipes, whose other ends the lanes have
	delay    time.Duration
	isClosed chan struct{}
	close    func()
}

var _ net.Conn = (*conn)(nil)

// connect puts the link in front of a connection that was made at a time.
func (l Link) connect(inner *counted, up, down *pacer, made time.Time) *conn {
	c := &conn{inner: inner, delay: max(0, l.Delay), isClosed: make(chan struct{})}
	c.close = sync.OnceFunc(func() { close(c.isClosed) })
	var arriving, leaving net.Conn
	c.in, arriving = net.Pipe()
	c.out, leaving = net.Pipe()
	handshake := made.Add(2 * c.delay)
	go c.receive(l.newLane(up, handshake), arriving)
	go c.send(l.newLane(down, handshake), leaving)
	return c
}

// receive carries what the other end sends.
func (c *conn) receive(up *lane, arriving net.Conn) {
	up.carry(arriving, c.inner)
	_ = arriving.Close() // of a pipe: never fails
}

// send carries what is written here, and then ends the connection.
func (c *conn) send(down *lane, leaving net.Conn) {
	down.carry(c.inner.Conn, leaving)
	_ = leaving.Close()      // as above
	_ = c.inner.CloseWrite() // fails if the other end is gone, who then needs no end
	<-c.isClosed
	_ = c.inner.Close() // there is nobody left to tell
}

// LocalAddr implements [net.Conn].
func (c *conn) LocalAddr() net.Addr { return c.inner.LocalAddr() }

// RemoteAddr implements [net.Conn].
func (c *conn) RemoteAddr() net.Addr { return c.inner.RemoteAddr() }

// Read implements [net.Conn].
func (c *conn) Read(p []byte) (int, error) { return c.in.Read(p) }

// Write implements [net.Conn]. It waits until all of p is on its way.
func (c *conn) Write(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil // which would wait on a pipe
	}
	return c.out.Write(p)
}

// Close implements [net.Conn]. It does not wait until what was written has arrived.
func (c *conn) Close() error {
	_ = c.inner.SetWriteDeadline(time.Now().Add(c.delay + Linger)) // fails only if it is closed
	c.close()
	return errors.Join(c.in.Close(), c.out.Close())
}

// CloseWrite tells the other end, after what was written, that nothing more comes.
func (c *conn) CloseWrite() error { return c.out.Close() }

// SetDeadline implements [net.Conn].
func (c *conn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

// SetReadDeadline implements [net.Conn].
func (c *conn) SetReadDeadline(t time.Time) error { return c.in.SetReadDeadline(t) }

// SetWriteDeadline implements [net.Conn].
func (c *conn) SetWriteDeadline(t time.Time) error { return c.out.SetWriteDeadline(t) }
