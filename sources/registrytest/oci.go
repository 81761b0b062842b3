package registrytest

import (
	"crypto/rand"
	"net/http"
	"regexp"
	"sync"
)

// OCI says what the server's OCI registry offers and how. The zero value offers all releases to everyone, and takes what
// clients push.
type OCI struct {
	// Repository returns the name of the repository that has a provider's releases: "mirror/acme/alpha". nil means
	// "mirror/NAMESPACE/TYPE". Providers for which it returns "", or what is no name of a repository, are not on offer. Since
	// [Server.OCITemplate] calls it with "${hostname}" and so on, it should do no more than put strings together. hostname is
	// "" for releases that name no host.
	Repository func(hostname, namespace, providerType string) string

	// Auth says who may use the registry. The zero value lets everyone.
	Auth OCIAuth

	// Empty offers no releases: the registry has what clients push and nothing else.
	Empty bool

	// PageSize is how many tags a client gets at once, if it does not ask for less. Zero means all.
	PageSize int

	// BlobHost is a hostname to redirect clients to for the contents of blobs, which are then at the server's port, at URLs
	// that carry their own permission and must not be asked with credentials, as in object stores: "localhost", for instance.
	// "" means that the registry has the contents.
	BlobHost string

	// NoReferrers makes the registry one that has no referrers API and does not notice the subjects of manifests.
	NoReferrers bool

	// NoMount makes the registry refuse to mount blobs of other repositories: an upload begins instead.
	NoMount bool
}

// ociRegistry is the OCI half of a server.
type ociRegistry struct {
	OCI
	engine  engine
	change  sync.Mutex // held while a client puts or deletes a manifest, which takes several steps
	blobs   blobStore
	uploads uploadList
	offered offers
	tokens  tokens
	storage string // the signature in the URLs of blobs on BlobHost
}

func newOCI(cfg OCI, bulk *bulkStore) *ociRegistry {
	return &ociRegistry{OCI: cfg, engine: newEngine(), uploads: uploadList{bulk: bulk}, storage: rand.Text()}
}

// repositoryName is https://github.com/opencontainers/distribution-spec/blob/v1.1.1/spec.md#pulling-manifests.
var repositoryName = regexp.MustCompile(`^[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*(/[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*)*$`)

// repository returns the name of a provider's repository, or "" when it has none.
func (o *ociRegistry) repository(addr address) string {
	name := o.name(addr.host, addr.namespace, addr.name)
	if o.Empty || !repositoryName.MatchString(name) {
		return ""
	}
	return name
}

func (o *OCI) name(hostname, namespace, providerType string) string {
	if o.Repository == nil {
		return "mirror/" + namespace + "/" + providerType
	}
	return o.Repository(hostname, namespace, providerType)
}

// OCIRepository returns the full name of the repository that has a provider's releases, without the tag:
// "127.0.0.1:PORT/mirror/acme/alpha". The provider is spelled as in [Release.Provider]. It returns "" for a provider that is
// not on offer by OCI.
func (s *Server) OCIRepository(provider string) string {
	addr, err := parseAddress(provider)
	if err != nil {
		return ""
	}
	name := s.oci.repository(addr)
	if name == "" {
		return ""
	}
	return s.Host() + "/" + name
}

// OCITemplate returns the repository_template of an oci_mirror block that leads to this server's OCI registry:
// "127.0.0.1:PORT/mirror/${namespace}/${type}". See https://opentofu.org/docs/cli/oci_registries/provider-mirror/.
func (s *Server) OCITemplate() string {
	return s.Host() + "/" + s.oci.name("${hostname}", "${namespace}", "${type}")
}

// answerOCI serves https://github.com/opencontainers/distribution-spec/blob/v1.1.1/spec.md.
func (s *Server) answerOCI(w http.ResponseWriter, r *http.Request, t target, fault *Fault) {
	switch t.kind {
	case KindOCIToken:
		s.answerToken(w, r)
		return
	case KindOCIStorage:
		s.answerStorage(w, r, t, fault)
		return
	}
	w.Header().Set("Docker-Distribution-Api-Version", "registry/2.0")
	switch {
	case t.kind != KindOCIPing && !repositoryName.MatchString(t.repository):
		writeOCIError(w, errNameInvalid)
	case !s.mayDo(w, r, t):
	case t.kind == KindOCIPing:
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte("{}")) // a client that went away needs no answer
	case t.kind == KindOCITags:
		s.answerTags(w, r, t, fault)
	case t.kind == KindOCIReferrers:
		s.answerReferrers(w, r, t)
	case t.kind == KindOCIManifest:
		s.answerManifest(w, r, t, fault)
	case t.kind == KindOCIUpload:
		s.answerUpload(w, r, t)
	default:
		s.answerBlob(w, r, t, fault)
	}
}
