package sourcetest

import (
	"context"
	"errors"
	"fmt"

	"github.com/purveyor-dev/purveyor/sources"
)

// Rule is a rule that sources keep.
type Rule string

// The rules, in the order in which they are checked.
const (
	RuleName        Rule = "String names the source, on one line and without credentials"
	RuleUnlisted    Rule = "Package works without a preceding call of Versions"
	RuleListing     Rule = "Versions lists the versions, each once"
	RuleDescription Rule = "Package describes the package that was asked for"
	RuleProvider    Rule = "an absent provider is ErrNotFound"
	RuleVersion     Rule = "an absent version is ErrNotFound"
	RulePlatform    Rule = "an absent platform is ErrNotFound; a PlatformError says which ones there are"
	RuleErrors      Rule = "errors name the provider, without credentials"
	RuleContent     Rule = "content is exactly one of an archive and an absolute directory"
	RuleAgain       Rule = "content can be opened again and has the same bytes"
	RuleSize        Rule = "the size of an archive is right, or -1"
	RuleRanges      Rule = "ranges, if there are any, have the bytes of the whole"
	RuleHashes      Rule = "content has the hashes of the package"
	RuleClaims      Rule = "claims agree with the content"
	RuleContext     Rule = "an ended context is the error of every call, soon"
	RuleReading     Rule = "reading an archive ends with the context"
	RuleConcurrency Rule = "calls can be made side by side"
)

// Failure says which rule a source breaks, and how.
type Failure struct {
	Rule Rule
	Err  error // one or more things that are wrong
}

func (f *Failure) Error() string { return fmt.Sprintf("%s: %v", f.Rule, f.Err) }

// Unwrap returns the details.
func (f *Failure) Unwrap() error { return f.Err }

// TestSource checks a source that contains the fixture. The error joins one [*Failure] for each rule that is broken,
// and is nil if there are none. A fixture without packages is an error that is no Failure. If ctx ends the checks do, and
// most rules then seem broken.
func TestSource(ctx context.Context, s sources.Source, f Fixture) error {
	if len(f.Packages) == 0 {
		return errors.New("sourcetest: Fixture.Packages is empty: name a package that the source has")
	}
	t := &trial{source: s, fixture: f}
	checks := []struct {
		rule  Rule
		check func(context.Context) error
	}{
		{RuleName, t.name},
		{RuleUnlisted, t.unlisted},
		{RuleListing, t.listing},
		{RuleDescription, t.description},
		{RuleProvider, t.absentProvider},
		{RuleVersion, t.absentVersion},
		{RulePlatform, t.absentPlatform},
		{RuleErrors, t.errorTexts},
		{RuleContent, t.content},
		{RuleAgain, t.again},
		{RuleSize, t.size},
		{RuleRanges, t.ranges},
		{RuleHashes, t.hashes},
		{RuleClaims, t.claims},
		{RuleContext, t.ended},
		{RuleReading, t.reading},
		{RuleConcurrency, t.concurrency},
	}
	var failures []error
	for _, c := range checks {
		if err := c.check(ctx); err != nil {
			failures = append(failures, &Failure{Rule: c.rule, Err: err})
		}
	}
	return errors.Join(failures...)
}

// trial is one run of the checks. Each check returns what is wrong.
type trial struct {
	source  sources.Source
	fixture Fixture
}

// each checks all packages.
func (t *trial) each(check func(Package) error) error {
	var wrong []error
	for _, p := range t.fixture.Packages {
		if err := check(p); err != nil {
			wrong = append(wrong, fmt.Errorf("%s: %w", p, err))
		}
	}
	return errors.Join(wrong...)
}

// described checks all packages that the source describes; that it does is a rule of its own.
func (t *trial) described(ctx context.Context, check func(Package, *sources.Package) error) error {
	return t.each(func(p Package) error {
		pkg, err := t.describe(ctx, p)
		if err != nil {
			return nil
		}
		return check(p, pkg)
	})
}

// describe asks for a package of the fixture.
func (t *trial) describe(ctx context.Context, p Package) (*sources.Package, error) {
	pkg, err := t.source.Package(ctx, p.Provider, p.Version, p.Platform)
	if err == nil && pkg == nil {
		return nil, errors.New("neither a package nor an error")
	}
	return pkg, err
}
