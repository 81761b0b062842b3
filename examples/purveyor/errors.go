package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/hashicorp/hcl/v2"

	"github.com/purveyor-dev/purveyor/cliconfig"
	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/installer/lockfile"
	"github.com/purveyor-dev/purveyor/installer/mirror"
	"github.com/purveyor-dev/purveyor/installer/required"
	"github.com/purveyor-dev/purveyor/sources"
)

// interruptedError says how far an interrupted command has come.
type interruptedError struct {
	Done int    // how many
	What string // "provider", "version", "package"
	Err  error  // what it was interrupted with
}

func (e *interruptedError) Error() string {
	if e.Done == 0 {
		return "nothing was finished"
	}
	return count(e.Done, e.What+" is", e.What+"s are") + " finished and kept"
}

func (e *interruptedError) Unwrap() error { return e.Err }

// kept adds to the error of an interrupted command how many of what are kept.
func kept(ctx context.Context, err error, done int, what string) error {
	if err == nil || ctx.Err() == nil {
		return err
	}
	return &interruptedError{Done: done, What: what, Err: err}
}

// failures returns those among an error of the installer, by provider.
func failures(err error) map[sources.Provider]*installer.ProviderError {
	found := map[sources.Provider]*installer.ProviderError{}
	var all *installer.Error
	if errors.As(err, &all) {
		for _, failure := range all.Failures {
			found[failure.Provider] = failure
		}
	}
	return found
}

// lockFileError says that the lock file could not be written.
type lockFileError struct{ Err error }

func (e *lockFileError) Error() string { return e.Err.Error() }

func (e *lockFileError) Unwrap() error { return e.Err }

// problems returns what people need to know about an error. What only says that it was interrupted is said once.
func (s *session) problems(ctx context.Context, err error) []record {
	var all []record
	if all = s.unmirrored(err); all != nil && ctx.Err() == nil {
		return all
	}
	for _, part := range parts(err) {
		if ctx.Err() == nil || !errors.Is(part, context.Canceled) {
			all = s.add(all, part, s.problem)
		}
	}
	if ctx.Err() != nil {
		all = append(all, interruption(err))
	}
	return all
}

// add appends the records about an error; many errors that a directory cannot be written in are one.
func (s *session) add(all []record, err error, problem func(error) []record) []record {
	one, unwritable := s.unwritable(err)
	switch {
	case !unwritable:
		return append(all, problem(err)...)
	case slices.ContainsFunc(all, func(r record) bool { return r.Message == one.Message }):
		return all
	}
	return append(all, one)
}

// several are errors that have nothing to do with each other.
type several []error

func (e several) Error() string { return errors.Join(e...).Error() }

func (e several) Unwrap() []error { return e }

// orNil makes an error of those that there are.
func (e several) orNil() error {
	if len(e) == 0 {
		return nil
	}
	return e
}

// parts returns what an error is about: providers, the lock file, or else one thing or several.
func parts(err error) []error {
	var all []error
	var providers *installer.Error
	if errors.As(err, &providers) {
		all = append(all, providers.Unwrap()...)
	}
	var locks *lockFileError
	if errors.As(err, &locks) {
		all = append(all, locks)
	}
	var others several
	if errors.As(err, &others) {
		all = append(all, others...)
	}
	if len(all) == 0 {
		return []error{err}
	}
	return all
}

func interruption(err error) record {
	var interrupted *interruptedError
	if !errors.As(err, &interrupted) {
		interrupted = &interruptedError{}
	}
	return record{Event: "interrupted", Message: interrupted.Error()}
}

// problem returns the records about one error: several if it is about files.
func (s *session) problem(err error) []record {
	var config *cliconfig.Error
	var module *required.Error
	var locks *lockfile.Error
	var plan *mirror.PlanError
	var failure *installer.ProviderError
	switch {
	case errors.As(err, &config):
		return s.framed(config.Diagnostics, config.Files)
	case errors.As(err, &module):
		return s.framed(module.Diagnostics, module.Files)
	case errors.As(err, &locks):
		return s.advise(s.framed(locks.Diagnostics, locks.Files), locks)
	case errors.As(err, &plan):
		return s.framed(plan.Diagnostics, plan.Files)
	case errors.As(err, &failure):
		return []record{s.failure(failure)}
	}
	return []record{{Event: "error", Message: general(err), Hint: s.hint(nil, err)}}
}

// general is the text of an error that is not about one provider.
func general(err error) string {
	var field *sources.FieldError
	if errors.As(err, &field) {
		return fieldCause(field)
	}
	return err.Error()
}

var phaseTexts = map[installer.Phase]string{
	installer.PhaseResolve: "cannot select a version of",
	installer.PhaseInstall: "cannot install",
	installer.PhaseLock:    "cannot lock",
	installer.PhaseFetch:   "cannot fetch",
	phasePush:              "cannot push",
	phaseVerify:            "cannot accept",
}

// failure says what went wrong with one provider.
func (s *session) failure(f *installer.ProviderError) record {
	subject := f.Provider.String()
	if !f.Version.IsZero() {
		subject += " " + f.Version.String()
	}
	if !f.Platform.IsZero() {
		subject += " for " + f.Platform.String()
	}
	return record{
		Event:    "error",
		Provider: f.Provider.String(),
		Version:  versionText(f.Version),
		Platform: f.Platform.String(),
		Message:  fmt.Sprintf("%s %s: %s", phaseTexts[f.Phase], subject, cause(f.Err)),
		Hint:     s.hint(f, f.Err),
	}
}

// diagnostics reports warnings about files.
func (s *session) diagnostics(diags hcl.Diagnostics, files map[string]*hcl.File) {
	for _, r := range s.framed(diags, files) {
		s.out.print(r)
	}
}

// advise adds to the last of several records about the module's lock file what to do. Another file may be anything.
func (s *session) advise(all []record, e *lockfile.Error) []record {
	if _, own := e.Files[s.lockFile()]; own && len(all) > 0 {
		all[len(all)-1].Hint = lockFileHint
	}
	return all
}

// framed returns a record for each diagnostic. People see the line of the file that it is about.
func (s *session) framed(diags hcl.Diagnostics, files map[string]*hcl.File) []record {
	shown := map[string]*hcl.File{}
	for name, file := range files {
		shown[s.show(name)] = file
	}
	var records []record
	for _, diag := range diags {
		r := record{Event: "error", Message: diag.Summary + ": " + diag.Detail}
		if diag.Severity == hcl.DiagWarning {
			r.Event = "warning"
		}
		if diag.Subject != nil {
			at, moved := *diag.Subject, *diag
			at.Filename = s.show(at.Filename)
			moved.Subject, diag = &at, &moved
			r.Location = fmt.Sprintf("%s:%d", at.Filename, at.Start.Line)
		}
		var frame bytes.Buffer
		_ = cliconfig.WriteDiagnostics(&frame, hcl.Diagnostics{diag}, shown) // a buffer does not fail
		r.frame = frame.String()
		records = append(records, r)
	}
	return records
}
