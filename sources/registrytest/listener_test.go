package registrytest_test

import (
	"net"
	"sync/atomic"
	"testing"

	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// counting counts the connections that it accepts.
type counting struct {
	net.Listener
	accepted atomic.Int32
}

func (c *counting) Accept() (net.Conn, error) {
	conn, err := c.Listener.Accept()
	if err == nil {
		c.accepted.Add(1)
	}
	return conn, err
}

func TestListenerCanBeWrapped(t *testing.T) {
	t.Parallel()
	var listener counting
	s := registrytest.New(t, registrytest.Config{
		Releases:     []registrytest.Release{alpha},
		WrapListener: func(l net.Listener) net.Listener { listener.Listener = l; return &listener },
	})
	for range 3 {
		good(t, s.Client(), s.URL()+alphaVersions)
	}
	if got := listener.accepted.Load(); got != 3 {
		t.Errorf("%d connections were accepted; each client has its own", got)
	}
	s.Close()
	if _, err := listener.Accept(); err == nil {
		t.Error("the listener is open after Close")
	}
}
