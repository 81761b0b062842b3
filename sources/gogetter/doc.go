// Package gogetter is the source that reads a mirror at any go-getter address
// (https://github.com/hashicorp/go-getter#url-format): an object store, a static web server, a repository, a directory.
// It alone imports go-getter, and with it the SDKs of AWS and Google Cloud: a program that does not import this package
// contains none of them.
//
// # Addresses
//
//	s3::https://s3.eu-central-1.amazonaws.com/bucket/providers   an object store, by the S3 protocol
//	s3::https://minio.example.com/bucket/providers?region=x      another one that speaks it
//	gcs::https://www.googleapis.com/storage/v1/bucket/providers  Google Cloud Storage
//	https://static.example.com/providers                         a web server with files
//	git::https://git.example.com/mirror.git//providers?ref=v3    a directory of a git repository
//	github.com/acme/mirror//providers                            the same, by go-getter's short form
//	git@git.example.com:acme/mirror.git                          the same, by SSH
//	file:///srv/providers, /srv/providers                        a directory
//
// Everything else that go-getter knows is refused with an [*AddressError]: other schemes and version control systems,
// and the parameters archive, checksum, filename and version, which are about a single file. Plain http (and git's own
// protocol) is refused except for loopback addresses.
//
// # Layout
//
// Object stores and web servers hold what "terraform providers mirror" writes, and are read one file at a time:
// HOST/NAMESPACE/TYPE/index.json, VERSION.json and the archives that it names, relative to itself and within the mirror
// (https://developer.hashicorp.com/terraform/internals/provider-network-mirror-protocol). VERSION.json can also say where in
// the mirror the files are that the origin has signed. The query of the address goes with every file. Each file is fetched
// whole before its first byte is read.
//
// Repositories and directories are filesystem mirrors, packed or unpacked, see package fsmirror. A directory is read
// where it is. A repository is fetched once, when it is first needed, and kept until [Source.Close]; what it has in
// unpacked form is handed over as an archive, so that what was installed does not need the source any more.
//
// # What is left out of go-getter
//
// Files are handed to go-getter's getters one by one, so archives are never unpacked on the way, netrc is not read, and
// neither the header nor the meta tag terraform-get can lead elsewhere. An https redirect must stay on https.
//
// Repositories are fetched by the git program, without go-getter, whose way of doing it follows submodules and symbolic
// links: here submodules are not fetched, a symbolic link becomes the small text file that git keeps it as, hooks do not
// run, only the protocols https, ssh and file are spoken, and nobody is asked for a password. The history is not fetched
// where the server can leave it out. A repository cannot make anything outside of itself part of a package.
//
// # Credentials
//
// Those in the address (aws_access_key_id, aws_access_key_secret, aws_access_token; sshkey; a user and password) go to
// the address's own host, and no name or message of this package shows them. Without them, the cloud SDKs look in their
// own places, as go-getter addresses mean it: environment variables, the files of the user, the machine's metadata
// service. So does git: credential helpers and keys. Tokens of Terraform's CLI configuration are never sent.
//
// # Limits
//
// Documents have the limits of package netmirror, and statements too (or, in repositories and directories, those of package
// fsmirror). Archives and repositories have those in [Config]; a transfer in which no byte arrives for [Config.Stall] is
// broken off, and so is a repository that takes longer than [Config.RepositoryTimeout].
//
// # Trust
//
// The hashes in VERSION.json are claims that the mirror reports, as those of a network mirror are; and where VERSION.json
// refers to what the origin has signed, that counts as it does in package netmirror: [hashing.Signed], by a key that came
// along, or an error. Of repositories and directories, statements are read as package fsmirror does; without one they vouch
// for nothing.
//
// # Known shortcomings
//
// The SDK of AWS, of which go-getter lets no setting through, writes a line to the standard error of the process for each
// object that a store sends without a checksum; AWS_RESPONSE_CHECKSUM_VALIDATION=when_required in the environment
// silences it. Connections to object stores are not reused from one file to the next.
package gogetter
