package registrytest

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"
)

// certificateLife is how long, from now, the server's certificates are valid.
const certificateLife = 24 * time.Hour

// authority is a certificate authority that has issued one server certificate.
type authority struct {
	ca     *x509.Certificate
	server tls.Certificate
}

func newAuthority() (*authority, error) {
	caKey, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	caTemplate := certificateTemplate(1, "registrytest authority")
	caTemplate.IsCA, caTemplate.BasicConstraintsValid = true, true
	caTemplate.KeyUsage = x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature
	ca, err := issue(caTemplate, caTemplate, caKey, caKey)
	if err != nil {
		return nil, err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	leaf, err := issue(serverTemplate(), ca, key, caKey)
	if err != nil {
		return nil, err
	}
	return &authority{ca, tls.Certificate{Certificate: [][]byte{leaf.Raw}, PrivateKey: key, Leaf: leaf}}, nil
}

func certificateTemplate(serial int64, name string) *x509.Certificate {
	now := time.Now()
	return &x509.Certificate{
		SerialNumber: big.NewInt(serial),
		Subject:      pkix.Name{CommonName: name},
		NotBefore:    now.Add(-time.Hour), // clocks of containers and hosts differ
		NotAfter:     now.Add(certificateLife),
	}
}

func serverTemplate() *x509.Certificate {
	t := certificateTemplate(2, "registrytest server")
	t.KeyUsage = x509.KeyUsageDigitalSignature
	t.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	t.DNSNames = []string{"localhost", "example.com", "*.example.com"}
	t.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}
	return t
}

func issue(template, parent *x509.Certificate, key, parentKey *ecdsa.PrivateKey) (*x509.Certificate, error) {
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), parentKey)
	if err != nil {
		return nil, err
	}
	return x509.ParseCertificate(der)
}

func (a *authority) serverTLS() *tls.Config {
	return &tls.Config{Certificates: []tls.Certificate{a.server}, MinVersion: tls.VersionTLS12}
}

// CA returns the certificate of the server's authority in PEM form, as SSL_CERT_FILE and trust stores take it.
func (s *Server) CA() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.authority.ca.Raw})
}

// CertPool returns a new pool that holds the server's authority and nothing else.
func (s *Server) CertPool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(s.authority.ca)
	return pool
}

// Client returns a new HTTP client, with connections of its own, that trusts the server's authority and nobody else. It
// uses no proxy and has no timeout. It finds this server under example.com and its subdomains too, whatever the port, as
// though the name system said so: https://registry.example.com/ works. It reaches nothing outside of the machine: to it,
// other hosts, registry.opentofu.org among them, do not exist.
func (s *Server) Client() *http.Client {
	transport := &http.Transport{
		TLSClientConfig:   &tls.Config{RootCAs: s.CertPool()},
		ForceAttemptHTTP2: true,
		DialContext:       s.dial,
	}
	return &http.Client{Transport: transport}
}

func (s *Server) dial(ctx context.Context, network, address string) (net.Conn, error) {
	switch host := withoutPort(address); {
	case isExample(host):
		address = s.Host()
	case host == "localhost.": // not every resolver knows it by its full name
		_, port, _ := net.SplitHostPort(address)
		address = net.JoinHostPort("localhost", port)
	case !isLoopback(host):
		return nil, &net.DNSError{
			Err:        "it is not this test registry: ask for an address of its own, such as registry.example.com/acme/rocket",
			Name:       host,
			IsNotFound: true,
		}
	}
	return new(net.Dialer).DialContext(ctx, network, address)
}

func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

func isExample(host string) bool {
	return host == "example.com" || strings.HasSuffix(host, ".example.com")
}
