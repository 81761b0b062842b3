package ocimirror_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/ocimirror"
)

const helperPrefix = "docker-credential-"

// TestMain lets the test program be a credential helper, when that is its name, or a program that installs, when it finds
// an order.
func TestMain(m *testing.M) {
	if text := os.Getenv(orderVariable); text != "" {
		if err := obey(text); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	name := strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")
	if behaviour, ok := strings.CutPrefix(name, helperPrefix); ok {
		os.Exit(beHelper(behaviour))
	}
	os.Exit(m.Run())
}

// beHelper behaves as its name says. What it is asked for goes to the file that LOG names.
func beHelper(behaviour string) int {
	asked, err := io.ReadAll(os.Stdin)
	if err != nil || len(os.Args) != 2 || os.Args[1] != "get" || logLine(os.Getenv("LOG"), string(asked)) != nil {
		return 2
	}
	switch isURL := strings.HasPrefix(string(asked), "https://"); {
	case behaviour == "fail":
		fmt.Fprint(os.Stderr, "the vault is\x1b[2J sealed\n")
		return 3
	case behaviour == "complain":
		fmt.Print("the vault is locked\n")
		return 1
	case behaviour == "leak":
		fmt.Print(`{"Username":"u","Secret":"s3cr3t"}`)
		return 1
	case behaviour == "none", behaviour == "bare" && isURL:
		fmt.Print("credentials not found in native keychain\n")
		return 1
	case behaviour == "picky" && isURL:
		fmt.Print("no scheme, please\n")
		return 1
	case behaviour == "nothing":
		fmt.Print(`{"ServerURL":"","Username":"","Secret":""}`)
	case behaviour == "garbage":
		fmt.Print(`"s3cr3t"`)
	case behaviour == "flood":
		fmt.Print(`{"Username":"u","Secret":"` + strings.Repeat("x", ocimirror.MaxHelperOutput) + `"}`)
	case behaviour == "newline":
		fmt.Print(`{"Username":"u","Secret":"s3cr3t\r\nX-Evil: 1"}`)
	case behaviour == "hang":
		time.Sleep(time.Minute)
	case behaviour == "token":
		fmt.Printf(`{"Username":"<token>","Secret":"token for %s"}`, asked)
	default:
		fmt.Printf(`{"Username":"u","Secret":"for %s","more":1}`, asked)
	}
	return 0
}

func logLine(path, line string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = fmt.Fprintln(f, line)
	return err
}

// helpers installs programs of these names and returns the environment in which they are found, and what they were asked.
func helpers(t *testing.T, names ...string) (environ []string, asked func() string) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		path := filepath.Join(dir, "bin", helperPrefix+name)
		if runtime.GOOS == "windows" {
			path += ".exe"
		}
		copyProgram(t, path)
	}
	log := filepath.Join(dir, "log")
	environ = []string{"PATH=" + strings.Join([]string{"relative", "", filepath.Join(dir, "bin")}, string(filepath.ListSeparator)), "LOG=" + log, "SYSTEMROOT=" + os.Getenv("SYSTEMROOT")}
	return environ, func() string {
		text, _ := os.ReadFile(log)
		return strings.Join(strings.Fields(string(text)), " ")
	}
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

func secret(username, password string) ocimirror.Credential {
	return ocimirror.Credential{Username: username, Password: sources.Token(password)}
}

func TestHelpers(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		registry string
		want     ocimirror.Credential
		asked    string
	}{
		"store":   {"r.example:5000", secret("u", "for https://r.example:5000"), "https://r.example:5000"},
		"bare":    {"r.example", secret("u", "for r.example"), "https://r.example r.example"},
		"picky":   {"r.example", secret("u", "for r.example"), "https://r.example r.example"},
		"token":   {"r.example", ocimirror.Credential{RefreshToken: "token for https://r.example"}, "https://r.example"},
		"none":    {"r.example", ocimirror.Credential{}, "https://r.example r.example"},
		"nothing": {"r.example", ocimirror.Credential{}, "https://r.example r.example"},
		"hub":     {"docker.io", secret("u", "for https://index.docker.io/v1/"), "https://index.docker.io/v1/"},
		"hub2":    {"registry-1.docker.io", secret("u", "for https://index.docker.io/v1/"), "https://index.docker.io/v1/"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			environ, asked := helpers(t, name)
			keychain := &ocimirror.Keychain{DefaultHelper: name, Environ: environ}
			for range 2 { // the second time, the answer is remembered
				if got, err := keychain.Credential(t.Context(), test.registry, "a/b"); err != nil || got != test.want {
					t.Errorf("got %q, %v", []string{got.Username, string(got.Password), string(got.RefreshToken)}, err)
				}
			}
			if asked() != test.asked {
				t.Errorf("it was asked for %q", asked())
			}
		})
	}
}

func TestHelpersThatFail(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		want error
		says string
	}{
		"fail":     {nil, "exit status 3 (the vault is[2J sealed"},
		"complain": {nil, "exit status 1 (the vault is locked)"},
		"leak":     {nil, "exit status 1"},
		"garbage":  {sources.ErrMalformed, "not a JSON object"},
		"newline":  {sources.ErrMalformed, "control characters"},
		"flood":    {sources.ErrTooLarge, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			environ, _ := helpers(t, name)
			keychain := &ocimirror.Keychain{DefaultHelper: name, Environ: environ}
			_, err := keychain.Credential(t.Context(), "r.example", "a/b")
			var failed *ocimirror.HelperError
			if !errors.As(err, &failed) || failed.Program != helperPrefix+name || failed.Registry != "r.example" || test.want != nil && !errors.Is(err, test.want) {
				t.Fatalf("error is %v", err)
			}
			if !strings.Contains(err.Error(), test.says) || strings.Contains(err.Error(), "s3cr3t") || len(err.Error()) > 1000 {
				t.Errorf("error is %q", err)
			}
			var exit *exec.ExitError
			if name == "fail" && (!errors.As(err, &exit) || exit.ExitCode() != 3) {
				t.Errorf("error is %v", err)
			}
		})
	}
}

func TestHelpersThatAreNotThere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	copyProgram(t, filepath.Join(dir, "docker-credential-relative"))
	if err := os.Mkdir(filepath.Join(dir, "docker-credential-dir"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "docker-credential-plain"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for name, keychain := range map[string]*ocimirror.Keychain{
		"no environment": {DefaultHelper: "x"},
		"not in PATH":    {DefaultHelper: "x", Environ: []string{"PATH=" + dir}},
		"relative":       {DefaultHelper: "relative", Environ: []string{"PATH=" + relative(t, dir)}},
		"a directory":    {DefaultHelper: "dir", Environ: []string{"PATH=" + dir}},
		"no program":     {DefaultHelper: "plain", Environ: []string{"PATH=" + dir}},
	} {
		_, err := keychain.Credential(t.Context(), "r.example", "a/b")
		var failed *ocimirror.HelperError
		if !errors.Is(err, exec.ErrNotFound) || !errors.As(err, &failed) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// relative returns the path of a directory from here.
func relative(t *testing.T, dir string) string {
	t.Helper()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	path, err := filepath.Rel(here, dir)
	if err != nil {
		t.Skip(err) // on another drive
	}
	return path
}

func TestHelpersEndWithTheContext(t *testing.T) {
	t.Parallel()
	environ, asked := helpers(t, "hang")
	keychain := &ocimirror.Keychain{DefaultHelper: "hang", Environ: environ}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := keychain.Credential(ctx, "r.example", "a/b")
		done <- err
	}()
	for asked() == "" {
		time.Sleep(time.Millisecond)
	}
	cancel()
	select {
	case err := <-done:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error is %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Error("it goes on")
	}
}

func TestHelpersAreAskedOnce(t *testing.T) {
	t.Parallel()
	environ, asked := helpers(t, "store")
	keychain := &ocimirror.Keychain{DefaultHelper: "store", Environ: environ}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if _, err := keychain.Credential(t.Context(), "r.example", "a/b"); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if asked() != "https://r.example" {
		t.Errorf("it was asked for %q", asked())
	}
}

func TestHelperNamesAreNoPaths(t *testing.T) {
	t.Parallel()
	environ, _ := helpers(t, "hang")
	k := &ocimirror.Keychain{DefaultHelper: "../../x", Environ: environ}
	_, err := k.Credential(t.Context(), "a", "b")
	var helper *ocimirror.HelperError
	if !errors.As(err, &helper) || !strings.Contains(err.Error(), "not the name") {
		t.Errorf("%v", err)
	}
}
