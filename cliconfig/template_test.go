package cliconfig_test

import (
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/cliconfig"
	"github.com/purveyor-dev/purveyor/sources"
)

func TestRepositoryTemplates(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		template, include string
		want              string // for example.com/acme/rocket
	}{
		{template: "r.example/${hostname}/${namespace}/${type}", want: "r.example example.com/acme/rocket"},
		{template: "localhost:5000/${hostname}-${namespace}_${type}", want: "localhost:5000 example.com-acme_rocket"},
		{template: "r.example/${namespace}/${type}", include: `"example.com/*/*"`, want: "r.example acme/rocket"},
		{template: "r.example/${type}", include: `"example.com/acme/*", "example.com/acme/rocket"`, want: "r.example rocket"},
		{template: "r.example/x", include: `"example.com/acme/rocket"`, want: "r.example x"},
		{template: `r.example/${hostname == "example.com" ? "ours" : hostname}/${namespace}/${type}`, want: "r.example ours/acme/rocket"},
		{template: `r.example/%{if hostname == \"example.com\"}ours/%{endif}${namespace}/${type}`, want: "r.example ours/acme/rocket"},
	} {
		config, diags := parseTemplate(c.template, c.include)
		if diags != "" {
			t.Errorf("%s: %s", c.template, diags)
			continue
		}
		mirror := config.Methods[0].Location.(cliconfig.OCIMirror)
		registry, repository, err := mirror.Repository.Address(sources.MustParseProvider("example.com/acme/rocket"))
		if got := registry + " " + repository; got != c.want || err != nil {
			t.Errorf("%s: %s, %v; want %s", c.template, got, err, c.want)
		}
	}
}

func parseTemplate(template, include string) (config *cliconfig.Config, firstErr string) {
	src := "provider_installation {\n  oci_mirror {\n    repository_template = \"" + template + "\"\n    include = [" + include + "]\n  }\n}"
	config, diags := cliconfig.Parse([]byte(src), "rc", cliconfig.Options{})
	return config, firstError(diags)
}

func TestDifferentProvidersNeverShareARepository(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ template, include, missing string }{
		{"r.example/${namespace}/${type}", ``, "hostname"},
		{"r.example/${namespace}/${type}", `"example.com/*/*", "example.org/*/*"`, "hostname"},
		{"r.example/${hostname}/${type}", `"*/*", "a/*"`, "namespace"},
		{"r.example/${hostname}/${type}", `"a/*", "b/*"`, "namespace"},
		{"r.example/${hostname}/${namespace}", `"*/*/*"`, "type"},
	} {
		if _, err := parseTemplate(c.template, c.include); !strings.Contains(err, "must contain ${"+c.missing+"}") {
			t.Errorf("%s with include [%s]: %q", c.template, c.include, err)
		}
	}
}

func TestInvalidTemplates(t *testing.T) {
	t.Parallel()
	for template, want := range map[string]string{
		"": "needs the argument",
		"r.example/${hostname}/${namespace}/${type":                              "multi-line string",
		"r.example/${hostname}/${namespace}/${}${type}":                          "expression",
		"r.example/${hostname}/${namespace}/${type}/${version}":                  `no variable "version"`,
		"r.example/${upper(hostname)}/${namespace}/${type}":                      "no functions",
		"r.example/%{for x in [hostname, namespace, type]}${x}%{endfor}":         "no loops",
		"r.example/${1e9999999}/${hostname}/${namespace}/${type}":                "no numbers",
		"r.example/${hostname}/${namespace}/${type}:latest":                      "not the name of an OCI repository",
		"r.example/${hostname}/${namespace}/${type}@sha256:x":                    "not the name of an OCI repository",
		"r.example/Upper/${hostname}/${namespace}/${type}":                       "not the name of an OCI repository",
		"https://r.example/${hostname}/${namespace}/${type}":                     "host name of a registry",
		"${hostname}-${namespace}-${type}":                                       "has no repository",
		"${[hostname, namespace, type]}":                                         "not a string",
		"r.example/${hostname.x}/${namespace}/${type}":                           "r.example",
		strings.Repeat("x", cliconfig.MaxTemplate+1):                             "at most",
		"r.example/${hostname}/${namespace}/" + strings.Repeat("x", 100) + "/${": "multi-line string",
	} {
		if _, err := parseTemplate(template, ""); err == "" || want != "r.example" && !strings.Contains(err, want) {
			t.Errorf("%.100s: %q; want %q", template, err, want)
		}
	}
}

func TestTemplateErrorsPointIntoTheTemplate(t *testing.T) {
	t.Parallel()
	for _, src := range []string{
		"provider_installation {\n  oci_mirror {\n    repository_template = \"r.example/${nope}\"\n  }\n}",
		"{\"provider_installation\": {\"oci_mirror\": [{\n\n \"repository_template\": \"r.example/${nope}\"}]}}",
	} {
		_, diags := cliconfig.Parse([]byte(src), "rc", cliconfig.Options{})
		if got := string(diags[0].Subject.SliceBytes([]byte(src))); got != "nope" || diags[0].Subject.Start.Line != 3 {
			t.Errorf("%v points at %q", diags, got)
		}
	}
}

func TestProvidersThatHaveNoRepository(t *testing.T) {
	t.Parallel()
	config, _ := parseTemplate("r.example/${hostname}/${namespace}/${type}", "")
	template := config.Methods[0].Location.(cliconfig.OCIMirror).Repository
	for _, provider := range []string{"example.com:8443/acme/rocket", "example.com/bücher/rocket"} {
		if registry, repository, err := template.Address(sources.MustParseProvider(provider)); err == nil {
			t.Errorf("%s is in %s/%s", provider, registry, repository)
		}
	}
	if _, _, err := (cliconfig.RepositoryTemplate{}).Address(sources.MustParseProvider("a/b")); err == nil {
		t.Error("no template, and an address")
	}
}
