package cliconfig_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/cliconfig"
	"github.com/purveyor-dev/purveyor/sources"
)

// mirror is a file that names itself as a filesystem mirror.
func mirror(name string) string {
	return `provider_installation { filesystem_mirror { path = "` + name + `" } }`
}

// tree writes files below a new directory.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		write(t, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
	return dir
}

func load(t *testing.T, env cliconfig.Environment) *cliconfig.Config {
	t.Helper()
	config, diags := cliconfig.Load(env, cliconfig.Options{})
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	return config
}

func TestWhichMainFileIsRead(t *testing.T) {
	t.Parallel()
	linux, windows := sources.Platform{OS: "linux", Arch: "amd64"}, sources.Platform{OS: "windows", Arch: "amd64"}
	for _, c := range []struct {
		name     string
		files    []string
		env      []string // @ is the directory of the files
		platform sources.Platform
		want     string
	}{
		{"none", nil, nil, linux, ""},
		{"no home", nil, []string{"HOME=" + os.DevNull}, linux, ""},
		{"tofu's", []string{"home/.tofurc", "home/.terraformrc", "xdg/opentofu/tofurc"}, []string{"XDG_CONFIG_HOME=@/xdg"}, linux, "home/.tofurc"},
		{"terraform's", []string{"home/.terraformrc", "xdg/opentofu/tofurc"}, []string{"XDG_CONFIG_HOME=@/xdg"}, linux, "home/.terraformrc"},
		{"XDG", []string{"xdg/opentofu/tofurc"}, []string{"XDG_CONFIG_HOME=@/xdg"}, linux, "xdg/opentofu/tofurc"},
		{"no implied XDG", []string{"home/.config/opentofu/tofurc"}, nil, linux, ""},
		{"HOME first", []string{"home/.tofurc", "other/.tofurc"}, []string{"HOME=@/other"}, linux, "other/.tofurc"},
		{"named", []string{"home/.tofurc", "a", "b"}, []string{"TF_CLI_CONFIG_FILE=@/a", "TERRAFORM_CONFIG=@/b"}, linux, "a"},
		{"named by the older variable", []string{"home/.tofurc", "b"}, []string{"TF_CLI_CONFIG_FILE=", "TERRAFORM_CONFIG=@/b"}, linux, "b"},
		{"named relative to the working directory", []string{"work/a"}, []string{"TF_CLI_CONFIG_FILE=a"}, linux, "work/a"},
		{"last of two variables", []string{"a", "b"}, []string{"TF_CLI_CONFIG_FILE=@/a", "TF_CLI_CONFIG_FILE=@/b"}, linux, "b"},
		{"Windows, tofu's", []string{"appdata/tofu.rc", "appdata/terraform.rc"}, nil, windows, "appdata/tofu.rc"},
		{"Windows, terraform's", []string{"appdata/terraform.rc", "home/.tofurc"}, nil, windows, "appdata/terraform.rc"},
		{"Windows, variables in any case", []string{"a"}, []string{"tf_cli_config_file=@/a"}, windows, "a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			files := map[string]string{}
			for _, name := range c.files {
				files[name] = mirror(name)
			}
			dir := tree(t, files)
			config := load(t, environment(dir, c.platform, c.env...))
			if c.want == "" && config.Implied {
				return
			}
			if got := methodsOf(config); !slices.Equal(got, []string{`FilesystemMirror("` + c.want + `") [] []`}) {
				t.Errorf("methods %v; want those of %s", got, c.want)
			}
		})
	}
}

// environment returns that of a machine whose directories are in dir, which "@" stands for in variables.
func environment(dir string, platform sources.Platform, variables ...string) cliconfig.Environment {
	env := cliconfig.Environment{
		Home: filepath.Join(dir, "home"), AppData: filepath.Join(dir, "appdata"), WorkingDir: filepath.Join(dir, "work"),
		Platform:  platform,
		Variables: []string{"XDG_DATA_DIRS=" + filepath.Join(dir, "system")},
	}
	for _, v := range variables {
		env.Variables = append(env.Variables, strings.ReplaceAll(v, "@", dir))
	}
	return env
}

func TestUnreadableFilesAreErrors(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{"home/.terraform.d/bad.tfrc": "}", "home2/.tofurc/x": "", "home3/.terraform.d": ""})
	for name, env := range map[string]cliconfig.Environment{
		"named file missing":               environment(dir, sources.Platform{}, "TF_CLI_CONFIG_FILE=@/missing"),
		"named file a directory":           environment(dir, sources.Platform{}, "TERRAFORM_CONFIG=@/home"),
		"syntax error in a directory file": environment(dir, linux),
		"main file a directory":            environment(dir, linux, "HOME=@/home2"),
		"directory a file":                 environment(dir, linux, "HOME=@/home3"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config, diags := cliconfig.Load(env, cliconfig.Options{})
			if !diags.HasErrors() {
				t.Fatal("no error")
			}
			if chain, err := config.Source(cliconfig.SourceOptions{}); err == nil {
				t.Errorf("got a source: %s", chain)
			}
		})
	}
}

var linux = sources.Platform{OS: "linux", Arch: "amd64"}

func TestFilesAreMerged(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{
		"cache/main/x": "", "cache/a/x": "", "cache/env/x": "",
		"home/.tofurc": `plugin_cache_dir = "$CACHE/main"
			host "one.example" { services = { "providers.v1" = "https://main/" } }
			credentials "one.example" { token = "main" }
			credentials "two.example" { token = "main" }
			registry_protocols { retry_count = 7 }`,
		"home/.terraform.d/a.tfrc": `plugin_cache_dir = "$CACHE/a"
			host "one.example" { services = { "providers.v1" = "https://a/" } }
			registry_protocols { retry_count = 8, request_timeout_seconds = 9 }`,
		"home/.terraform.d/credentials.tfrc.json": `{"credentials": {"one.example": {"token": "later"}}}`,
		"home/.terraform.d/z.tfrc":                `provider_installation { direct {} } plugin_cache_may_break_dependency_lock_file = true`,
		"home/.terraform.d/ignored.txt":           `}`,
		"home/.terraform.d/sub/ignored.tfrc":      `}`,
	})
	cache := "CACHE=" + filepath.Join(dir, "cache")
	config := load(t, environment(dir, linux, cache))

	if config.PluginCacheDir != filepath.Join(dir, "cache", "main") && config.PluginCacheDir != filepath.Join(dir, "cache")+"/main" {
		t.Errorf("cache %s; the main file wins", config.PluginCacheDir)
	}
	if got := config.Services[host("one.example")]["providers.v1"]; got != "https://a/" {
		t.Errorf("services %s; the last file wins", got)
	}
	if got := config.Tokens[host("one.example")]; got != "later" {
		t.Error("the last file wins for credentials")
	}
	if got := config.Tokens[host("two.example")]; got != "main" {
		t.Error("credentials of other hosts remain")
	}
	if *config.Protocols.RetryCount != 7 || *config.Protocols.Timeout != 9*time.Second {
		t.Errorf("protocols %v; each argument is merged by itself", config.Protocols)
	}
	if config.Implied || len(config.Methods) != 1 || !config.PluginCacheMayBreakLockFile {
		t.Error("a later file was overlooked")
	}
}

func host(s string) sources.Host { return sources.MustParseHost(s) }

func TestEnvironmentWins(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{
		"cache/x": "",
		"rc": `plugin_cache_dir = "/does/not/exist"
			registry_protocols = { retry_count = 7, request_timeout_seconds = 8 }
			credentials "one.example" { token = "file" }`,
	})
	config := load(t, environment(dir, linux, "TF_CLI_CONFIG_FILE=@/rc",
		"TF_PLUGIN_CACHE_DIR=@/cache", "TF_REGISTRY_DISCOVERY_RETRY=3", "TF_REGISTRY_CLIENT_TIMEOUT=4", "TF_PROVIDER_DOWNLOAD_RETRY=5",
		"TF_TOKEN_one_example=env"))
	if config.PluginCacheDir != filepath.Join(dir, "cache") {
		t.Errorf("cache %s", config.PluginCacheDir)
	}
	if *config.Protocols.RetryCount != 3 || *config.Protocols.Timeout != 4*time.Second || *config.DownloadRetries != 5 {
		t.Errorf("protocols %v, downloads %v", config.Protocols, config.DownloadRetries)
	}
	if config.Tokens[host("one.example")] != "env" {
		t.Error("the token of the file was taken")
	}
}

func TestVariablesThatAreNotNumbersCountAsUnset(t *testing.T) {
	t.Parallel()
	for _, value := range []string{"", "0", "-1", "x", "1.5", "99999999999999999999"} {
		config := load(t, environment(t.TempDir(), linux, "TF_REGISTRY_DISCOVERY_RETRY="+value, "TF_PROVIDER_DOWNLOAD_RETRY="+value))
		if config.Protocols.RetryCount != nil || config.DownloadRetries != nil {
			t.Errorf("%q was taken as a number", value)
		}
	}
}

func TestFalseMeansFalse(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]bool{"": false, "0": false, "false": false, "False": false, "1": true, "true": true, "yes": true} {
		config := load(t, environment(t.TempDir(), linux, "TF_PLUGIN_CACHE_MAY_BREAK_DEPENDENCY_LOCK_FILE="+value))
		if config.PluginCacheMayBreakLockFile != want {
			t.Errorf("%q: %v", value, !want)
		}
	}
}

func TestCacheOfTheEnvironmentMustExist(t *testing.T) {
	t.Parallel()
	_, diags := cliconfig.Load(environment(t.TempDir(), linux, "TF_PLUGIN_CACHE_DIR=$HOME/x"), cliconfig.Options{})
	if !diags.HasErrors() || !strings.Contains(diags.Error(), "$HOME/x") {
		t.Errorf("want an error with the name as it is, variables not expanded: %v", diags)
	}
}

// Relative paths follow the environment, not the process, and all of them the same way.
func TestRelativePaths(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{
		"work/cache/x": "",
		"work/rc":      "plugin_cache_dir = \"cache\"\n" + mirror("mirror"),
		"work/mirror/registry.example.com/acme/rocket/terraform-provider-rocket_1.2.3_linux_amd64.zip": "",
	})
	config := load(t, environment(dir, linux, "TF_CLI_CONFIG_FILE=rc"))
	if want := filepath.Join(dir, "work", "cache"); config.PluginCacheDir != want {
		t.Errorf("cache %s, want %s", config.PluginCacheDir, want)
	}
	if got := config.Methods[0].Location.(cliconfig.FilesystemMirror).Path; got != "mirror" {
		t.Errorf("path %q; it is not what is written", got)
	}
	chain, err := config.Source(cliconfig.SourceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	listing, err := chain.Versions(t.Context(), sources.MustParseProvider("registry.example.com/acme/rocket"))
	if err != nil || len(listing.Versions) != 1 {
		t.Errorf("%v, %v", listing, err)
	}
}

// Without a working directory the process has one.
func TestRelativePathsOfTheProcess(t *testing.T) {
	dir := tree(t, map[string]string{"cache/x": "", "rc": `plugin_cache_dir = "cache"`})
	t.Chdir(dir)
	config := load(t, cliconfig.Environment{Variables: []string{"TF_CLI_CONFIG_FILE=rc"}, Platform: linux})
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if want := filepath.Join(wd, "cache"); config.PluginCacheDir != want {
		t.Errorf("cache %s, want %s", config.PluginCacheDir, want)
	}
}

// A configuration that somebody has put together has no environment; a mirror without a path is nowhere.
func TestConfigurationsMadeByHand(t *testing.T) {
	t.Parallel()
	row := cliconfig.Methods()[1]
	for path, fails := range map[string]bool{"mirror": false, "": true} {
		config := &cliconfig.Config{Methods: []cliconfig.Method{{Type: row, Location: cliconfig.FilesystemMirror{Path: path}}}}
		if _, err := config.Source(cliconfig.SourceOptions{}); (err != nil) != fails {
			t.Errorf("%q: %v", path, err)
		}
	}
}

func TestOnlyOneInstallationInAllFiles(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{"home/.tofurc": mirror("/x"), "home/.terraform.d/a.tfrc": "\n" + mirror("/y")})
	_, diags := cliconfig.Load(environment(dir, linux), cliconfig.Options{})
	if len(diags) != 1 || filepath.Base(diags[0].Subject.Filename) != "a.tfrc" || diags[0].Subject.Start.Line != 2 {
		t.Errorf("want an error at the second block: %v", diags)
	}
}

func TestEnvironmentOfTheProcess(t *testing.T) {
	t.Parallel()
	env := cliconfig.OSEnvironment()
	if env.Getenv("PATH") != os.Getenv("PATH") || !filepath.IsAbs(env.WorkingDir) {
		t.Errorf("%d variables, working directory %q", len(env.Variables), env.WorkingDir)
	}
}
