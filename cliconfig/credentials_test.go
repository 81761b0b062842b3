package cliconfig_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/cliconfig"
	"github.com/purveyor-dev/purveyor/sources"
)

// TestMain lets the test program be a credentials helper, when that is its name.
func TestMain(m *testing.M) {
	if strings.HasPrefix(filepath.Base(os.Args[0]), "terraform-credentials-") {
		os.Exit(beHelper(os.Args[1:]))
	}
	os.Exit(m.Run())
}

// beHelper behaves as its first argument says. With "log", it writes the others to the file that LOG names.
func beHelper(args []string) int {
	switch args[0] {
	case "log":
		f, err := os.OpenFile(os.Getenv("LOG"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return 2
		}
		fmt.Fprintln(f, strings.Join(args[1:], " "))
		f.Close()
		fmt.Printf(`{"token": "for %s", "more": 1}`, args[2])
	case "none":
		fmt.Print(`{}`)
	case "fail":
		fmt.Fprint(os.Stderr, "the vault is\x1b[2J sealed\n")
		return 3
	case "garbage":
		fmt.Print(`"s3cr3t"`)
	case "flood":
		fmt.Print(`{"token": "` + strings.Repeat("x", cliconfig.MaxHelperOutput) + `"}`)
	case "newline":
		fmt.Print(`{"token": "s3cr3t\r\nX-Evil: 1"}`)
	case "hang":
		time.Sleep(time.Minute)
	}
	return 0
}

// withHelper returns the credentials of a machine on which a helper is installed that behaves as told.
func withHelper(t *testing.T, behaviour string, variables ...string) (*cliconfig.Credentials, string) {
	t.Helper()
	platform := sources.CurrentPlatform()
	rc := fmt.Sprintf("credentials_helper \"test\" {\n  args = [%q]\n}\ncredentials \"static.example\" {\n  token = \"static\"\n}\n", behaviour)
	dir := tree(t, map[string]string{"rc": rc, "work/x": ""})
	log := filepath.Join(dir, "log")
	env := environment(dir, platform, append(variables, "TF_CLI_CONFIG_FILE=@/rc", "LOG="+log, "SYSTEMROOT="+os.Getenv("SYSTEMROOT"))...)
	plugins := filepath.Join(dir, "home", ".terraform.d", "plugins", platform.String())
	name := "terraform-credentials-test"
	if runtime.GOOS == "windows" {
		plugins = filepath.Join(dir, "appdata", "terraform.d", "plugins", platform.String())
		name += ".exe"
	}
	copyProgram(t, filepath.Join(plugins, name))
	config, diags := cliconfig.Load(env, cliconfig.Options{})
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	return config.Credentials(), log
}

// copyProgram makes this test program available under another name.
func copyProgram(t *testing.T, path string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(self, path); err == nil {
		return
	}
	program, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, program, 0o755); err != nil {
		t.Fatal(err)
	}
}

func TestWhereTokensComeFrom(t *testing.T) {
	t.Parallel()
	credentials, log := withHelper(t, "log", "TF_TOKEN_static_example=environment", "TF_TOKEN_env_example=environment")
	for name, want := range map[string]sources.Token{
		"env.example": "environment", "static.example": "environment",
		"bücher.example:8443": "for xn--bcher-kva.example:8443",
	} {
		if token, err := credentials.Token(t.Context(), host(name)); err != nil || token != want {
			t.Errorf("%s: %q, %v; want %q", name, string(token), err, string(want))
		}
	}
	if asked, _ := os.ReadFile(log); strings.TrimSpace(string(asked)) != "get xn--bcher-kva.example:8443" {
		t.Errorf("the helper was asked %q", asked)
	}
}

func TestHelperIsAskedOnce(t *testing.T) {
	t.Parallel()
	credentials, log := withHelper(t, "log")
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if token, err := credentials.Token(t.Context(), host("a.example")); err != nil || token != "for a.example" {
				t.Errorf("%q, %v", string(token), err)
			}
		})
	}
	group.Wait()
	if asked, _ := os.ReadFile(log); strings.Count(string(asked), "get") != 1 {
		t.Errorf("the helper was asked %q", asked)
	}
}

func TestHelperWithoutAToken(t *testing.T) {
	t.Parallel()
	credentials, _ := withHelper(t, "none")
	if token, err := credentials.Token(t.Context(), host("a.example")); token != "" || err != nil {
		t.Errorf("%q, %v", string(token), err)
	}
}

func TestHelperFailures(t *testing.T) {
	t.Parallel()
	var exit *exec.ExitError
	for behaviour, check := range map[string]func(error) bool{
		"fail":    func(err error) bool { return errors.As(err, &exit) && exit.ExitCode() == 3 },
		"garbage": func(err error) bool { return errors.Is(err, sources.ErrMalformed) },
		"newline": func(err error) bool { return errors.Is(err, sources.ErrMalformed) },
		"flood":   func(err error) bool { return errors.Is(err, sources.ErrTooLarge) },
	} {
		t.Run(behaviour, func(t *testing.T) {
			t.Parallel()
			credentials, _ := withHelper(t, behaviour)
			_, err := credentials.Token(t.Context(), host("a.example"))
			var failed *cliconfig.HelperError
			if !errors.As(err, &failed) || failed.Host != host("a.example") {
				t.Fatalf("want a *HelperError: %v", err)
			}
			if behaviour != "fail" && !check(err) {
				t.Errorf("another cause: %v", err)
			}
			if behaviour == "fail" && (!check(err) || !strings.Contains(err.Error(), "the vault is") || strings.Contains(err.Error(), "\x1b")) {
				t.Errorf("want what the helper said, without control characters: %q", err)
			}
			if strings.Contains(err.Error(), "s3cr3t") {
				t.Errorf("the error shows the answer: %v", err)
			}
		})
	}
}

func TestHelperEndsWithItsContext(t *testing.T) {
	t.Parallel()
	credentials, _ := withHelper(t, "hang")
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	start := time.Now()
	_, err := credentials.Token(ctx, host("a.example"))
	if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) > 20*time.Second {
		t.Errorf("%v after %s", err, time.Since(start))
	}
}

func TestMissingHelperIsAWarning(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{"rc": `credentials_helper "test" {}`})
	config, diags := cliconfig.Load(environment(dir, linux, "TF_CLI_CONFIG_FILE=@/rc"), cliconfig.Options{})
	if diags.HasErrors() || !hasWarning(diags, "terraform-credentials-test") {
		t.Error(diags)
	}
	if token, err := config.Credentials().Token(t.Context(), host("a.example")); token != "" || err != nil {
		t.Errorf("%q, %v", string(token), err)
	}
}

func TestHelperNamesAreNotPaths(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"../x", "a/b", ""} {
		config, diags := cliconfig.Parse(fmt.Appendf(nil, "credentials_helper %q {}", name), "rc", cliconfig.Options{})
		if !diags.HasErrors() || config.Helper != nil {
			t.Errorf("%q was accepted", name)
		}
	}
}

func TestTokenVariables(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"app_terraform_io":         "app.terraform.io",
		"my__registry_example":     "my-registry.example",
		"APP_Example":              "app.example",
		"xn____bcher__kva_example": "bücher.example",
		"xn--bcher-kva.example":    "bücher.example",
		"bücher_example":           "bücher.example",
		"app.example:8443":         "app.example:8443",
		"":                         "",
		"app_example/x":            "",
		"a b":                      "",
		"_":                        "",
		"app_example?x":            "",
		"app_example:https":        "",
	} {
		config := load(t, environment(t.TempDir(), linux, "TF_TOKEN_"+name+"=x"))
		var got []string
		for h := range config.Tokens {
			got = append(got, h.String())
		}
		if strings.Join(got, " ") != want {
			t.Errorf("TF_TOKEN_%s is for %q; want %q", name, got, want)
		}
	}
}

// Whatever is printed, and however: no secret is in it.
func TestSecretsHideThemselves(t *testing.T) {
	t.Parallel()
	const src = `
credentials "a.example" { token = "s3cr3t-1" }
oci_credentials "b.example" { username = "u", password = "s3cr3t-2" }
oci_credentials "c.example" {
  access_token  = "s3cr3t-3"
  refresh_token = <<EOF
s3cr3t-4
EOF
}`
	dir := tree(t, map[string]string{"rc": src})
	env := environment(dir, linux, "TF_CLI_CONFIG_FILE=@/rc", "TF_TOKEN_d_example=s3cr3t-5")
	config := load(t, env)
	asJSON, err := json.Marshal(config.OCI)
	if err != nil {
		t.Fatal(err)
	}
	printed := string(asJSON)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		for _, value := range []any{config, *config, config.OCI, config.OCI.Credentials, config.Tokens, config.Credentials(), env} {
			printed += fmt.Sprintf(verb, value)
		}
	}
	for _, file := range config.Files {
		printed += string(file.Bytes)
	}
	if i := strings.Index(printed, "s3cr3t"); i >= 0 {
		t.Error(printed[max(0, i-300) : i+20])
	}
	if strings.Contains(printed, "s3cr3t") || strings.Contains(printed, fmt.Sprintf("%x", "s3cr3t")) {
		t.Error("a secret is shown")
	}
	if string(config.OCI.Credentials[0].Password) != "s3cr3t-2" || config.Tokens[host("d.example")] != "s3cr3t-5" {
		t.Error("the secrets are lost")
	}
}

// An error near a secret shows the line, with asterisks.
func TestErrorsShowNoSecrets(t *testing.T) {
	t.Parallel()
	for _, src := range []string{
		`oci_credentials "a.example" { username = "u", password = ["s3cr3t", "s3cr3t"] }`,
		`oci_credentials "a.example" { password = "s3cr3t"`,
		`credentials "a.example" { token = s3cr3t }`,
		`credentials "a.example" { token = "s3cr3t`,
		`{"credentials": {"a b": {"token": "s3cr3t"}}}`,
		`{"credentials": {"a.example": {"token": s3cr3t}}}`,
		`{"credentials": {"a.example": {"token": hunter}}}`,
		`{"credentials": {"a.example": {"x": "${", "token": "s3cr3t"}, "a b": {"token": "s3cr3t"}}}`,
		`{"credentials": {"a.example": {"token": "s3cr3t"},}}`,
		"{\"credentials\": {\"a b\": {\"token\":\n [\"s3cr3t\",\n \"s3cr3t\"]}}}",
	} {
		config, diags := cliconfig.Parse([]byte(src), "rc", cliconfig.Options{})
		if !diags.HasErrors() {
			t.Errorf("no error in %s", src)
		}
		var out strings.Builder
		if err := cliconfig.WriteDiagnostics(&out, diags, config.Files); err != nil {
			t.Fatal(err)
		}
		for _, file := range config.Files {
			out.Write(file.Bytes)
		}
		if text := out.String() + config.Err().Error(); strings.Contains(text, "s3cr3t") || strings.Contains(text, "hunter") {
			t.Errorf("%s\nshows the secret:\n%s", src, text)
		}
	}
}
