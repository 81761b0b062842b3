package main

import (
	"context"
	"errors"

	"github.com/purveyor-dev/purveyor/cliconfig"
	"github.com/purveyor-dev/purveyor/sources"
)

// isLocal reports whether an installation method works without a network.
func isLocal(method cliconfig.Method) bool { return method.Type.Name == "filesystem_mirror" }

// offline stands for a source that must not be asked. Its every answer is an error, not absence: a chain that went on
// to the next source would select other versions than it does with a network.
type offline struct{ name string }

// errOffline says that a source would have been needed.
var errOffline = errors.New("not asked, because of -offline")

// Versions implements [sources.Source].
func (o offline) Versions(_ context.Context, p sources.Provider) (sources.Listing, error) {
	return sources.Listing{}, &sources.Error{Op: "list versions", Source: o.name, Provider: p, Err: errOffline}
}

// Package implements [sources.Source].
func (o offline) Package(_ context.Context, p sources.Provider, v sources.Version, on sources.Platform) (*sources.Package, error) {
	return nil, &sources.Error{Op: "describe package", Source: o.name, Provider: p, Version: v, Platform: on, Err: errOffline}
}

// String returns the name of the source that is replaced.
func (o offline) String() string { return o.name }

var _ sources.Source = offline{}
