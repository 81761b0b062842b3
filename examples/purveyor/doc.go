// Command purveyor installs Terraform and OpenTofu providers without terraform and tofu.
//
//	purveyor install  [flags] [ADDRESS[@CONSTRAINT] …]   install what a module requires, or the providers named
//	purveyor lock     [flags]                            record hashes for several platforms in the lock file
//	purveyor versions [flags] ADDRESS                    list the versions of a provider
//	purveyor explain  [flags] ADDRESS[@CONSTRAINT]       say which version would come from where, and why
//	purveyor push     [flags] ADDRESS[@CONSTRAINT] …     publish packages in an OCI registry, for oci_mirror
//
// "purveyor COMMAND -h" lists the flags. They may stand before and after addresses.
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
// # The default registry
//
// Addresses that name no host are on the host of -registry; otherwise on registry.opentofu.org. There is one exception:
// the requirements of a module whose lock file has providers of registry.terraform.io and none of
// registry.opentofu.org are terraform's, and a note says so. Where the default registry is registry.terraform.io, *.tofu
// files are not read.
//
// # Environment
//
// The CLI configuration file is the one of terraform and tofu (TF_CLI_CONFIG_FILE, ~/.tofurc, ~/.terraformrc), and so
// are TF_PLUGIN_CACHE_DIR, TF_DATA_DIR and TF_TOKEN_<host>. As with them, -chdir has no influence on which
// configuration is read, but relative paths of mirrors, the cache and the data directory are relative to the
// module's directory. SSL_CERT_FILE and HTTPS_PROXY mean what they mean to every Go program.
//
// # Offline
//
// With -offline, registries and network mirrors are not asked: needing one is an error that names it. The lock file
// with the plugin cache, and filesystem mirrors, are enough to install from. A version is never selected without the
// sources that would have been asked otherwise.
//
// # Exit status
//
// 0: done. 1: something failed, or it was interrupted; what is installed by then stays and is recorded in the lock
// file. 2: the command line makes no sense.
//
// # JSON
//
// With -json, standard output has one JSON object on each line; see record for their fields, and for the events. The
// last line has the event "done" or "failed". Standard error has nothing but what is wrong with the command line.
package main
