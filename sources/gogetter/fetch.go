package gogetter

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"time"

	getter "github.com/hashicorp/go-getter"

	"github.com/purveyor-dev/purveyor/internal/web"
	"github.com/purveyor-dev/purveyor/sources"
)

// fetcher fetches single files with go-getter's getters. They are called directly: go-getter's client would read
// parameters, detect shorthands and unpack archives on the way.
type fetcher struct {
	address *address
	config  Config
	scratch *scratch
	client  *http.Client // of https addresses
}

func newFetcher(a *address, config Config, scratch *scratch) *fetcher {
	return &fetcher{address: a, config: config, scratch: scratch, client: newClient(config)}
}

// getter returns a getter for one file; they are not safe for concurrent use.
func (f *fetcher) getter(ctx context.Context) getter.Getter {
	var g getter.Getter
	switch f.address.kind {
	case kindS3:
		g = new(getter.S3Getter)
	case kindGCS:
		g = new(getter.GCSGetter)
	default:
		g = &getter.HttpGetter{
			Client:                f.client,
			Header:                http.Header{"User-Agent": {f.config.UserAgent}, "Accept-Encoding": {"identity"}},
			DoNotCheckHeadFirst:   true,
			XTerraformGetDisabled: true,
		}
	}
	g.SetClient(&getter.Client{Ctx: ctx, Umask: 0o077, DisableSymlinks: true})
	return g
}

// fetch writes a file into the scratch directory, and returns its path. Whoever calls removes it.
func (f *fetcher) fetch(ctx context.Context, u *url.URL, limit int64) (string, error) {
	pause := f.config.Backoff
	for attempt := 0; ; attempt++ {
		path, err := f.fetchOnce(ctx, u, limit)
		if err == nil || attempt >= f.config.Retries || !errors.Is(err, sources.ErrUnavailable) {
			return path, err
		}
		if err := sleep(ctx, pause); err != nil {
			return "", err
		}
		pause *= 2
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// lookPause is how often the size of a file is looked at.
const lookPause = 20 * time.Millisecond

func (f *fetcher) fetchOnce(ctx context.Context, u *url.URL, limit int64) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	path, err := f.scratch.newFile(ctx)
	if err != nil {
		return "", err
	}
	own := *u // getters change what they are given
	w := watch{path: path, limit: limit, stall: f.config.Stall, pause: lookPause}
	err = w.run(ctx, func(ctx context.Context) error { return f.getter(ctx).GetFile(path, &own) })
	if err != nil {
		_ = os.Remove(path) // goes with the scratch directory at the latest
		return "", f.address.failure(web.Redact(u), err)
	}
	return path, nil
}

// read returns the contents of a small file.
func (f *fetcher) read(ctx context.Context, u *url.URL, limit int64) ([]byte, error) {
	path, err := f.fetch(ctx, u, limit)
	if err != nil {
		return nil, err
	}
	body, err := os.ReadFile(path)
	return body, errors.Join(err, os.Remove(path))
}

// opener opens an archive, which is fetched whole before.
func (f *fetcher) opener(u *url.URL) sources.Opener {
	return sources.OpenFunc(func(ctx context.Context) (io.ReadCloser, int64, error) {
		path, err := f.fetch(ctx, u, f.config.MaxArchive)
		if err != nil {
			return nil, 0, described(err)
		}
		return openArchive(ctx, path)
	})
}

// readDescribed is read for a file that a document describes.
func (f *fetcher) readDescribed(ctx context.Context, u *url.URL, limit int64) ([]byte, error) {
	body, err := f.read(ctx, u, limit)
	return body, described(err)
}

// described makes the absence of a file that a document describes what it is: a mistake in the mirror.
func described(err error) error {
	var failed *FetchError
	if !errors.As(err, &failed) || failed.Kind != sources.ErrNotFound {
		return err
	}
	return &FetchError{Location: failed.Location, Message: failed.Message}
}

// openArchive opens a file of the scratch directory, whose last use this is.
func openArchive(ctx context.Context, path string) (io.ReadCloser, int64, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, 0, errors.Join(err, os.Remove(path))
	}
	info, err := file.Stat()
	if err != nil {
		return nil, 0, errors.Join(err, file.Close(), os.Remove(path))
	}
	return &archive{ctx: ctx, file: file}, info.Size(), nil
}

// archive is a temporary file, whose reading ends with a context and which is gone when it is closed.
type archive struct {
	ctx  context.Context // of Open, as sources.Opener prescribes
	file *os.File
}

// Read implements [io.Reader].
func (a *archive) Read(p []byte) (int, error) {
	if err := a.ctx.Err(); err != nil {
		return 0, err
	}
	return a.file.Read(p)
}

// Close implements [io.Closer].
func (a *archive) Close() error {
	return errors.Join(a.file.Close(), os.Remove(a.file.Name()))
}

const maxRedirects = 10

// newClient returns the client of https addresses. Credentials are in the URL of the first request only, so no redirect
// takes them along; the Referer header would.
func newClient(config Config) *http.Client {
	var own http.Client
	if config.Client != nil {
		own = *config.Client
	}
	own.Timeout = 0 // a stall ends a transfer
	own.CheckRedirect = func(next *http.Request, via []*http.Request) error {
		from, to := via[len(via)-1].URL.Scheme, next.URL.Scheme
		switch {
		case len(via) >= maxRedirects:
			return errors.New("too many redirects")
		case to != "https" && (to != "http" || from == "https" || !isLoopback(next.URL.Hostname())) && !config.PlainHTTPInsecure:
			return errors.New("a redirect leads to plain http")
		}
		next.Header.Del("Referer")
		return nil
	}
	return &own
}
