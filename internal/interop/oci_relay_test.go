package interop_test

import (
	"net"
	"sync/atomic"
	"testing"

	"github.com/purveyor-dev/purveyor/internal/slowlink"
)

// relay is a network between clients and a server: it passes bytes on, counts them, and can break connections.
type relay struct {
	address          string // of its own
	server           string
	toClient, toHost stream
}

// stream is what goes in one direction.
type stream struct {
	passed atomic.Int64 // bytes, over all connections
	cuts   atomic.Int64 // how many connections are yet to break
	after  atomic.Int64 // when so many bytes of one have been passed
}

// cut breaks the next connections that carry so many bytes in this direction.
func (s *stream) cut(connections, after int64) {
	s.after.Store(after)
	s.cuts.Store(connections)
}

// newRelay begins to pass connections on to a server, over a link.
func newRelay(t *testing.T, server string, link slowlink.Link) *relay {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &relay{address: listener.Addr().String(), server: server}
	if link != (slowlink.Link{}) {
		listener = link.Listen(listener)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return // closed
			}
			go r.pass(conn)
		}
	}()
	return r
}

// pass serves one connection.
func (r *relay) pass(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", r.server)
	if err != nil {
		return
	}
	defer server.Close()
	ended := make(chan struct{}, 2)
	go r.toClient.copy(client, server, ended)
	go r.toHost.copy(server, client, ended)
	<-ended
	<-ended
}

// copy passes one direction of a connection on until it ends or is cut. Then that direction is closed, so that what was
// passed still arrives; a cut ends the connection for its sender, too.
func (s *stream) copy(to, from net.Conn, ended chan<- struct{}) {
	defer func() { ended <- struct{}{} }()
	buffer := make([]byte, 16<<10)
	for passed := int64(0); ; {
		n, err := from.Read(buffer)
		passed += int64(n)
		if _, writing := to.Write(buffer[:n]); writing != nil {
			_ = from.Close()
			return
		}
		s.passed.Add(int64(n))
		cut := passed > s.after.Load() && s.takeCut()
		if cut {
			_ = from.Close()
		}
		if cut || err != nil {
			closeWriting(to)
			return
		}
	}
}

// takeCut reports whether it is this connection's turn to break.
func (s *stream) takeCut() bool {
	for {
		left := s.cuts.Load()
		if left <= 0 {
			return false
		}
		if s.cuts.CompareAndSwap(left, left-1) {
			return true
		}
	}
}

func closeWriting(conn net.Conn) {
	if half, ok := conn.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite() // the other end may have closed it
	}
}
