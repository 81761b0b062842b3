package required

import (
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/purveyor-dev/purveyor/sources"
)

// builtIn is the provider that the local name "terraform" implies.
var builtIn = sources.MustParseProvider("terraform.io/builtin/terraform")

// impliedProvider returns the provider of a local name that has no source.
func (l *loader) impliedProvider(name string, at hcl.Range) (sources.Provider, bool) {
	if !l.checkLocalName(name, at) {
		return sources.Provider{}, false
	}
	if name == builtIn.Type() {
		return builtIn, true
	}
	provider, err := sources.ParseProviderIn(l.opts.Registry, name)
	if err != nil {
		l.fail(at, "Invalid provider name", "The name implies a source address that is not valid: %s.", err)
	}
	return provider, err == nil
}

// checkLocalName reports names that are not in normal form.
func (l *loader) checkLocalName(name string, at hcl.Range) bool {
	normal, ok := normalName(name)
	switch {
	case !ok:
		l.fail(at, "Invalid provider name", "%q is not a provider name: these consist of letters, digits and single inner dashes.", name)
	case normal != name:
		l.fail(at, "Invalid provider name", "Provider names are in normal form: write %q instead of %q.", normal, name)
	}
	return ok && normal == name
}

// normalName brings a local name into normal form, which is the one of namespaces.
func normalName(name string) (string, bool) {
	p, err := sources.ParseProvider(name + "/x")
	if err != nil || strings.Contains(name, "/") {
		return "", false
	}
	return p.Namespace(), true
}

// impliedName returns the local name that a resource type implies: all before its first underscore.
func impliedName(resourceType string) string {
	name, _, _ := strings.Cut(resourceType, "_")
	return name
}
