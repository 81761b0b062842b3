// Package registrytest is a complete provider registry, and a mirror, for tests, demonstrations and benchmarks.
//
// [Start] opens a real HTTPS server on 127.0.0.1 with its own certificate authority, signs checksum documents with
// real OpenPGP keys, and can be used by any client of the protocol: this library, a real terraform or tofu, or curl.
// Nothing leaves the machine and no environment variable is read.
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
// HOSTNAME has its port if that is not 443. Its spelling does not matter: Unicode and Punycode, any case.
// [Config.MirrorToken], [Config.FilesHost] and [Release.MirrorHashes] vary what it says. [Server.WriteMirror] writes the
// same as a filesystem mirror, and [Server.InstallationConfig] the configuration that uses either.
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
package registrytest
