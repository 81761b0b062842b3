package ocilayout

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"net/http"

	"github.com/opencontainers/go-digest"
)

// putBlob takes a blob in one piece:
// https://github.com/opencontainers/distribution-spec/blob/v1.1.1/spec.md#post-then-put
func (l *Layout) putBlob(req *http.Request) (*http.Response, error) {
	d := digest.Digest(req.URL.Query().Get("digest"))
	if err := d.Validate(); err != nil || req.Body == nil {
		return refusal(http.StatusBadRequest, "DIGEST_INVALID", "the digest of the blob cannot be used"), nil
	}
	return l.store(d, req.Body, http.Header{})
}

// store takes content, unless it is there.
func (l *Layout) store(d digest.Digest, from io.Reader, header http.Header) (*http.Response, error) {
	var wrong *Error
	var err error
	if _, there := l.blobs.stat(d); !there {
		err = l.spool.put(d, from)
	}
	switch {
	case errors.As(err, &wrong):
		return refusal(http.StatusBadRequest, "DIGEST_INVALID", wrong.Error()), nil
	case err != nil:
		return nil, err
	}
	header.Set("Docker-Content-Digest", string(d))
	return answer(http.StatusCreated, header, nil), nil
}

func (l *Layout) putManifest(req *http.Request, r route) (*http.Response, error) {
	data, err := io.ReadAll(io.LimitReader(cmp.Or[io.Reader](req.Body, http.NoBody), MaxManifest+1))
	switch {
	case err != nil:
		return nil, err
	case len(data) > MaxManifest:
		return refusal(http.StatusRequestEntityTooLarge, "SIZE_INVALID", "the manifest is too large"), nil
	}
	d, tag := digest.FromBytes(data), r.reference
	if named := digest.Digest(tag); named.Validate() == nil {
		d, tag = named, ""
	}
	header := http.Header{}
	resp, err := l.store(d, bytes.NewReader(data), header)
	if err != nil || resp.StatusCode != http.StatusCreated {
		return resp, err
	}
	h, err := l.put(r.repository, tag, req.Header.Get("Content-Type"), d, data)
	if err != nil {
		return refusal(http.StatusBadRequest, "MANIFEST_INVALID", err.Error()), nil
	}
	if h.Subject != nil {
		header.Set("OCI-Subject", string(h.Subject.Digest))
	}
	return resp, nil
}
