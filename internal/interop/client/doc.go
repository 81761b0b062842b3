// Package client is what a program around the library looks like: for the providers of a module it does what
// "terraform init" does. [Init] is that in a few lines, [Main] the same as a command line, for processes that are
// measured or killed.
package client
