// Package ocimirror is the source that finds providers in OCI registries, and the target that publishes them there, in the
// form that OpenTofu installs from.
//
// # Artifacts
//
// https://github.com/opentofu/opentofu/blob/main/rfc/20241206-oci-registries/4-providers.md#storage-in-oci. A provider has a
// repository. A version is an index, of the artifact type [ArtifactTypeProvider], under a tag of the version's name, with
// an underscore for the plus sign. An entry of the index that is of type [ArtifactTypePackage] is the package for the
// platform that it names: the digest of an image manifest of the same type, which has one layer of the media type
// [MediaTypeArchive], the zip archive of the package. Other entries, layers and annotations have no meaning.
//
// # Reading
//
// [Config.Repository] says which repository a provider has; nothing else is looked for. Its tags that are versions are the
// versions; a tag such as "1.2" is 1.2.0, and is asked for as it is spelled, unless there is a tag "1.2.0" as well. Tags that
// are no versions are passed over, with a warning if they look like one. Lists come in pages, which a registry links by
// the Link header, and only among themselves.
//
// A repository or a tag that is not there is absence, and so is a name that the registry says is invalid or unknown,
// unless it refuses to answer (401, 403). A tag of something else is an [*ArtifactError] that says of what. So is an
// index, a manifest or an archive that lacks a type, is of another size, or does not have the digest by which it was
// asked for: an entry that says it is a package must be one, whatever its platform. Two packages for one platform,
// which differ in what a platform here does not have, are an [*AmbiguousError].
//
// Archives are read over connections of their own, and go on where a connection broke: what has a digest cannot have changed.
// Where the registry, or the object store that it leads to, has ranges, an open archive offers them
// ([sources.RangeOpener]).
//
// # Trust
//
// The digest of the layer is the package's hash, which the registry reports. That it is the version which the tag says,
// and for the platform which the index says, is no more than reported either: nothing in an archive tells. Nobody vouches
// for the other platforms.
//
// What the origin signed counts for more if it was published together with the packages, see below; it is over versions
// and platforms as well. Whoever runs the registry can leave it out as well as replace it. Those who rely on it demand
// it, and the signer's key, by the policy of package installer.
//
// # Credentials
//
// [Config.Credentials] is asked when the registry answers 401, as https://distribution.github.io/distribution/spec/auth/token/
// and https://www.rfc-editor.org/rfc/rfc7617 prescribe; [Keychain] finds what container tools know. What it finds is for one
// repository:
//
//   - It is sent to the host and port of that registry, with requests that were not redirected there by somebody else. No
//     redirect takes it along, and a 401 of another host is not answered.
//   - A registry can name the service that gives out tokens for it. That gets the user name and password, or the refresh
//     token, for this registry, as Docker Hub's auth.docker.io does; and the registry gets the token. The service must be
//     reached by https, or by http on a loopback address if the registry is; not by a redirect; and not at an IP address of
//     a private or local network, unless the registry is at the same one. A registry that names somebody else's service
//     cannot learn anything that it was not entrusted with: it is never another registry's credentials that go there.
//   - It is not sent over plain http, except to loopback addresses.
//
// Docker Hub is docker.io, index.docker.io or registry-1.docker.io, which are the same and contacted under the last of these
// names; what Docker stores under "https://index.docker.io/v1/" is for it.
//
// Public registries often answer 401 or 403 for a repository that does not exist. That is [sources.ErrUnauthorized], not
// absence: nobody can tell.
//
// # Publishing
//
// A [Target] publishes the developers' own archives, each as the layer of an image manifest whose config is the empty one
// (application/vnd.oci.empty.v1+json); the layer's title is the archive's usual name. Documents have no date and entries
// are in the order of their platforms, so that the same packages always have the same digests, whoever publishes them and in
// whatever order. What the repository has is not sent again; what another repository of the registry got from the same
// Target is mounted from there where the registry can. An upload that breaks off begins again; one whole archive that has
// arrived is kept, also when the release is cut off.
//
// A version that is there gets further packages. What others have put into its index stays as it is. A platform whose
// archive is another one is a [*sources.ConflictError], and a tag of something else is left alone. The tag moves when all of a
// release is there.
//
// Each manifest also has a tag of its own, "purveyor.1.2.3.linux_amd64", by which concurrent publishers of one version
// find each other's packages; none is lost when all have come to their end, and what a killed one has left behind is
// put right by whoever publishes something of the version next. These tags are no versions for any reader, and keep
// registries that clean up manifests without a tag from breaking the index. Whoever may write them adds to the version,
// when somebody publishes something of it next: a registry that protects tags of versions should protect these, too. To
// withdraw a version, delete them as well as its own tag: otherwise the packages come back when the version is
// published again.
//
// # Statements
//
// A statement is the origin's signed checksums of a version. It is published as an artifact that refers to the version's
// index, by subject: an image manifest of the artifact type [ArtifactTypeStatement], with layers of these media types:
//
//   - [MediaTypeSums], one: the SHA256SUMS document, verbatim.
//   - [MediaTypeSignature], one: the detached OpenPGP signature over it, verbatim.
//   - [MediaTypeKey], one or more: the public keys that the origin's registry offers for it, ASCII-armored, in its order.
//
// Layers of other media types have no meaning. The titles of the layers are file names, so that gpg and sha256sum can
// verify a package without this program. The config is empty, and of the artifact's type, since there are registries that
// go by that. OpenTofu does not look at any of it.
//
// Statements are found by https://github.com/opencontainers/distribution-spec/blob/v1.1.1/spec.md#listing-referrers, or
// by the tag for referrers ("sha256-…") where the registry has no such API or knows of none by it. One that fails to
// answer is an error. Whoever reads a package whose index has statements gets the claims of the first one that verifies
// and lists the package with the digest of its layer, as [hashing.Signed], the key being marked as one that came along
// ([hashing.Signer.Carried]). If none does, that is an error: what was signed never becomes what is merely reported.
//
// A Target verifies the statement before anything is sent, and refuses one that leaves out a package of the version. It
// attaches the statement before the tag names the index. When an index takes the place of another one, those of the old
// one are attached to the new one, too, except for a broken one, if the release brings another. Only a publisher that has
// no statement, at the same time as one that has, can leave the index without it until the next publishes.
//
// # Limits
//
// [MaxStatements], each of [hashing.MaxSumsBytes] (1 MiB) of checksums, signature.MaxSignatureBytes (64 KiB) of signature and
// signature.MaxKeys (32) keys of signature.MaxKeyBytes (256 KiB), which are constants of package hashing/signature;
// [MaxManifest], [MaxEntries], [MaxTags], [MaxTagPages], [MaxTagPage]; [MaxConfigFile], [MaxHelperOutput], [HelperTimeout] and
// [HelperTTL]. Requests are repeated, and waited for, as the fields of [Config] say.
//
// # Compatibility
//
// What OpenTofu 1.10 and later read is read, by the rules above. Unlike there, a registry may leave out Docker-Content-Digest,
// tags may have any spelling, requests are repeated and bounded, and identity tokens, plain user names in configuration
// files and Docker Hub's own key are understood.
package ocimirror
