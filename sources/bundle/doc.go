// Package bundle carries chosen providers, with their signatures, in one file, to where there is no network.
//
// A [Writer] is a target: whatever publishes to mirrors can fill a bundle. A [Bundle] is a source: providers are
// installed from it directly, and whatever builds a mirror from a source can import it.
//
// # Format
//
// A bundle is an OCI image layout in a tar archive, which is not compressed: packages are, and can be read where they are.
// https://github.com/opencontainers/image-spec/blob/v1.1.1/image-layout.md
//
//	oci-layout
//	index.json
//	blobs/sha256/…
//
// Providers are artifacts of the form that [github.com/purveyor-dev/purveyor/sources/ocimirror] specifies, and OpenTofu
// installs from. Each version is an entry of index.json, of this name (org.opencontainers.image.ref.name):
//
//	registry.opentofu.org/acme/rocket:1.2.3
//
// It is the address of the provider, the host in ASCII, with an underscore before the host's port instead of the colon, and
// the version, with an underscore for the plus sign. The origin's signed checksums are entries without a name, whose
// manifests refer to the version's by subject.
//
// Other tools read such a file, and copy versions from it to registries:
//
//	oras cp -r --from-oci-layout-path providers.tar registry.opentofu.org/acme/rocket:1.2.3 mirror.example.com/acme/rocket:1.2.3
//	skopeo copy --all --preserve-digests oci-archive:providers.tar:registry.opentofu.org/acme/rocket:1.2.3 docker://mirror.example.com/acme/rocket:1.2.3
//
// With -r, oras takes the signed checksums along; skopeo leaves them behind. The older option of oras, --from-oci-layout,
// takes the last colon for the beginning of a tag: it wants "providers.tar@sha256:…", with the digest that index.json has.
// Versions of skopeo that would lose the artifact type of an index, such as 1.9, refuse to copy it.
//
// What others put into a layout beside providers is passed over. Names without an address, such as "1.2.3", are not those
// of a provider.
//
// # Writing
//
// The same packages give the same bytes, in whatever order and by whomever they are put in: entries are sorted, and have
// neither owners nor dates. A file appears at the path of a bundle, in one step, when it is complete; one that was there
// before is replaced. Until then everything is in a directory beside it, ".providers.tar.purveyor-*". What a killed
// process has left of that is removed by whoever begins a bundle of the same path next, and may be deleted as well. An
// archive is copied twice, into that directory and from there into the bundle, and takes up its space once: what has been
// copied from the directory is removed from it.
//
// # Trust
//
// A bundle may come from a stranger. Opening one reads two documents and the headers of the archive. Nothing is ever
// unpacked or written. What cannot be a bundle is a [*FileError]: an archive that is compressed, cut off, has links,
// devices, sparse files, names that lead elsewhere, or two files of one name. Manifests and signatures are hashed whenever
// they are read; archives are hashed by the installer. [Bundle.Verify] reads and checks everything.
//
// Whoever made the bundle could replace everything in it but what is signed, and could leave the signatures out. As for
// every mirror, those who rely on signatures name the signers' keys, by the policy of package installer, or with
// [VerifyOptions].
//
// # Limits
//
// [MaxFiles], [MaxName], [MaxIndex], [MaxListed], [MaxManifest], [MaxEntries], [MaxReferrers], and those of package
// ocimirror. What a bundle takes of memory grows with the number of its files, by some hundred bytes for each, and not
// with their size. A provider whose namespace or type is not ASCII, or whose host ends with a dot, cannot be in a
// bundle, as it cannot be in an OCI registry.
package bundle

import "github.com/purveyor-dev/purveyor/internal/ocilayout"

// The most of a bundle that is read. More is an error that matches [sources.ErrTooLarge].
const (
	MaxFiles     = ocilayout.MaxFiles     // files and directories: 100,000
	MaxName      = ocilayout.MaxName      // a file's name: 255 bytes
	MaxIndex     = ocilayout.MaxIndex     // index.json: 16 MiB
	MaxListed    = ocilayout.MaxListed    // entries of index.json: 50,000
	MaxManifest  = ocilayout.MaxManifest  // a manifest: 4 MiB
	MaxEntries   = ocilayout.MaxEntries   // elements of an array in a manifest: 1000
	MaxReferrers = ocilayout.MaxReferrers // all manifests without a name, those of signed checksums: 32 MiB
)

// MaxProblems is about how many things that are wrong [Bundle.Verify] reports before it gives up: 20.
const MaxProblems = ocilayout.MaxProblems
