package cliconfig

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"

	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/direct"
	"github.com/purveyor-dev/purveyor/sources/fsmirror"
	"github.com/purveyor-dev/purveyor/sources/netmirror"
)

// MethodType is a kind of installation method: a row of the table in [Options].
type MethodType struct {
	// Name is the type of the blocks: "network_mirror".
	Name string

	// Decode reads the arguments of a block, except for include and exclude, and reports errors through it. Arguments
	// that it does not ask for are warned about. The result is not used if there were errors. Nil: there are no
	// arguments.
	Decode func(b *Block) Location

	// Build makes the source from what Decode returned; the credentials in opts are never nil. It does no I/O. Nil:
	// [Config.Source] fails with an error that matches [ErrUnsupported].
	Build func(location Location, config *Config, opts SourceOptions) (sources.Source, error)
}

// Methods returns the table of the methods that the clients know: direct, filesystem_mirror, network_mirror and
// oci_mirror. A caller who wants another kind of block appends it.
func Methods() []MethodType {
	return []MethodType{
		{Name: "direct", Decode: decodeDirect, Build: buildDirect},
		{Name: "filesystem_mirror", Decode: decodeFilesystemMirror, Build: buildFilesystemMirror},
		{Name: "network_mirror", Decode: decodeNetworkMirror, Build: buildNetworkMirror},
		{Name: "oci_mirror", Decode: decodeOCIMirror, Build: buildOCIMirror},
	}
}

func methodNamed(table []MethodType, name string) MethodType {
	i := slices.IndexFunc(table, func(m MethodType) bool { return m.Name == name })
	if i < 0 {
		return MethodType{Name: name}
	}
	return table[i]
}

// Direct is a direct block: install from each provider's own registry.
type Direct struct {
	DownloadRetryCount *int // further attempts at an archive; negative is like 0; nil: the default
}

func decodeDirect(b *Block) Location {
	return Direct{DownloadRetryCount: b.Int("download_retry_count")}
}

func buildDirect(location Location, config *Config, opts SourceOptions) (sources.Source, error) {
	method, ok := location.(Direct)
	if !ok {
		return nil, fmt.Errorf("a Direct is needed, not %T", location)
	}
	retries := cmp.Or(method.DownloadRetryCount, config.DownloadRetries)
	return sources.Memo(direct.New(direct.Config{
		Client:         opts.Client,
		UserAgent:      opts.UserAgent,
		Credentials:    opts.Credentials,
		Services:       config.Services,
		Retries:        orNone(config.Protocols.RetryCount),
		ArchiveRetries: orNone(retries),
		Timeout:        orNone(config.Protocols.Timeout),
	})), nil
}

// orNone translates a setting of the file, where nil is the default and zero is none, to one of a Go structure, where
// zero is the default and a negative number is none.
func orNone[T ~int | ~int64](v *T) T {
	switch {
	case v == nil:
		return 0
	case *v <= 0:
		return -1
	}
	return *v
}

// FilesystemMirror is a filesystem_mirror block.
type FilesystemMirror struct {
	Path string // as written: relative to [Environment.WorkingDir], "~" and variables not expanded
}

func decodeFilesystemMirror(b *Block) Location {
	return FilesystemMirror{Path: b.RequiredString("path")}
}

func buildFilesystemMirror(location Location, config *Config, _ SourceOptions) (sources.Source, error) {
	method, ok := location.(FilesystemMirror)
	switch {
	case !ok:
		return nil, fmt.Errorf("a FilesystemMirror is needed, not %T", location)
	case method.Path == "":
		return nil, errors.New("the FilesystemMirror has no Path")
	}
	return fsmirror.New(config.Absolute(method.Path)), nil
}

// NetworkMirror is a network_mirror block.
type NetworkMirror struct {
	URL                *url.URL // https, with a host
	DownloadRetryCount *int     // further attempts at an archive; negative is like 0; nil: the default

	// TrustAllHashes lets the mirror's hashes of other platforms into the dependency lock file.
	TrustAllHashes bool

	// UseMirrorCredentials sends the mirror's credentials with requests for archives, too, as long as they are on the
	// mirror's own origin.
	UseMirrorCredentials bool
}

func decodeNetworkMirror(b *Block) Location {
	return NetworkMirror{
		URL:                  mirrorURL(b),
		DownloadRetryCount:   b.Int("download_retry_count"),
		TrustAllHashes:       isTrue(b.Bool("trust_all_hashes")),
		UseMirrorCredentials: isTrue(b.Bool("use_mirror_credentials")),
	}
}

func buildNetworkMirror(location Location, config *Config, opts SourceOptions) (sources.Source, error) {
	method, ok := location.(NetworkMirror)
	if !ok || method.URL == nil {
		return nil, fmt.Errorf("a NetworkMirror with a URL is needed, not %T", location)
	}
	mirror, err := netmirror.New(netmirror.Config{
		URL:                  method.URL.String(),
		TrustAllHashes:       method.TrustAllHashes,
		UseMirrorCredentials: method.UseMirrorCredentials,
		Client:               opts.Client,
		UserAgent:            opts.UserAgent,
		Credentials:          opts.Credentials,
		Retries:              orNone(config.Protocols.RetryCount),
		ArchiveRetries:       orNone(cmp.Or(method.DownloadRetryCount, config.DownloadRetries)),
		Timeout:              orNone(config.Protocols.Timeout),
	})
	if err != nil {
		return nil, err
	}
	return sources.Memo(mirror), nil
}

func isTrue(b *bool) bool { return b != nil && *b }

func mirrorURL(b *Block) *url.URL {
	text := b.RequiredString("url")
	if text == "" {
		return nil
	}
	u, err := url.Parse(text)
	switch {
	case err != nil:
		b.Fail("url", "Invalid URL of a network mirror", "This is not a URL: %s.", reasonOf(err))
	case u.Scheme != "https" || u.Hostname() == "":
		b.Fail("url", "Invalid URL of a network mirror", "%q is not the URL of a network mirror: that begins with https:// and a host.", u.Redacted())
	default:
		return u
	}
	return nil
}

// reasonOf leaves out the URL, which can contain a password.
func reasonOf(err error) error {
	var failed *url.Error
	if errors.As(err, &failed) {
		return failed.Err
	}
	return err
}
