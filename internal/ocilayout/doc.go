// Package ocilayout answers as an OCI registry would, from an image layout: from one in a tar archive, which is read where
// it is, or from one that is being made, in a directory, and ends up in a tar archive.
//
// https://github.com/opencontainers/image-spec/blob/v1.1.1/image-layout.md,
// https://github.com/opencontainers/distribution-spec/blob/v1.1.1/spec.md
//
// # Names
//
// A layout has one list of names, index.json, and a registry has repositories with tags. A name in the list
// (org.opencontainers.image.ref.name) is "REPOSITORY:TAG". What is listed without a name can refer to something else, by
// its subject, and is found that way.
//
// # Trust
//
// A layout may come from a stranger. Nothing is written while it is read, and nothing is unpacked: the tar is a list of
// places in one file. Entries must be regular files or directories with plain relative names, each once; sparse files,
// links, devices and global headers are refused. Manifests are hashed each time they are read. Blobs are not, but for
// [Layout.Audit]: whoever reads one knows its digest.
//
// # Limits
//
// [MaxFiles], [MaxName], [MaxIndex], [MaxListed], [MaxManifest], [MaxEntries], [MaxReferrers]. Memory grows with the
// number of files, never with their size.
package ocilayout

// The most of a layout that is read.
const (
	MaxFiles     = 100_000  // files and directories in a tar
	MaxName      = 255      // bytes of a file's name
	MaxIndex     = 16 << 20 // bytes of index.json
	MaxListed    = 50_000   // entries of index.json
	MaxManifest  = 4 << 20  // bytes of a manifest
	MaxEntries   = 1000     // elements of an array in a manifest
	MaxReferrers = 32 << 20 // bytes of all manifests that are listed without a name
)

// maxHeaders is how many bytes may precede the content of one file in a tar: a header of 512 bytes, and what extends it.
const maxHeaders = 64 << 10
