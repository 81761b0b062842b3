package main

import (
	"archive/zip"
	"bufio"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/fsmirror"
)

// archive is what is asked for.
type archive struct {
	path string // of its URL
	size int64
}

func store(dir string) string { return filepath.Join(dir, "store") }

// publish makes a mirror with a large and a small archive.
func publish(ctx context.Context, dir string, megabytes int64) ([]archive, error) {
	p := sources.MustParseProvider("registry.example.com/acme/rocket")
	var all []archive
	for i, size := range []int64{megabytes * 1e6, 16e3} {
		v := sources.MustParseVersion(fmt.Sprintf("1.0.%d", i))
		on := sources.Platform{OS: "linux", Arch: "amd64"}
		path := filepath.Join(dir, "archive.zip")
		a, err := pack(path, size)
		if err != nil {
			return nil, err
		}
		r := sources.Release{Provider: p, Version: v, Archives: []sources.Archive{{Platform: on, Path: path, Sum: a.sum}}}
		if _, err := fsmirror.NewTarget(store(dir)).Push(ctx, r); err != nil {
			return nil, err
		}
		all = append(all, archive{"/" + sources.ArchivePath(p, v, on), a.size})
	}
	return all, os.Chmod(dir, 0o755)
}

type packed struct {
	sum  hashing.Hash
	size int64
}

// pack writes an archive with so many bytes that cannot be compressed.
func pack(path string, size int64) (packed, error) {
	file, err := os.Create(path)
	if err != nil {
		return packed{}, err
	}
	sum := sha256.New()
	w := zip.NewWriter(io.MultiWriter(file, sum))
	entry, err := w.CreateHeader(&zip.FileHeader{Name: "terraform-provider-rocket", Method: zip.Store})
	if err == nil {
		_, err = io.CopyN(entry, rand.NewChaCha8([32]byte{}), size)
	}
	err = errors.Join(err, w.Close())
	info, errStat := file.Stat()
	if err = errors.Join(err, errStat, file.Close()); err != nil {
		return packed{}, err
	}
	return packed{hashing.ZH([32]byte(sum.Sum(nil))), info.Size()}, nil
}

// figure is what was measured: rates per second, and seconds of processor time for 10⁹ bytes.
type figure struct{ bytes, requests, cpu float64 }

// load asks a server for an archive, again and again, on several connections.
func (o options) load(ctx context.Context, s *server, a archive) (figure, error) {
	clients := make([]*client, o.clients)
	for i := range clients {
		c, err := dial(ctx, s.address)
		if err != nil {
			return figure{}, err
		}
		defer c.Close()
		if err := c.get(a); err != nil { // the first time counts for nobody
			return figure{}, err
		}
		clients[i] = c
	}
	var requests atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	begin, cpu := time.Now(), cpuTime(s.pids())
	for _, c := range clients {
		group.Go(func() error {
			for ctx.Err() == nil && time.Since(begin) < o.duration {
				if err := c.get(a); err != nil {
					return err
				}
				requests.Add(1)
			}
			return ctx.Err()
		})
	}
	if err := group.Wait(); err != nil {
		return figure{}, err
	}
	seconds, n := time.Since(begin).Seconds(), float64(requests.Load())
	bytes := n * float64(a.size)
	return figure{bytes / seconds, n / seconds, (cpuTime(s.pids()) - cpu).Seconds() / bytes * 1e9}, nil
}

// client is a connection that costs as little as possible, since it takes its time from the server.
type client struct {
	net.Conn
	reader *bufio.Reader
	waste  []byte
}

const readSize = 512 << 10 // bytes

func dial(ctx context.Context, address string) (*client, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	return &client{conn, bufio.NewReaderSize(conn, readSize), make([]byte, readSize)}, nil
}

// get asks for an archive and throws it away.
func (c *client) get(a archive) error {
	if _, err := fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", a.path); err != nil {
		return err
	}
	res, err := http.ReadResponse(c.reader, nil)
	if err != nil {
		return err
	}
	if res.StatusCode != http.StatusOK || res.ContentLength != a.size {
		return fmt.Errorf("status %d with %d bytes, want %d", res.StatusCode, res.ContentLength, a.size)
	}
	for left := a.size; left > 0; {
		n, err := c.reader.Read(c.waste[:min(left, readSize)])
		if left -= int64(n); err != nil {
			return err
		}
	}
	return nil
}

// tick is a hundredth of a second, in which Linux counts for programs: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html.
const tick = 10 * time.Millisecond

// cpuTime returns the processor time of processes; zero where there is no /proc.
func cpuTime(pids []int) time.Duration {
	var total time.Duration
	for _, pid := range pids {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		_, rest, _ := strings.Cut(string(text), ") ")
		fields := strings.Fields(rest)
		if len(fields) < 13 {
			continue
		}
		var user, system int64
		fmt.Sscan(fields[11]+" "+fields[12], &user, &system)
		total += time.Duration(user+system) * tick
	}
	return total
}
