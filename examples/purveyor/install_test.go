package main

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/installer/lockfile"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

const otherPlatform = "darwin_arm64"

func TestInstallsWhatTheModuleRequires(t *testing.T) {
	t.Parallel()
	w := newWorld(t, registrytest.Config{})
	w.write(t, "main.tf", requires(rocket+" ~> 1.0", "hashicorp/alpha"))
	o := w.must(t, "install")
	for _, want := range []string{
		rocket + " 1.4.0: installed, signed by registrytest",
		"registry.opentofu.org/hashicorp/alpha 3.1.0: installed",
		".terraform.lock.hcl: changed",
	} {
		if !strings.Contains(o.out, want) {
			t.Errorf("nothing about %q in:\n%s", want, o.out)
		}
	}
	if lock := w.lock(t); strings.Count(lock, "\nprovider ") != 2 || !strings.Contains(lock, `"1.4.0"`) {
		t.Errorf("the lock file is:\n%s", lock)
	}
	if _, err := os.Stat(filepath.Join(w.dir, ".terraform", "providers", filepath.FromSlash(rocket), "1.4.0")); err != nil {
		t.Error(err)
	}

	w.srv.ResetRequests()
	if again := w.must(t, "install"); !strings.Contains(again.out, "already installed, as locked") || w.srv.Count("") != 0 {
		t.Errorf("the second time, there were %d requests, and:\n%s", w.srv.Count(""), again.out)
	}
}

func TestUpgradeSelectsWhatIsNewer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, registrytest.Config{})
	w.write(t, "main.tf", requires(rocket))
	w.must(t, "install")
	if err := w.srv.Add(registrytest.Release{Provider: "acme/rocket", Version: "1.5.0"}); err != nil {
		t.Fatal(err)
	}
	if o := w.must(t, "install"); !strings.Contains(o.out, "1.4.0") {
		t.Errorf("the locked version was not kept:\n%s", o.out)
	}
	if o := w.must(t, "install", "-upgrade"); !strings.Contains(o.out, "1.5.0: installed") || !strings.Contains(w.lock(t), `"1.5.0"`) {
		t.Errorf("there was no upgrade:\n%s", o.out)
	}
}

func TestReadonlyLeavesTheLockFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, registrytest.Config{})
	w.write(t, "main.tf", requires(rocket))
	w.must(t, "install")
	before := w.lock(t)
	w.must(t, "install", "-lockfile=readonly")

	w.write(t, "main.tf", requires(rocket, "hashicorp/alpha"))
	w.fails(t, []string{"install", "-lockfile=readonly"}, exitFailed,
		"registry.opentofu.org/hashicorp/alpha is required but not in the lock file", "Without -lockfile=readonly")
	if w.lock(t) != before {
		t.Error("the lock file has changed")
	}
}

// TestReadonlyTellsOfMissingHashes: what is installed is proven by one hash, and another one could be recorded.
func TestReadonlyTellsOfMissingHashes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, registrytest.Config{})
	w.write(t, "main.tf", requires(rocket))
	w.must(t, "install")
	locked := w.lock(t)
	before := locked[:strings.Index(locked, `    "h1:`)] + locked[strings.Index(locked, `    "zh:`):]
	w.write(t, lockfile.Name, before)
	w.env = append(w.env, "TF_DATA_DIR=fresh")
	if o := w.must(t, "install", "-lockfile=readonly"); !strings.Contains(o.err, "lacks hashes") || w.lock(t) != before {
		t.Errorf("it said:\n%s%s", o.out, o.err)
	}
}

func TestPartialSuccessIsRecorded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, registrytest.Config{})
	w.write(t, "main.tf", requires(rocket, "acme/nobody"))
	w.fails(t, []string{"install"}, exitFailed, "acme/nobody", "Required by main.tf:")
	if lock := w.lock(t); !strings.Contains(lock, rocket) {
		t.Errorf("the lock file lacks what was installed:\n%s", lock)
	}
}

// TestNamedProvidersArePrinted: standard output has the executables and nothing else, and no lock file is written.
func TestNamedProvidersArePrinted(t *testing.T) {
	t.Parallel()
	w := newWorld(t, registrytest.Config{})
	o := w.must(t, "install", rocket+"@< 1.4", "hashicorp/alpha")
	lines := strings.Split(strings.TrimSpace(o.out), "\n")
	if len(lines) != 2 || !strings.HasSuffix(lines[0], "terraform-provider-rocket_v1.0.0") || !strings.Contains(lines[1], "alpha") {
		t.Fatalf("standard output is:\n%s", o.out)
	}
	for _, line := range lines {
		if info, err := os.Stat(line); err != nil || !filepath.IsAbs(line) || info.IsDir() {
			t.Errorf("%s: %v", line, err)
		}
	}
	if !strings.Contains(o.err, "signed by") {
		t.Errorf("standard error is:\n%s", o.err)
	}
	if _, err := os.Stat(filepath.Join(w.dir, lockfile.Name)); err == nil {
		t.Error("a lock file was written")
	}
}

func TestConstraintsOnOneProviderHoldTogether(t *testing.T) {
	t.Parallel()
	w := newWorld(t, registrytest.Config{})
	if o := w.must(t, "install", rocket+"@>= 1", rocket+"@< 1.2"); strings.Count(o.out, "rocket_v1.0.0") != 2 {
		t.Errorf("standard output is:\n%s", o.out)
	}
}

func TestPlatformIsAnother(t *testing.T) {
	t.Parallel()
	w := newWorld(t, registrytest.Config{})
	if o := w.must(t, "install", "-platform="+otherPlatform, rocket); !strings.Contains(o.out, string(filepath.Separator)+otherPlatform) {
		t.Errorf("standard output is:\n%s", o.out)
	}
	w.fails(t, []string{"install", "-platform=plan9_mips", rocket}, exitFailed, "no package for plan9_mips", otherPlatform)
}

// TestChdirMovesRelativePaths: they are relative to the module's directory; the configuration's own is not.
func TestChdirMovesRelativePaths(t *testing.T) {
	t.Parallel()
	w := newWorld(t, registrytest.Config{})
	if err := w.srv.WriteMirror(filepath.Join(w.dir, "module", "mirror"), registrytest.Packed, "acme/rocket"); err != nil {
		t.Fatal(err)
	}
	w.write(t, "rc", w.srv.InstallationConfig(registrytest.Method{Type: registrytest.MethodFilesystemMirror, Path: "mirror"}))
	w.write(t, "module/main.tf", requires(rocket))
	w.write(t, "module/cache/here", "")
	w.env = append(w.env, "TF_CLI_CONFIG_FILE=rc", "TF_DATA_DIR=data", "TF_PLUGIN_CACHE_DIR=cache")
	w.must(t, "install", "-chdir=module")
	for _, name := range []string{"data/providers", "cache/registry.example.com", ".terraform.lock.hcl"} {
		if _, err := os.Stat(filepath.Join(w.dir, "module", filepath.FromSlash(name))); err != nil {
			t.Error(err)
		}
	}
	w.fails(t, []string{"install", "-chdir=elsewhere"}, exitFailed, "cannot work in elsewhere")
	w.fails(t, []string{"install", "-chdir=rc"}, exitFailed, "not a directory")
}

func TestRegistryOfShortAddresses(t *testing.T) {
	t.Parallel()
	w := newWorld(t, registrytest.Config{})
	if o := w.must(t, "install", "-registry=registry.terraform.io", "hashicorp/alpha"); !strings.Contains(o.out, "registry.terraform.io") {
		t.Errorf("standard output is:\n%s", o.out)
	}
	w.write(t, "main.tf", requires("hashicorp/alpha"))
	w.must(t, "install", "-registry=registry.terraform.io")
	if !strings.Contains(w.lock(t), "registry.terraform.io/hashicorp/alpha") {
		t.Fatalf("the lock file is:\n%s", w.lock(t))
	}

	// Now the lock file says whose module it is.
	w.write(t, "main.tofu", "this is not for terraform")
	if o := w.must(t, "install", "-lockfile=readonly"); !strings.Contains(o.out, "Note: the module's addresses that name no host are on registry.terraform.io") {
		t.Errorf("nothing about the registry in:\n%s", o.out)
	}
	w.fails(t, []string{"install", "-registry=registry.opentofu.org"}, exitFailed, "main.tofu")
}

func TestTokensOfTheEnvironment(t *testing.T) {
	t.Parallel()
	w := newWorld(t, registrytest.Config{Token: "secret"})
	w.configure(t, strings.Split(w.srv.CLIConfig("registry.example.com"), "credentials ")[0])
	o := w.fails(t, []string{"install", rocket}, exitFailed, "401", "no credentials were sent", "TF_TOKEN_registry_example_com")
	w.env = append(w.env, "TF_TOKEN_registry_example_com=wrong")
	o.err += w.fails(t, []string{"install", rocket}, exitFailed, "not accepted").err
	w.env = append(w.env, "TF_TOKEN_registry_example_com=secret")
	o.err += w.must(t, "install", rocket).err
	if strings.Contains(o.err, "secret") || strings.Contains(o.err, "wrong") {
		t.Errorf("a token is shown:\n%s", o.err)
	}
}

func TestDefaultConfigurationFile(t *testing.T) {
	t.Parallel()
	for _, name := range []string{".tofurc", ".terraformrc"} {
		w := newWorld(t, registrytest.Config{})
		home := t.TempDir()
		if err := os.WriteFile(filepath.Join(home, name), []byte(w.srv.CLIConfig()), 0o600); err != nil {
			t.Fatal(err)
		}
		w.env = []string{"HOME=" + home, "APPDATA=" + home}
		if runtime.GOOS != "windows" { // there, the files have other names
			w.must(t, "install", rocket)
		}
	}
}

func TestDevOverridesAreMentioned(t *testing.T) {
	t.Parallel()
	w := newWorld(t, registrytest.Config{})
	w.configure(t, w.srv.CLIConfig()+"provider_installation {\n dev_overrides {\n  \""+rocket+"\" = \"/build\"\n }\n direct {}\n}\n")
	if o := w.must(t, "install", rocket); !strings.Contains(o.err, "dev_overrides makes terraform and tofu use /build") {
		t.Errorf("standard error is:\n%s", o.err)
	}
}

// TestProcess runs the real program: SSL_CERT_FILE is obeyed, and the exit status arrives.
func TestProcess(t *testing.T) {
	t.Parallel()
	if !slices.Contains([]string{"linux", "freebsd"}, runtime.GOOS) {
		t.Skip("SSL_CERT_FILE is for Linux and the BSDs")
	}
	w := newWorld(t, registrytest.Config{})
	if o := w.process(t, "install", rocket); o.code != exitDone || !strings.Contains(o.out, "rocket_v1.4.0") {
		t.Errorf("exit status %d\n%s%s", o.code, o.out, o.err)
	}
	if o := w.process(t, "install", "acme/nobody"); o.code != exitFailed {
		t.Errorf("exit status %d\n%s%s", o.code, o.out, o.err)
	}
	w.env = append(w.env, "SSL_CERT_FILE=/dev/null")
	if o := w.process(t, "versions", rocket); o.code != exitFailed || !strings.Contains(o.err, "SSL_CERT_FILE") {
		t.Errorf("exit status %d\n%s%s", o.code, o.out, o.err)
	}
}

// A policy is for what is new: of what the lock file has, its word stands.
func TestSignersThatAreAccepted(t *testing.T) {
	t.Parallel()
	signer, err := registrytest.NewSigner("registrytest", registrytest.SignerOptions{})
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, registrytest.Config{Signer: signer})
	w.write(t, "main.tf", requires(rocket+" ~> 1.0"))
	another := "-signer=" + strings.Repeat("AB", 20)
	for _, command := range [][]string{{"install"}, {"lock", "-platform=linux_amd64"}, {"install", rocket}} {
		w.fails(t, append(command[:1:1], append([]string{another}, command[1:]...)...), exitFailed, "signed by")
	}
	o := w.fails(t, []string{"install", another}, exitFailed, "signed by registrytest, key "+signer.Fingerprint()+", which is not among those of -signer")
	if strings.Contains(o.err, "Policy") {
		t.Errorf("it speaks of the library:\n%s", o.err)
	}
	for _, command := range [][]string{{"install"}, {"verify"}, {"bundle", "verify"}, {"serve"}} {
		short := signer.Fingerprint()[24:]
		o := w.fails(t, append(command, "-signer="+short, "x"), exitUsage,
			" -signer: \""+short+"\" is not a fingerprint of 40 or 64 digits; \"purveyor install -json\" prints it as \"key\"\nTry: ")
		if strings.Count(o.err, "\n") != 2 {
			t.Errorf("it says more:\n%s", o.err)
		}
	}
	w.must(t, "install", "-require-signature", "-signer="+signer.Fingerprint())
	w.must(t, "install", another)
	// The place that the message names has it, also of what is installed.
	if o := w.must(t, "install", "-json"); !strings.Contains(o.out, `"key":"`+signer.Fingerprint()+`"`) {
		t.Errorf("no fingerprint in:\n%s", o.out)
	}
}
