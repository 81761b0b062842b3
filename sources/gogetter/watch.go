package gogetter

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// watch bounds what a transfer writes. The getters have limits of their own in part only, but all of them write to a
// path that can be looked at.
type watch struct {
	path  string        // a file or a directory
	limit int64         // bytes
	stall time.Duration // without growth; 0 or less: as long as it likes
	pause time.Duration // between two looks
}

// run runs a transfer. The error is an [*endedError] if its context ended: by ctx, or by the watch with errTooMuch or
// errStalled as the cause.
func (w watch) run(ctx context.Context, transfer func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	done := make(chan error, 1)
	go func() { done <- transfer(ctx) }()
	ticker := time.NewTicker(w.pause)
	defer ticker.Stop()
	growth := growth{at: time.Now()}
	for {
		select {
		case err := <-done:
			if err == nil && sizeOf(w.path) > w.limit {
				cancel(errTooMuch)
			}
			return ended(ctx, err)
		case <-ticker.C:
			growth.note(sizeOf(w.path))
			if growth.size > w.limit {
				cancel(errTooMuch)
			} else if w.stall > 0 && time.Since(growth.at) > w.stall {
				cancel(errStalled)
			}
		}
	}
}

// growth is a size and when it changed last.
type growth struct {
	size int64
	at   time.Time
}

func (g *growth) note(size int64) {
	if size != g.size {
		*g = growth{size, time.Now()}
	}
}

// Causes of a transfer that was ended before its time.
var (
	errStalled = errors.New("no byte arrived for too long")
	errTooSlow = errors.New("it took too long")
	errTooMuch = errors.New("it is larger than the limit")
)

// endedError is the end of a transfer's context.
type endedError struct{ err, cause error }

func (e *endedError) Error() string { return e.cause.Error() }

// ended returns the error of a transfer: the end of its context explains whatever else went wrong.
func ended(ctx context.Context, err error) error {
	if ctx.Err() == nil || err == nil && context.Cause(ctx) != errTooMuch {
		return err
	}
	return &endedError{ctx.Err(), context.Cause(ctx)}
}

// sizeOf returns the bytes of a file, or of all files in a directory. What vanishes meanwhile counts nothing.
func sizeOf(path string) int64 {
	info, err := os.Lstat(path)
	if err != nil {
		return 0
	}
	if !info.IsDir() {
		return info.Size()
	}
	var sum int64
	_ = filepath.WalkDir(path, func(_ string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) || err == nil && entry.IsDir() {
			return nil
		}
		if err != nil {
			return fs.SkipDir
		}
		if info, err := entry.Info(); err == nil {
			sum += info.Size()
		}
		return nil
	})
	return sum
}
