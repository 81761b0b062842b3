package gogetter

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/fsmirror"
)

// Defaults for the zero values in [Config].
const (
	DefaultRetries                 = 2                // of a file
	DefaultBackoff                 = time.Second      // before the first retry
	DefaultStall                   = 30 * time.Second // without a byte of a file
	DefaultRepositoryTimeout       = 10 * time.Minute // for a repository
	DefaultMaxArchive        int64 = 4 << 30          // bytes
	DefaultMaxRepository     int64 = 16 << 30         // bytes
)

// Config says where the mirror is and how to read it. Address is required.
type Config struct {
	// Address is a go-getter address, see the package comment. With an object store or a repository, the cloud's SDK or
	// git takes what the address leaves open from the environment of the process and the files of its user.
	Address string

	// TrustAllHashes makes the hashes of other platforms fit for a lock file. Object stores and web servers only.
	TrustAllHashes bool

	// Dir is where a private directory for temporary data and for the repository is made when it is needed; missing
	// directories are made. Best near the plugin cache. What killed processes left there is removed. Empty: the
	// system's directory for temporary files, [os.TempDir].
	Dir string

	// Client makes the requests of https addresses; its timeout and redirect policy are replaced. Nil: a client of its
	// own, which obeys the HTTPS_PROXY family of environment variables like [http.DefaultTransport]. Object stores have
	// the clients of their SDKs.
	Client *http.Client

	// UserAgent is sent with the requests of https addresses. Empty: "purveyor".
	UserAgent string

	// Retries is the number of further attempts at a file. The SDKs of object stores retry on their own as well. Zero:
	// [DefaultRetries]; negative: none.
	Retries int

	// Backoff is the pause before the first retry; it doubles. Zero: [DefaultBackoff]; negative: none.
	Backoff time.Duration

	// Stall is how long no byte of a file may arrive before the transfer is broken off. Zero: [DefaultStall]; negative:
	// forever.
	Stall time.Duration

	// RepositoryTimeout is how long fetching a repository may take. Zero: [DefaultRepositoryTimeout]; negative: forever.
	RepositoryTimeout time.Duration

	// MaxArchive is the size of the largest accepted archive of an object store or a web server, in bytes. Zero:
	// [DefaultMaxArchive]. There is no way to have no limit.
	MaxArchive int64

	// MaxRepository is the size of the largest accepted repository, in bytes of its files and its packed objects
	// together. Zero: [DefaultMaxRepository].
	MaxRepository int64

	// Git is the path of the git program, version 2.31 or later. Empty: git on PATH. It is needed for repositories only.
	Git string

	// Environ is the environment of git, as "NAME=value". Variables that would lead git to another repository are left
	// out. Nil: that of the process.
	Environ []string

	// PlainHTTPInsecure allows http, and git's own protocol, on other than loopback addresses.
	PlainHTTPInsecure bool
}

func (c Config) withDefaults() Config {
	c.UserAgent = cmp.Or(c.UserAgent, "purveyor")
	c.Retries = max(cmp.Or(c.Retries, DefaultRetries), 0)
	c.Backoff = max(cmp.Or(c.Backoff, DefaultBackoff), 0)
	c.Stall = cmp.Or(c.Stall, DefaultStall)
	c.RepositoryTimeout = cmp.Or(c.RepositoryTimeout, DefaultRepositoryTimeout)
	c.MaxArchive = cmp.Or(c.MaxArchive, DefaultMaxArchive)
	c.MaxRepository = cmp.Or(c.MaxRepository, DefaultMaxRepository)
	return c
}

// Source is the source that reads one mirror.
type Source struct {
	address *address
	mirror  mirror
	scratch *scratch
}

// mirror is what the kinds of address have to do. Errors are bare: [Source] says what was asked for.
type mirror interface {
	versions(ctx context.Context, p sources.Provider) (sources.Listing, error)
	describe(ctx context.Context, p sources.Provider, v sources.Version, on sources.Platform) (*sources.Package, error)
}

// check says which limit allows nothing.
func (c Config) check() error {
	for _, limit := range []struct {
		field string
		bytes int64
	}{
		{"MaxArchive", c.MaxArchive}, {"MaxRepository", c.MaxRepository},
	} {
		if limit.bytes < 0 {
			return &sources.FieldError{Field: "Config." + limit.field, Problem: fmt.Sprintf("is %d, which allows nothing; want a number of bytes, or zero for the default", limit.bytes)}
		}
	}
	return nil
}

// New returns a source. It does no I/O. Close the source when all that comes from it is installed. The error is an
// [*AddressError], or a [*sources.FieldError] about a limit below zero.
func New(config Config) (*Source, error) {
	if err := config.check(); err != nil {
		return nil, err
	}
	config = config.withDefaults()
	a, err := parseAddress(config.Address, config.PlainHTTPInsecure)
	if err != nil {
		return nil, err
	}
	s := &Source{address: a, scratch: &scratch{parent: config.Dir}}
	switch a.kind {
	case kindFile:
		s.mirror = directory{Source: fsmirror.New(a.path()), root: a.path()}
	case kindGit:
		s.mirror = &repository{address: a, config: config, scratch: s.scratch}
	default:
		s.mirror = newStore(a, config, s.scratch, s.String())
	}
	return s, nil
}

// String returns "go-getter mirror ADDRESS", without credentials.
func (s *Source) String() string { return "go-getter mirror " + s.address.String() }

var _ sources.Source = (*Source)(nil)

// Close removes what was fetched, archives that are being read among it. What was installed stays. Later questions fail
// with an error that matches [fs.ErrClosed], or read a mirror that is a directory as before; claims that are known stay known.
func (s *Source) Close() error { return s.scratch.close() }

// Versions implements [sources.Source]. The error is a [*sources.Error], around a [*FetchError] if a file or the repository
// could not be fetched, or an error of [fsmirror.Source.Versions] about a directory.
func (s *Source) Versions(ctx context.Context, p sources.Provider) (sources.Listing, error) {
	listing, err := s.mirror.versions(ctx, p)
	if err != nil {
		err = &sources.Error{Op: "list versions", Source: s.String(), Provider: p, Err: err}
	}
	return listing, err
}

// Package implements [sources.Source]. The error is one as for Versions, or a [*sources.Error] around a
// [*sources.PlatformError]. That of opening an archive is a [*FetchError]; that of claims is one, or a *signature.Error
// (package hashing/signature), a [*hashing.SumsError] or a [*hashing.MismatchError].
func (s *Source) Package(ctx context.Context, p sources.Provider, v sources.Version, on sources.Platform) (*sources.Package, error) {
	pkg, err := s.mirror.describe(ctx, p, v, on)
	if err != nil {
		return nil, &sources.Error{Op: "describe package", Source: s.String(), Provider: p, Version: v, Platform: on, Err: err}
	}
	return pkg, nil
}
