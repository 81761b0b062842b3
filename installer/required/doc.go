// Package required finds out which providers a configuration needs: it reads the required_providers of a module
// directory and of all modules that it calls, without evaluating anything and without a network.
//
// # What is read
//
// The files *.tf, *.tf.json, *.tofu and *.tofu.json of a directory (https://opentofu.org/docs/language/files/):
// "x.tofu" hides "x.tf", and "x.tofu.json" hides "x.tf.json". Names that begin with "." or end with "~", or begin and
// end with "#", are ignored. Files called "override" or "…_override" are merged over the others in the order of their
// names (https://opentofu.org/docs/language/files/override/). Test files are not read.
//
// # What counts
//
//   - Each entry of required_providers
//     (https://opentofu.org/docs/language/providers/requirements/): an object with source and version, or a string
//     with the version. Without a source, "x" is hashicorp/x on the default registry.
//   - Each resource, data, ephemeral, action, import and provider block whose provider has no such entry: it implies
//     hashicorp/<name>, where the name is that of the argument "provider" or the part of the type before its first
//     underscore. The name "terraform" is the provider that is built in, terraform.io/builtin/terraform.
//   - The deprecated argument version of provider blocks.
//
// The constraints of all modules on one provider hold together.
//
// # Modules
//
// Modules with a local source ("./x", "../x") are read where they are. Others have to be installed: the file
// modules/modules.json of the data directory, which "terraform init", "terraform get" and their likes of tofu
// write, says where. It is believed: whether it fits today's source and version of a module is for the clients to check.
//
// # Errors
//
// Reading fails closed: an error anywhere means that there are no requirements, and [*Error] has all errors with their
// positions. What does not concern requirements is not checked. Values must be literal.
//
// Files, modules and nesting have limits, the constants of this package.
package required
