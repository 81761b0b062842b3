package fsmirror

import (
	"fmt"

	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/internal/mirrorjson"
)

// documents are the two indexes that list the packages of a version.
type documents struct {
	shelf   *shelf
	version sources.Version
	others  []string // names of documents under other spellings of the version, which nobody asks for any more
	index   *mirrorjson.IndexDraft
	draft   *mirrorjson.VersionDraft
}

// documents reads the indexes, as far as there are some.
func (s *shelf) documents(v sources.Version) (*documents, error) {
	d := &documents{shelf: s, version: v}
	data, err := s.read(mirrorjson.IndexName, mirrorjson.MaxIndexDocument)
	if err != nil {
		return nil, err
	}
	if d.index, err = mirrorjson.ParseIndexDraft(data); err != nil {
		return nil, s.malformed(mirrorjson.IndexName, err)
	}
	names := []string{d.name()}
	for _, spelling := range d.index.Spellings(v) {
		if spelling != v.String() {
			d.others = append(d.others, mirrorjson.VersionName(spelling))
		}
	}
	for _, name := range append(names, d.others...) {
		if data, err = s.read(name, mirrorjson.MaxVersionDocument); err != nil {
			return nil, err
		}
		if d.draft, err = mirrorjson.ParseVersionDraft(data); err != nil {
			return nil, s.malformed(name, err)
		}
		if data != nil {
			break
		}
	}
	return d, nil
}

// malformed is about an index that is not to be overwritten, since nobody knows what it said.
func (s *shelf) malformed(name string, err error) error {
	return &FileError{s.path(name), fmt.Errorf("%w; delete it to have it written anew", err)}
}

// name returns the name of the document about the version.
func (d *documents) name() string { return mirrorjson.VersionName(d.version.String()) }

// add lists the version, and makes sure that the indexes can be read by those who have the same limits.
func (d *documents) add() error {
	d.index.Add(d.version)
	if len(d.index.Bytes()) > mirrorjson.MaxIndexDocument || len(d.draft.Bytes()) > mirrorjson.MaxVersionDocument {
		return fmt.Errorf("%w: the indexes in %s would be larger than what is read", sources.ErrTooLarge, d.shelf.dir)
	}
	return nil
}

// publish writes what has changed, the document that leads to the other last.
func (d *documents) publish() error {
	if err := d.shelf.write(mirrorjson.File{Name: d.name(), Data: d.draft.Bytes()}); err != nil {
		return err
	}
	if err := d.shelf.write(mirrorjson.File{Name: mirrorjson.IndexName, Data: d.index.Bytes()}); err != nil {
		return err
	}
	return d.shelf.removeAll(d.others)
}

// withdraw writes what is left.
func (d *documents) withdraw() error {
	if !d.draft.IsEmpty() {
		return d.shelf.write(mirrorjson.File{Name: d.name(), Data: d.draft.Bytes()})
	}
	if err := d.withdrawVersion(); err != nil {
		return err
	}
	return d.shelf.removeAll(append(d.others, d.name()))
}

// withdrawVersion takes the version off the list. The list goes with the last version: a provider without versions is
// one that the mirror does not have.
func (d *documents) withdrawVersion() error {
	if len(d.index.Spellings(d.version)) == 0 {
		return nil
	}
	d.index.Remove(d.version)
	if d.index.IsEmpty() {
		return d.shelf.removeAll([]string{mirrorjson.IndexName})
	}
	return d.shelf.write(mirrorjson.File{Name: mirrorjson.IndexName, Data: d.index.Bytes()})
}
