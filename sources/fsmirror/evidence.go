package fsmirror

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/internal/mirrorjson"
	"github.com/purveyor-dev/purveyor/sources/internal/signed"
)

// evidence is a statement that was verified, and its files.
type evidence struct {
	document *signed.Document
	files    []mirrorjson.File
	refers   *mirrorjson.Statement
}

func newEvidence(r *sources.Release, statement *hashing.Statement) (*evidence, error) {
	document, err := signed.Verify(statement)
	if err != nil {
		return nil, err
	}
	files, refers := mirrorjson.StatementFiles(r.Provider, r.Version, statement)
	return &evidence{document, files, refers}, nil
}

// covers makes sure that the signature is over packages; over their archives, where the hashes are known.
func (e *evidence) covers(r *sources.Release, packages map[sources.Platform]hashing.Hash) error {
	for _, on := range slices.SortedFunc(maps.Keys(packages), sources.Platform.Compare) {
		_, err := e.document.Claims(signed.Release{Provider: r.Provider, Version: r.Version, Platform: on, Archive: packages[on]})
		if err != nil {
			return &sources.StatementError{Platform: on, Err: err}
		}
	}
	return nil
}

// vouch chooses the statement that is to be there: that of the release, or else one that the mirror has, if it covers all
// packages of the version. Where there are statements, one has to.
func (p *push) vouch(ctx context.Context) error {
	candidates, err := p.candidates()
	if err != nil || len(candidates) == 0 {
		return err
	}
	packages, err := p.packages(ctx)
	if err != nil {
		return err
	}
	var failure error
	for _, e := range candidates {
		err := e.covers(p.release, packages)
		if err == nil {
			p.chosen, p.pushed.Signed = e, true
			p.noteFormer(candidates, packages)
			p.docs.draft.SetStatement(e.refers)
			return nil
		}
		if failure == nil {
			failure = err
		}
	}
	return failure
}

// packages returns all packages that the version is going to have, with the hashes of their archives; "" where only
// somebody else knows it.
func (p *push) packages(ctx context.Context) (map[sources.Platform]hashing.Hash, error) {
	packages := make(map[sources.Platform]hashing.Hash)
	for _, on := range p.docs.draft.Platforms() {
		packages[on] = ""
		if sums := ofScheme(p.docs.draft.Archive(on).Hashes, hashing.SchemeZH); len(sums) == 1 {
			packages[on] = sums[0]
		}
	}
	for _, a := range p.release.Archives {
		packages[a.Platform] = a.Sum
	}
	files, err := packedFiles(p.shelf.dir, p.release.Provider, p.release.Version)
	if err != nil {
		return nil, err
	}
	for on, name := range files {
		if packages[on] != "" {
			continue
		}
		if packages[on], err = p.ledger.hash(ctx, p.shelf.path(name)); err != nil {
			return nil, err
		}
	}
	return packages, nil
}

// candidates returns the statements that verify: that of the release, which must cover its archives; that which the index
// refers to; then others that the mirror has. It is an error if the mirror should have one, and none verifies.
func (p *push) candidates() ([]*evidence, error) {
	stored, flaws, err := p.storedEvidence()
	if err != nil {
		return nil, err
	}
	if p.release.Statement != nil {
		own, err := p.ownEvidence()
		return append([]*evidence{own}, stored...), err
	}
	if current := p.currentSums(); len(stored) == 0 && flaws == nil && isName(current) {
		flaws = &FileError{p.shelf.path(current), fs.ErrNotExist}
	}
	if len(stored) == 0 && flaws != nil {
		return nil, fmt.Errorf("the signed checksums that the mirror should have: %w; publish the version with its statement", flaws)
	}
	return stored, nil
}

func (p *push) ownEvidence() (*evidence, error) {
	own, err := newEvidence(p.release, p.release.Statement)
	if err != nil {
		return nil, fmt.Errorf("the signed checksums cannot be published: %w", err)
	}
	archives := make(map[sources.Platform]hashing.Hash)
	for _, a := range p.release.Archives {
		archives[a.Platform] = a.Sum
	}
	return own, own.covers(p.release, archives)
}

// storedEvidence returns the statements in the mirror that verify, that which the index refers to first, and what is wrong
// with the others.
func (p *push) storedEvidence() (stored []*evidence, flaws, err error) {
	paths, err := statementsIn(p.shelf.dir, p.release.Provider, p.release.Version)
	if err != nil {
		return nil, nil, err
	}
	current := p.currentSums()
	for _, path := range paths {
		e, err := p.readEvidence(path)
		switch {
		case err != nil:
			flaws = errors.Join(flaws, &FileError{path, err})
		case filepath.Base(path) == current:
			stored = slices.Insert(stored, 0, e)
		default:
			stored = append(stored, e)
		}
	}
	return stored, flaws, nil
}

func (p *push) readEvidence(path string) (*evidence, error) {
	statement, err := readStatement(path)
	if err != nil {
		return nil, err
	}
	return newEvidence(p.release, statement)
}

// isName reports whether a reference is to a file beside the index: others are somebody else's business.
func isName(reference string) bool { return reference != "" && !strings.ContainsAny(reference, "/:?#") }

// currentSums returns the name of the checksums that the index refers to; "" if it refers to none.
func (p *push) currentSums() string {
	if s := p.docs.draft.Statement(); s != nil {
		return s.Sums
	}
	return ""
}

// noteFormer lets the statement that the index referred to stay for a while, unless it would mislead: there may be readers
// who have seen the index before it changed.
func (p *push) noteFormer(candidates []*evidence, packages map[sources.Platform]hashing.Hash) {
	current := p.currentSums()
	for _, e := range candidates {
		if e.refers.Sums == current && e.covers(p.release, packages) == nil {
			p.former = current
		}
	}
}

func (p *push) writeStatement() error {
	if p.chosen == nil {
		return nil
	}
	for _, file := range p.chosen.files {
		if err := p.shelf.write(file); err != nil {
			return err
		}
	}
	return nil
}

// removeFormer removes the statements that are neither the one that the index refers to nor the one before it.
func (p *push) removeFormer() error {
	if p.chosen == nil {
		return nil
	}
	return p.shelf.removeStatements(p.release.Version, []string{p.chosen.refers.Sums, p.former})
}

// removeStatements removes the files of the statements about a version whose checksums are not among those to keep. The
// checksums go first: where they are, the others are.
func (s *shelf) removeStatements(v sources.Version, keep []string) error {
	entries, err := readDir(s.dir)
	if err != nil {
		return err
	}
	doomed := make(map[string][]string) // by the name of the checksums
	for _, entry := range entries {
		about, sums, ok := mirrorjson.ParseStatementName(entry.Name(), s.provider)
		if ok && about == v && !slices.Contains(keep, sums) {
			doomed[sums] = append(doomed[sums], entry.Name())
		}
	}
	for sums, names := range doomed {
		if err := s.removeAll(append([]string{sums}, names...)); err != nil {
			return err
		}
	}
	return nil
}
