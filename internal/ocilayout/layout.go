package ocilayout

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/opencontainers/go-digest"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
)

// Layout is an image layout. It is safe for concurrent use.
type Layout struct {
	blobs   blobs
	spool   *spool // the same, if the layout is being made; nil: it is only read
	tar     *archive
	unnamed []ocispec.Descriptor // what is listed without a name

	mu       sync.RWMutex
	names    map[string]map[string]ocispec.Descriptor // by repository and tag
	subjects map[digest.Digest][]ocispec.Descriptor   // what refers to a manifest
	refers   map[digest.Digest]bool                   // all that is in subjects

	// index finds out what refers to what in a layout that is only read, when somebody asks for the first time.
	index func() error
}

// archive is the tar that a layout is read from.
type archive struct {
	file    io.ReaderAt
	size    int64
	end     int64
	unknown []string // files that are no part of a layout, sorted
}

func newLayout(b blobs) *Layout {
	return &Layout{
		blobs:    b,
		names:    map[string]map[string]ocispec.Descriptor{},
		subjects: map[digest.Digest][]ocispec.Descriptor{},
		refers:   map[digest.Digest]bool{},
		index:    func() error { return nil },
	}
}

// New returns an empty layout that is being made. It keeps its content in a directory, which must exist and be
// for it alone; the caller removes it.
func New(dir string) *Layout {
	s := &spool{dir: dir, sizes: map[digest.Digest]int64{}}
	l := newLayout(s)
	l.spool = s
	return l
}

// Open reads the list of what a tar has: an [*Error] says what is wrong with it. All other errors are those of the
// file.
func Open(file io.ReaderAt, size int64) (*Layout, error) {
	found, err := scan(file, size)
	if err != nil {
		return nil, err
	}
	s := &section{file: file, files: map[digest.Digest]extent{}}
	l := newLayout(s)
	l.tar = &archive{file: file, size: size, end: found.end}
	l.index = sync.OnceValue(l.findSubjects)
	for name, place := range found.files {
		if d, ok := blobDigest(name); ok {
			s.files[d] = place
		} else if name != ocispec.ImageLayoutFile && name != ocispec.ImageIndexFile {
			l.tar.unknown = append(l.tar.unknown, name)
		}
	}
	slices.Sort(l.tar.unknown)
	return l, l.readFiles(found.files)
}

// readFiles reads the two files that every layout has.
func (l *Layout) readFiles(files map[string]extent) error {
	data, err := l.readFile(files, ocispec.ImageLayoutFile, MaxManifest)
	if err != nil {
		return err
	}
	var head ocispec.ImageLayout
	if err := decode(ocispec.ImageLayoutFile, data, &head); err != nil {
		return err
	}
	if head.Version != ocispec.ImageLayoutVersion {
		return &Error{Entry: ocispec.ImageLayoutFile, Kind: ErrMalformed, Detail: fmt.Sprintf("the version of the layout is %q, not %q", head.Version, ocispec.ImageLayoutVersion)}
	}
	if data, err = l.readFile(files, ocispec.ImageIndexFile, MaxIndex); err != nil {
		return err
	}
	return l.readIndex(data)
}

func (l *Layout) readFile(files map[string]extent, name string, limit int64) ([]byte, error) {
	place, ok := files[name]
	switch {
	case !ok:
		return nil, &Error{Entry: name, Kind: ErrMissing, Detail: "so this is no OCI image layout"}
	case place.size > limit:
		return nil, &Error{Entry: name, Kind: ErrTooLarge, Detail: fmt.Sprintf("it has %d bytes, and the limit is %d", place.size, limit)}
	}
	return readAll(l.tar.file, place.offset, place.size)
}

func readAll(from io.ReaderAt, offset, size int64) ([]byte, error) {
	data := make([]byte, size)
	if n, err := from.ReadAt(data, offset); int64(n) < size {
		return nil, cmp.Or(err, io.ErrUnexpectedEOF)
	}
	return data, nil
}

// readIndex takes what index.json lists.
func (l *Layout) readIndex(data []byte) error {
	var document struct {
		Manifests rawArray `json:"manifests"`
	}
	if err := decode(ocispec.ImageIndexFile, data, &document); err != nil {
		return err
	}
	return malformed(ocispec.ImageIndexFile, eachElement(document.Manifests, MaxListed, l.list))
}

// rawArray is read one element at a time.
type rawArray []byte

// UnmarshalJSON implements [json.Unmarshaler].
func (r *rawArray) UnmarshalJSON(src []byte) error {
	*r = slices.Clone(src)
	return nil
}

// entry is one of index.json, as far as it matters here: whatever else it has is not kept.
type entry struct {
	link
	Annotations struct {
		Name string `json:"org.opencontainers.image.ref.name"`
	} `json:"annotations"`
}

// list adds an entry of index.json.
func (l *Layout) list(e entry) error {
	d, name := ocispec.Descriptor{MediaType: e.MediaType, Digest: e.Digest, Size: e.Size}, e.Annotations.Name
	if err := d.Digest.Validate(); err != nil {
		return fmt.Errorf("the digest %s of %s: %w", shown(string(d.Digest)), shown(name), err)
	}
	if name == "" {
		l.unnamed = append(l.unnamed, d)
		return nil
	}
	repository, tag := cutName(name)
	if other, twice := l.names[repository][tag]; twice && other.Digest != d.Digest {
		return &Error{Entry: name, Kind: ErrDuplicate, Detail: "in " + ocispec.ImageIndexFile}
	}
	l.set(repository, tag, d)
	return nil
}

func (l *Layout) set(repository, tag string, d ocispec.Descriptor) {
	if l.names[repository] == nil {
		l.names[repository] = map[string]ocispec.Descriptor{}
	}
	l.names[repository][tag] = d
}

// cutName splits a name into repository and tag, either of which it may lack.
func cutName(name string) (repository, tag string) {
	if i := strings.LastIndex(name, ":"); i >= 0 && !strings.Contains(name[i:], "/") {
		return name[:i], name[i+1:]
	}
	return "", name
}

// Name returns the name of what a repository's tag names: "REPOSITORY:TAG", or the tag alone if there is no repository.
func Name(repository, tag string) string {
	if repository == "" {
		return tag
	}
	return repository + ":" + tag
}

// Repositories returns the tags of each repository, sorted. Names that have no tag are those of the repository "".
func (l *Layout) Repositories() map[string][]string {
	l.mu.RLock()
	defer l.mu.RUnlock()
	all := map[string][]string{}
	for repository, tags := range l.names {
		all[repository] = slices.Sorted(maps.Keys(tags))
	}
	return all
}

// tags returns the tags of a repository, sorted; none if there is no such repository.
func (l *Layout) tags(repository string) []string {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return slices.Sorted(maps.Keys(l.names[repository]))
}

// Resolve returns what a tag names.
func (l *Layout) Resolve(repository, tag string) (d ocispec.Descriptor, ok bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	d, ok = l.names[repository][tag]
	return d, ok
}
