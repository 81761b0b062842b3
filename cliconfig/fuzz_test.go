package cliconfig_test

import (
	"bytes"
	"testing"

	"github.com/hashicorp/hcl/v2"

	"github.com/purveyor-dev/purveyor/cliconfig"
	"github.com/purveyor-dev/purveyor/sources"
)

// FuzzParse: whatever the file, positions are inside it, an error leaves no source, and the printable copy has the same
// shape.
func FuzzParse(f *testing.F) {
	for _, c := range corpus {
		f.Add([]byte(c.src))
	}
	f.Add([]byte(`{"`))
	f.Add([]byte(`oci_credentials "r.example/x" { username = "u", password = <<-E` + "\n x\n E\n}"))
	f.Add([]byte(`provider_installation { oci_mirror { repository_template = "r.example/${hostname}/${namespace}/${type}" } }`))
	f.Fuzz(func(t *testing.T, src []byte) {
		config, diags := cliconfig.Parse(src, "rc", cliconfig.Options{})
		for _, diag := range diags {
			if diag.Subject == nil || diag.Subject.End.Byte > len(src) || diag.Subject.Start.Byte > diag.Subject.End.Byte {
				t.Errorf("%v: position %v in %d bytes", diag, diag.Subject, len(src))
			}
		}
		if err := cliconfig.WriteDiagnostics(new(bytes.Buffer), diags, config.Files); err != nil {
			t.Error(err)
		}
		if _, err := config.Source(cliconfig.SourceOptions{}); diags.HasErrors() && err == nil {
			t.Error("a source in spite of errors")
		}
		if copied := config.Files["rc"].Bytes; len(copied) != len(src) || bytes.Count(copied, []byte("\n")) != bytes.Count(src, []byte("\n")) {
			t.Errorf("the printable copy has another shape: %q", copied)
		}
	})
}

// FuzzRepositoryTemplate: a template that is accepted makes addresses that are no other providers' syntax: lower case,
// no tag.
func FuzzRepositoryTemplate(f *testing.F) {
	for _, text := range []string{"r.example/${hostname}/${namespace}/${type}", "r/%{if type == \"x\"}y%{else}z%{endif}", "$${x}", "${type", "r.example/x:y"} {
		f.Add(text)
	}
	provider := sources.MustParseProvider("example.com/acme/rocket")
	f.Fuzz(func(t *testing.T, text string) {
		template, diags := cliconfig.ParseRepositoryTemplate(text, hcl.Range{Start: hcl.InitialPos, End: hcl.InitialPos})
		if diags.HasErrors() {
			return
		}
		registry, repository, err := template.Address(provider)
		if err == nil && (registry == "" || repository == "" || bytes.ContainsAny([]byte(repository), ":@ \n")) {
			t.Errorf("%q makes %q %q", text, registry, repository)
		}
	})
}
