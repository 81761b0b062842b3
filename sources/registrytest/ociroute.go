package registrytest

import "strings"

// ociPath is where an OCI registry is, on every host that is one.
const ociPath = "/v2/"

// parseOCI understands what follows /v2/ in a path. Names of repositories have slashes, so it reads from the end.
func parseOCI(rest string) target {
	if rest == "" {
		return target{kind: KindOCIPing}
	}
	parts := strings.Split(strings.TrimSuffix(rest, "/"), "/")
	if n := len(parts); n > 3 && parts[n-3] == "blobs" && parts[n-2] == "uploads" {
		return ociTarget(KindOCIUpload, parts[:n-3], parts[n-1])
	}
	n := len(parts)
	if n < 3 {
		return target{kind: KindOther}
	}
	name, object, reference := parts[:n-2], parts[n-2], parts[n-1]
	switch {
	case object == "tags" && reference == "list":
		return ociTarget(KindOCITags, name, "")
	case object == "manifests":
		return ociTarget(KindOCIManifest, name, reference)
	case object == "referrers":
		return ociTarget(KindOCIReferrers, name, reference)
	case object == "blobs" && reference == "uploads":
		return ociTarget(KindOCIUpload, name, "")
	case object == "blobs":
		return ociTarget(KindOCIBlob, name, reference)
	}
	return target{kind: KindOther}
}

func ociTarget(kind Kind, name []string, reference string) target {
	t := target{kind: kind, repository: strings.Join(name, "/"), reference: reference}
	if kind == KindOCIManifest && !isDigest(reference) {
		t.version = versionOfTag(reference)
	}
	return t
}

// isDigest tells a digest, which has a colon, from a tag, which has none.
func isDigest(reference string) bool { return strings.Contains(reference, ":") }

// tagOfVersion and versionOfTag translate between versions and tags, which cannot have a plus sign:
// https://github.com/opentofu/opentofu/blob/main/rfc/20241206-oci-registries/4-providers.md#storage-in-oci
func tagOfVersion(version string) string { return strings.ReplaceAll(version, "+", "_") }
func versionOfTag(tag string) string     { return strings.ReplaceAll(tag, "_", "+") }

// isOCI reports whether a request is one to the OCI registry.
func (t target) isOCI() bool { return strings.HasPrefix(string(t.kind), ociKinds) }

// ociKinds is what the kinds of such requests begin with.
const ociKinds = "oci "
