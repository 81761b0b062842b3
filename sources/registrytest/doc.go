// Package registrytest is a complete provider registry, with mirrors, for tests, demonstrations and benchmarks.
//
// [Start] opens a real HTTPS server on 127.0.0.1 with its own certificate authority, signs checksum documents with
// real OpenPGP keys, and can be used by any client of the protocol: this library, a real terraform or tofu, or curl.
// Nothing leaves the machine and no environment variable is read.
//
// In a test of what uses this library, addresses name a host of the server ([Server.Client]):
//
//	s := registrytest.New(t, registrytest.Config{Releases: []registrytest.Release{{Provider: "acme/rocket", Version: "1.4.0"}}})
//	in := &installer.Installer{Source: direct.New(direct.Config{Client: s.Client()}), Dir: t.TempDir()}
//	pkg, err := in.Get(t.Context(), "registry.example.com/acme/rocket", "")
//
// # Protocol
//
// The server follows https://developer.hashicorp.com/terraform/internals/provider-registry-protocol and
// https://developer.hashicorp.com/terraform/internals/remote-service-discovery. Its paths are
//
//	/.well-known/terraform.json                                    {"providers.v1": "/v1/providers/"}
//	/v1/providers/NAMESPACE/TYPE/versions                          the versions on offer
//	/v1/providers/NAMESPACE/TYPE/VERSION/download/OS/ARCH          one package's metadata
//	/releases/NAMESPACE/TYPE/VERSION/terraform-provider-TYPE_VERSION_OS_ARCH.zip
//	/releases/NAMESPACE/TYPE/VERSION/terraform-provider-TYPE_VERSION_SHA256SUMS
//	/releases/NAMESPACE/TYPE/VERSION/terraform-provider-TYPE_VERSION_SHA256SUMS.sig
//	/releases/NAMESPACE/TYPE/VERSION/terraform-provider-TYPE_VERSION_manifest.json
//
// The last one exists when [Release.Manifest] asks for it. The same tree stands below /at/HOSTNAME/, for clients that
// were told by their configuration to use this server in the place of another host.
//
// # Network mirror
//
// The same releases are on offer by https://developer.hashicorp.com/terraform/internals/provider-network-mirror-protocol,
// below [Server.MirrorURL]:
//
//	/mirror/HOSTNAME/NAMESPACE/TYPE/index.json                     the versions on offer
//	/mirror/HOSTNAME/NAMESPACE/TYPE/VERSION.json                   the archives of one, with hashes and relative URLs
//	/mirror/HOSTNAME/NAMESPACE/TYPE/terraform-provider-TYPE_VERSION_OS_ARCH.zip
//
// [Release.MirrorStatement] adds what the origin signed:
//
//	/mirror/HOSTNAME/NAMESPACE/TYPE/terraform-provider-TYPE_VERSION_ID_SHA256SUMS
//	/mirror/HOSTNAME/NAMESPACE/TYPE/terraform-provider-TYPE_VERSION_ID_SHA256SUMS.sig
//	/mirror/HOSTNAME/NAMESPACE/TYPE/terraform-provider-TYPE_VERSION_ID_SHA256SUMS.key1.asc
//
// HOSTNAME has its port if that is not 443. Its spelling does not matter: Unicode and Punycode, any case.
// [Config.MirrorToken], [Config.FilesHost] and [Release.MirrorHashes] vary what it says. [Server.WriteMirror] writes the
// same as a filesystem mirror, and [Server.InstallationConfig] the configuration that uses either.
//
// # OCI registry
//
// The same releases are on offer by https://github.com/opencontainers/distribution-spec/blob/v1.1.1/spec.md, as artifacts of
// the form that OpenTofu installs providers from,
// https://github.com/opentofu/opentofu/blob/main/rfc/20241206-oci-registries/4-providers.md#storage-in-oci:
//
//	/v2/NAME/tags/list                        the versions on offer, with _ for +, in pages if OCI.PageSize says so
//	/v2/NAME/manifests/TAG                    an index of type application/vnd.opentofu.provider
//	/v2/NAME/manifests/DIGEST                 an image for each platform, of type application/vnd.opentofu.provider-target
//	/v2/NAME/blobs/DIGEST                     its layer, the archive, of type archive/zip
//	/v2/NAME/blobs/uploads/, .../uploads/ID   uploads, in one piece or in chunks, and mounts
//	/v2/NAME/referrers/DIGEST                 manifests with this subject
//	/token                                    the token endpoint, for OCIBearer
//	/storage/NAME/DIGEST                      the contents of blobs, for OCI.BlobHost
//
// NAME is mirror/NAMESPACE/TYPE unless [OCI.Repository] chooses another, on whichever host; releases for different hosts
// share a repository then, and of the same version the latest stays. Providers whose repository would have an impossible
// name are left out; versions that are no possible tags are tags nevertheless.
//
// Clients can push and delete, also into repositories with releases, and also where [OCI.Empty] leaves nothing else. The
// registry checks what it gets: digests, chunks, that a manifest is JSON of the media type it says and at most
// [MaxOCIManifest], and that all it refers to is in the repository, but for its subject. Digests are sha256; manifests may
// be put under their sha512, too. Manifests and tags are kept by github.com/google/go-containerregistry, in memory, and
// blobs on disk. What is deleted or withdrawn leaves its parts behind, as in registries that have not collected garbage.
//
// [OCIAuth] closes the registry, by passwords or tokens. [Server.InstallationConfig] writes the oci_mirror block that uses it.
//
// # Which host a request is for
//
// A provider address begins with a hostname, but requests under /v1/providers/ do not carry it. The server takes it
// from /at/HOSTNAME/, or else from the Host header, unless that is an address of the server itself: then the host is
// unknown. Requests to the network mirror always name it. A [Release] that names no host is served to everyone. A Release that names one is served to requests for
// that host and to requests whose host is unknown.
//
// # Packages
//
// Unless a [Release] says otherwise, its archives contain a small executable that differs for each provider, version and
// platform, and a licence. Archives are deterministic: the same Release always has the same bytes. They use data
// descriptors, as archives made by Go's own tools do. Archives answer range requests, with a strong validator.
//
// # Trust
//
// The server's certificate is signed by an authority made afresh by [Start], which [Server.CA] returns, and is valid for
// 127.0.0.1, ::1, localhost, example.com and *.example.com. Keys and certificates live in memory and end with the process.
// Nothing here is suitable for production.
//
// # Faults
//
// The server behaves well unless told otherwise. A [Fault] makes the requests it matches go wrong: error statuses, broken,
// stalled, truncated and altered bodies, foreign signatures, redirects. Faults compose with everything else, and
// [Server.Requests] tells what clients did about them.
//
// OCI artifacts go wrong in two ways. [Fault.Edit] and [Fault.WrongHash] change a body alone, so that it does not fit its
// digest. [Fault.EditIndex] and [Fault.EditImage] change an artifact as if it had been pushed so, with all digests and sizes
// right. [SetJSON], [DeleteJSON] and [CopyJSON] make such changes:
//
//	wrong size          Fault{EditImage: SetJSON("/layers/0/size", 1)}
//	wrong media type    Fault{EditImage: SetJSON("/layers/0/mediaType", "text/html")}
//	null member         Fault{EditIndex: SetJSON("/manifests/0", nil)}
//	unknown algorithm   Fault{EditIndex: SetJSON("/manifests/0/digest", "md5:00")}
//	missing platform    Fault{EditIndex: DeleteJSON("/manifests/0/platform")}
//	two variants        Fault{EditIndex: Edits(CopyJSON("/manifests/0", "/manifests/-"), SetJSON("/manifests/1/platform/variant", "v8"))}
//	giant manifest      Fault{EditIndex: SetJSON("/annotations", map[string]string{"filler": strings.Repeat("x", 5<<20)})}
//	hostile tags        Fault{Kind: KindOCITags, Edit: SetJSON("/tags", []string{"99999999999999999999.0.0", "../x"})}
//	endless tags        Fault{EndlessTags: true}
//	a page elsewhere    Fault{Kind: KindOCITags, Header: map[string]string{"Link": `<http://example.com/>; rel="next"`}}
//	wrong digest        Fault{Kind: KindOCIManifest, Header: map[string]string{"Docker-Content-Digest": "sha256:..."}}
//	no digest           Fault{Kind: KindOCIManifest, Method: "HEAD", Header: map[string]string{"Docker-Content-Digest": ""}}
//	endless challenges  Fault{Kind: KindOCIManifest, Status: 401}
package registrytest
