package sources

import "path"

// PackagePath returns the place of an unpacked package below a plugin cache, a data directory or a filesystem mirror,
// relative and with slashes: "registry.example.com/acme/rocket/1.2.3/linux_amd64".
func PackagePath(p Provider, v Version, on Platform) string {
	return path.Join(p.String(), v.String(), on.String())
}

// ArchivePath returns the place of a packed package below a filesystem or network mirror, relative and with slashes:
// "registry.example.com/acme/rocket/terraform-provider-rocket_1.2.3_linux_amd64.zip". The host is in Unicode, as
// "terraform providers mirror" names directories; the network mirror protocol, and so the target of package fsmirror,
// have it in ASCII ([Host.ASCII]).
func ArchivePath(p Provider, v Version, on Platform) string {
	return path.Join(p.String(), ArchiveName(p, v, on))
}

// ArchiveName returns the usual name of a package's archive: "terraform-provider-rocket_1.2.3_linux_amd64.zip".
func ArchiveName(p Provider, v Version, on Platform) string {
	return ExecutablePrefix + p.Type() + "_" + v.String() + "_" + on.String() + ".zip"
}

// ExecutablePrefix begins the name of every provider's executable and archive; the provider's type follows.
const ExecutablePrefix = "terraform-provider-"
