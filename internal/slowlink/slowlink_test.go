package slowlink_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/purveyor-dev/purveyor/internal/slowlink"
)

// memory is a listener for connections in memory, which are fast and of which nothing waits in a kernel: with the clock of
// package synctest, times are exact.
type memory struct {
	accept chan net.Conn
	closed chan struct{}
	close  func()
}

func newMemory() *memory {
	m := &memory{accept: make(chan net.Conn), closed: make(chan struct{})}
	m.close = sync.OnceFunc(func() { close(m.closed) })
	return m
}

func (m *memory) Accept() (net.Conn, error) {
	select {
	case c := <-m.accept:
		return c, nil
	case <-m.closed:
		return nil, net.ErrClosed
	}
}

func (m *memory) Close() error   { m.close(); return nil }
func (m *memory) Addr() net.Addr { return new(net.TCPAddr) }

func (m *memory) dial() net.Conn {
	ours, theirs := net.Pipe()
	m.accept <- theirs
	return ours
}

// world is a listener behind a link, with a way to connect to it.
type world struct {
	*slowlink.Listener
	memory *memory
}

// newWorld may be called in a bubble of package synctest, which ends when nothing is on its way any more.
func newWorld(t *testing.T, l slowlink.Link) *world {
	t.Helper()
	t.Cleanup(func() { time.Sleep(24 * time.Hour) })
	m := newMemory()
	return &world{l.Listen(m), m}
}

// connect returns both ends of a new connection, which are closed at the end of the test.
func (w *world) connect(t *testing.T) (client, server net.Conn) {
	t.Helper()
	go func() { client = w.memory.dial() }()
	server, err := w.Accept()
	if err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
	t.Cleanup(func() { _, _ = client.Close(), server.Close() })
	return client, server
}

// send writes n bytes.
func send(t *testing.T, to io.Writer, n int) {
	if _, err := to.Write(make([]byte, n)); err != nil {
		t.Error(err)
	}
}

// receive reads n bytes and returns how long that took.
func receive(t *testing.T, from io.Reader, n int64) time.Duration {
	t.Helper()
	started := time.Now()
	if _, err := io.CopyN(io.Discard, from, n); err != nil {
		t.Error(err)
	}
	return time.Since(started)
}

// near reports whether a time is another, give or take the time of a piece.
func near(got, want time.Duration) bool { return (got - want).Abs() <= 5*time.Millisecond }

func TestDelay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const delay = 10 * time.Millisecond
		client, server := newWorld(t, slowlink.Link{Delay: delay}).connect(t)
		go send(t, client, 1)
		if got := receive(t, server, 1); got != 3*delay {
			t.Errorf("the first byte took %v; want a round trip for the handshake and %v", got, delay)
		}
		go send(t, server, 1)
		if got := receive(t, client, 1); got != delay {
			t.Errorf("the answer took %v, want %v", got, delay)
		}
		go send(t, client, 1)
		if got := receive(t, server, 1); got != delay {
			t.Errorf("the next byte took %v, want %v", got, delay)
		}
	})
}

func TestRate(t *testing.T) {
	t.Parallel()
	for name, link := range map[string]slowlink.Link{
		"slow":      {BytesPerSecond: 1000},
		"fast":      {BytesPerSecond: 10e6},
		"fast, far": {BytesPerSecond: 10e6, Delay: 50 * time.Millisecond},
		"shared":    {SharedBytesPerSecond: 1e6},
		"both":      {SharedBytesPerSecond: 2e6, BytesPerSecond: 1e6},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				rate := link.SharedBytesPerSecond
				if link.BytesPerSecond > 0 {
					rate = link.BytesPerSecond
				}
				client, server := newWorld(t, link).connect(t)
				for from, to := range map[net.Conn]net.Conn{server: client, client: server} {
					go send(t, from, int(3*rate))
					_ = receive(t, to, rate) // which includes handshake and delay
					if got := receive(t, to, 2*rate); !near(got, 2*time.Second) {
						t.Errorf("what takes 2 s took %v", got)
					}
				}
			})
		})
	}
}

func TestRateIsSmooth(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const rate = 1e6
		client, server := newWorld(t, slowlink.Link{BytesPerSecond: rate}).connect(t)
		go send(t, server, rate)
		for range 100 {
			if got := receive(t, client, rate/100); got > 15*time.Millisecond || got < 5*time.Millisecond {
				t.Errorf("what takes 10 ms took %v", got)
			}
		}
	})
}

func TestSharedRateIsShared(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const rate, connections = 1e6, 4
		w := newWorld(t, slowlink.Link{SharedBytesPerSecond: rate})
		var group sync.WaitGroup
		for range connections {
			client, server := w.connect(t)
			go send(t, server, rate/connections)
			group.Go(func() {
				if got := receive(t, client, rate/connections); got < 900*time.Millisecond || got > 1001*time.Millisecond {
					t.Errorf("a fourth of the link's second took %v", got)
				}
			})
		}
		group.Wait()
	})
}

// A link that was idle has not saved up anything.
func TestIdleTimeIsLost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const rate = 1e6
		client, server := newWorld(t, slowlink.Link{BytesPerSecond: rate}).connect(t)
		for range 3 {
			time.Sleep(time.Minute)
			go send(t, server, rate)
			if got := receive(t, client, rate); !near(got, time.Second) {
				t.Errorf("what takes a second took %v", got)
			}
		}
	})
}

func TestWindowBoundsWhatIsOnTheWay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		_, server := newWorld(t, slowlink.Link{Delay: time.Hour}).connect(t)
		if err := server.SetWriteDeadline(time.Now().Add(4 * time.Hour)); err != nil { // nobody reads
			t.Fatal(err)
		}
		n, err := server.Write(make([]byte, 2*slowlink.Window))
		if !errors.Is(err, os.ErrDeadlineExceeded) || n > slowlink.Window+64<<10 || n < slowlink.Window/2 {
			t.Errorf("%d bytes were taken, error %v", n, err)
		}
	})
}

func TestDataArrivesUnchanged(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		want := bytes.Repeat([]byte("0123456789abcdefghijklmnopqrstuvwxyz"), 50_000)
		client, server := newWorld(t, slowlink.Link{BytesPerSecond: 1e6, Delay: time.Millisecond}).connect(t)
		go func() {
			for rest := want; len(rest) > 0; {
				n := min(len(rest), 1+len(rest)%7777) // in pieces of odd sizes
				if _, err := server.Write(rest[:n]); err != nil {
					t.Error(err)
				}
				rest = rest[n:]
			}
			_ = server.Close() // must not lose what is on its way
		}()
		got, err := io.ReadAll(client)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d of %d bytes are the same, or not; error %v", len(got), len(want), err)
		}
	})
}
