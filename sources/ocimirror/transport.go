package ocimirror

import (
	"net/http"

	"github.com/purveyor-dev/purveyor/internal/web"
)

const maxIdlePerHost = 16

// transports returns the transports for documents and for archives, which get a connection each: over HTTP/2 all would
// share one, and wait for each other when a packet is lost. A transport that is not the standard one serves for both.
func transports(client *http.Client) (documents, archives http.RoundTripper) {
	base := http.DefaultTransport
	if client != nil && client.Transport != nil {
		base = client.Transport
	}
	standard, ok := base.(*http.Transport)
	if !ok {
		return base, base
	}
	if client == nil || client.Transport == nil {
		standard = standard.Clone()
		standard.MaxIdleConnsPerHost = maxIdlePerHost
		standard.MaxConnsPerHost = web.MaxConnectionsPerHost
	}
	separate := standard.Clone()
	separate.Protocols = new(http.Protocols)
	separate.Protocols.SetHTTP1(true)
	separate.TLSNextProto = nil
	if separate.TLSClientConfig != nil {
		separate.TLSClientConfig.NextProtos = nil // it may have been used for HTTP/2 before
	}
	return standard, separate
}
