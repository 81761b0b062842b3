package ocilayout

import (
	"fmt"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
)

// walk finds what documents lead to.
type walk struct {
	layout *Layout
	seen   map[digest.Digest]bool
	queue  []link                 // manifests that are to be read; there can be long chains of them
	read   map[digest.Digest]bool // manifests that are in the queue, or were; to another document they can be mere content
	wrong  func(error) error
}

// newWalk returns a walk that calls wrong with what is wrong, and ends if that returns an error.
func (l *Layout) newWalk(wrong func(error) error) *walk {
	return &walk{layout: l, seen: map[digest.Digest]bool{}, read: map[digest.Digest]bool{}, wrong: wrong}
}

// from goes from a document to all that it leads to.
func (w *walk) from(d ocispec.Descriptor) error {
	if err := w.visit(link{d.MediaType, d.Digest, d.Size}); err != nil {
		return err
	}
	for len(w.queue) > 0 {
		next := w.queue[len(w.queue)-1]
		w.queue = w.queue[:len(w.queue)-1]
		if err := w.enter(next); err != nil {
			return err
		}
	}
	return nil
}

func (w *walk) visit(to link) error {
	size, ok := w.layout.blobs.stat(to.Digest)
	switch {
	case !ok:
		return w.wrong(&Error{Entry: string(to.Digest), Kind: ErrMissing, Detail: "another document leads to it"})
	case size != to.Size:
		return w.wrong(&Error{Entry: blobPath(to.Digest), Kind: ErrMismatch, Detail: fmt.Sprintf("it has %d bytes, and another document says %d", size, to.Size)})
	}
	w.seen[to.Digest] = true
	if isManifest(to.MediaType) && !w.read[to.Digest] {
		w.read[to.Digest] = true
		w.queue = append(w.queue, to)
	}
	return nil
}

// enter reads a manifest.
func (w *walk) enter(to link) error {
	data, err := w.layout.Manifest(to.Digest)
	if err != nil {
		return w.wrong(err)
	}
	var document struct {
		MediaType string     `json:"mediaType"`
		Config    *link      `json:"config"`
		Layers    list[link] `json:"layers"`
		Manifests list[link] `json:"manifests"`
	}
	if err := decode(blobPath(to.Digest), data, &document); err != nil {
		return w.wrong(err)
	}
	if document.MediaType != "" && document.MediaType != to.MediaType {
		return w.wrong(&Error{Entry: blobPath(to.Digest), Kind: ErrMalformed, Detail: fmt.Sprintf("its media type is %q, and another document says %q", document.MediaType, to.MediaType)})
	}
	all := append(document.Layers, document.Manifests...)
	if document.Config != nil {
		all = append(all, *document.Config)
	}
	for _, next := range all {
		if err := w.visit(next); err != nil {
			return err
		}
	}
	return nil
}
