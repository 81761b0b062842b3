package ocilayout

import (
	"archive/tar"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
)

// WriteTar writes a layout that is being made, and uses it up: each blob is removed when it has been written, so that the
// disk need not hold all of them twice. Names for which keep is false are left out, and so is what no name leads to,
// except for what refers to a manifest that is named.
//
// The bytes depend on what is written only: files are in the order of their names, after the two that every layout begins
// with, without owners or dates.
func (l *Layout) WriteTar(ctx context.Context, to io.Writer, keep func(repository, tag string) bool) error {
	entries, seen, err := l.chosen(keep)
	if err != nil {
		return err
	}
	index := encode(newIndex(entries))
	if err := checkLimits(entries, len(index), len(seen)); err != nil {
		return err
	}
	w := &writer{ctx: ctx, tar: tar.NewWriter(to), buffer: make([]byte, 1<<20)}
	if err := w.document(ocispec.ImageLayoutFile, encode(ocispec.ImageLayout{Version: ocispec.ImageLayoutVersion})); err != nil {
		return err
	}
	if err := w.document(ocispec.ImageIndexFile, index); err != nil {
		return err
	}
	for _, d := range slices.Sorted(maps.Keys(seen)) {
		if err := w.blob(l.spool, d); err != nil {
			return err
		}
	}
	return w.tar.Close()
}

// checkLimits makes sure that a layout is one that [Open] reads, and [Layout.Referrers].
func checkLimits(entries []ocispec.Descriptor, indexSize, blobs int) error {
	unnamed := int64(0)
	for _, d := range entries {
		if d.Annotations == nil {
			unnamed += d.Size
		}
	}
	for _, part := range []struct {
		what     string
		is, most int64
	}{
		{"files", int64(blobs) + 2, MaxFiles},
		{"entries of " + ocispec.ImageIndexFile, int64(len(entries)), MaxListed},
		{"bytes of " + ocispec.ImageIndexFile, int64(indexSize), MaxIndex},
		{"bytes of manifests without a name", unnamed, MaxReferrers},
	} {
		if part.is > part.most {
			return &Error{Kind: ErrTooLarge, Detail: fmt.Sprintf("it would have %d %s, and the limit is %d", part.is, part.what, part.most)}
		}
	}
	return nil
}

// chosen returns the entries of the index, and all blobs that they lead to.
func (l *Layout) chosen(keep func(repository, tag string) bool) ([]ocispec.Descriptor, map[digest.Digest]bool, error) {
	entries := l.named(keep)
	referring, err := l.referring(entries)
	if err != nil {
		return nil, nil, err
	}
	entries = append(entries, referring...)
	walk := l.newWalk(func(err error) error { return err })
	for _, d := range entries {
		if err := walk.from(d); err != nil {
			return nil, nil, err
		}
	}
	return entries, walk.seen, nil
}

// named returns the entries for names, sorted by them.
func (l *Layout) named(keep func(repository, tag string) bool) []ocispec.Descriptor {
	entries := []ocispec.Descriptor{}
	for repository, tags := range l.Repositories() {
		for _, tag := range tags {
			if d, ok := l.Resolve(repository, tag); ok && keep(repository, tag) {
				d.Annotations = map[string]string{ocispec.AnnotationRefName: Name(repository, tag)}
				entries = append(entries, d)
			}
		}
	}
	slices.SortFunc(entries, func(a, b ocispec.Descriptor) int {
		return strings.Compare(a.Annotations[ocispec.AnnotationRefName], b.Annotations[ocispec.AnnotationRefName])
	})
	return entries
}

// referring returns what refers to any of some manifests, each once, sorted by digest.
func (l *Layout) referring(to []ocispec.Descriptor) ([]ocispec.Descriptor, error) {
	var all []ocispec.Descriptor
	for _, d := range to {
		found, err := l.Referrers(d.Digest)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	slices.SortFunc(all, func(a, b ocispec.Descriptor) int { return strings.Compare(string(a.Digest), string(b.Digest)) })
	return slices.CompactFunc(all, func(a, b ocispec.Descriptor) bool { return a.Digest == b.Digest }), nil
}

// writer writes the files of a layout.
type writer struct {
	ctx    context.Context // of one call of WriteTar
	tar    *tar.Writer
	buffer []byte
}

func (w *writer) header(name string, size int64) error {
	return w.tar.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o644, ModTime: time.Unix(0, 0)})
}

func (w *writer) document(name string, data []byte) error {
	if err := w.header(name, int64(len(data))); err != nil {
		return err
	}
	_, err := w.tar.Write(data)
	return err
}

// blob moves a blob from the spool to the archive.
func (w *writer) blob(s *spool, d digest.Digest) error {
	size, _ := s.stat(d)
	if err := w.header(blobPath(d), size); err != nil {
		return err
	}
	from, err := os.Open(s.path(d))
	if err != nil {
		return err
	}
	_, err = io.CopyBuffer(w.tar, patient{w.ctx, from}, w.buffer)
	if closed := from.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Remove(s.path(d))
	}
	return err
}

// patient reads as long as the context allows.
type patient struct {
	ctx context.Context
	io.Reader
}

// Read implements [io.Reader].
func (p patient) Read(b []byte) (int, error) {
	if err := p.ctx.Err(); err != nil {
		return 0, err
	}
	return p.Reader.Read(b)
}
