package sources

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Chain is a [Source] made of others, in order of preference: a provider_installation block of the CLI configuration.
//
// The versions of a provider are those of all rules that match it, asked side by side. A package comes from the first
// matching rule that has it, whether or not that rule listed the version. Absence moves on to the next rule; every
// other error stops, unless the rule's Fallback says otherwise. A failed verification never moves on: it happens in
// the installer, after the chain has answered.
type Chain []Rule

// Rule is one source of a [Chain] and the providers it is for.
type Rule struct {
	Source   Source    // required
	Include  []Pattern // empty: every provider
	Exclude  []Pattern // beats Include
	Fallback Fallback  // when to go on to the next rule; zero: only on absence
}

// Fallback says when a [Chain] goes on to its next rule.
type Fallback int

const (
	// OnAbsence goes on when the source does not have what is asked for: [ErrNotFound].
	OnAbsence Fallback = iota
	// OnOutage goes on when the source is [ErrUnavailable], too. An outage then looks like absence, so a later
	// source can offer other versions, or other packages under the same version: use it where the dependency lock
	// file binds the hashes.
	OnOutage
)

// Matches reports whether the rule is for the provider.
func (r Rule) Matches(p Provider) bool {
	matches := func(pattern Pattern) bool { return pattern.Matches(p) }
	return !slices.ContainsFunc(r.Exclude, matches) &&
		(len(r.Include) == 0 || slices.ContainsFunc(r.Include, matches))
}

// goesOn reports whether the chain asks the next rule after err.
func (r Rule) goesOn(err error) bool {
	return errors.Is(err, ErrNotFound) || r.Fallback == OnOutage && errors.Is(err, ErrUnavailable)
}

// Versions returns the union of what the matching rules list. From names them for each version, and Asked says what
// each rule contributed; when there is an error, too. The error is that of the source that stopped the chain; or an
// [*Error] around an [*AbsentError], or around a [*FieldError] about a rule without a Source.
func (c Chain) Versions(ctx context.Context, p Provider) (Listing, error) {
	if err := c.check(); err != nil {
		return Listing{}, &Error{Op: "list versions", Source: chainName, Provider: p, Err: err}
	}
	rules := c.matching(p)
	listings, errs := askAll(ctx, rules, p)
	var union union
	union.Asked = c.asked(p, listings, errs)
	if err := firstFatal(rules, errs); err != nil {
		return Listing{Asked: union.Asked}, err
	}
	found := false
	for i, listing := range listings {
		if errs[i] != nil {
			union.Warnings = append(append(union.Warnings, listing.Warnings...), outageWarning(errs[i])...)
			continue
		}
		found = true
		union.add(listing, rules[i].Source.String())
	}
	if !found {
		return Listing{Warnings: union.Warnings, Asked: union.Asked}, absent(rules, errs, Error{Op: "list versions", Source: chainName, Provider: p})
	}
	return union.Listing, nil
}

// askAll asks all rules at once and waits for all of them; a fatal error makes the others give up.
func askAll(ctx context.Context, rules []Rule, p Provider) ([]Listing, []error) {
	listings, errs := make([]Listing, len(rules)), make([]error, len(rules))
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	var wait sync.WaitGroup
	for i, rule := range rules {
		wait.Go(func() {
			listings[i], errs[i] = rule.Source.Versions(ctx, p)
			if errs[i] != nil && !rule.goesOn(errs[i]) {
				giveUp(errGivenUp)
			}
		})
	}
	wait.Wait()
	return listings, errs
}

var errGivenUp = errors.New("given up: another source failed")

// firstFatal returns the error that stops the chain: the first in order that does not merely report having been told
// to give up because of another.
func firstFatal(rules []Rule, errs []error) error {
	var givenUp error
	for i, err := range errs {
		switch {
		case err == nil || rules[i].goesOn(err):
		case errors.Is(err, context.Canceled) || errors.Is(err, errGivenUp):
			givenUp = cmp.Or(givenUp, err)
		default:
			return err
		}
	}
	return givenUp
}

func outageWarning(err error) []string {
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	return []string{"passed over: " + err.Error()}
}

// absent is the answer when no rule had what the question asks for. If an outage was passed over, nobody can say that
// it is absent.
func absent(rules []Rule, errs []error, question Error) error {
	for _, err := range errs {
		if !errors.Is(err, ErrNotFound) {
			return err
		}
	}
	if platform := mergePlatformErrors(errs); platform != nil {
		question.Err = platform
		return &question
	}
	absence := &AbsentError{}
	for _, rule := range rules {
		absence.Asked = append(absence.Asked, rule.Source.String())
	}
	question.Err = absence
	return &question
}

// chainName is the Source of errors about all sources of a chain; the errors themselves name them.
const chainName = "chain"

// Package returns the package of the first matching rule that has it. The error is one as for Versions, or an [*Error]
// around a [*PlatformError].
func (c Chain) Package(ctx context.Context, p Provider, v Version, on Platform) (*Package, error) {
	question := Error{Op: "describe package", Source: chainName, Provider: p, Version: v, Platform: on}
	if question.Err = c.check(); question.Err != nil {
		return nil, &question
	}
	rules := c.matching(p)
	var errs []error
	for _, rule := range rules {
		pkg, err := rule.Source.Package(ctx, p, v, on)
		if err == nil || !rule.goesOn(err) {
			return pkg, err
		}
		errs = append(errs, err)
	}
	return nil, absent(rules, errs, question)
}

// mergePlatformErrors returns one error for all that say which platforms there are; nil when none does.
func mergePlatformErrors(errs []error) error {
	var merged *PlatformError
	for _, err := range errs {
		var platform *PlatformError
		switch {
		case !errors.As(err, &platform):
		case merged == nil:
			merged = &PlatformError{Platform: platform.Platform, Available: slices.Clone(platform.Available)}
		default:
			merged.Available = append(merged.Available, platform.Available...)
		}
	}
	if merged == nil {
		return nil
	}
	slices.SortFunc(merged.Available, Platform.Compare)
	merged.Available = slices.Compact(merged.Available)
	return merged
}

func (c Chain) check() error {
	for i, rule := range c {
		if rule.Source == nil {
			return &FieldError{Field: fmt.Sprintf("Chain[%d].Source", i), Problem: "is required: whom should the rule ask?"}
		}
	}
	return nil
}

func (c Chain) matching(p Provider) []Rule {
	var rules []Rule
	for _, rule := range c {
		if rule.Matches(p) {
			rules = append(rules, rule)
		}
	}
	return rules
}

// String names the sources in order.
func (c Chain) String() string {
	names := make([]string, len(c))
	for i, rule := range c {
		if names[i] = "nothing"; rule.Source != nil {
			names[i] = rule.Source.String()
		}
	}
	return "chain of " + strings.Join(names, ", ")
}

var _ Source = Chain(nil)
