package slowlink_test

import (
	"errors"
	"net"
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/internal/slowlink"
)

func TestConnectionsAreCounted(t *testing.T) {
	t.Parallel()
	for name, link := range links {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			listener := listen(t, link)
			var ends []net.Conn
			for range 3 {
				ends = append(ends, connect(t, listener)...)
			}
			expect(t, listener, slowlink.Connections{Now: 3, Most: 3, All: 3})
			for _, end := range ends[:4] {
				_ = end.Close()
				_ = end.Close() // counts once
			}
			expect(t, listener, slowlink.Connections{Now: 1, Most: 3, All: 3})
			if got := listener.Recount(); got != (slowlink.Connections{Now: 1, Most: 3, All: 3}) {
				t.Errorf("before: %+v", got)
			}
			expect(t, listener, slowlink.Connections{Now: 1, Most: 1, All: 0})
			ends = append(ends, connect(t, listener)...)
			expect(t, listener, slowlink.Connections{Now: 2, Most: 2, All: 1})
			for _, end := range ends[4:] {
				_ = end.Close()
			}
			expect(t, listener, slowlink.Connections{Now: 0, Most: 2, All: 1})
		})
	}
}

// expect waits for a count, for connections end some time after they were closed.
func expect(t *testing.T, l *slowlink.Listener, want slowlink.Connections) {
	t.Helper()
	var got slowlink.Connections
	for range 2000 {
		if got = l.Connections(); got == want {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("got %+v, want %+v", got, want)
}

// connect returns both ends of a new connection over TCP.
func connect(t *testing.T, l net.Listener) []net.Conn {
	t.Helper()
	client, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	server, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	if client.LocalAddr().String() != server.RemoteAddr().String() || client.RemoteAddr().String() != server.LocalAddr().String() {
		t.Errorf("%v to %v is %v to %v", client.LocalAddr(), client.RemoteAddr(), server.RemoteAddr(), server.LocalAddr())
	}
	return []net.Conn{client, server}
}

func TestClosedListenerAcceptsNothing(t *testing.T) {
	t.Parallel()
	for name, link := range links {
		listener := listen(t, link)
		_ = listener.Close()
		if _, err := listener.Accept(); !errors.Is(err, net.ErrClosed) {
			t.Errorf("%s: error %v", name, err)
		}
		if got := listener.Connections(); got != (slowlink.Connections{}) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
