package installer

import (
	"cmp"
	"fmt"
	"log/slog"
	"path/filepath"
	"runtime"

	"github.com/purveyor-dev/purveyor/sources"
)

// Defaults for the zero values in [Installer].
const (
	DefaultQueries               = 16 // questions to sources at a time
	DefaultDownloads             = 10 // archives at a time
	DefaultConnections           = 10 // for archives
	DefaultConnectionsPerArchive = 4

	DefaultSegmentSize int64 = 8 << 20 // bytes
)

// Installer installs provider packages. Source is required, and Dir for installing; the zero value of every other field
// works. Set the fields before the first call; the methods are safe for concurrent use, also by several installers and
// processes on the same directories.
type Installer struct {
	// Source is where packages come from. The answers it gives during one call are remembered for that call.
	Source sources.Source

	// Dir is the directory that packages are installed to: .terraform/providers in a module's directory, or another
	// one. It is created when missing. Resolve and Lock do not need it.
	Dir string

	// CacheDir is a plugin cache that several projects share. Packages are unpacked there once and linked into Dir.
	// It is created when missing. What is in a cache is used where the hashes of [Request.Locks] prove it, or the
	// records in RecordDir; without either it is downloaded again and compared. [Cache] lists and prunes what is there.
	// Empty: no cache, packages are unpacked in Dir.
	CacheDir string

	// RecordDir is a directory, private to the user, where it is remembered which packages were verified, so that
	// they need not be read again as long as their files have the same device, inode, owner, mode, size and times; nor
	// be downloaded again for a project without a lock file, if they were signed. It is created when missing. Empty:
	// nothing is remembered, and every use of a package reads it. On Windows nothing is remembered.
	RecordDir string

	// Platform is what packages are for. Zero: the platform of this process.
	Platform sources.Platform

	// Registry completes source addresses without a host that are given to Get. Zero: [sources.DefaultRegistry].
	Registry sources.Host

	// Policy says what is accepted. Zero: what terraform and tofu accept.
	Policy Policy

	// Link says how packages get from the cache into Dir. Zero: [LinkAuto].
	Link Link

	// Queries bounds the questions asked of sources at a time. Zero: [DefaultQueries]; negative: an error of each call,
	// as for the other bounds.
	Queries int

	// Downloads bounds the archives that are downloaded at a time. Two of them, or one if there are two, are left to
	// archives of at most SegmentSize, so that small packages need not wait for large ones. Zero: [DefaultDownloads].
	Downloads int

	// Connections bounds the connections on which archives are downloaded at a time. Zero: [DefaultConnections].
	Connections int

	// ConnectionsPerArchive bounds the connections for one archive. More than one are used for what takes longer than
	// a second, if the source offers ranges ([sources.RangeOpener]), if there are connections to spare, and only as
	// long as they make things faster. One: a single one, besides that for the archive's end. Zero:
	// [DefaultConnectionsPerArchive].
	ConnectionsPerArchive int

	// SegmentSize is how many bytes are requested at a time on further connections. Archives that are not larger are
	// fetched by one request. Zero: [DefaultSegmentSize].
	SegmentSize int64

	// Unpacks bounds the archives that are being inflated or read at a time: the work for processors. Those whose bytes
	// have yet to arrive do not count. Zero: the number of usable processors.
	Unpacks int

	// Limits bounds what a package may contain. Its zero fields have defaults.
	Limits Limits

	// Notify is told what happens while it happens; see [Event]. The calls that one call of a method makes do not
	// overlap, and the installation waits for them; so it must not install the same packages in turn. All have returned
	// when the method returns. Nil: nobody is told.
	Notify func(Event)

	// Logger gets all events, with the levels and attributes that are listed at [Event]. Nil: no log.
	Logger *slog.Logger
}

// settings is an Installer with its defaults filled in and its fields checked.
type settings struct {
	Installer
}

func (in *Installer) settings() (*settings, error) {
	s := &settings{Installer: *in}
	if s.Source == nil {
		return nil, &sources.FieldError{Field: "Installer.Source", Problem: "is required: where do packages come from?"}
	}
	if s.Platform.IsZero() {
		s.Platform = sources.CurrentPlatform()
	}
	if err := checkPlatform("Installer.Platform", s.Platform); err != nil {
		return nil, err
	}
	s.Queries = cmp.Or(s.Queries, DefaultQueries)
	s.Downloads = cmp.Or(s.Downloads, DefaultDownloads)
	s.Connections = cmp.Or(s.Connections, DefaultConnections)
	s.ConnectionsPerArchive = cmp.Or(s.ConnectionsPerArchive, DefaultConnectionsPerArchive)
	s.SegmentSize = cmp.Or(s.SegmentSize, DefaultSegmentSize)
	s.Unpacks = cmp.Or(s.Unpacks, runtime.GOMAXPROCS(0))
	if err := s.Limits.check(); err != nil {
		return nil, err
	}
	s.Limits = s.Limits.withDefaults()
	if err := s.checkBounds(); err != nil {
		return nil, err
	}
	if s.Link < LinkAuto || s.Link > LinkCopy {
		return nil, &sources.FieldError{Field: "Installer.Link", Problem: s.Link.String() + " is none of the constants"}
	}
	return s, s.Policy.check()
}

func (s *settings) checkBounds() error {
	for _, bound := range []struct {
		field string
		value int64
	}{
		{"Queries", int64(s.Queries)}, {"Downloads", int64(s.Downloads)}, {"Connections", int64(s.Connections)},
		{"ConnectionsPerArchive", int64(s.ConnectionsPerArchive)}, {"SegmentSize", s.SegmentSize}, {"Unpacks", int64(s.Unpacks)},
	} {
		if bound.value < 0 {
			return &sources.FieldError{Field: "Installer." + bound.field, Problem: fmt.Sprintf("is %d, which lets nothing happen", bound.value)}
		}
	}
	return nil
}

func (s *settings) records() records { return records(s.RecordDir) }

// checkPlatform refuses values that did not come from a parser: platforms become parts of paths.
func checkPlatform(field string, on sources.Platform) error {
	if parsed, err := sources.ParsePlatform(on.String()); err != nil || parsed != on {
		return &sources.FieldError{Field: field, Problem: fmt.Sprintf("%q is not a platform; want OS_ARCH, like linux_amd64", on.String())}
	}
	return nil
}

// directories checks and completes the fields that name directories.
func (s *settings) directories() error {
	if s.Dir == "" {
		return &sources.FieldError{Field: "Installer.Dir", Problem: "is required: where should packages be installed?"}
	}
	var err error
	if s.Dir, err = filepath.Abs(s.Dir); err != nil {
		return &sources.FieldError{Field: "Installer.Dir", Problem: err.Error()}
	}
	if s.RecordDir != "" {
		if s.RecordDir, err = filepath.Abs(s.RecordDir); err != nil {
			return &sources.FieldError{Field: "Installer.RecordDir", Problem: err.Error()}
		}
		if err := s.records().check(); err != nil {
			return err
		}
	}
	if s.CacheDir == "" {
		return nil
	}
	if s.CacheDir, err = filepath.Abs(s.CacheDir); err != nil {
		return &sources.FieldError{Field: "Installer.CacheDir", Problem: err.Error()}
	}
	if s.CacheDir == s.Dir || sameFile(s.CacheDir, s.Dir) {
		return &sources.FieldError{Field: "Installer.CacheDir", Problem: "is the same directory as Installer.Dir; leave it empty to work without a cache"}
	}
	return nil
}
