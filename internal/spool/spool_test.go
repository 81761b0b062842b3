package spool_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/purveyor-dev/purveyor/internal/spool"
)

func newFile(t *testing.T) *os.File {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "spool"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	return file
}

func content(size int) []byte {
	p := make([]byte, size)
	r := rand.NewChaCha8([32]byte{1})
	_, _ = r.Read(p)
	return p
}

func write(t *testing.T, s *spool.Spool, p []byte, offset int64) {
	t.Helper()
	if n, err := s.WriteAt(p, offset); n != len(p) || err != nil {
		t.Errorf("WriteAt: %d, %v", n, err)
	}
}

// check compares the spool's file and its digest with what it ought to be.
func check(t *testing.T, s *spool.Spool, want []byte) {
	t.Helper()
	if err := s.Finish(); err != nil {
		t.Fatal(err)
	}
	size, err := s.Size()
	if size != int64(len(want)) || err != nil {
		t.Errorf("Size: %d, %v", size, err)
	}
	got := make([]byte, size)
	if _, err := s.ReadAt(got, 0); err != nil || !bytes.Equal(got, want) {
		t.Errorf("contents differ, or %v", err)
	}
	if s.Sum() != sha256.Sum256(want) {
		t.Error("the digest is that of other bytes")
	}
}

func TestInOrder(t *testing.T) {
	t.Parallel()
	want := content(3 << 20)
	for _, size := range []int64{int64(len(want)), spool.Unknown} {
		s := spool.New(newFile(t), size)
		for at := 0; at < len(want); at += 300_000 {
			write(t, s, want[at:min(at+300_000, len(want))], int64(at))
		}
		if s.Bytes() != int64(len(want)) {
			t.Errorf("Bytes: %d", s.Bytes())
		}
		check(t, s, want)
	}
}

func TestEmpty(t *testing.T) {
	t.Parallel()
	for _, size := range []int64{0, spool.Unknown} {
		check(t, spool.New(newFile(t), size), nil)
	}
}

// Several writers bring overlapping pieces in any order, while several readers read.
func TestOutOfOrder(t *testing.T) {
	t.Parallel()
	want := content(5 << 20)
	s := spool.New(newFile(t), int64(len(want)))
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for range 50 {
				from := rand.N(len(want))
				to := min(len(want), from+rand.N(200_000))
				write(t, s, want[from:to], int64(from))
			}
		})
		wait.Go(func() {
			for range 50 {
				from := rand.N(len(want))
				got := make([]byte, min(len(want)-from, rand.N(100_000)))
				if _, err := s.ReadAt(got, int64(from)); err != nil || !bytes.Equal(got, want[from:from+len(got)]) {
					t.Errorf("ReadAt %d: %v", from, err)
				}
			}
		})
	}
	wait.Go(func() {
		for at := len(want); at > 0; at -= 100_000 {
			from := max(0, at-100_000)
			write(t, s, want[from:at], int64(from))
		}
	})
	wait.Wait()
	check(t, s, want)
}

// If two writers disagree, file and digest still say the same.
func TestWritersThatDisagree(t *testing.T) {
	t.Parallel()
	const size = 1 << 20
	for range 20 {
		s := spool.New(newFile(t), size)
		var wait sync.WaitGroup
		for id := range byte(4) {
			wait.Go(func() {
				for range 200 {
					from := rand.N(int64(size))
					write(t, s, bytes.Repeat([]byte{id}, int(min(rand.N(int64(20_000)), size-from))), from)
				}
				for from := int64(0); from < size; from += 1 << 15 {
					write(t, s, bytes.Repeat([]byte{id}, 1<<15), from)
				}
			})
		}
		wait.Wait()
		got := make([]byte, size)
		if _, err := s.ReadAt(got, 0); err != nil {
			t.Fatal(err)
		}
		check(t, s, got)
	}
}

func TestReadsWait(t *testing.T) {
	t.Parallel()
	file := newFile(t)
	synctest.Test(t, func(t *testing.T) {
		want := content(4 << 20)
		s := spool.New(file, int64(len(want)))
		write(t, s, want[3<<20:], 3<<20)
		tail := make([]byte, 100)
		if n, err := s.ReadAt(tail, int64(len(want)-100)); n != 100 || err != nil {
			t.Errorf("the end is there: %d, %v", n, err)
		}
		read := false
		go func() {
			got := make([]byte, 10)
			if _, err := s.ReadAt(got, 5); err != nil || !bytes.Equal(got, want[5:15]) {
				t.Errorf("ReadAt: %v", err)
			}
			read = true
		}()
		synctest.Wait()
		write(t, s, want[:spool.Batch], 0)
		if synctest.Wait(); read {
			t.Error("a read that waits is woken before there is a batch for it")
		}
		if s.Has(5, 10) != true || s.Has(5, spool.Batch) {
			t.Error("Has is wrong")
		}
		write(t, s, want[spool.Batch:3<<20], spool.Batch)
		if synctest.Wait(); !read {
			t.Error("a read still waits although everything is there")
		}
		check(t, s, want)
	})
}

func TestReadsAcrossTheEnd(t *testing.T) {
	t.Parallel()
	s := spool.New(newFile(t), 10)
	write(t, s, []byte("0123456789"), 0)
	if n, err := s.ReadAt(make([]byte, 8), 6); n != 4 || err != io.EOF {
		t.Errorf("got %d, %v", n, err)
	}
}

func TestFailure(t *testing.T) {
	t.Parallel()
	file := newFile(t)
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("broken")
		s := spool.New(file, spool.Unknown)
		write(t, s, []byte("abc"), 0)
		var readErr, sizeErr error
		go func() { _, readErr = s.ReadAt(make([]byte, 1), 100) }()
		go func() { _, sizeErr = s.Size() }()
		synctest.Wait()
		s.Fail(broken)
		s.Fail(errors.New("later"))
		synctest.Wait()
		if readErr != broken || sizeErr != broken {
			t.Errorf("got %v, %v", readErr, sizeErr)
		}
		if _, err := s.WriteAt([]byte("d"), 3); err != broken {
			t.Errorf("WriteAt: %v", err)
		}
		if n, err := s.ReadAt(make([]byte, 3), 0); n != 3 || err != nil {
			t.Errorf("what is there can be read: %d, %v", n, err)
		}
		if err := s.Finish(); err != broken {
			t.Errorf("Finish: %v", err)
		}
	})
}

func TestWrongSizes(t *testing.T) {
	t.Parallel()
	s := spool.New(newFile(t), 4)
	write(t, s, []byte("abc"), 0)
	if err := s.Finish(); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("too little: %v", err)
	}
	s = spool.New(newFile(t), 4)
	if _, err := s.WriteAt([]byte("abcde"), 0); !errors.Is(err, spool.ErrOutside) {
		t.Errorf("too much: %v", err)
	}
}

func TestAFileThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	file := newFile(t)
	file.Close()
	s := spool.New(file, 3)
	if _, err := s.WriteAt([]byte("abc"), 0); !errors.Is(err, os.ErrClosed) {
		t.Errorf("WriteAt: %v", err)
	}
	if _, err := s.ReadAt(make([]byte, 3), 0); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a reader waits for bytes that will never be there: %v", err)
	}
}

// What was discarded takes no room, cannot be read, and is part of the sum all the same.
func TestDiscard(t *testing.T) {
	t.Parallel()
	want := content(int(2*spool.DiscardStep + 1000))
	file := newFile(t)
	s := spool.New(file, int64(len(want)))
	write(t, s, want[spool.DiscardStep:], spool.DiscardStep)
	s.Discard(int64(len(want))) // too early: the sum needs it
	write(t, s, want[:spool.DiscardStep], 0)

	before := diskUsage(t, file)
	s.Discard(spool.DiscardStep + 5)
	if after := diskUsage(t, file); after >= before {
		t.Logf("%d bytes before, %d after: this file system makes no holes", before, after)
	} else if freed := before - after; freed != spool.DiscardStep {
		t.Errorf("%d bytes were freed, want %d", freed, spool.DiscardStep)
	}
	for _, at := range []int64{0, spool.DiscardStep - 1} {
		if _, err := s.ReadAt(make([]byte, 1), at); !errors.Is(err, spool.ErrDiscarded) {
			t.Errorf("ReadAt %d: %v", at, err)
		}
	}
	rest := make([]byte, len(want)-int(spool.DiscardStep))
	if _, err := s.ReadAt(rest, spool.DiscardStep); err != nil || !bytes.Equal(rest, want[spool.DiscardStep:]) {
		t.Errorf("what follows differs, or %v", err)
	}
	if err := s.Finish(); err != nil || s.Sum() != sha256.Sum256(want) {
		t.Errorf("the digest is that of other bytes, or %v", err)
	}
}
