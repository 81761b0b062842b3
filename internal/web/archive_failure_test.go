package web_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/internal/fault"
	"github.com/purveyor-dev/purveyor/internal/web"
)

func TestArchiveRetries(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		first    http.HandlerFunc
		requests int
	}{
		{"unavailable", status(503), 3},
		{"too many requests", status(429), 3},
		{"connection broken", hangUp, 3},
		{"stalled", hang, 3},
		{"not implemented", status(501), 1},
		{"not found", status(404), 1},
		{"forbidden", status(403), 1},
		{"partial content that nobody asked for", status(206), 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := &script{steps: []http.HandlerFunc{c.first}}
			client := quick()
			if c.name == "stalled" {
				client.Stall = 50 * time.Millisecond
			}
			_, _, err := read(t, client, serve(t, s).URL)
			// The standard client itself repeats a request whose idle connection turned out to be broken.
			if err == nil || s.requests() < c.requests || c.requests == 1 && s.requests() > 1 {
				t.Errorf("error %v after %d requests, want one after %d", err, s.requests(), c.requests)
			}
			if got := errors.Is(err, fault.ErrUnavailable); got != (c.requests > 1) {
				t.Errorf("error = %v; ErrUnavailable: %v", err, got)
			}
		})
	}
}

func TestArchiveRecovers(t *testing.T) {
	t.Parallel()
	fine := &file{content: content(1000), etag: `"v1"`}
	s := &script{steps: []http.HandlerFunc{status(503), status(502), fine.ServeHTTP}}
	if got, _, err := read(t, quick(), serve(t, s).URL); err != nil || len(got) != 1000 {
		t.Errorf("%d bytes, error %v", len(got), err)
	}
}

func TestArchiveStall(t *testing.T) {
	t.Parallel()
	stuck := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("ETag", `"v1"`)
		w.Header().Set("Content-Length", "1000")
		_, _ = w.Write(content(1000)[:300])
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}
	c := quick()
	c.Stall = 50 * time.Millisecond
	t.Run("goes on", func(t *testing.T) {
		t.Parallel()
		fine := &file{content: content(1000), etag: `"v1"`}
		s := &script{steps: []http.HandlerFunc{stuck, fine.ServeHTTP}}
		if got, _, err := read(t, c, serve(t, s).URL); err != nil || !bytes.Equal(got, fine.content) {
			t.Errorf("%d bytes, error %v", len(got), err)
		}
	})
	t.Run("for ever", func(t *testing.T) {
		t.Parallel()
		s := &script{steps: []http.HandlerFunc{stuck, hang}}
		if _, _, err := read(t, c, serve(t, s).URL); !errors.Is(err, web.ErrStalled) || !errors.Is(err, fault.ErrUnavailable) {
			t.Errorf("error = %v, want ErrStalled", err)
		}
	})
}

// A reader may take its time, for example for a disk that is busy.
func TestSlowReaderIsNoStall(t *testing.T) {
	t.Parallel()
	f := &file{content: content(4 << 20)} // more than fits into buffers
	c := quick()
	c.Stall = 400 * time.Millisecond
	r, _, err := c.Open(t.Context(), web.Archive{URL: parse(t, serve(t, f).URL)})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	time.Sleep(800 * time.Millisecond)
	if _, err := io.CopyN(io.Discard, r, 1000); err != nil {
		t.Fatal(err)
	}
	time.Sleep(800 * time.Millisecond)
	if n, err := io.Copy(io.Discard, r); err != nil || n != int64(len(f.content)-1000) {
		t.Errorf("%d bytes more, error %v", n, err)
	}
}

func TestArchiveCancel(t *testing.T) {
	t.Parallel()
	busy := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "100")
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	part := func(then http.HandlerFunc) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("ETag", `"v1"`)
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write(content(10))
			_ = http.NewResponseController(w).Flush()
			then(w, r)
		}
	}
	for name, steps := range map[string][]http.HandlerFunc{
		"before the answer":      {hang},
		"in a pause before it":   {busy},
		"in the body":            {part(hang)},
		"in a pause in the body": {part(hangUp), busy},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(100*time.Millisecond, cancel)
			start := time.Now()
			r, _, err := quick().Open(ctx, web.Archive{URL: parse(t, serve(t, &script{steps: steps}).URL)})
			if err == nil {
				defer r.Close()
				_, err = io.Copy(io.Discard, r)
			}
			if !errors.Is(err, context.Canceled) || errors.Is(err, fault.ErrUnavailable) {
				t.Errorf("error = %v, want Canceled and no outage", err)
			}
			if waited := time.Since(start); waited > 5*time.Second {
				t.Errorf("returned after %v", waited)
			}
		})
	}
}

func TestArchiveCancelAfterTheLastByteArrived(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	r, _, err := quick().Open(ctx, web.Archive{URL: parse(t, serve(t, text("short")).URL)})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := r.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	cancel()
	for range 2 {
		if n, err := r.Read(make([]byte, 10)); n != 0 || !errors.Is(err, context.Canceled) {
			t.Errorf("Read = %d, %v; want Canceled", n, err)
		}
	}
}

func TestArchiveOfAnEndedContext(t *testing.T) {
	t.Parallel()
	s := &script{steps: []http.HandlerFunc{text("")}}
	_, _, err := quick().Open(canceled(t), web.Archive{URL: parse(t, serve(t, s).URL)})
	if !errors.Is(err, context.Canceled) || s.requests() != 0 {
		t.Errorf("error = %v after %d requests", err, s.requests())
	}
}

func TestReadAfterClose(t *testing.T) {
	t.Parallel()
	r, _, err := quick().Open(t.Context(), web.Archive{URL: parse(t, serve(t, text("content")).URL)})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		if n, err := r.Read(make([]byte, 10)); n != 0 || err == nil || err == io.EOF {
			t.Errorf("Read = %d, %v; want an error", n, err)
		}
	}
}
