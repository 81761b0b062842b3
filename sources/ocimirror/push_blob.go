package ocimirror

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/errdef"

	"github.com/purveyor-dev/purveyor/internal/web"
	"github.com/purveyor-dev/purveyor/sources"
)

// blob is something that manifests refer to.
type blob struct {
	ocispec.Descriptor
	open func() (io.ReadCloser, error)
}

func bytesBlob(descriptor ocispec.Descriptor, data []byte) blob {
	return blob{descriptor, func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }}
}

func fileBlob(path string, descriptor ocispec.Descriptor) blob {
	return blob{descriptor, func() (io.ReadCloser, error) { return os.Open(path) }}
}

// send makes sure that the repository has a blob. One that is there is not sent. One that another repository of the
// registry is known to have is taken from there, if the registry can.
func (p *push) send(ctx context.Context, b blob) error {
	there, err := p.has(ctx, b)
	switch {
	case err != nil:
		return err
	case there:
		p.settled(&p.pushed.Reused, b)
		return nil
	}
	if from := p.target.holder(p.repo, b); from != "" && p.mount(ctx, b, from) {
		p.settled(&p.pushed.Mounted, b)
		return nil
	}
	if err := p.target.again(ctx, func() error { return p.upload(ctx, b) }); err != nil {
		return err
	}
	p.settled(&p.pushed.Uploaded, b)
	return nil
}

// has reports whether the repository has a blob. One of another size is not it: the digest is right, and so the file has
// changed, which the upload will find out.
func (p *push) has(ctx context.Context, b blob) (bool, error) {
	stored, err := p.oras.Blobs().Resolve(ctx, b.Digest.String())
	if errors.Is(err, errdef.ErrNotFound) {
		return false, nil
	}
	return err == nil && stored.Size == b.Size, err
}

// settled counts a blob that is in the repository now.
func (p *push) settled(as *sources.Blobs, b blob) {
	p.target.hold(p.repo, b)
	p.mu.Lock()
	defer p.mu.Unlock()
	as.Count++
	as.Bytes += b.Size
}

// mount asks the registry to take a blob from another repository. It need not, and then it begins an upload, which is
// left to lapse. Mounting spares time, so that whatever is wrong with it is none of the caller's business.
// https://github.com/opencontainers/distribution-spec/blob/v1.1.1/spec.md#mounting-a-blob-from-another-repository
func (p *push) mount(ctx context.Context, b blob, from string) bool {
	return p.oras.Mount(ctx, b.Descriptor, from, func() (io.ReadCloser, error) { return nil, errNotMounted }) == nil
}

// upload sends a blob from its beginning. The registry checks its digest, and so does the cargo.
func (p *push) upload(ctx context.Context, b blob) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	content, err := b.open()
	if err != nil {
		return err
	}
	c := newCargo(content, b.Descriptor, p.target.stall(), stop)
	defer c.end()
	err = p.oras.Blobs().Push(ctx, b.Descriptor, c)
	switch cause := context.Cause(ctx); {
	case err == nil || cause == nil:
		return err
	case errors.Is(cause, web.ErrStalled):
		return &requestError{method: http.MethodPut, url: web.Redact(p.repo.at("blobs", b.Digest.String())), err: cause}
	default:
		return cause // why the request was ended, rather than that it was
	}
}
