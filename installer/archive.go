package installer

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources"
)

// Archive is a package as it was fetched: a zip file that was verified and not unpacked.
type Archive struct {
	Provider  sources.Provider
	Version   sources.Version
	Platform  sources.Platform
	Protocols []sources.Protocol // of plugins, which the package speaks; nil: the source does not say
	Location  string             // where it was fetched from
	Path      string             // of the file, absolute
	Size      int64              // bytes
	Proof     *hashing.Proof     // what its verification rests on
	Statement *hashing.Statement // by which its checksums are signed; nil: they are not
}

// Publishable returns what a [sources.Target] needs to know about the archive.
func (a *Archive) Publishable() sources.Archive {
	return sources.Archive{Platform: a.Platform, Path: a.Path, Sum: a.Proof.Computed.Archive, H1: a.Proof.Computed.Entries}
}

// ErrNoArchive says that a source has a package in unpacked form only.
var ErrNoArchive = errors.New("the source has the package unpacked, and no archive of it")

// Fetch downloads the archive of one package to path and verifies it as Install does, but installs nothing: for those who
// build mirrors. No lock file binds: hold Proof.Computed to its hashes yourself, with [hashing.Judge].
//
// The directory of path must exist; what is at path is replaced, at once and only by a verified archive. A process that is
// killed leaves a file .purveyor-fetch-* beside it, which the first Fetch to that directory removes that begins a day later.
//
// The error is an [*Error] with one [*ProviderError], which matches [ErrNoArchive] where there is nothing to download.
func (in *Installer) Fetch(ctx context.Context, p sources.Provider, v sources.Version, on sources.Platform, path string) (*Archive, error) {
	path, err := checkFetched(path)
	if err != nil {
		return nil, err
	}
	if err := checkPackage(p, v, on); err != nil {
		return nil, err
	}
	r, err := in.begin(ctx, &Request{})
	if err != nil {
		return nil, err
	}
	j := &job{run: r, selection: &Selection{Provider: p, Version: v}, on: on}
	archive, err := j.keepArchive(ctx, path)
	if err != nil {
		return nil, asError([]*ProviderError{j.fail(PhaseFetch, err)})
	}
	j.send(Event{Kind: EventFetched, Path: archive.Path, Proof: archive.Proof, Size: archive.Size})
	return archive, nil
}

// checkFetched returns the absolute path of the file that will be made, and refuses what can be none.
func checkFetched(path string) (string, error) {
	if path == "" {
		return "", &sources.FieldError{Field: "path", Problem: "is required: where does the archive go?"}
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return "", &sources.FieldError{Field: "path", Problem: err.Error()}
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return "", &sources.FieldError{Field: "path", Problem: path + " is a directory; name the file"}
	}
	return path, nil
}

// checkPackage refuses parameters of Fetch that no package can have.
func checkPackage(p sources.Provider, v sources.Version, on sources.Platform) error {
	switch {
	case p.IsZero():
		return &sources.FieldError{Field: "p", Problem: "is a zero Provider; make providers with sources.ParseProvider"}
	case p.BuiltIn():
		return &sources.FieldError{Field: "p", Problem: p.String() + " is built into terraform and tofu; there is nothing to fetch"}
	case v.IsZero():
		return &sources.FieldError{Field: "v", Problem: "is a zero Version; make versions with sources.ParseVersion"}
	}
	return checkPlatform("on", on)
}

// keepArchive prepares the archive beside its place.
func (j *job) keepArchive(ctx context.Context, path string) (_ *Archive, err error) {
	pkg, err := j.describe(ctx)
	if err != nil {
		return nil, err
	}
	if pkg.Content.Archive == nil {
		return nil, ErrNoArchive
	}
	file, err := fetchFile(filepath.Dir(path))
	if err != nil {
		return nil, err
	}
	defer os.Remove(file.Name()) // unless it was renamed
	have, err := j.unpack(ctx, pkg, file, "")
	if err = also(err, file.Close()); err != nil {
		return nil, err
	}
	if err := os.Chmod(file.Name(), 0o644); err != nil {
		return nil, err
	}
	if err := os.Rename(file.Name(), path); err != nil {
		return nil, err
	}
	return &Archive{
		Provider: pkg.Provider, Version: pkg.Version, Platform: pkg.Platform, Protocols: pkg.Protocols,
		Location: pkg.Location, Path: path, Size: have.size, Proof: have.proof, Statement: have.statement,
	}, nil
}
