package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"

	"github.com/purveyor-dev/purveyor/cliconfig"
	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/bundle"
	"github.com/purveyor-dev/purveyor/sources/ocimirror"
)

// hint says what to do about an error; f is nil if it is not about one provider. It says only what is sure to be true.
func (s *session) hint(f *installer.ProviderError, err error) string {
	var lines []string
	var file *bundle.FileError
	switch {
	case errors.Is(err, errOffline):
		lines = s.offlineHint(f)
	case errors.As(err, &file):
		lines = bundleHint(file)
	case isAbsence(err) && f != nil:
		lines = s.absenceHint(f)
	case errors.Is(err, sources.ErrUnauthorized):
		lines = s.credentialsHint(f, err)
	default:
		lines = s.connectionHint(err)
	}
	if len(lines) == 0 {
		lines = s.choiceHint(f, err)
	}
	return strings.Join(append(lines, s.whence(f)...), "\n")
}

// whence says where the module asks for a provider.
func (s *session) whence(f *installer.ProviderError) []string {
	if f == nil || len(s.origins[f.Provider]) == 0 {
		return nil
	}
	var lines []string
	for _, origin := range s.origins[f.Provider] {
		origin.Range.Filename = s.show(origin.Range.Filename)
		how := "Required by "
		if origin.Implied {
			how = "Not in required_providers, but implied by "
		}
		lines = append(lines, how+origin.String()+".")
	}
	return lines
}

// isAbsence reports whether nobody has the provider. Of one without a package for a platform, the error says enough.
func isAbsence(err error) bool {
	var platform *sources.PlatformError
	return errors.Is(err, sources.ErrNotFound) && !errors.As(err, &platform)
}

func (s *session) absenceHint(f *installer.ProviderError) []string {
	p := f.Provider
	lines := s.registrySaid(p)
	for _, other := range slices.SortedFunc(maps.Keys(s.required), sources.Provider.Compare) {
		if other.Type() == p.Type() && other != p {
			lines = append(lines, fmt.Sprintf("Did you mean %s, which is required, too?", other))
		}
	}
	if other, ok := otherRegistry[p.Host()]; ok {
		lines = append(lines, s.elsewhere(other, p))
	}
	for _, rule := range s.chain {
		if !s.mirrorHost(rule.Source.String()).IsZero() && rule.Matches(p) {
			lines = append(lines, fmt.Sprintf("With a wrong URL, the answer would be the same: check %s.", rule.Source))
		}
	}
	if !slices.ContainsFunc(s.chain, func(rule sources.Rule) bool { return rule.Matches(p) }) {
		lines = append(lines, "See include and exclude in the provider_installation block of the CLI configuration.")
	}
	return lines
}

// elsewhere names the provider of the same name in the other tool's registry.
func (s *session) elsewhere(other sources.Host, p sources.Provider) string {
	address := fmt.Sprintf("%s/%s/%s", other, p.Namespace(), p.Type())
	if s.isFull(p) {
		return fmt.Sprintf("If you mean %s, write that.", address)
	}
	return fmt.Sprintf("If you mean %s, write this address in full, or use -registry=%s.", address, other)
}

// isFull reports whether an address certainly was written with its host, so that -registry would change nothing.
func (s *session) isFull(p sources.Provider) bool {
	for _, r := range s.named {
		if r.provider == p {
			return !r.short
		}
	}
	return p.Host() != cmp.Or(s.registry, s.decided, sources.DefaultRegistry)
}

// registrySaid is about an origin registry that was asked.
func (s *session) registrySaid(p sources.Provider) []string {
	for i, rule := range s.chain {
		if s.config.Methods[i].Type.Name == "direct" && rule.Matches(p) {
			return []string{fmt.Sprintf("%s has no provider %s/%s: check the spelling.", p.Host(), p.Namespace(), p.Type())}
		}
	}
	return nil
}

// otherRegistry is where short addresses would be with the other tool.
var otherRegistry = map[sources.Host]sources.Host{
	sources.OpenTofuRegistry:  sources.TerraformRegistry,
	sources.TerraformRegistry: sources.OpenTofuRegistry,
}

// mirrorHost returns the host of the network mirror with a name; zero if there is none.
func (s *session) mirrorHost(name string) sources.Host {
	for i, rule := range s.chain {
		mirror, ok := s.config.Methods[i].Location.(cliconfig.NetworkMirror)
		if !ok || rule.Source.String() != name {
			continue
		}
		if host, err := sources.HostOfURL(mirror.URL); err == nil {
			return host
		}
	}
	return sources.Host{}
}

func (s *session) offlineHint(f *installer.ProviderError) []string {
	var names []string
	for _, rule := range s.chain {
		if _, ok := rule.Source.(offline); ok && (f == nil || rule.Matches(f.Provider)) {
			names = append(names, rule.Source.String())
		}
	}
	return []string{
		"Without -offline, this would be asked: " + strings.Join(names, ", ") + ".",
		"With it, providers come from filesystem mirrors, and from the plugin cache as far as the lock file has their hashes.",
	}
}

// credentialsHint says whose credentials are missing or wrong. Packages themselves are fetched without any.
func (s *session) credentialsHint(f *installer.ProviderError, err error) []string {
	var question *sources.Error
	if f == nil || !errors.As(err, &question) {
		return nil
	}
	if isOCI(question.Source) {
		return ociCredentialsHint
	}
	host := s.mirrorHost(question.Source)
	if host.IsZero() {
		host = f.Provider.Host()
	}
	return []string{fmt.Sprintf("Credentials for %s come from the variable %s, or from a credentials block or helper in the CLI configuration.",
		host, tokenVariable(host))}
}

// isOCI reports whether a source or target of this name is in OCI registries.
func isOCI(name string) bool { return strings.HasPrefix(name, "OCI mirror") }

var ociCredentialsHint = []string{
	"Credentials for OCI registries come from oci_credentials in the CLI configuration, or from what docker login or podman login has stored.",
}

// tokenVariable returns the name of the variable that has a host's token:
// https://opentofu.org/docs/cli/config/config-file/#environment-variable-credentials.
func tokenVariable(host sources.Host) string {
	return "TF_TOKEN_" + strings.NewReplacer("-", "__", ".", "_").Replace(host.ASCII())
}

// connectionHint is about requests that did not get through.
func (s *session) connectionHint(err error) []string {
	var name *net.DNSError
	var certificate *tls.CertificateVerificationError
	var hostname x509.HostnameError
	var dial *net.OpError
	var artifact *ocimirror.ArtifactError
	switch {
	case errors.As(err, &name):
		return []string{fmt.Sprintf("Check the spelling of %s, and whether this machine has a name server that knows it.", name.Name)}
	case errors.As(err, &hostname):
		return []string{"The certificate is for another name: check the host, and who answers in its place."}
	case errors.As(err, &certificate):
		return []string{"If an authority of your organisation has issued the certificate, add it to the system's trust store, or on Linux name its file in SSL_CERT_FILE."}
	case errors.Is(err, context.DeadlineExceeded):
		return nil
	case errors.As(err, &dial) && dial.Op == "dial":
		return []string{"Check host and port, and whether the server is up. If a proxy leads to it, name that in HTTPS_PROXY."}
	case errors.As(err, &artifact):
		return nil // a registry did answer
	case errors.Is(err, sources.ErrMalformed) && s.isOfMirror(err):
		return []string{"Something else than a mirror may have answered: check its URL in the CLI configuration."}
	}
	return nil
}

// isOfMirror reports whether an error is a network mirror's, of which the CLI configuration has the URL.
func (s *session) isOfMirror(err error) bool {
	for question := (*sources.Error)(nil); errors.As(err, &question); err = question.Err {
		if !s.mirrorHost(question.Source).IsZero() {
			return true
		}
	}
	return false
}
