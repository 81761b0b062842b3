package ocilayout

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/opencontainers/go-digest"
)

// MaxProblems is how many things that are wrong are looked for, before an audit gives up.
const MaxProblems = 20

// Audit is what a layout in a tar consists of.
type Audit struct {
	Blobs        int             // that were read, and are what their digests say
	Bytes        int64           // of them
	Unreferenced []digest.Digest // blobs that nothing leads to, sorted
	Unknown      []string        // files that are no part of a layout, sorted
	Trailing     int64           // bytes after the end of the archive, if they are not all zero
}

// Audit reads all of a layout in a tar: each blob is what its digest says, and all that anything leads to is there. The
// error joins an [*Error] for each thing that is wrong, up to [MaxProblems]; there is an audit even so.
func (l *Layout) Audit(ctx context.Context) (*Audit, error) {
	a := &auditor{layout: l, found: &Audit{Unknown: l.tar.unknown}}
	err := a.run(ctx)
	if err != nil && !errors.Is(err, errEnough) {
		return a.found, errors.Join(append(a.problems, err)...)
	}
	return a.found, errors.Join(a.problems...)
}

var errEnough = errors.New("enough is wrong")

type auditor struct {
	layout   *Layout
	found    *Audit
	problems []error
	buffer   []byte
}

// wrong takes note of something that is wrong. An error that is not about the layout ends the audit.
func (a *auditor) wrong(err error) error {
	var known *Error
	if !errors.As(err, &known) {
		return err
	}
	a.problems = append(a.problems, err)
	if len(a.problems) == MaxProblems {
		return errEnough
	}
	return nil
}

func (a *auditor) run(ctx context.Context) error {
	a.buffer = make([]byte, 1<<20)
	if err := a.readBlobs(ctx); err != nil {
		return err
	}
	if err := a.readTrail(ctx); err != nil {
		return err
	}
	return a.follow(ctx)
}

// follow goes from what is listed to all that it leads to.
func (a *auditor) follow(ctx context.Context) error {
	listed := slices.Clone(a.layout.unnamed)
	for _, tags := range a.layout.names {
		listed = slices.AppendSeq(listed, maps.Values(tags))
	}
	walk := a.layout.newWalk(a.wrong)
	for _, d := range listed {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := walk.from(d); err != nil {
			return err
		}
	}
	for _, d := range a.layout.blobs.all() {
		if !walk.seen[d] {
			a.found.Unreferenced = append(a.found.Unreferenced, d)
		}
	}
	return nil
}

// readBlobs reads the blobs, in the order of their digests.
func (a *auditor) readBlobs(ctx context.Context) error {
	for _, d := range a.layout.blobs.all() {
		size, err := a.layout.check(ctx, d, a.buffer)
		if err == nil {
			a.found.Blobs++
			a.found.Bytes += size
		} else if err := a.wrong(err); err != nil {
			return err
		}
	}
	return nil
}

// check reads a blob, which has to be what its digest says.
func (l *Layout) check(ctx context.Context, d digest.Digest, buffer []byte) (int64, error) {
	size, _ := l.blobs.stat(d)
	from, err := l.blobs.open(d)
	if err != nil {
		return 0, err
	}
	defer from.Close()
	verifier := d.Verifier()
	n, err := io.CopyBuffer(verifier, patient{ctx, io.NewSectionReader(from, 0, size)}, buffer)
	switch {
	case err != nil:
		return n, err
	case n != size:
		return n, io.ErrUnexpectedEOF // the file has been cut off since it was opened
	case !verifier.Verified():
		return n, &Error{Entry: blobPath(d), Kind: ErrMismatch}
	}
	return n, nil
}

// readTrail looks at what follows the archive. It is usually filled up with zeros.
func (a *auditor) readTrail(ctx context.Context) error {
	t := a.layout.tar
	rest := patient{ctx, io.NewSectionReader(t.file, t.end, t.size-t.end)}
	for {
		n, err := rest.Read(a.buffer)
		if slices.ContainsFunc(a.buffer[:n], func(b byte) bool { return b != 0 }) {
			a.found.Trailing = t.size - t.end
			return nil
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("after the end of the archive: %w", err)
		}
	}
}
