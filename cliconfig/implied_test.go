package cliconfig_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/cliconfig"
	"github.com/purveyor-dev/purveyor/sources"
)

// Without a provider_installation block, local directories come before the registries, in this order.
func TestImpliedDirectories(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		os   string
		env  []string
		want []string
	}{
		{"linux", nil, []string{"work/terraform.d/plugins", "home/.terraform.d/plugins", "home/.local/share/terraform/plugins", "system/terraform/plugins"}},
		{
			"linux",
			[]string{"XDG_DATA_HOME=@/xdg", "XDG_DATA_DIRS=@/b:@/system"},
			[]string{"work/terraform.d/plugins", "home/.terraform.d/plugins", "xdg/opentofu/plugins", "xdg/terraform/plugins", "b/terraform/plugins", "system/terraform/plugins"},
		},
		{"darwin", nil, []string{"work/terraform.d/plugins", "home/.terraform.d/plugins", "home/Library/Application Support/io.terraform/plugins"}},
		{"windows", nil, []string{"work/terraform.d/plugins", "appdata/terraform.d/plugins", "appdata/HashiCorp/Terraform/plugins"}},
	} {
		t.Run(c.os, func(t *testing.T) {
			t.Parallel()
			files := map[string]string{}
			for _, base := range []string{
				"work/terraform.d", "home/.terraform.d", "appdata/terraform.d", "appdata/HashiCorp/Terraform", "home/.local/share/terraform",
				"xdg/opentofu", "xdg/terraform", "b/terraform", "system/terraform", "home/Library/Application Support/io.terraform",
			} {
				files[base+"/plugins/x"] = ""
			}
			dir := tree(t, files)
			config := load(t, environment(dir, sources.Platform{OS: c.os, Arch: "amd64"}, c.env...))
			var got []string
			for _, method := range config.Methods {
				if location, ok := method.Location.(cliconfig.FilesystemMirror); ok {
					rel, _ := filepath.Rel(dir, location.Path)
					got = append(got, filepath.ToSlash(rel))
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
			if last := config.Methods[len(config.Methods)-1]; last.Type.Name != "direct" || !config.Implied {
				t.Errorf("the last method is %s", last.Type.Name)
			}
		})
	}
}

// A provider that is in a local directory, in whatever version and for whatever platform, never comes from its registry.
func TestLocalProvidersAreNotInstalledDirectly(t *testing.T) {
	t.Parallel()
	home, work := "home/.terraform.d/plugins/", "work/terraform.d/plugins/"
	dir := tree(t, map[string]string{
		home + "registry.opentofu.org/hashicorp/aws/6.0.0/plan9_mips/terraform-provider-aws":        "",
		home + "example.com/acme/rocket/terraform-provider-rocket_1.0.0_linux_amd64.zip":            "",
		work + "example.com/acme/rocket/2.0/linux_amd64/x":                                          "",
		work + "example.com/acme/ANVIL/Terraform-Provider-Anvil_1.0.0-RC1_linux_amd64.ZIP":          "",
		work + "example.com/acme/empty/1.0.0/x":                                                     "",
		work + "example.com/acme/index/index.json":                                                  "",
		work + "example.com/acme/bad/v1.0.0/linux_amd64/x":                                          "",
		work + "example.com/acme/zip/terraform-provider-zip_vx_linux_amd64.zip":                     "",
		work + "-bad-/acme/rocket/1.0.0/linux_amd64/x":                                              "",
		work + "example.com/acme/stray":                                                             "",
		"home/.terraform.d/other/example.com/acme/elsewhere/1.0.0/linux_amd64/terraform-provider-x": "",
	})
	config := load(t, environment(dir, linux))
	var got []string
	for _, pattern := range config.Methods[len(config.Methods)-1].Exclude {
		got = append(got, pattern.String())
	}
	want := []string{"example.com/acme/anvil", "example.com/acme/rocket", "registry.opentofu.org/hashicorp/aws"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestParseLooksAtNoDirectories(t *testing.T) {
	t.Parallel()
	config, diags := cliconfig.Parse(nil, "rc", cliconfig.Options{})
	if diags.HasErrors() || !config.Implied || strings.Join(methodsOf(config), "") != "Direct [] []" {
		t.Errorf("%v, %v", methodsOf(config), diags)
	}
}
