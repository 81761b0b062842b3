package installer

import (
	"context"
	"errors"
	"fmt"
	"os"

	"golang.org/x/sync/errgroup"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/internal/unzip"
	"github.com/purveyor-dev/purveyor/sources"
)

// Names in a staging directory.
const (
	stagedArchive = "archive.zip"
	stagedPackage = "package"
	stagedLink    = "link"
)

// fetch brings the package from its source to its home, whose lock the caller holds.
func (j *job) fetch(ctx context.Context, home entry) (*stored, error) {
	pkg, err := j.describe(ctx)
	if err != nil {
		return nil, err
	}
	if pkg.Content.Dir != "" {
		return j.adopt(ctx, pkg)
	}
	have := &stored{dir: home.path, location: pkg.Location}
	err = home.stage(func() error {
		unpacked, err := j.unpack(ctx, pkg, home.staged(stagedArchive), home.staged(stagedPackage))
		if err != nil {
			return err
		}
		have.proof, have.downloaded = unpacked.proof, unpacked.size
		if err := j.permit(home.staged(stagedPackage), unpacked.files); err != nil {
			return err
		}
		return j.settle(ctx, home, have.proof)
	})
	if err != nil {
		return nil, err
	}
	return have, nil
}

// describe asks the source for the package.
func (j *job) describe(ctx context.Context) (*sources.Package, error) {
	if err := j.queries.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer j.queries.Release(1)
	pkg, err := j.source.Package(ctx, j.selection.Provider, j.selection.Version, j.platform)
	if err == nil {
		err = checkPackage(pkg)
	}
	if err != nil {
		return nil, j.suggest(j.selection, err)
	}
	return pkg, nil
}

// checkPackage refuses what a source must not return.
func checkPackage(pkg *sources.Package) error {
	if pkg == nil || (pkg.Content.Archive == nil) == (pkg.Content.Dir == "") {
		return errors.New("the source returned a package without content: exactly one of Content.Archive and Content.Dir must be set")
	}
	return sources.CheckProtocols(pkg.Protocols)
}

// unpacked is a verified package in a staging directory.
type unpacked struct {
	size  int64 // bytes of the archive
	files []unzip.File
	proof *hashing.Proof
}

// unpack downloads the archive while the source's claims are fetched, unpacks it, and judges. dir "" unpacks without
// writing, for the hashes alone.
func (j *job) unpack(ctx context.Context, pkg *sources.Package, archive, dir string) (*unpacked, error) {
	var claims hashing.Claims
	var computed hashing.Computed
	var result unpacked
	group, groupCtx := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		claims, err = j.claims(groupCtx, pkg)
		return err
	})
	group.Go(func() error {
		sum, size, err := j.download(groupCtx, pkg, archive)
		if err != nil {
			return err
		}
		report, err := j.extract(groupCtx, archive, size, dir)
		if err != nil {
			return err
		}
		result.size, result.files = size, report.Files
		computed, err = compute(report, sum)
		return err
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	proof, err := j.judge(computed, claims)
	result.proof = proof
	return &result, err
}

// claims asks who vouches for the package.
func (j *job) claims(ctx context.Context, pkg *sources.Package) (hashing.Claims, error) {
	if pkg.Claims == nil {
		return hashing.Claims{}, nil
	}
	if err := j.queries.Acquire(ctx, 1); err != nil {
		return hashing.Claims{}, err
	}
	defer j.queries.Release(1)
	return pkg.Claims(ctx)
}

// extract unpacks the archive file.
func (j *job) extract(ctx context.Context, archive string, size int64, dir string) (*unzip.Report, error) {
	if err := j.unpacks.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer j.unpacks.Release(1)
	j.send(Event{Kind: Unpacking})
	file, err := os.Open(archive)
	if err != nil {
		return nil, err
	}
	defer file.Close() // only read
	if dir != "" {
		if err := os.Mkdir(dir, 0o755); err != nil {
			return nil, err
		}
	}
	return unzip.Extract(ctx, file, size, dir, j.Limits.unzip())
}

// compute turns the digests of an archive and its files into hashes.
func compute(report *unzip.Report, archive [32]byte) (hashing.Computed, error) {
	var contents hashing.Contents
	for _, file := range report.Files {
		if err := contents.AddFile(file.Name, file.SHA256); err != nil {
			return hashing.Computed{}, err
		}
	}
	for _, name := range report.Directories {
		if err := contents.AddDirectory(name); err != nil {
			return hashing.Computed{}, err
		}
	}
	return hashing.Computed{Tree: contents.Tree(), Entries: contents.Entries(), Archive: hashing.ZH(archive)}, nil
}

// judge compares hashes, lock file, claims and policy.
func (j *job) judge(computed hashing.Computed, claims hashing.Claims) (*hashing.Proof, error) {
	proof, err := hashing.Judge(computed, j.locked, j.Policy.admissible(claims))
	if err != nil {
		return nil, err
	}
	if err := j.Policy.judge(proof); err != nil {
		return nil, err
	}
	j.send(Event{Kind: Verified, Proof: proof})
	return proof, nil
}

// permit makes files of a verified package executable: those that the archive marks, and the provider itself, which
// archives made on Windows do not mark.
func (j *job) permit(dir string, files []unzip.File) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for _, file := range files {
		if !file.Executable && !isExecutableName(j.selection.Provider, file.Name) {
			continue
		}
		if err := root.Chmod(file.Name, 0o755); err != nil {
			return err
		}
	}
	_, err = findExecutable(dir, j.selection.Provider)
	return err
}

// settle publishes the staged package, unless the same one is in its place already.
func (j *job) settle(ctx context.Context, home entry, proof *hashing.Proof) error {
	replaced := home.exists()
	if replaced && j.intact(ctx, home.path, proof) {
		return nil
	}
	if err := home.publish(stagedPackage); err != nil {
		return err
	}
	if replaced {
		j.send(Event{Kind: Healed, Path: home.path})
	}
	return nil
}

func (j *job) intact(ctx context.Context, dir string, proof *hashing.Proof) bool {
	if _, err := findExecutable(dir, j.selection.Provider); err != nil {
		return false
	}
	tree, err := hashing.Dir(ctx, dir)
	return err == nil && tree == proof.Computed.Tree
}

// adopt verifies a package that its source has in unpacked form. It stays where it is, to be linked to.
func (j *job) adopt(ctx context.Context, pkg *sources.Package) (*stored, error) {
	tree, err := hashing.Dir(ctx, pkg.Content.Dir)
	if err != nil {
		return nil, fmt.Errorf("cannot verify the package in %s: %w", pkg.Content.Dir, err)
	}
	claims, err := j.claims(ctx, pkg)
	if err != nil {
		return nil, err
	}
	computed := hashing.Computed{Tree: tree}
	proof, err := j.judge(computed, claims)
	var unverifiable *hashing.UnverifiableError
	if errors.As(err, &unverifiable) && j.Policy.AllowUnverifiableInsecure {
		proof, err = hashing.Judge(computed, nil, hashing.Claims{Others: claims.Others})
		if err == nil {
			proof.Hashes = union(proof.Hashes, j.locked)
			err = j.Policy.judge(proof)
		}
	}
	if err != nil {
		return nil, err
	}
	if _, err := findExecutable(pkg.Content.Dir, j.selection.Provider); err != nil {
		return nil, err
	}
	return &stored{dir: pkg.Content.Dir, proof: proof, location: pkg.Location}, nil
}
