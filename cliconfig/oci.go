package cliconfig

import (
	"path/filepath"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/ocimirror"
)

// OCIAuth says how to authenticate to OCI registries: https://opentofu.org/docs/cli/oci_registries/credentials/. The
// most specific credentials for a repository count; of equally specific ones, the first in the order of the fields here.
type OCIAuth struct {
	Credentials   []OCICredentials // oci_credentials blocks, main file first
	DefaultHelper string           // name of the Docker credential helper for all registries, the least specific; "" for none

	// ConfigFiles are files in the format of Docker's config.json to look for credentials in.
	ConfigFiles []string

	// ConfigFilesRequired says that the configuration names the files, so that a missing one is an error. Otherwise they
	// are those that container tools use, of which any can be missing.
	ConfigFilesRequired bool
}

// OCICredentials is an oci_credentials block: exactly one of Username, AccessToken and Helper is set, with what belongs
// to it.
type OCICredentials struct {
	Registry   string // host name, perhaps with a port
	Repository string // the first segments of the repositories' names; "": all of them

	Username     string
	Password     sources.Token
	AccessToken  sources.Token
	RefreshToken sources.Token
	Helper       string // name of a Docker credential helper: the program is docker-credential-<name>

	Range hcl.Range
}

func (c OCICredentials) prefix() string {
	return strings.TrimSuffix(c.Registry+"/"+c.Repository, "/")
}

// OCICredentials returns the configured credentials for OCI registries. Files are read, and helpers run, when a registry
// asks for credentials.
func (c *Config) OCICredentials() *ocimirror.Keychain {
	keychain := &ocimirror.Keychain{
		DefaultHelper:       c.OCI.DefaultHelper,
		ConfigFiles:         c.OCI.ConfigFiles,
		ConfigFilesRequired: c.OCI.ConfigFilesRequired,
	}
	if c.env != nil {
		env := c.env()
		keychain.Environ, keychain.Dir = env.Variables, env.WorkingDir
	}
	for _, o := range c.OCI.Credentials {
		keychain.Entries = append(keychain.Entries, o.entry())
	}
	return keychain
}

func (c OCICredentials) entry() ocimirror.KeychainEntry {
	return ocimirror.KeychainEntry{
		Registry:   c.Registry,
		Repository: c.Repository,
		Helper:     c.Helper,
		Credential: ocimirror.Credential{
			Username:     c.Username,
			Password:     c.Password,
			AccessToken:  c.AccessToken,
			RefreshToken: c.RefreshToken,
		},
	}
}

// ociDefaults is an oci_default_credentials block.
type ociDefaults struct {
	ambient bool
	files   []string // nil: the default
	helper  string
	at      hcl.Range
}

func (o *ociDefaults) apply(auth *OCIAuth) {
	auth.DefaultHelper = o.helper
	switch {
	case !o.ambient:
		auth.ConfigFiles = nil
	case o.files != nil:
		auth.ConfigFiles, auth.ConfigFilesRequired = o.files, true
	}
}

func (d *decoder) ociDefaults(b *Block) {
	defaults := ociDefaults{ambient: true, at: b.Range}
	if on := b.Bool("discover_ambient_credentials"); on != nil {
		defaults.ambient = *on
	}
	for i, file := range b.Strings("docker_style_config_files") {
		if i == 0 {
			defaults.files = []string{}
		}
		defaults.files = append(defaults.files, d.besides(file))
	}
	if b.Has("docker_style_config_files") && defaults.files == nil {
		defaults.files = []string{}
	}
	if defaults.files != nil && !defaults.ambient {
		b.Fail("docker_style_config_files", "Invalid oci_default_credentials block",
			"The argument \"docker_style_config_files\" has no meaning with discover_ambient_credentials = false.")
	}
	defaults.helper = helperName(b)
	b.warnUnknown()
	d.layer.ociDefaults = append(d.layer.ociDefaults, defaults)
}

// besides resolves a path against the directory of the configuration file.
func (d *decoder) besides(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(filepath.Dir(d.filename), path)
}

func helperName(b *Block) string {
	const argument = "docker_credentials_helper"
	if !b.Has(argument) {
		return ""
	}
	name := b.RequiredString(argument)
	if strings.ContainsAny(name, `/\`) {
		b.Fail(argument, "Invalid credentials helper", "This is the name of a credentials helper, not a path: \"x\" stands for the program docker-credential-x.")
	}
	return name
}

func (d *decoder) ociCredentials(b *Block) {
	c := OCICredentials{Range: b.Range}
	d.ociPrefix(b, &c)
	groups := 0
	if b.Has("username") || b.Has("password") {
		groups++
		c.Username, c.Password = b.RequiredString("username"), sources.Token(b.RequiredString("password"))
	}
	if b.Has("access_token") || b.Has("refresh_token") {
		groups++
		c.AccessToken, c.RefreshToken = sources.Token(b.RequiredString("access_token")), sources.Token(b.RequiredString("refresh_token"))
	}
	if b.Has("docker_credentials_helper") {
		groups++
		c.Helper = helperName(b)
		if c.Repository != "" {
			d.fail(b.Range, "Invalid oci_credentials block", "A credentials helper is asked about whole registries: the label must be a domain alone.")
		}
	}
	if groups != 1 {
		d.fail(b.Range, "Invalid oci_credentials block",
			"The block needs exactly one of username and password, access_token and refresh_token, or docker_credentials_helper.")
	}
	b.warnUnknown()
	d.layer.oci = append(d.layer.oci, c)
}

func (d *decoder) ociPrefix(b *Block, c *OCICredentials) {
	var path bool
	c.Registry, c.Repository, path = strings.Cut(b.labels[0], "/")
	if !isRegistryName(c.Registry) || path && !repositoryName.MatchString(c.Repository) {
		d.fail(b.Range, "Invalid oci_credentials block",
			"The label %q must be the domain of a registry, perhaps followed by a slash and the first segments of repository names.",
			b.labels[0])
	}
}
