package netmirror

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/internal/memo"
	"github.com/purveyor-dev/purveyor/internal/plainfile"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/fsmirror"
	"github.com/purveyor-dev/purveyor/sources/internal/mirrorjson"
)

// privateName is the directory in the store that is no part of the mirror. No host has a name like it.
const privateName = ".purveyor-mirror"

// release is a version of a provider.
type release struct {
	provider sources.Provider
	version  sources.Version
}

func (r release) String() string { return r.provider.String() + " " + r.version.String() }

// parcel is the package of a release for one platform.
type parcel struct {
	release
	platform sources.Platform
}

func (c parcel) name() string { return sources.ArchiveName(c.provider, c.version, c.platform) }

// store is a filesystem mirror, and beside it what the handler remembers.
type store struct {
	dir    string
	target *fsmirror.Target

	seals     seals                  // of the archives that were read
	examining memo.Map[string, seal] // by path
}

func newStore(dir string) (*store, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	s := &store{dir: dir, target: fsmirror.NewTarget(dir)}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	if err := os.Mkdir(s.private(), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return s, nil
}

// private returns a path in the directory that is no part of the mirror.
func (s *store) private(names ...string) string {
	return filepath.Join(slices.Concat([]string{s.dir, privateName}, names)...)
}

// record returns where something about a provider is remembered.
func (s *store) record(p sources.Provider, name string) (string, error) {
	home, err := mirrorjson.Home(s.private("answers"), p)
	return filepath.Join(home, name), err
}

// scratch returns where an archive is fetched to, and the file that whoever does so locks.
func (s *store) scratch(c parcel) (dir, lock string) {
	sum := sha256.Sum256([]byte(sources.ArchivePath(c.provider, c.version, c.platform)))
	name := hex.EncodeToString(sum[:16])
	return s.private("fetch", name), s.private("fetch", name+".lock")
}

// place returns the path of a file of a provider.
func (s *store) place(p sources.Provider, name string) (string, error) {
	home, err := mirrorjson.Home(s.dir, p)
	return filepath.Join(home, name), err
}

// read returns a file of a provider; nothing where there is none.
func (s *store) read(p sources.Provider, name string, limit int64) ([]byte, error) {
	path, err := s.place(p, name)
	if err != nil {
		return nil, err
	}
	data, err := plainfile.Read(path, limit)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, storeFailure(err)
}

// versions returns the versions that the store lists.
func (s *store) versions(p sources.Provider) ([]sources.Version, error) {
	data, err := s.read(p, mirrorjson.IndexName, MaxIndexDocument)
	if err != nil || data == nil {
		return nil, err
	}
	var index mirrorjson.Index
	if err := json.Unmarshal(data, &index); err != nil {
		return nil, storeFailure(fmt.Errorf("%s of %s in the store: %w", mirrorjson.IndexName, p, err))
	}
	var versions []sources.Version
	for spelling := range index.Versions {
		if v, err := sources.ParseVersion(spelling); err == nil {
			versions = append(versions, v)
		}
	}
	return versions, nil
}

// document returns what the store says about a version, without what is not beside it.
func (s *store) document(r release) (*mirrorjson.VersionDraft, error) {
	name := mirrorjson.VersionName(r.version.String())
	data, err := s.read(r.provider, name, MaxVersionDocument)
	if err != nil {
		return nil, err
	}
	draft, err := mirrorjson.ParseVersionDraft(data)
	if err != nil {
		return nil, storeFailure(fmt.Errorf("%s of %s in the store: %w", name, r.provider, err))
	}
	for _, on := range draft.Platforms() {
		if draft.Archive(on).URL != (parcel{r, on}).name() {
			draft.RemoveArchive(on)
		}
	}
	return draft, nil
}

// opened is an archive that is in the store.
type opened struct {
	*os.File
	seal
}

// open opens an archive. The first time that a process does so it reads the archive, and compares it with what the store says;
// then the file must only look the same.
func (s *store) open(ctx context.Context, c parcel) (*opened, error) {
	path, err := s.place(c.provider, c.name())
	if err != nil {
		return nil, err
	}
	file, info, err := plainfile.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errNotStored
	}
	if err != nil {
		return nil, storeFailure(err)
	}
	own := seal{info: info}
	if own.sum = s.seals.of(path, info); own.sum == "" {
		if own, err = s.examine(ctx, c, file, info); err != nil {
			return nil, errors.Join(err, file.Close())
		}
	}
	return &opened{file, own}, nil
}

// examine reads an archive while others who want it wait.
func (s *store) examine(ctx context.Context, c parcel, file *os.File, info fs.FileInfo) (seal, error) {
	got, err := s.examining.Get(ctx, file.Name(), func(ctx context.Context) (seal, error) {
		sum, err := s.compare(ctx, c, file, info)
		return seal{info, sum}, err
	})
	s.examining.Forget(file.Name())
	if err != nil {
		return seal{}, err
	}
	if !got.fits(info) { // it was replaced meanwhile
		sum, err := s.compare(ctx, c, file, info)
		return seal{info, sum}, err
	}
	s.seals.note(file.Name(), got)
	return got, nil
}

// compare makes sure that an archive is the one that the store's document lists.
func (s *store) compare(ctx context.Context, c parcel, file *os.File, info fs.FileInfo) (hashing.Hash, error) {
	document, err := s.document(c.release)
	if err != nil {
		return "", err
	}
	var listed []hashing.Hash
	for _, text := range document.Archive(c.platform).Hashes {
		if hash, err := hashing.ParseHash(text); err == nil && hash.Known() {
			listed = append(listed, hash)
		}
	}
	if len(listed) == 0 {
		return "", errNotStored // it is about to be published, or nobody says what it is
	}
	sum, err := hashing.Archive(ctx, io.NewSectionReader(file, 0, info.Size()))
	if err != nil {
		return "", storeFailure(err)
	}
	if err := satisfies(ctx, listed, sum, file, info.Size()); err != nil {
		return "", &damageError{file.Name(), err}
	}
	return sum, nil
}

// satisfies compares an archive with the hashes that are listed for it: by zh, or where only h1 is known, by that.
func satisfies(ctx context.Context, listed []hashing.Hash, sum hashing.Hash, archive io.ReaderAt, size int64) error {
	computed := []hashing.Hash{sum}
	if !slices.ContainsFunc(listed, func(h hashing.Hash) bool { return h.Scheme() == hashing.SchemeZH }) {
		tree, entries, err := hashing.Zip(ctx, archive, size)
		if err != nil {
			return err
		}
		computed = append(computed, tree, entries)
	}
	if slices.ContainsFunc(computed, func(h hashing.Hash) bool { return slices.Contains(listed, h) }) {
		return nil
	}
	return &hashing.MismatchError{By: hashing.BySource, Want: listed, Got: computed}
}

// learn notes what an archive is that was just published.
func (s *store) learn(c parcel, sum hashing.Hash) {
	path, err := s.place(c.provider, c.name())
	if err != nil {
		return
	}
	if info, err := os.Stat(path); err == nil {
		s.seals.note(path, seal{info, sum})
	}
}
