package registrytest

import (
	"context"
	"io"
	"io/fs"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Config says what a [Server] serves and how. The zero value is an empty, well-behaved, fast registry.
type Config struct {
	// Releases are what the registry offers from the start. More can come later through [Server.Add].
	Releases []Release

	// FS holds further releases, as the files of unpacked packages below HOST/NAMESPACE/TYPE/VERSION/OS_ARCH/ or
	// NAMESPACE/TYPE/VERSION/OS_ARCH/. A first segment with a dot or a colon is a host. nil means none.
	FS fs.FS

	// Faults are in force from the start. More can come later through [Server.AddFault].
	Faults []Fault

	// Signer signs the releases that name no signer of their own. nil means a new Ed25519 key.
	Signer *Signer

	// Token, when not empty, is the bearer token that requests for versions and package metadata must carry; others are
	// answered with 401. Discovery and the files under /releases/ stay open, as they are in common registries.
	Token string

	// MirrorToken, when not empty, is the bearer token that requests for the network mirror's documents must carry; others
	// are answered with 401. Archives stay open, as the protocol wants. A client has one token for each host, so one that
	// also uses the server's own address as a registry needs a Token that is the same.
	MirrorToken string

	// OCI says what the OCI registry offers and how.
	OCI OCI

	// Latency is waited before each answer. Zero means none.
	Latency time.Duration

	// BytesPerSecond limits how fast archives and other blobs are sent over one connection. Zero means no limit.
	BytesPerSecond int64

	// NoRanges makes the server ignore Range headers and always send whole archives.
	NoRanges bool

	// HTTP1 turns HTTP/2 off.
	HTTP1 bool

	// WrapListener, when not nil, is called once with the listener for TCP connections and returns the one to use in its
	// place, so as to count connections or to slow them down; its address must be the same.
	WrapListener func(net.Listener) net.Listener

	// FilesHost is the hostname in the URLs of archives, checksums and signatures, for clients that must cope with files
	// that live on another origin: "localhost", for instance. The port stays the server's. "" means the host asked, and in
	// the network mirror URLs without a host, relative to the document's own.
	FilesHost string

	// Dir is where the archives of releases with a Size, and blobs that clients push, are kept until Close. "" means a new
	// directory in [os.TempDir].
	Dir string

	// ErrorLog receives what the HTTP server complains of, such as failed handshakes. nil discards it.
	ErrorLog *log.Logger
}

// Server is a running registry. It is safe for concurrent use.
type Server struct {
	cfg       Config
	signer    *Signer
	authority *authority
	listener  net.Listener
	http      *http.Server
	catalog   catalog
	bulk      bulkStore
	oci       *ociRegistry
	faults    faultList
	log       requestLog

	done     chan struct{} // closed by Close: ends every wait
	mu       sync.Mutex    // guards closed, and handlers.Add against handlers.Wait
	closed   bool
	handlers sync.WaitGroup
}

// closeGrace is how long Close waits for handlers whose connections it has closed. Only a [Fault.Hook] that ignores its
// request's context can need longer.
const closeGrace = 2 * time.Second

// Start makes the keys, certificates and archives that cfg asks for and begins to serve. The caller must Close the server.
//
// Errors are of type [*Error]: a release or fault that makes no sense, or a machine that cannot listen or write.
func Start(cfg Config) (*Server, error) {
	s := &Server{cfg: cfg, done: make(chan struct{}), bulk: bulkStore{parent: cfg.Dir}}
	s.oci = newOCI(cfg.OCI, &s.bulk)
	if err := s.prepare(); err != nil {
		s.bulk.remove()
		return nil, err
	}
	if err := s.listen(); err != nil {
		s.bulk.remove()
		return nil, &Error{Op: "start", Err: err}
	}
	return s, nil
}

func (s *Server) prepare() error {
	if err := s.prepareKeys(); err != nil {
		return &Error{Op: "start", Err: err}
	}
	if err := s.cfg.OCI.Auth.check(); err != nil {
		return &Error{Op: "start", Err: err}
	}
	releases, err := releasesFromFS(s.cfg.FS)
	if err != nil {
		return &Error{Op: "read releases", What: "Config.FS", Err: err}
	}
	for _, r := range append(releases, s.cfg.Releases...) {
		if err := s.Add(r); err != nil {
			return err
		}
	}
	for _, f := range s.cfg.Faults {
		if err := s.AddFault(f); err != nil {
			return err
		}
	}
	return nil
}

func (s *Server) prepareKeys() (err error) {
	if s.authority, err = newAuthority(); err != nil {
		return err
	}
	s.signer = s.cfg.Signer
	if s.signer == nil {
		s.signer, err = NewSigner("registrytest", SignerOptions{})
	}
	return err
}

func (s *Server) listen() (err error) {
	if s.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return err
	}
	if s.cfg.WrapListener != nil {
		s.listener = s.cfg.WrapListener(s.listener)
	}
	s.http = &http.Server{
		Handler:     http.HandlerFunc(s.serve),
		TLSConfig:   s.authority.serverTLS(),
		Protocols:   protocols(s.cfg.HTTP1),
		ErrorLog:    s.cfg.ErrorLog,
		ConnContext: s.withThrottle,
	}
	if s.http.ErrorLog == nil {
		s.http.ErrorLog = log.New(io.Discard, "", 0)
	}
	go func() { _ = s.http.ServeTLS(s.listener, "", "") }() // always ends with an error, once Close closes the listener
	return nil
}

func protocols(http1Only bool) *http.Protocols {
	p := new(http.Protocols)
	p.SetHTTP1(true)
	p.SetHTTP2(!http1Only)
	return p
}

// Close cuts all connections, stalled ones too, and removes temporary files. It may be called more than once.
func (s *Server) Close() {
	s.mu.Lock()
	already := s.closed
	s.closed = true
	s.mu.Unlock()
	if already {
		return
	}
	close(s.done)
	_ = s.http.Close()     // the connections are gone either way
	_ = s.listener.Close() // for a server that had no time to take it over
	s.waitForHandlers()
	s.bulk.remove()
}

func (s *Server) waitForHandlers() {
	idle := make(chan struct{})
	go func() { s.handlers.Wait(); close(idle) }()
	select {
	case <-idle:
	case <-time.After(closeGrace):
	}
}

// enter counts a handler in, so that Close can wait for it; it refuses once the server is closed.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.handlers.Add(1)
	return true
}

// wait lets d pass; it reports false when the client went away or the server was closed first.
func (s *Server) wait(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
	case <-s.done:
	}
	return false
}

// hang waits until the client goes away or the server is closed.
func (s *Server) hang(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-s.done:
	}
}

// Host returns the server's address, "127.0.0.1:PORT". It serves as the host of a provider address, since the discovery
// document is there.
func (s *Server) Host() string { return s.listener.Addr().String() }

// URL returns the server's base URL, "https://127.0.0.1:PORT", without a slash at the end.
func (s *Server) URL() string { return "https://" + s.Host() }

// Services returns the absolute URLs of the server's services by identifier, {"providers.v1": ".../v1/providers/"}, as the
// host block of a CLI configuration takes them. Requests that use them do not tell which host they are for.
func (s *Server) Services() map[string]string { return s.HostServices("") }

// HostServices is like [Server.Services], with URLs that tell the server that requests are for the given host.
func (s *Server) HostServices(host string) map[string]string {
	base := s.URL()
	if host != "" {
		base += hostPrefix + strings.ToLower(host)
	}
	return map[string]string{providersService: base + providersPath}
}
