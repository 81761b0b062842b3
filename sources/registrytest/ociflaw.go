package registrytest

import (
	"bytes"
	"encoding/json"
	"net/http"
)

// flawed returns the answer to a request for an index, or for whatever a tag names, that a fault has changed. What it makes
// stays there by digest, as though somebody had pushed it.
func (o *ociRegistry) flawed(repository, mediaType string, index []byte, f *Fault) *bufferedWriter {
	if f.EditImage != nil {
		index = o.withImages(repository, index, f.EditImage)
	}
	if f.EditIndex != nil {
		index = f.EditIndex(index)
	}
	digest := digestOf(index)
	o.engine.put(repository, digest, mediaType, index)
	return o.engine.manifest(repository, digest)
}

// withImages returns an index whose images are edited. An index that is none, or not one of images, stays as it is.
func (o *ociRegistry) withImages(repository string, index []byte, edit func([]byte) []byte) []byte {
	var doc map[string]any
	decoder := json.NewDecoder(bytes.NewReader(index))
	decoder.UseNumber() // sizes are to stay as they are
	if decoder.Decode(&doc) != nil {
		return index
	}
	entries, _ := doc["manifests"].([]any)
	for _, e := range entries {
		if entry, ok := e.(map[string]any); ok {
			o.editImage(repository, entry, edit)
		}
	}
	return encoded(doc)
}

// editImage makes an edited copy of the image that an index's entry is for, and the entry one for the copy.
func (o *ociRegistry) editImage(repository string, entry map[string]any, edit func([]byte) []byte) {
	digest, _ := entry["digest"].(string)
	reply := o.engine.manifest(repository, digest)
	if reply.status != http.StatusOK {
		return
	}
	image := edit(reply.body.Bytes())
	entry["digest"], entry["size"] = digestOf(image), len(image)
	o.engine.put(repository, digestOf(image), reply.header.Get("Content-Type"), image)
}
