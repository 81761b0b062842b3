package registrytest

import (
	"encoding/json"
	"net/http"
)

// ociError is an error of https://github.com/opencontainers/distribution-spec/blob/v1.1.1/spec.md#error-codes.
type ociError struct {
	status  int
	Code    string `json:"code"`
	Message string `json:"message"`
}

var (
	errNameInvalid     = ociError{http.StatusBadRequest, "NAME_INVALID", "invalid repository name"}
	errNameUnknown     = ociError{http.StatusNotFound, "NAME_UNKNOWN", "repository name not known to registry"}
	errManifestInvalid = ociError{http.StatusBadRequest, "MANIFEST_INVALID", "manifest invalid"}
	errManifestBlob    = ociError{http.StatusBadRequest, "MANIFEST_BLOB_UNKNOWN", "the manifest refers to something that is not in the repository"}
	errManifestSize    = ociError{http.StatusRequestEntityTooLarge, "MANIFEST_INVALID", "manifest too large"}
	errBlobUnknown     = ociError{http.StatusNotFound, "BLOB_UNKNOWN", "blob unknown to registry"}
	errDigestInvalid   = ociError{http.StatusBadRequest, "DIGEST_INVALID", "provided digest did not match uploaded content"}
	errUploadUnknown   = ociError{http.StatusNotFound, "BLOB_UPLOAD_UNKNOWN", "blob upload unknown to registry"}
	errUploadInvalid   = ociError{http.StatusRequestedRangeNotSatisfiable, "BLOB_UPLOAD_INVALID", "the chunk does not follow what is there"}
	errPageInvalid     = ociError{http.StatusBadRequest, "PAGINATION_NUMBER_INVALID", "invalid number of results requested"}
	errUnauthorized    = ociError{http.StatusUnauthorized, "UNAUTHORIZED", "authentication required"}
	errUnsupported     = ociError{http.StatusMethodNotAllowed, "UNSUPPORTED", "the operation is unsupported"}
	errInternal        = ociError{http.StatusInternalServerError, "UNKNOWN", "the registry has failed"}
)

func writeOCIError(w http.ResponseWriter, e ociError) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(e.status)
	_ = json.NewEncoder(w).Encode(map[string][]ociError{"errors": {e}}) // a client that went away needs no answer
}
