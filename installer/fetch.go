package installer

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

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
	err = home.stage(func(w workshop) error {
		unpacked, err := j.fetchInto(ctx, pkg, w)
		if err != nil {
			return err
		}
		have.proof, have.vouched, have.downloaded = unpacked.proof, unpacked.vouched, unpacked.size
		if err := j.permit(w.place(stagedPackage), unpacked.files); err != nil {
			return err
		}
		return j.settle(ctx, home, w, have)
	})
	if err != nil {
		return nil, err
	}
	return have, nil
}

// fetchInto downloads, unpacks and verifies the package in a workshop.
func (j *job) fetchInto(ctx context.Context, pkg *sources.Package, w workshop) (_ *unpacked, err error) {
	archive, err := os.OpenFile(w.place(stagedArchive), os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	defer func() { err = also(err, archive.Close()) }()
	if err := os.Mkdir(w.place(stagedPackage), 0o755); err != nil {
		return nil, err
	}
	return j.unpack(ctx, pkg, archive, w.place(stagedPackage))
}

// describe asks the source for the package.
func (j *job) describe(ctx context.Context) (*sources.Package, error) {
	if err := j.queries.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer j.queries.Release(1)
	pkg, err := j.memo.Package(ctx, j.selection.Provider, j.selection.Version, j.on)
	if err == nil {
		err = j.checkPackage(pkg)
	}
	if err != nil {
		return nil, j.suggest(j.selection, err)
	}
	return pkg, nil
}

// checkPackage refuses what a source must not return.
func (j *job) checkPackage(pkg *sources.Package) error {
	switch {
	case (pkg.Content.Archive == nil) == (pkg.Content.Dir == ""):
		return errors.New("the source returned a package without content: exactly one of Content.Archive and Content.Dir must be set")
	case pkg.Content.Dir != "" && !filepath.IsAbs(pkg.Content.Dir):
		return fmt.Errorf("the source returned a package in %s: Content.Dir must be absolute", pkg.Content.Dir)
	case pkg.Provider != j.selection.Provider || pkg.Version != j.selection.Version || pkg.Platform != j.on:
		return fmt.Errorf("the source returned another package than it was asked for: %s %s for %s", pkg.Provider, pkg.Version, pkg.Platform)
	}
	return sources.CheckProtocols(pkg.Protocols)
}

// unpacked is a verified package in a staging directory.
type unpacked struct {
	size  int64 // bytes of the archive
	files []unzip.File
	proof *hashing.Proof

	statement *hashing.Statement // by which the hashes are signed; nil: they are not

	vouched *hashing.Proof // the same without what the lock file or the source merely says: fit to be remembered
}

// unpack downloads the archive while the source's claims are fetched, unpacks it, and judges. dir "" unpacks without
// writing, for the hashes alone.
func (j *job) unpack(ctx context.Context, pkg *sources.Package, archive *os.File, dir string) (*unpacked, error) {
	var claims hashing.Claims
	var computed hashing.Computed
	var result unpacked
	group, groupCtx := errgroup.WithContext(ctx)
	group.Go(func() (err error) {
		claims, err = j.claims(groupCtx, pkg)
		return err
	})
	group.Go(func() error {
		got, err := j.receive(groupCtx, pkg, archive, dir)
		if err != nil {
			return err
		}
		result.size, result.files = got.size, got.report.Files
		computed, err = compute(got.report, got.sum)
		return err
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	var err error
	if result.proof, err = j.judge(computed, claims); err != nil {
		return nil, err
	}
	result.vouched = vouchedFor(computed, claims)
	if result.proof.Authority == hashing.Signed {
		result.statement = claims.Statement
	}
	return &result, nil
}

// vouchedFor returns what can be remembered of a package for everybody: without this project's lock file, and without what
// the source merely says about other packages. Where only the lock file could judge, that is the hash of the contents.
func vouchedFor(computed hashing.Computed, claims hashing.Claims) *hashing.Proof {
	proof, err := hashing.Judge(computed, nil, signedOnly(claims))
	if err != nil {
		return contentsOnly(computed.Tree)
	}
	return proof
}

// contentsOnly is a proof of nothing but what the contents are.
func contentsOnly(tree hashing.Hash) *hashing.Proof {
	return &hashing.Proof{Computed: hashing.Computed{Tree: tree}, Hashes: []hashing.Hash{tree}}
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

// judge decides about a package whose hashes were computed.
func (j *job) judge(computed hashing.Computed, claims hashing.Claims) (*hashing.Proof, error) {
	proof, err := j.weigh(computed, claims)
	if err == nil {
		j.send(Event{Kind: EventVerified, Proof: proof})
	}
	return proof, err
}

// weigh compares hashes, lock file, claims and policy.
func (j *job) weigh(computed hashing.Computed, claims hashing.Claims) (*hashing.Proof, error) {
	proof, err := hashing.Judge(computed, j.locked, j.in.Policy.admissible(claims))
	if err != nil {
		return nil, err
	}
	if err := j.in.Policy.Accepts(proof); err != nil {
		return nil, err
	}
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
func (j *job) settle(ctx context.Context, home entry, w workshop, have *stored) error {
	before := takeSnapshot(home.path)
	there, err := j.inspect(ctx, home, have.proof)
	if err != nil {
		return err
	}
	if there == intact {
		j.in.records().keep(j, home.path, have.vouched, before)
		return nil
	}
	staged := j.in.records().settle(w.place(stagedPackage))
	if err := home.publish(w, stagedPackage); err != nil {
		return err
	}
	j.in.records().keep(j, home.path, have.vouched, staged)
	j.healed(home, there)
	return nil
}
