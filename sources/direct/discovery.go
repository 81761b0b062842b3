package direct

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/purveyor-dev/purveyor/internal/web"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/internal/remote"
)

const (
	discoveryPath = "/.well-known/terraform.json"
	serviceID     = "providers.v1"
)

// service is a host's provider registry.
type service struct {
	host    sources.Host
	base    *url.URL
	vouched bool // base was configured, not discovered
}

// NoRegistryError says that a host is there but offers no provider registry of the version that is understood here.
// It is not an error of absence: most likely the address of the provider is mistyped.
type NoRegistryError struct {
	Host  sources.Host
	Other string // another version of the service that it does offer, such as "providers.v9"; empty: none
}

func (e *NoRegistryError) Error() string {
	if e.Other != "" {
		return fmt.Sprintf("host %s offers a provider registry only as %s; this program needs %s", e.Host, e.Other, serviceID)
	}
	return fmt.Sprintf("host %s does not offer a provider registry; check the host in the provider's source address", e.Host)
}

// DiscoveryError says that a host's services could not be discovered.
type DiscoveryError struct {
	Host sources.Host
	Err  error
}

func (e *DiscoveryError) Error() string {
	return fmt.Sprintf("cannot discover the services of host %s: %v", e.Host, e.Err)
}

// Unwrap returns the cause.
func (e *DiscoveryError) Unwrap() error { return e.Err }

// discover finds a host's provider registry. Hosts are asked once; errors are not remembered.
func (s *Source) discover(ctx context.Context, host sources.Host) (*service, error) {
	return s.services.Get(ctx, host, func(ctx context.Context) (*service, error) {
		location := &url.URL{Scheme: "https", Host: host.ASCII(), Path: discoveryPath}
		if table, ok := s.config.Services[host]; ok {
			base, err := serviceURL(host, location, toAny(table))
			return &service{host: host, base: base, vouched: true}, err
		}
		final, table, err := s.fetchDiscovery(ctx, host, location)
		if err != nil {
			return nil, &DiscoveryError{Host: host, Err: err}
		}
		base, err := serviceURL(host, final, table)
		return &service{host: host, base: base}, err
	})
}

func toAny(table map[string]string) map[string]any {
	converted := make(map[string]any, len(table))
	for id, location := range table {
		converted[id] = location
	}
	return converted
}

// fetchDiscovery returns the services of a host and the final URL of the document. A host that answers 404 has none.
func (s *Source) fetchDiscovery(ctx context.Context, host sources.Host, location *url.URL) (*url.URL, map[string]any, error) {
	token, err := s.token(ctx, location, sources.Host{})
	if err != nil {
		return nil, nil, err
	}
	doc, err := s.web.Get(ctx, web.Get{
		URL:    location,
		Accept: "application/json",
		Token:  token,
		Limit:  MaxDiscoveryDocument,
		Status: []int{http.StatusNotFound},
	})
	if err != nil {
		return nil, nil, err
	}
	if doc.Status == http.StatusNotFound {
		return doc.URL, nil, nil
	}
	if err := remote.CheckJSON(doc); err != nil {
		return nil, nil, err
	}
	var table map[string]any
	if err := remote.Decode(doc, &table); err != nil {
		return nil, nil, err
	}
	return doc.URL, table, nil
}

// serviceURL picks the provider registry out of a host's services and resolves its URL against the document's.
func serviceURL(host sources.Host, document *url.URL, table map[string]any) (*url.URL, error) {
	value, offered := table[serviceID]
	if !offered {
		return nil, &NoRegistryError{Host: host, Other: otherVersion(table)}
	}
	text, _ := value.(string)
	reference, err := url.Parse(text)
	if err != nil || text == "" {
		return nil, &DiscoveryError{Host: host, Err: fmt.Errorf("%w: %s is not a URL", sources.ErrMalformed, serviceID)}
	}
	base := document.ResolveReference(reference)
	base.Fragment, base.RawFragment = "", ""
	return base, nil
}

func otherVersion(table map[string]any) string {
	for _, id := range slices.Sorted(maps.Keys(table)) {
		if strings.HasPrefix(id, "providers.") {
			return id
		}
	}
	return ""
}
