package registrytest

import (
	"net/http"
	"strings"
)

// The server's paths, see the package comment, and the ends of the names of a release's files.
const (
	providersService = "providers.v1"
	discoveryPath    = "/.well-known/terraform.json"
	providersPath    = "/v1/providers/"
	releasesPath     = "/releases/"
	mirrorPath       = "/mirror/"
	hostPrefix       = "/at/"

	indexName       = "index.json"
	versionSuffix   = ".json"
	namePrefix      = "terraform-provider-"
	archiveSuffix   = ".zip"
	sumsSuffix      = "_SHA256SUMS"
	sigSuffix       = ".sig"
	signatureSuffix = sumsSuffix + sigSuffix
	keySuffix       = ".asc"
	manifestSuffix  = "_manifest.json"
)

// Kind says what a request is for.
type Kind string

// The kinds of requests. KindManifest is for the file that [Release.Manifest] adds; KindMirrorIndex and KindMirrorVersion
// are for the network mirror's two documents, KindArchive for archives here and there, and so are KindSums and KindSignature;
// KindKey is for the keys that [Release.MirrorStatement] adds to mirrors; the kinds that begin with OCI are the requests of the
// OCI registry; KindOther is for all that the server does not know.
const (
	KindDiscovery     Kind = "discovery"
	KindVersions      Kind = "versions"
	KindPackage       Kind = "package"
	KindSums          Kind = "sums"
	KindSignature     Kind = "signature"
	KindArchive       Kind = "archive"
	KindManifest      Kind = "manifest"
	KindKey           Kind = "key"
	KindMirrorIndex   Kind = "mirror index"
	KindMirrorVersion Kind = "mirror version"
	KindOCIPing       Kind = "oci ping"      // /v2/
	KindOCITags       Kind = "oci tags"      // the list of tags
	KindOCIManifest   Kind = "oci manifest"  // an index or an image, by tag or digest
	KindOCIBlob       Kind = "oci blob"      // an archive, or another blob
	KindOCIUpload     Kind = "oci upload"    // uploads and mounts of blobs
	KindOCIReferrers  Kind = "oci referrers" // the list of referrers
	KindOCIToken      Kind = "oci token"     // the token endpoint
	KindOCIStorage    Kind = "oci storage"   // a blob, on OCI.BlobHost
	KindOther         Kind = "other"
)

// target is what a request's path means.
type target struct {
	kind     Kind
	prefix   string // "/at/HOST" or "/mirror/HOST" when the path has it
	mirrored bool   // the path is one of the network mirror
	addr     address
	version  string
	platform string // KindPackage only
	file     string // the files of a release and those of the mirror only

	repository string // the OCI registry only
	reference  string // tag or digest of a manifest, digest of a blob, or name of an upload
}

// targetOf reads the path and the host of a request.
func (s *Server) targetOf(r *http.Request) target {
	t := parsePath(r.URL.Path)
	if t.repository != "" {
		t.addr = s.oci.offered.provider(t.repository)
		return t
	}
	if host := withoutPort(r.Host); t.prefix == "" && !s.isSelf(host) {
		t.addr.host = canonicalHost(host)
	}
	return t
}

// isSelf reports whether a hostname stands for the server itself, not for a registry it plays.
func (s *Server) isSelf(host string) bool {
	switch host {
	case withoutPort(s.Host()), withoutPort(s.cfg.FilesHost), "localhost", "::1":
		return true
	}
	return false
}

// parsePath understands every path; what is none of the server's is of KindOther.
func parsePath(path string) target {
	if rest, ok := strings.CutPrefix(path, hostPrefix); ok {
		host, rest, _ := strings.Cut(rest, "/")
		t := parseHostless("/" + rest)
		t.prefix, t.addr.host = hostPrefix+host, canonicalHost(host)
		return t
	}
	if rest, ok := strings.CutPrefix(path, mirrorPath); ok {
		return parseMirror(strings.Split(rest, "/"))
	}
	if rest, ok := strings.CutPrefix(path, ociPath); ok {
		return parseOCI(rest)
	}
	if rest, ok := strings.CutPrefix(path, storagePath); ok {
		return parseStorage(rest)
	}
	return parseHostless(path)
}

func parseHostless(path string) target {
	switch path {
	case discoveryPath:
		return target{kind: KindDiscovery}
	case tokenPath:
		return target{kind: KindOCIToken}
	}
	if rest, ok := strings.CutPrefix(path, providersPath); ok {
		return parseMetadata(strings.Split(rest, "/"))
	}
	if rest, ok := strings.CutPrefix(path, releasesPath); ok {
		return parseFile(strings.Split(rest, "/"))
	}
	return target{kind: KindOther}
}

func parseMetadata(parts []string) target {
	switch {
	case len(parts) == 3 && parts[2] == "versions":
		return target{kind: KindVersions, addr: address{"", parts[0], parts[1]}}
	case len(parts) == 6 && parts[3] == "download":
		return target{
			kind:     KindPackage,
			addr:     address{"", parts[0], parts[1]},
			version:  parts[2],
			platform: parts[4] + "_" + parts[5],
		}
	}
	return target{kind: KindOther}
}

func parseFile(parts []string) target {
	if len(parts) != 4 {
		return target{kind: KindOther}
	}
	return target{kind: fileKind(parts[3]), addr: address{"", parts[0], parts[1]}, version: parts[2], file: parts[3]}
}

func fileKind(name string) Kind {
	switch {
	case strings.HasSuffix(name, archiveSuffix):
		return KindArchive
	case strings.HasSuffix(name, sumsSuffix):
		return KindSums
	case strings.HasSuffix(name, signatureSuffix):
		return KindSignature
	case strings.HasSuffix(name, manifestSuffix):
		return KindManifest
	case strings.HasSuffix(name, keySuffix):
		return KindKey
	}
	return KindOther
}
