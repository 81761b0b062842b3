package ocilayout

import (
	"bytes"
	"io"
	"net/http"
	"strconv"

	specs "github.com/opencontainers/image-spec/specs-go"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
)

// answer is one with a body in memory.
func answer(status int, header http.Header, body []byte) *http.Response {
	resp := &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(bytes.NewReader(body))}
	setLength(resp, int64(len(body)))
	return resp
}

func setLength(resp *http.Response, length int64) {
	resp.ContentLength = length
	resp.Header.Set("Content-Length", strconv.FormatInt(length, 10))
}

// unlessHead drops the body of an answer to a request that wants none.
func unlessHead(req *http.Request, resp *http.Response) *http.Response {
	if req.Method == http.MethodHead {
		resp.Body = http.NoBody
	}
	return resp
}

// refusal is an answer of this form: https://github.com/opencontainers/distribution-spec/blob/v1.1.1/spec.md#error-codes
func refusal(status int, code, message string) *http.Response {
	body := map[string]any{"errors": []map[string]string{{"code": code, "message": message}}}
	return answer(status, http.Header{"Content-Type": {"application/json"}}, encode(body))
}

// newIndex is a list of manifests.
func newIndex(entries []ocispec.Descriptor) ocispec.Index {
	return ocispec.Index{Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: ocispec.MediaTypeImageIndex, Manifests: entries}
}
