package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources"
)

// cause returns the text of an error, without the provider, which the message has already, and with flags where the library
// speaks of its fields.
func cause(err error) string {
	var question *sources.Error
	var locked *installer.LockedError
	var unusable *installer.UnusableError
	var policy *installer.PolicyError
	var field *sources.FieldError
	switch {
	case errors.As(err, &locked):
		return fmt.Sprintf("the lock file has %s, which does not meet %q", locked.Locked, locked.Constraints)
	case errors.As(err, &unusable):
		return unusableCause(unusable)
	case errors.As(err, &policy):
		return policyCause(policy)
	case errors.As(err, &field):
		return fieldCause(field)
	case !errors.As(err, &question) || err != error(question):
		return err.Error()
	}
	return said(question.Source, question.Err.Error())
}

func unusableCause(e *installer.UnusableError) string {
	text := said(e.Source, cause(e.Err))
	if !e.Usable.IsZero() {
		text += fmt.Sprintf("; version %s is the newest that can be used", e.Usable)
	}
	return text
}

// policyCause says what the flags of the command line ask for.
func policyCause(e *installer.PolicyError) string {
	asks := "-require-signature"
	if e.Rule == "Signers" {
		asks = "-signer"
	}
	if e.Signer == nil {
		return "the package is not signed, and " + asks + " asks for a signature"
	}
	by := "the package is signed by " + signer(record{Signer: e.Signer.Identity, Key: e.Signer.Fingerprint})
	if e.Rule == "Signers" {
		return by + ", which is not among those of -signer"
	}
	return by + ", but the key came through a mirror, where anybody could have made both; " +
		"if the provider's author confirms the fingerprint, give it with -signer"
}

// fieldNames are what fields of the library are to users of the program.
var fieldNames = map[string]string{
	"Cache.Dir":          "the plugin cache",
	"Installer.CacheDir": "the plugin cache",
	"Installer.Dir":      "the directory for packages",
	"Plan.Wants":         "what is asked for:",
}

func fieldCause(e *sources.FieldError) string {
	if e.Field == "Installer.CacheDir" && strings.Contains(e.Problem, "same directory") {
		return "the plugin cache is the directory that the module's packages are installed in; it must be another"
	}
	return strings.TrimSpace(fieldNames[e.Field] + " " + e.Problem)
}

// said puts the name of a source before what it said. What a chain says names the sources, if that matters.
func said(source, text string) string {
	if source == "" || source == "chain" {
		return text
	}
	return source + ": " + text
}
