package cliconfig

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/hashicorp/hcl/v2"

	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/ocimirror"
)

// ErrUnsupported says that a method can be configured but that the table of methods does not say how to build its
// source.
var ErrUnsupported = errors.New("this program does not support the installation method")

// MethodError says that the source of an installation method cannot be made.
type MethodError struct {
	Method string    // the type of the block
	Range  hcl.Range // where it is configured; zero when it is implied
	Err    error
}

func (e *MethodError) Error() string {
	if e.Range.Filename == "" {
		return fmt.Sprintf("implied installation method %s: %s", e.Method, e.Err)
	}
	return fmt.Sprintf("%s: installation method %s: %s", e.Range, e.Method, e.Err)
}

// Unwrap returns the cause.
func (e *MethodError) Unwrap() error { return e.Err }

// SourceOptions say how sources connect. The zero value is ready to use.
type SourceOptions struct {
	// Client makes the requests. Nil: each source has a client of its own.
	Client *http.Client

	// UserAgent is sent with every request. Empty: that of the sources.
	UserAgent string

	// Credentials finds tokens for hosts. Nil: [Config.Credentials].
	Credentials sources.Credentials

	// OCICredentials finds what to authenticate to OCI registries with. Nil: [Config.OCICredentials].
	OCICredentials ocimirror.Credentials
}

// Source returns the installation methods as a chain: one rule for each of c.Methods, in their order. It does no I/O. An
// empty chain has no providers at all. A caller who wants another Fallback sets it in the rules.
//
// The error is an [*Error] if the configuration had errors, so that a mistake never falls back to another origin, or a
// [*MethodError].
func (c *Config) Source(opts SourceOptions) (sources.Chain, error) {
	if c.err != nil {
		return nil, c.err
	}
	if opts.Credentials == nil {
		opts.Credentials = c.Credentials()
	}
	if opts.OCICredentials == nil {
		opts.OCICredentials = c.OCICredentials()
	}
	chain := sources.Chain{}
	for _, m := range c.Methods {
		source, err := c.build(m, opts)
		if err != nil {
			return nil, &MethodError{Method: m.Type.Name, Range: m.Range, Err: err}
		}
		chain = append(chain, sources.Rule{Source: source, Include: m.Include, Exclude: m.Exclude})
	}
	return chain, nil
}

func (c *Config) build(m Method, opts SourceOptions) (sources.Source, error) {
	if m.Type.Build == nil {
		return nil, ErrUnsupported
	}
	return m.Type.Build(m.Location, c, opts)
}
