package slowlink_test

import (
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/purveyor-dev/purveyor/internal/slowlink"
)

func TestReadDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client, server := newWorld(t, slowlink.Link{Delay: time.Second}).connect(t)
		if err := server.SetDeadline(time.Now().Add(time.Minute)); err != nil {
			t.Fatal(err)
		}
		if _, err := server.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("error %v", err)
		}
		if err := server.SetReadDeadline(time.Time{}); err != nil {
			t.Fatal(err)
		}
		go send(t, client, 1)
		_ = receive(t, server, 1)
	})
}

// Half-closing and the goroutines' end need a kernel below, for pipes in memory close in both directions.
func TestEachDirectionClosesAlone(t *testing.T) {
	t.Parallel()
	client, server := connectTCP(t, slowlink.Link{Delay: time.Millisecond, BytesPerSecond: 1e6})
	send(t, client, 10)
	if err := client.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(server); len(got) != 10 || err != nil {
		t.Errorf("%d bytes, error %v", len(got), err)
	}
	send(t, server, 20)
	if err := server.(interface{ CloseWrite() error }).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(client); len(got) != 20 || err != nil {
		t.Errorf("%d bytes, error %v", len(got), err)
	}
}

func TestClosedConnectionTakesNothing(t *testing.T) {
	t.Parallel()
	for name, link := range links {
		_, server := connectTCP(t, link)
		if err := server.Close(); err != nil {
			t.Fatal(err)
		}
		if n, err := server.Write([]byte("x")); n != 0 || err == nil {
			t.Errorf("%s: wrote %d bytes, error %v", name, n, err)
		}
		if n, err := server.Read(make([]byte, 1)); n != 0 || err == nil {
			t.Errorf("%s: read %d bytes, error %v", name, n, err)
		}
	}
}

// A client that goes away must not leave a server writing for ever.
func TestWritingToNobodyFails(t *testing.T) {
	t.Parallel()
	client, server := connectTCP(t, slowlink.Link{Delay: time.Millisecond})
	if err := client.SetLinger(0); err != nil { // closing resets
		t.Fatal(err)
	}
	_ = client.Close()
	for range 100 {
		if _, err := server.Write(make([]byte, 1<<20)); err != nil {
			return
		}
	}
	t.Error("100 MB have gone nowhere")
}

// A client that reads nothing does not keep a connection that the server closed.
func TestLinger(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, slowlink.Link{Delay: time.Second})
		_, server := w.connect(t)
		go func() { _, _ = server.Write(make([]byte, 100)) }()
		synctest.Wait()
		started := time.Now()
		_ = server.Close()
		for w.Connections().Now > 0 {
			time.Sleep(time.Millisecond)
		}
		if got := time.Since(started); got > slowlink.Linger+2*time.Second {
			t.Errorf("the connection was kept for %v", got)
		}
	})
}

// links are one that only counts and one that is slow.
var links = map[string]slowlink.Link{"plain": {}, "slow": {Delay: time.Millisecond, BytesPerSecond: 1e8}}

// connectTCP returns both ends of a connection over TCP, which are closed at the end of the test.
func connectTCP(t *testing.T, l slowlink.Link) (client *net.TCPConn, server net.Conn) {
	t.Helper()
	listener := listen(t, l)
	dialled, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dialled.Close() })
	if server, err = listener.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	return dialled.(*net.TCPConn), server
}

func listen(t *testing.T, l slowlink.Link) *slowlink.Listener {
	t.Helper()
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { inner.Close() })
	return l.Listen(inner)
}
