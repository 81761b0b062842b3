// Package smalldisk gives tests on Linux a file system of their own that can be filled.
package smalldisk
