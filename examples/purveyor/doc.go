// Command purveyor installs Terraform and OpenTofu providers without terraform and tofu.
//
//	purveyor install       [flags] [ADDRESS[@CONSTRAINT] …]   install what a module requires, or the providers named
//	purveyor lock          [flags]                            record hashes for several platforms in the lock file
//	purveyor verify        [flags] [DIR]                      check what is installed, or what a mirror's directory has
//	purveyor versions      [flags] ADDRESS                    list the versions of a provider
//	purveyor explain       [flags] ADDRESS[@CONSTRAINT]       say which version would come from where, and why
//	purveyor mirror        [flags] [ADDRESS[@CONSTRAINT] …]   fill a mirror, in a directory or in an OCI registry, and prune it
//	purveyor serve         [flags] DIR                        serve a network mirror that is filled as clients ask
//	purveyor push          [flags] ADDRESS[@CONSTRAINT] …     publish packages in an OCI registry, for oci_mirror
//	purveyor bundle export [flags] [ADDRESS[@CONSTRAINT] …]   put providers into one file
//	purveyor bundle import [flags] FILE                       publish what is in such a file
//	purveyor bundle verify [flags] FILE                       check such a file
//	purveyor cache list    [flags]                            list the packages in the plugin cache
//	purveyor cache verify  [flags]                            read them, and compare them with lock files
//	purveyor cache prune   [flags]                            remove those that are not used
//	purveyor completion    SHELL                              print a script for bash, zsh or fish
//	purveyor version                                          print the version of this program
//
// "purveyor COMMAND -h" lists the flags, with examples. They stand behind the command, before and after addresses.
//
// # A module
//
// Without addresses, install and lock work for the module in the working directory, or in that of -chdir: they read its
// required_providers and those of the modules that it calls, install into its data directory, as "terraform init" and
// "tofu init" do, and write its dependency lock file, .terraform.lock.hcl. With -lockfile=readonly it is an error if
// the lock file would have to have other providers or versions.
//
// # Addresses
//
// With addresses, install puts the newest versions that meet the constraints into the same data directory and prints
// the paths of their executables, one on each line, in the order of the addresses. No lock file is involved. All else
// goes to standard error, so that a script can say
//
//	provider=$(purveyor install 'hashicorp/random@~> 3.6')
//
// # Publishing
//
// push publishes, for each address, the newest version that meets the constraint, for the platforms of -platform, where
// the template of -to says; the template is that of an oci_mirror block. Packages come from the configured sources, or
// from the directory of -from, and are verified as for an installation. The origin's signed checksums are published with
// them. What is there already is not sent again; platforms that are there stay. It prints the address and digest of each
// version, one on each line:
//
//	purveyor push -to 'registry.example.com/mirror/${namespace}/${type}' -platform linux_amd64 -platform darwin_arm64 hashicorp/random
//
// # Mirrors
//
// mirror brings versions into a directory (-dir), which is a filesystem mirror and, behind any file server, a network
// mirror, or to an OCI registry (-to): those of addresses, of plan files, of modules and of lock files; without any of them, those that
// the module requires. What is there already is not fetched again, so that a build that was cut off is completed by the
// same command. -prune removes what nothing asks for; with -dry-run it only says what that is.
//
// serve is a network mirror whose directory is filled with what clients ask for, from the sources of the configuration, verified
// before it is sent. It needs a certificate, or a proxy that has one, because clients want https. An interrupt lets requests that
// have begun finish. -metrics serves /metrics and /healthz at another address.
//
// bundle export writes an OCI image layout in a tar, with the signatures of the origin; bundle import publishes it where there is no
// network. A bundle that would lack something is not written.
//
// # Looking after the cache
//
// The cache is that of -cache, of plugin_cache_dir, or of TF_PLUGIN_CACHE_DIR. Pruning it is safe beside running installations.
//
// # The default registry
//
// Addresses that name no host are on the host of -registry; otherwise on registry.opentofu.org. There is one exception:
// the requirements of a module whose lock file has providers of registry.terraform.io and none of
// registry.opentofu.org are terraform's, and a note says so. Where the default registry is registry.terraform.io, *.tofu
// files are not read. Where the default decides although terraform is on PATH and tofu is not, a note says that, too.
//
// # Environment
//
// The CLI configuration file is the one of terraform and tofu (TF_CLI_CONFIG_FILE, ~/.tofurc, ~/.terraformrc), and so
// are TF_PLUGIN_CACHE_DIR, TF_DATA_DIR and TF_TOKEN_<host>. As with them, -chdir has no influence on which
// configuration is read, but relative paths of mirrors, the cache and the data directory are relative to the
// module's directory. SSL_CERT_FILE and HTTPS_PROXY mean what they mean to every Go program.
// In the user's cache directory it is remembered what was verified, if nobody else can write there.
//
// # Offline
//
// With -offline, registries and network mirrors are not asked: needing one is an error that names it. The lock file
// with the plugin cache, and filesystem mirrors, are enough to install from. A version is never selected without the
// sources that would have been asked otherwise.
//
// # Exit status
//
// 0: done. 1: something failed. 2: the command line makes no sense. 130: it was interrupted; what is installed by then stays
// and is recorded in the lock file. The server, serve, ends with 0 when it is interrupted.
//
// # Terminals
//
// On a terminal there are bars for downloads and a table of what was installed; elsewhere, plain lines. NO_COLOR and TERM=dumb
// are respected. -quiet leaves errors, warnings and results.
//
// # JSON
//
// With -json, standard output has one JSON object on each line. The last one has
// the event "done" (exit status 0), or "failed" (1; 130 when interrupted).
// Standard error has only what is wrong with the command line (exit status 2);
// standard output may have notes then, and no last line. The log of serve is on
// standard error, too, as key=value pairs; with -quiet, there is none. Pass over
// events and fields that you do not know. What does not apply is left out.
//
// Events of selecting a version, of a provider without a platform:
//
//	resolving    a version is being selected
//	resolved     version is selected
//
// Events of a package, a provider's for one platform:
//
//	present      it is installed already
//	cache-hit    it is in the cache already
//	waiting      another installation works on it
//	fetching     its archive is being downloaded from location; size
//	progress     bytes of it have arrived, of size
//	retrying     the download broke, or the package has gone from the cache
//	             (path): it begins again, because of message
//	unpacking    the archive is complete, and is being unpacked
//	verified     hashes, signature and policy are satisfied: authority, key;
//	             of "bundle verify": a version in a bundle, with digest, present
//	healed       a damaged package at path was replaced
//	installed    it is at its final place, path
//	locked       its hashes are known
//	fetched      its archive is at path
//
// Results, each after what led to it:
//
//	package      install: a provider is ready to be used; path, executable,
//	             stored, location, bytes, seconds, authority, key, locked
//	lock         lock: a provider's entry for the lock file; platforms, hashes
//	lockfile     the lock file at path; message: "changed" or "unchanged"
//	version      versions: one that there is; platforms, protocols, from;
//	             message: what speaks against it
//	asked        explain: what a source (from) has answered: message
//	selected     explain: version, and the source (from) and location that its
//	             package comes from
//	pushed       push: packages are published at location; added, present, digest
//	mirrored     mirror, bundle: what there is of a version now; added, present,
//	             missing, location, digest, bytes, authority, keys
//	surplus      mirror, cache prune, with -dry-run: nothing asks for it; present
//	removed      mirror -prune, cache prune: it was removed; platform
//	cached       cache list: a package; path, size, used; message: "ready",
//	             "damaged" or "link"
//	checked      verify, cache verify: a package was read; path, but not of one
//	             in a mirror; message: what it is proven by, or what is wrong
//	spared       cache prune: a package that was to be removed, and is in use
//
// Events about the command:
//
//	note         message: something to know
//	warning      message: something that may be wrong; location
//	error        message: something that is wrong; hint, location
//	interrupted  it was interrupted; message: what is kept
//	done         the last line, exit status 0
//	failed       the last line, exit status 1 or 130
//
// Fields (texts, if nothing else is said):
//
//	event        one of the above
//	provider     complete source address
//	version      like 1.2.3
//	platform     like linux_amd64
//	platforms    list: what a version has packages for; lock: what was asked for
//	protocols    list: versions of the plugin protocol that a version speaks
//	from         list: names of sources
//	location     where a package is fetched from, or published; file:line
//	bytes        number: progress, so far; package, mirrored, downloaded; pushed,
//	             sent
//	size         number: bytes of an archive; cached: of a package
//	path         absolute: a package's directory, an archive, a lock file
//	stored       the directory that path is a link to, or a copy of
//	executable   absolute path
//	authority    who vouches for a package: "signed", "reported", "unverified"
//	signer       user ID of the key that signed it
//	key          the key's fingerprint, 40 or 64 digits, as -signer takes it
//	keys         list: fingerprints, of several packages
//	carried      true: the key came from a mirror, and no registry vouches for it
//	expired      the day on which key or signature expired, like 2006-01-02
//	locked       true: a hash in the lock file proves the package
//	seconds      number: how long that took
//	hashes       number: of hashes
//	used         when a package was used last, RFC 3339
//	digest       of what is published, like sha256:…
//	added        list: platforms whose packages are new
//	present      list: platforms whose packages were there
//	missing      list: platforms that the source does not have
//	message      text for people; for some events one of few words, see there
//	hint         what to do about it, on one or more lines
package main
