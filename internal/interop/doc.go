// Package interop lets the real clients judge the library.
//
// Its tests run the terraform that is on PATH, and tofu where there is one, against a test registry
// (package registrytest), beside the library or after it: the lock files must be the same byte for byte below the
// header, packages and caches of either must be good for the other, whatever was killed when, and a real provider
// must start. Without either program the tests are skipped and say so. Nothing leaves the machine.
//
// It is a module of its own so that what only these tests need, a plugin framework above all, stays out of the
// library's go.mod.
//
//   - client: a small program around the library that does for a module's providers what "terraform init" does
//   - provider: the source of a real provider
//   - bench: the benchmark, see "go doc ./bench"
package interop
