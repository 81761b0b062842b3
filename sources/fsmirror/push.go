package fsmirror

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/internal/plainfile"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/internal/mirrorjson"
)

// push is the publishing of one release.
type push struct {
	shelf   *shelf
	ledger  *ledger
	release *sources.Release
	docs    *documents
	parcels []*parcel
	chosen  *evidence // the statement that is to be there; nil: none
	former  string    // the checksums of the one that was
	pushed  sources.Pushed
}

// parcel is one package on its way into the mirror.
type parcel struct {
	sources.Archive
	name  string // of the file in the mirror
	stage *stage // the verified copy that is to be the file; nil: it is there
}

// run publishes the release. Everything is examined and copied before anything changes; then each file refers to what is
// there already: packages come after the statement about them, and the indexes after the packages.
func (p *push) run(ctx context.Context) (err error) {
	if p.docs, err = p.shelf.documents(p.release.Version); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.discard()) }()
	for _, step := range []func(context.Context) error{p.compare, p.vouch, p.stageAll, p.describe} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return p.publish()
}

// compare finds out which packages the mirror has already.
func (p *push) compare(ctx context.Context) error {
	for i, a := range p.release.Archives {
		c := &parcel{Archive: a, name: sources.ArchiveName(p.release.Provider, p.release.Version, a.Platform)}
		missing, err := p.missing(ctx, c)
		switch {
		case err != nil:
			return err
		case missing && a.Path == "":
			return &sources.ReleaseError{Field: fmt.Sprintf("Archives[%d]", i), Problem: "has no Path, and " + p.shelf.path(c.name) + " is not it"}
		case missing:
			c.stage = &stage{}
			p.pushed.Added = append(p.pushed.Added, a.Platform)
		default:
			p.pushed.Present = append(p.pushed.Present, a.Platform)
		}
		p.parcels = append(p.parcels, c)
	}
	slices.SortFunc(p.pushed.Added, sources.Platform.Compare)
	slices.SortFunc(p.pushed.Present, sources.Platform.Compare)
	return nil
}

// missing reports whether a package has to be copied. It has not if its file is there. A file that is neither the package
// nor what the index says has been damaged, and is replaced if the index knows the package.
func (p *push) missing(ctx context.Context, c *parcel) (bool, error) {
	stored, err := p.ledger.hash(ctx, p.shelf.path(c.name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	recorded := ofScheme(p.docs.draft.Archive(c.Platform).Hashes, hashing.SchemeZH)
	known := slices.Contains(recorded, c.Sum)
	switch {
	case stored == c.Sum:
		return false, nil
	case stored != "" && (!known || slices.Contains(recorded, stored)):
		return true, p.conflict(c, stored)
	case stored == "" && len(recorded) > 0 && !known:
		return true, p.conflict(c, recorded[0])
	}
	return true, nil
}

func (p *push) conflict(c *parcel, stored hashing.Hash) error {
	return &sources.ConflictError{Address: p.shelf.path(c.name), Platform: c.Platform, Stored: stored, Pushed: c.Sum}
}

// ofScheme returns those of the texts that are hashes of a scheme.
func ofScheme(texts []string, scheme string) []hashing.Hash {
	var found []hashing.Hash
	for _, text := range texts {
		if hash, err := hashing.ParseHash(text); err == nil && hash.Scheme() == scheme {
			found = append(found, hash)
		}
	}
	return found
}

// describe changes the indexes, in memory.
func (p *push) describe(ctx context.Context) error {
	for _, c := range p.parcels {
		old := p.docs.draft.Archive(c.Platform).Hashes
		h1, err := p.h1(ctx, c, old)
		if err != nil {
			return err
		}
		hashes := []string{string(h1), string(c.Sum)}
		for _, text := range old {
			if hash, err := hashing.ParseHash(text); err == nil && !hash.Known() {
				hashes = append(hashes, text) // somebody knows what it means
			}
		}
		slices.Sort(hashes)
		p.docs.draft.SetArchive(c.Platform, mirrorjson.Archive{URL: c.name, Hashes: slices.Compact(hashes)})
	}
	return p.docs.add()
}

// h1 returns the hash of an archive's contents: the index has it if it is about the same archive.
func (p *push) h1(ctx context.Context, c *parcel, recorded []string) (hashing.Hash, error) {
	if c.H1 != "" {
		return c.H1, nil
	}
	known := ofScheme(recorded, hashing.SchemeH1)
	if len(known) == 1 && slices.Contains(ofScheme(recorded, hashing.SchemeZH), c.Sum) {
		return known[0], nil
	}
	path := p.shelf.path(c.name)
	if c.stage != nil {
		path = c.stage.path
	}
	file, info, err := plainfile.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	_, h1, err := hashing.Zip(ctx, file, info.Size())
	if err != nil {
		return "", fmt.Errorf("the package for %s: %w", c.Platform, err)
	}
	return h1, nil
}

// publish makes the release visible.
func (p *push) publish() error {
	if err := p.writeStatement(); err != nil {
		return err
	}
	for _, c := range p.parcels {
		if c.stage == nil {
			continue
		}
		if err := c.stage.become(p.shelf.path(c.name)); err != nil {
			return err
		}
		p.pushed.Uploaded.Count++
		p.pushed.Uploaded.Bytes += c.stage.size
		p.ledger.learn(p.shelf.path(c.name), c.Sum)
	}
	if err := p.docs.publish(); err != nil {
		return err
	}
	return p.removeFormer()
}
