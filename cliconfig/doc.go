// Package cliconfig reads the CLI configuration of terraform and tofu (~/.tofurc, ~/.terraformrc, terraform.rc), as far
// as it is about installing providers. [Parse] reads one file, without I/O; [Load] finds the files of a machine and
// merges them; [Config.Source] turns the provider_installation block into a chain of sources.
//
// # Files
//
// The format is that of https://opentofu.org/docs/cli/config/config-file/ and
// https://developer.hashicorp.com/terraform/cli/config/config-file. A file that TF_CLI_CONFIG_FILE, or else
// TERRAFORM_CONFIG, names is the only one. Otherwise the main file is ~/.tofurc, ~/.terraformrc or
// $XDG_CONFIG_HOME/opentofu/tofurc, the first that exists (on Windows tofu.rc or terraform.rc in %APPDATA%), and *.tfrc
// and *.tfrc.json in ~/.terraform.d, or else $XDG_CONFIG_HOME/opentofu (on Windows %APPDATA%\terraform.d), follow in the
// order of their names. See [Environment] for where the variables come from: never from the process, unless
// [OSEnvironment] is asked. Relative paths in a file are relative to [Environment.WorkingDir], and those of
// docker_style_config_files to the directory of the file.
//
// # Syntax
//
// A file is JSON if its first character is "{". Otherwise it is written in the grammar of HCL 1, from which hcl/v2
// bodies with exact positions are made: names can be quoted, line breaks have no meaning, commas may separate items,
// "${…}" in a string is text, and there are no expressions. Numbers and booleans count as strings where those are
// wanted. A name that is set twice is an error.
//
// # What is read
//
//   - provider_installation with direct, filesystem_mirror, network_mirror, oci_mirror and dev_overrides. [Methods] is
//     the table of methods; a caller can add others. Without the block, local directories and the registries are used
//     as the clients do ([Config.Implied]).
//   - host, credentials, credentials_helper, and the variables TF_TOKEN_*.
//   - plugin_cache_dir, plugin_cache_may_break_dependency_lock_file, registry_protocols, and the variables that go
//     with them.
//   - oci_default_credentials and oci_credentials.
//
// Other items belong to other features of the clients and are ignored; unknown arguments inside the blocks that decide
// where to install from are warned about.
//
// # Trust
//
// The configuration is a policy, so reading it fails closed: with any error there are no methods, and [Config.Source]
// returns an error rather than falling back to a public registry. A file that a variable names must exist.
//
// Tokens and passwords hide themselves when printed, and [Config.Files] has asterisks in their place. A token is for one
// host; the credentials helper is a program that the user has installed, run with the environment that is given.
//
// Files, nesting, templates and the helper's answer have limits, the constants of this package.
package cliconfig
