package ocimirror

import (
	"fmt"
	"net/http"
	"net/url"
	"sync"

	"oras.land/oras-go/v2/registry"

	"github.com/purveyor-dev/purveyor/internal/web"
	"github.com/purveyor-dev/purveyor/sources"
)

// connection reaches the repositories of providers. Each is authenticated for on its own, since credentials can differ
// from one repository to the next.
type connection struct {
	config    Config
	documents http.RoundTripper // for everything but archives
	archives  http.RoundTripper

	mu           sync.Mutex
	repositories map[registry.Reference]*repository
}

func newConnection(config Config) (*connection, error) {
	config, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	c := &connection{config: config, repositories: map[registry.Reference]*repository{}}
	var base http.RoundTripper
	if config.Client != nil {
		base = config.Client.Transport
	}
	c.documents, c.archives = web.Transports(base)
	return c, nil
}

// repository returns the repository of a provider.
func (c *connection) repository(p sources.Provider) (*repository, error) {
	host, name, err := c.config.Repository(p)
	if err != nil {
		return nil, err
	}
	ref := registry.Reference{Registry: contactHost(host), Repository: name}
	if err := validate(ref); err != nil {
		return nil, fmt.Errorf("%q is not the address of an OCI repository: %w", host+"/"+name, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if r, ok := c.repositories[ref]; ok {
		return r, nil
	}
	r := c.newRepository(ref)
	c.repositories[ref] = r
	return r, nil
}

func validate(ref registry.Reference) error {
	if err := ref.ValidateRegistry(); err != nil {
		return err
	}
	return ref.ValidateRepository()
}

// newWeb returns a client with the configured patience.
func (c *connection) newWeb(transport http.RoundTripper) *web.Client {
	client := &http.Client{Transport: transport}
	if c.config.Client != nil {
		client.Jar = c.config.Client.Jar
	}
	return &web.Client{
		HTTP:              client,
		UserAgent:         c.config.UserAgent,
		DocumentRetries:   c.config.Retries,
		ArchiveRetries:    c.config.ArchiveRetries,
		Timeout:           c.config.Timeout,
		Stall:             c.config.Stall,
		FirstBackoff:      c.config.Backoff,
		PlainHTTPInsecure: c.config.PlainHTTPInsecure,
	}
}

// repository is one repository, and the clients that are authenticated for it.
type repository struct {
	ref  registry.Reference // without a tag or digest
	base *url.URL           // https://registry.example.com/v2/mirror/acme/rocket

	authorizer *authorizer
	connection *connection
	web        *web.Client // for documents
	archives   *web.Client // for large blobs
}

func (c *connection) newRepository(ref registry.Reference) *repository {
	scheme := "https"
	if c.config.PlainHTTP {
		scheme = "http"
	}
	r := &repository{
		ref:        ref,
		base:       &url.URL{Scheme: scheme, Host: ref.Registry, Path: "/v2/" + ref.Repository},
		connection: c,
	}
	r.authorizer = newAuthorizer(r.base, ref, c)
	r.web = c.newWeb(teller{r.authorizer})
	r.archives = c.newWeb(teller{r.authorizer.over(c.archives)})
	return r
}

// url returns the URL of something in the repository: at("manifests", "1.0.0").
func (r *repository) at(kind, reference string) *url.URL {
	return r.base.JoinPath(kind, reference)
}

// String returns the address for people: "registry.example.com/mirror/acme/rocket".
func (r *repository) String() string { return registryName(r.ref.Registry) + "/" + r.ref.Repository }
