package installer

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/internal/atomicfile"
	"github.com/purveyor-dev/purveyor/sources"
)

// record is what is remembered of a package that was verified: the proof, and the state of its files at that time. As
// long as their state is the same, so are their contents, unless somebody with the user's own rights wants to deceive.
type record struct {
	Path     string // of the package's directory, without symbolic links
	Provider sources.Provider
	Version  sources.Version
	Platform sources.Platform
	At       time.Time   // when the state was taken
	Files    []fileState // in the order of names

	Tree      hashing.Hash // of the contents
	Authority hashing.Authority
	Signer    *hashing.Signer
	Hashes    []hashing.Hash // fit for anybody's lock file: computed or signed, never from another's
}

// proof returns what was proven.
func (r *record) proof() *hashing.Proof {
	return &hashing.Proof{
		Authority: r.Authority,
		Signer:    r.Signer,
		Computed:  hashing.Computed{Tree: r.Tree},
		Hashes:    slices.Clone(r.Hashes),
	}
}

// snapshot is the state of a package's files at a time.
type snapshot struct {
	at    time.Time
	files []fileState
}

// takeSnapshot returns nil if the state cannot be relied upon: then nothing is remembered.
func takeSnapshot(dir string) *snapshot {
	s := &snapshot{at: time.Now()}
	var err error
	if s.files, err = stateOf(dir); err != nil {
		return nil
	}
	return s
}

// fileState is what changes when a file is written, replaced, or touched.
type fileState struct {
	Name   string // relative, with slashes
	Device uint64
	Inode  uint64
	Owner  uint32
	Mode   fs.FileMode
	Size   int64
	Mtime  int64 // nanoseconds since 1970, as is Ctime
	Ctime  int64
}

// How long a file must have been left alone before its state was taken: a change within the same tick of the file
// system's clock would not show.
const (
	settleTime     = 20 * time.Millisecond   // clocks with fractions of seconds tick a hundred times a second or more
	slowSettleTime = 2500 * time.Millisecond // others, every two seconds or more often
)

const maxRecord = 16 << 20 // bytes

// records is the directory of records; empty: none are kept.
type records string

// check makes the directory, and refuses one that others can write to.
func (r records) check() error {
	if r == "" {
		return nil
	}
	if err := os.MkdirAll(string(r), 0o700); err != nil {
		return &sources.FieldError{Field: "Installer.RecordDir", Problem: err.Error()}
	}
	if info, err := os.Stat(string(r)); err != nil || !isPrivate(info) {
		return &sources.FieldError{Field: "Installer.RecordDir", Problem: fmt.Sprintf("%s must belong to the user and be writable by nobody else", string(r))}
	}
	return nil
}

// file returns the path of the record about a package.
func (r records) file(path string) string {
	sum := sha256.Sum256([]byte(path))
	return filepath.Join(string(r), hex.EncodeToString(sum[:])+".json")
}

// find returns what was proven of the job's package in dir; nil if nothing is remembered. It holds if the files are
// unchanged, or if their contents turn out to be the same.
func (r records) find(j *job, dir string) (known *hashing.Proof, unchanged bool) {
	if r == "" {
		return nil, false
	}
	path, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, false
	}
	found := r.read(path)
	if found == nil || !found.isAbout(j) || !found.isFor(j) {
		return nil, false
	}
	now := takeSnapshot(path)
	unchanged = now != nil && slices.Equal(now.files, found.Files) && settled(now.files, found.At)
	return found.proof(), unchanged
}

// isAbout keeps a link in the place of one package from passing another's record off as its own.
func (r *record) isAbout(j *job) bool {
	return r.Provider == j.selection.Provider && r.Version == j.selection.Version && r.Platform == j.on
}

// isFor keeps a key that came through somebody's mirror from vouching for packages to others. A signature by such a key
// is remembered as what it is; where there is no lock file, it counts for a project whose own policy pins the key.
func (r *record) isFor(j *job) bool {
	return len(j.locked) > 0 || r.Signer == nil || j.in.Policy.trusts(r.Signer)
}

// read returns the record about a path, whatever the state of the files.
func (r records) read(path string) *record {
	name := r.file(path)
	if info, err := os.Stat(name); err != nil || info.Size() > maxRecord {
		return nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil
	}
	var found record
	if json.Unmarshal(text, &found) != nil || found.Path != path || found.Tree == "" {
		return nil
	}
	return &found
}

// settled reports whether no file was changed so shortly before its state was taken that a later change might not show.
func settled(state []fileState, at time.Time) bool {
	return !slices.ContainsFunc(state, func(f fileState) bool { return f.settledAt().After(at) })
}

// settledAt returns from when on a change would show.
func (f fileState) settledAt() time.Time {
	changed := max(f.Mtime, f.Ctime)
	if changed%int64(time.Second) == 0 {
		return time.Unix(0, changed).Add(slowSettleTime)
	}
	return time.Unix(0, changed).Add(settleTime)
}

// settle takes the state of a package that was just made and that nobody else can change yet. If the file system's clock
// is a fast one, it waits until any change will show.
func (r records) settle(dir string) *snapshot {
	if r == "" {
		return nil
	}
	s := takeSnapshot(dir)
	if s == nil || settled(s.files, s.at) || !settled(s.files, s.at.Add(settleTime)) {
		return s
	}
	time.Sleep(settleTime)
	return takeSnapshot(dir)
}

// keep remembers a proof about the job's package in dir. before is the state of the files before they were read, or
// before they were published; nil if that is not known. Keeping is an optimisation: where it fails, the next installation
// reads the files.
func (r records) keep(j *job, dir string, proof *hashing.Proof, before *snapshot) {
	if r == "" || before == nil {
		return
	}
	path, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return
	}
	now := takeSnapshot(path)
	if now == nil || !slices.Equal(before.files, now.files) {
		return
	}
	text, err := json.Marshal(record{
		Path:      path,
		Provider:  j.selection.Provider,
		Version:   j.selection.Version,
		Platform:  j.on,
		At:        before.at,
		Files:     before.files,
		Tree:      proof.Computed.Tree,
		Authority: proof.Authority,
		Signer:    proof.Signer,
		Hashes:    proof.Hashes,
	})
	if err != nil {
		return
	}
	_ = atomicfile.Write(r.file(path), text, 0o600)
}

// stateOf lists the files of a package. Anything but files and directories, and files of other users, are an error:
// nothing is remembered about them.
func stateOf(dir string) ([]fileState, error) {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, err
	}
	var state []fileState
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		file, ok := stateOfFile(info)
		if !ok || !info.Mode().IsRegular() {
			return errUnremarkable
		}
		file.Name = filepath.ToSlash(name)
		state = append(state, file)
		return nil
	})
	return state, err
}

var errUnremarkable = errors.New("the state of the file cannot be relied upon")
