package cliconfig

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/ocimirror"
)

// MaxTemplate is the largest repository_template, in bytes.
const MaxTemplate = 4096

// OCIMirror is an oci_mirror block.
type OCIMirror struct {
	Repository RepositoryTemplate
}

func decodeOCIMirror(b *Block) Location {
	text := b.RequiredString("repository_template")
	if text == "" {
		return OCIMirror{}
	}
	template, diags := ParseRepositoryTemplate(text, b.textRange("repository_template"))
	b.add(diags)
	if !diags.HasErrors() {
		checkComplete(b, template)
	}
	return OCIMirror{Repository: template}
}

func buildOCIMirror(location Location, config *Config, opts SourceOptions) (sources.Source, error) {
	method, ok := location.(OCIMirror)
	if !ok || method.Repository.expr == nil {
		return nil, fmt.Errorf("an OCIMirror with a template is needed, not %T", location)
	}
	mirror, err := ocimirror.New(ocimirror.Config{
		Repository:     method.Repository.Address,
		Name:           method.Repository.String(),
		Client:         opts.Client,
		UserAgent:      opts.UserAgent,
		Credentials:    opts.OCICredentials,
		Retries:        orNone(config.Protocols.RetryCount),
		ArchiveRetries: orNone(config.DownloadRetries),
		Timeout:        orNone(config.Protocols.Timeout),
	})
	if err != nil {
		return nil, err
	}
	return sources.Memo(mirror), nil
}

// textRange returns where the text of a string argument begins: after the quote. (With escapes in the text, positions
// further on are off by as much.)
func (b *Block) textRange(name string) hcl.Range {
	at := b.valueRange(name)
	if at.Start.Byte < len(b.src) && b.src[at.Start.Byte] == '"' {
		at.Start.Byte++
		at.Start.Column++
	}
	return at
}

// components are the variables of a template, in the order of a source address.
var components = []string{"hostname", "namespace", "type"}

// checkComplete makes sure that two providers never share a repository: a component of the source address that is not
// the same in all patterns of include has to occur in the template.
// https://github.com/opentofu/opentofu/blob/main/rfc/20241206-oci-registries/4-providers.md
func checkComplete(b *Block, template RepositoryTemplate) {
	for i, name := range components {
		if !template.uses[name] && !isPinned(b.Include, i) {
			b.Fail("repository_template", "Ambiguous repository template",
				"The template must contain ${%s}, unless include has patterns and all of them have the same %s: "+
					"different providers would share a repository.", name, name)
		}
	}
}

func isPinned(include []sources.Pattern, component int) bool {
	values := map[string]bool{}
	for _, pattern := range include {
		values[strings.Split(pattern.String(), "/")[component]] = true
	}
	return len(values) == 1 && !values["*"]
}

// RepositoryTemplate makes the address of a provider's OCI repository from its source address: a template of HCL 2 with
// the variables hostname, namespace and type. It has no functions, loops and numbers. The zero value is no template.
type RepositoryTemplate struct {
	text string
	expr hclsyntax.Expression
	uses map[string]bool
}

// ParseRepositoryTemplate reads a template. The range says where its text is in a file, for diagnostics.
func ParseRepositoryTemplate(text string, at hcl.Range) (RepositoryTemplate, hcl.Diagnostics) {
	if len(text) > MaxTemplate {
		return RepositoryTemplate{}, syntaxError(at, "Invalid repository template", fmt.Sprintf("A template has at most %d bytes.", MaxTemplate))
	}
	expr, diags := hclsyntax.ParseTemplate([]byte(text), at.Filename, at.Start)
	if diags.HasErrors() {
		return RepositoryTemplate{}, diags
	}
	t := RepositoryTemplate{text: text, expr: expr, uses: map[string]bool{}}
	diags = append(diags, t.check()...)
	if diags.HasErrors() {
		return RepositoryTemplate{}, diags
	}
	if _, _, err := t.evaluate("example.com", "example-namespace", "example-type"); err != nil {
		return RepositoryTemplate{}, syntaxError(at, "Invalid repository template", fmt.Sprintf("For the provider example.com/example-namespace/example-type, %s.", err))
	}
	return t, diags
}

// check records the variables, and refuses others, functions, loops and numbers.
func (t RepositoryTemplate) check() hcl.Diagnostics {
	r := &report{}
	for _, variable := range t.expr.Variables() {
		t.uses[variable.RootName()] = true
		switch variable.RootName() {
		case "hostname", "namespace", "type":
		default:
			r.fail(variable.SourceRange(), "Invalid repository template", "There is no variable %q: a template has hostname, namespace and type.", variable.RootName())
		}
	}
	hclsyntax.VisitAll(t.expr, func(node hclsyntax.Node) hcl.Diagnostics {
		switch node := node.(type) {
		case *hclsyntax.FunctionCallExpr, *hclsyntax.ForExpr:
			r.fail(node.Range(), "Invalid repository template", "A template has no functions and no loops.")
		case *hclsyntax.LiteralValueExpr:
			if node.Val.Type() == cty.Number { // its text could have any length
				r.fail(node.Range(), "Invalid repository template", "A template has no numbers inside ${…}.")
			}
		}
		return nil
	})
	return r.diags
}

// String returns the template as it is written.
func (t RepositoryTemplate) String() string { return t.text }

// Address returns where the packages of a provider are: "registry.example.com:5000" and "mirror/acme/rocket". The error
// says that the provider has no valid address; only providers whose names are plain ASCII, and whose host has no port,
// are sure to have one.
func (t RepositoryTemplate) Address(p sources.Provider) (registry, repository string, err error) {
	if t.expr == nil {
		return "", "", errors.New("there is no repository template")
	}
	registry, repository, err = t.evaluate(p.Host().ASCII(), p.Namespace(), p.Type())
	if err != nil {
		return "", "", fmt.Errorf("provider %s has no OCI repository: with the template %q, %w", p, t.text, err)
	}
	return registry, repository, nil
}

func (t RepositoryTemplate) evaluate(hostname, namespace, kind string) (registry, repository string, err error) {
	v, diags := t.expr.Value(&hcl.EvalContext{Variables: map[string]cty.Value{
		"hostname": cty.StringVal(hostname), "namespace": cty.StringVal(namespace), "type": cty.StringVal(kind),
	}})
	if diags.HasErrors() {
		return "", "", diags
	}
	text, convertErr := convert.Convert(v, cty.String)
	if convertErr != nil || text.IsNull() || !text.IsKnown() {
		return "", "", errors.New("the result is not a string")
	}
	return parseRepository(text.AsString())
}

// repositoryName is https://github.com/opencontainers/distribution-spec/blob/v1.1.0/spec.md#pulling-manifests.
var repositoryName = regexp.MustCompile(`^[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*(/[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*)*$`)

// parseRepository splits "registry.example.com:5000/mirror/acme/rocket".
func parseRepository(address string) (registry, repository string, err error) {
	registry, repository, ok := strings.Cut(address, "/")
	switch {
	case !ok:
		return "", "", fmt.Errorf("%q has no repository after a registry and a slash", address)
	case !isRegistryName(registry):
		return "", "", fmt.Errorf("%q does not begin with the host name of a registry", address)
	case !repositoryName.MatchString(repository):
		return "", "", fmt.Errorf("%q is not the name of an OCI repository (lower-case letters, digits, separators inside)", repository)
	}
	return registry, repository, nil
}

func isRegistryName(s string) bool {
	u, err := url.Parse("https://" + s)
	return err == nil && u.Host == s && u.Hostname() != "" && !strings.HasSuffix(s, ":")
}
