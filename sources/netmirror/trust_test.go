package netmirror_test

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"

	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// trusting returns a client that trusts several servers.
func trusting(servers ...*registrytest.Server) *http.Client {
	pool := x509.NewCertPool()
	for _, s := range servers {
		pool.AppendCertsFromPEM(s.CA())
	}
	return &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}
}
