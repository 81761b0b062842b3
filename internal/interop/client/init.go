package client

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/installer/lockfile"
	"github.com/purveyor-dev/purveyor/installer/required"
	"github.com/purveyor-dev/purveyor/sources"
)

// Init says what to install and where. Dir and Source are required.
type Init struct {
	Dir       string         // the module's directory; .terraform/providers and the lock file are in it
	CacheDir  string         // the shared plugin cache; "" means none
	RecordDir string         // remembers what was verified; "" means that nothing is
	Source    sources.Source // where packages come from
	Registry  sources.Host   // of addresses that name no host; zero means sources.DefaultRegistry
	Upgrade   bool           // as "init -upgrade"
	Readonly  bool           // as "init -lockfile=readonly"

	// Connections is how many bring one archive at a time; 0 means the installer's default.
	Connections int
}

// Run installs the module's providers and updates its lock file if a version or a hash in it changes.
func (i *Init) Run(ctx context.Context) (*installer.Result, error) {
	request, err := i.request()
	if err != nil {
		return nil, err
	}
	result, err := i.installer().Install(ctx, *request)
	if result == nil || result.Locks.Equal(request.Locks) {
		return result, err
	}
	return result, errors.Join(err, lockfile.Write(i.lockFile(), result.Locks))
}

// Lock records the module's providers in its lock file for several platforms, as "terraform providers lock" does.
func (i *Init) Lock(ctx context.Context, platforms ...sources.Platform) error {
	request, err := i.request()
	if err != nil {
		return err
	}
	request.H1 = true
	locks, err := i.installer().Lock(ctx, *request, platforms)
	if err != nil {
		return err
	}
	return lockfile.Write(i.lockFile(), locks)
}

func (i *Init) installer() *installer.Installer {
	return &installer.Installer{
		Source:    i.Source,
		Dir:       filepath.Join(i.Dir, ".terraform", "providers"),
		CacheDir:  i.CacheDir,
		RecordDir: i.RecordDir,

		ConnectionsPerArchive: i.Connections,
	}
}

func (i *Init) request() (*installer.Request, error) {
	configuration, err := required.Read(i.Dir, required.Options{Registry: i.Registry})
	if err != nil {
		return nil, err
	}
	locks, err := lockfile.Read(i.lockFile())
	if err != nil {
		return nil, err
	}
	return &installer.Request{
		Requirements: configuration.Requirements,
		Locks:        locks,
		Upgrade:      i.Upgrade,
		Readonly:     i.Readonly,
	}, nil
}

func (i *Init) lockFile() string { return filepath.Join(i.Dir, lockfile.Name) }
