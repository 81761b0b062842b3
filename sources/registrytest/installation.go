package registrytest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The types of installation methods that this server knows to serve.
const (
	MethodDirect           = "direct"
	MethodFilesystemMirror = "filesystem_mirror"
	MethodNetworkMirror    = "network_mirror"
	MethodOCIMirror        = "oci_mirror" // OpenTofu only
)

// Method is one installation method: a block inside provider_installation. The zero value is direct installation.
type Method struct {
	// Type is the type of the block: MethodDirect or another, which need not exist. "" means direct.
	Type string

	// Path is the path argument: the directory of a filesystem mirror, see [Server.WriteMirror]. "" leaves it out.
	Path string

	// URL is the url argument. "" leaves it out, but in a network_mirror block it means [Server.MirrorURL].
	URL string

	// Template is the repository_template argument, as it is to stand between the quotes. "" leaves it out, but in an
	// oci_mirror block it means [Server.OCITemplate].
	Template string

	// Include and Exclude are patterns for the addresses of providers, "registry.example.com/*/*". Empty leaves them out.
	Include, Exclude []string

	// More holds further lines of the block, as they are to be: "trust_all_hashes = true".
	More []string
}

// InstallationConfig returns the text of a CLI configuration file's provider_installation block with these methods, in this
// order. Without methods, nothing can be installed. The text goes together with that of [Server.CLIConfig], which direct
// installation needs. A credentials block comes with it when this server's own network mirror is used and wants a token, and
// an oci_credentials block when this server's OCI registry is used and has users: with the first of their names.
//
// The format is https://developer.hashicorp.com/terraform/cli/config/config-file#provider-installation, and for OCI
// https://opentofu.org/docs/cli/oci_registries/provider-mirror/.
func (s *Server) InstallationConfig(methods ...Method) string {
	var text strings.Builder
	text.WriteString("provider_installation {\n")
	for _, m := range methods {
		text.WriteString(s.completed(m).block())
	}
	text.WriteString("}\n")
	if slices.ContainsFunc(methods, func(m Method) bool { return s.completed(m).URL == s.MirrorURL() }) {
		text.WriteString(credentialsBlock(s.Host(), s.cfg.MirrorToken))
	}
	if slices.ContainsFunc(methods, func(m Method) bool { return strings.HasPrefix(s.completed(m).Template, s.Host()+"/") }) {
		text.WriteString(s.ociCredentialsBlock())
	}
	return text.String()
}

// completed returns m with the defaults of Type and URL filled in.
func (s *Server) completed(m Method) Method {
	if m.Type == "" {
		m.Type = MethodDirect
	}
	if m.Type == MethodNetworkMirror && m.URL == "" {
		m.URL = s.MirrorURL()
	}
	if m.Type == MethodOCIMirror && m.Template == "" {
		m.Template = s.OCITemplate()
	}
	return m
}

// ociCredentialsBlock returns "" when the registry has no users:
// https://opentofu.org/docs/cli/oci_registries/credentials/.
func (s *Server) ociCredentialsBlock() string {
	users := slices.Sorted(maps.Keys(s.oci.Auth.Users))
	if s.oci.Auth.Scheme == OCIOpen || len(users) == 0 {
		return ""
	}
	return fmt.Sprintf("oci_credentials %s {\n  username = %s\n  password = %s\n}\n",
		quote(s.Host()), quote(users[0]), quote(s.oci.Auth.Users[users[0]]))
}

func (m Method) block() string {
	var lines []string
	if m.Path != "" {
		lines = append(lines, "path = "+quote(m.Path))
	}
	if m.URL != "" {
		lines = append(lines, "url = "+quote(m.URL))
	}
	if m.Template != "" {
		lines = append(lines, `repository_template = "`+m.Template+`"`)
	}
	if len(m.Include) > 0 {
		lines = append(lines, "include = "+quoteAll(m.Include))
	}
	if len(m.Exclude) > 0 {
		lines = append(lines, "exclude = "+quoteAll(m.Exclude))
	}
	if lines = append(lines, m.More...); len(lines) == 0 {
		return fmt.Sprintf("  %s {}\n", m.Type)
	}
	return fmt.Sprintf("  %s {\n    %s\n  }\n", m.Type, strings.Join(lines, "\n    "))
}

// quoteAll makes an HCL tuple of string literals.
func quoteAll(texts []string) string {
	quoted := make([]string, len(texts))
	for i, text := range texts {
		quoted[i] = quote(text)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}
