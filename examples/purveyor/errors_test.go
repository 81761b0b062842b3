package main

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/cliconfig"
	"github.com/purveyor-dev/purveyor/installer/lockfile"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// closedPort returns an address at which nobody listens.
func closedPort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

const hasty = "registry_protocols {\n  retry_count = 0\n}\n"

// TestErrorsThatPeopleMeet: each says what failed, where, and what to do.
func TestErrorsThatPeopleMeet(t *testing.T) {
	t.Parallel()
	closed := closedPort(t)
	blocks := registrytest.New(t, registrytest.Config{}) // writes configurations
	mirror := func(url string) string {
		return blocks.InstallationConfig(registrytest.Method{Type: registrytest.MethodNetworkMirror, URL: url})
	}
	for name, tt := range map[string]struct {
		cfg      registrytest.Config
		config   string // besides the hosts; "" for direct installation
		stranger bool   // the program does not trust the server
		args     []string
		says     []string
		never    []string
	}{
		"a provider nobody has": {
			args: []string{"install", "acme/nobody"},
			says: []string{"cannot select a version of registry.opentofu.org/acme/nobody: not found in the origin registry",
				"\n  registry.opentofu.org has no provider acme/nobody: check the spelling.\n  If you mean registry.terraform.io/acme/nobody,", "-registry=registry.terraform.io"},
		},
		"nor has terraform's registry": {
			args: []string{"explain", "registry.terraform.io/acme/nobody"},
			says: []string{"registry.opentofu.org/acme/nobody"},
		},
		"a provider that no source includes": {
			config: blocks.InstallationConfig(registrytest.Method{Include: []string{"acme/*"}}),
			args:   []string{"versions", rocket},
			says:   []string{"no configured source includes this provider", "See include and exclude"},
		},
		"a wrong URL, where something answers 404": {
			config: mirror("https://SERVER/nothing/here/"),
			args:   []string{"install", rocket},
			says:   []string{"not found in network mirror https://", "With a wrong URL, the answer would be the same"},
		},
		"a wrong URL, where something else answers": {
			cfg:    registrytest.Config{Faults: []registrytest.Fault{{Kind: registrytest.KindMirrorIndex, Body: []byte("<html>Welcome"), ContentType: "text/html"}}},
			config: mirror("https://SERVER/mirror/"),
			args:   []string{"install", rocket},
			says:   []string{"malformed", "check its URL"},
		},
		"a refused connection": {
			config: hasty + mirror("https://"+closed+"/"),
			args:   []string{"install", rocket},
			says:   []string{"network mirror https://" + closed, "Check host and port", "HTTPS_PROXY"},
		},
		"an unknown host": {
			config: hasty,
			args:   []string{"install", "no-such-host.invalid/acme/rocket"},
			says:   []string{"no-such-host.invalid", "Check the spelling of no-such-host.invalid"},
		},
		"missing credentials": {
			cfg:    registrytest.Config{MirrorToken: "secret"},
			config: mirror("https://SERVER/mirror/"),
			args:   []string{"install", rocket},
			says:   []string{"401", "no credentials were sent", "Credentials for 127.0.0.1:"},
		},
		"a certificate that is not trusted": {
			stranger: true,
			args:     []string{"install", rocket},
			says:     []string{"certificate", "SSL_CERT_FILE"},
		},
		"a package that was altered": {
			cfg:  registrytest.Config{Faults: []registrytest.Fault{{WrongHash: true}}},
			args: []string{"install", rocket},
			says: []string{"cannot install " + rocket + " 1.4.0", "damaged archive"},
		},
		"an unsigned package, though its registry is the default": {
			cfg:  registrytest.Config{Releases: []registrytest.Release{{Provider: "acme/rocket", Version: "1.0.0", Unsigned: true}}},
			args: []string{"install", "-registry=registry.example.com", "acme/rocket"},
			says: []string{"cannot install " + rocket + " 1.0.0", "no signing keys"},
		},
		"no version": {
			args: []string{"install", rocket + "@> 9"},
			says: []string{`no version meets the constraints "> 9.0.0"`, "there are 2.0.0-beta1, 1.4.0, 1.0.0"},
		},
		"a number that was meant as a series": {
			args: []string{"install", "hashicorp/alpha@3"},
			says: []string{`no version meets the constraints "3.0.0"; there are 3.1.0`, "3 means = 3.0.0; ~> 3.0 allows all of 3.x."},
		},
		"a provider nobody has, with its registry": {
			args:  []string{"install", "registry.terraform.io/acme/nobody"},
			says:  []string{"  If you mean registry.opentofu.org/acme/nobody, write that.\n"},
			never: []string{"in full", "-registry"},
		},
		"a registry that is none": {
			cfg:   registrytest.Config{Faults: []registrytest.Fault{{Kind: registrytest.KindVersions, Body: []byte("<html>Welcome"), ContentType: "text/html"}}},
			args:  []string{"install", rocket},
			says:  []string{"malformed"},
			never: []string{"check its URL"}, // the configuration has none
		},
		"another number that was meant as a series": {
			args: []string{"explain", rocket + "@1.3"},
			says: []string{"1.3 means = 1.3.0; ~> 1.3.0 allows all of 1.3.x."},
		},
		"a cache that is a file": {
			args: []string{"cache", "list", "-cache=/dev/null"},
			says: []string{"Error: the plugin cache /dev/null is not a directory"},
		},
		"a configuration with a mistake": {
			config: "provider_installation {\n  netwrk_mirror {}\n}\n",
			args:   []string{"install", rocket},
			says:   []string{"cli.tfrc line ", "netwrk_mirror {}", "╵"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, tt.cfg)
			w.configure(t, w.srv.CLIConfig()+strings.ReplaceAll(tt.config, "SERVER", w.srv.Host()))
			w.client = !tt.stranger
			o := w.fails(t, tt.args, exitFailed, tt.says...)
			for _, text := range tt.never {
				if strings.Contains(o.err, text) {
					t.Errorf("it says %q:\n%s", text, o.err)
				}
			}
		})
	}
}

// TestALockFileThatIsNotThere is not said to be unchanged.
func TestALockFileThatIsNotThere(t *testing.T) {
	t.Parallel()
	w := newWorld(t, registrytest.Config{})
	w.write(t, "main.tf", requires("acme/nobody"))
	if o := w.fails(t, []string{"install"}, exitFailed, "acme/nobody"); strings.Contains(o.out, "unchanged") {
		t.Errorf("it says:\n%s", o.out)
	}
}

func TestErrorsAboutTheModule(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		files map[string]string
		args  []string
		says  []string // what begins with "!" must not be there
	}{
		"a provider of another namespace was meant": {
			map[string]string{"main.tf": requires(rocket) + "resource \"rocket_engine\" \"x\" {}\n"},
			[]string{"install"},
			[]string{"registry.opentofu.org/hashicorp/rocket", "Did you mean " + rocket + ", which is required, too?",
				"Not in required_providers, but implied by main.tf:"},
		},
		"the configuration cannot be read": {
			map[string]string{"main.tf": "terraform {"},
			[]string{"install"},
			[]string{"main.tf line 1"},
		},
		"the lock file cannot be read": {
			map[string]string{lockfile.Name: "provider \"x\" {"},
			[]string{"lock"},
			[]string{".terraform.lock.hcl line 1", "\n  Restore it from version control; or remove it, and purveyor install writes a new one, trusting the registry.\n"},
		},
		"the lock file has a conflict": {
			map[string]string{"main.tf": requires(rocket), lockfile.Name: "<<<<<<< HEAD\n"},
			[]string{"verify"},
			[]string{"<<<<<<< HEAD", "Restore it from version control"},
		},
		"the package is not the locked one": {
			map[string]string{
				"main.tf":     requires(rocket),
				lockfile.Name: "provider \"" + rocket + "\" {\n  version = \"1.4.0\"\n  hashes = [\"zh:" + strings.Repeat("0", 64) + "\"]\n}\n",
			},
			[]string{"install"},
			[]string{"does not match the", "do not use it", "If the lock file was made on another platform: purveyor lock -platform=" + sources.CurrentPlatform().String()},
		},
		"another file is not a lock file": {
			map[string]string{"main.tf": requires(rocket)},
			[]string{"mirror", "-dir=m", "-platform=linux_amd64", "-lock=main.tf"},
			[]string{"main.tf line 1", "!Restore it", "!remove it"},
		},
		"a constraint with an operator": {
			map[string]string{"main.tf": requires(rocket + " = 1.5.0")},
			[]string{"install"},
			[]string{`no version meets the constraints "1.5.0"`, "!means"},
		},
		"the newest version is not for here": {
			map[string]string{"main.tf": requires(rocket)},
			[]string{"lock", "-platform=plan9_mips"},
			[]string{"cannot lock " + rocket + " 1.4.0 for plan9_mips: no package for plan9_mips"},
		},
		"the lock file has another version": {
			map[string]string{
				"main.tf":     requires(rocket + " ~> 2.0"),
				lockfile.Name: "provider \"" + rocket + "\" {\n  version = \"1.4.0\"\n}\n",
			},
			[]string{"install"},
			[]string{`the lock file has 1.4.0, which does not meet "~> 2.0"`, "purveyor install -upgrade", "Required by main.tf:"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, registrytest.Config{})
			for name, text := range tt.files {
				w.write(t, name, text)
			}
			o := w.fails(t, tt.args, exitFailed)
			for _, text := range tt.says {
				text, unwanted := strings.CutPrefix(text, "!")
				if strings.Contains(o.err, text) == unwanted {
					t.Errorf("%q should be there: %t, but it says:\n%s", text, !unwanted, o.err)
				}
			}
		})
	}
}

func TestTheNewestUsableVersionIsNamed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, registrytest.Config{Releases: everywhere("plan9_mips")[:3]})
	w.fails(t, []string{"install", rocket}, exitFailed,
		"cannot install "+rocket+" 1.10.0: no package for ", "version 1.4.0 is the newest that can be used")
}

// TestTheLockFileCannotBeWritten: that is said besides what else failed.
func TestTheLockFileCannotBeWritten(t *testing.T) {
	t.Parallel()
	w := newWorld(t, registrytest.Config{})
	w.write(t, "main.tf", requires(rocket, "acme/nobody"))
	lockFile := filepath.Join(w.dir, lockfile.Name)
	p := &program{env: cliconfig.Environment{Variables: w.env, WorkingDir: w.dir}, stderr: &bytes.Buffer{}, client: w.srv.Client()}
	p.stdout = &watcher{text: "downloading", seen: func() { _ = os.Mkdir(lockFile, 0o755) }} // after it was read
	if code := p.run(t.Context(), []string{"install"}); code != exitFailed {
		t.Errorf("exit status %d", code)
	}
	for _, text := range []string{"acme/nobody", "updating the dependency lock file"} {
		if !strings.Contains(p.stderr.(*bytes.Buffer).String(), text) {
			t.Errorf("nothing about %q in:\n%s", text, p.stderr)
		}
	}
}
