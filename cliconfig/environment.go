package cliconfig

import (
	"cmp"
	"fmt"
	"net/url"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/purveyor-dev/purveyor/sources"
)

// Environment is what [Load] knows about the machine. Nothing is taken from the process but what is given here, and what a
// field's zero value says.
type Environment struct {
	// Variables are "NAME=value", as in [os.Environ]; of two with one name the last counts. On Windows, case does not
	// matter in names.
	Variables []string

	// Home is the user's home directory where the variable HOME does not name it; on Windows, before the variable
	// USERPROFILE. Empty: none.
	Home string

	// AppData is the directory for application data that roams with the user, on Windows. Empty: the variable APPDATA.
	AppData string

	// WorkingDir is what the relative paths of mirrors, of the plugin cache and of TF_CLI_CONFIG_FILE are relative to, where
	// ./terraform.d/plugins is looked for, and where helpers run. Empty: the working directory of the process.
	WorkingDir string

	// Platform decides where files are looked for. Zero: [sources.CurrentPlatform].
	Platform sources.Platform
}

// OSEnvironment returns the environment of the process.
func OSEnvironment() Environment {
	env := Environment{Variables: os.Environ()}
	if u, err := user.Current(); err == nil {
		env.Home = u.HomeDir
	}
	if runtime.GOOS == "windows" {
		env.AppData, _ = os.UserConfigDir()
	}
	env.WorkingDir, _ = os.Getwd()
	return env
}

// String describes the environment without the values of its variables, which can be secrets.
func (e Environment) String() string {
	return fmt.Sprintf("%s, home %q, working directory %q, %d variables", e.platform(), e.home(), e.WorkingDir, len(e.Variables))
}

// Format prints String whatever the verb.
func (e Environment) Format(f fmt.State, _ rune) { fmt.Fprint(f, e.String()) }

// Getenv returns the value of a variable, "" if it is not set.
func (e Environment) Getenv(name string) string {
	for i := len(e.Variables) - 1; i >= 0; i-- {
		key, value, _ := strings.Cut(e.Variables[i], "=")
		if key == name || e.windows() && strings.EqualFold(key, name) {
			return value
		}
	}
	return ""
}

func (e Environment) windows() bool { return e.platform().OS == "windows" }

func (e Environment) platform() sources.Platform {
	if e.Platform.IsZero() {
		return sources.CurrentPlatform()
	}
	return e.Platform
}

func (e Environment) home() string {
	if e.windows() {
		return cmp.Or(e.Home, e.Getenv("USERPROFILE"))
	}
	return cmp.Or(e.Getenv("HOME"), e.Home)
}

func (e Environment) appData() string {
	return cmp.Or(e.AppData, e.Getenv("APPDATA"))
}

// absolute resolves a path against the working directory.
func (e Environment) absolute(path string) string {
	if filepath.IsAbs(path) || e.WorkingDir == "" {
		return path
	}
	return filepath.Join(e.WorkingDir, path)
}

// positive reads a variable that is a number above zero; anything else counts as not set.
func (e Environment) positive(name string) *int {
	n, err := strconv.Atoi(e.Getenv(name))
	if err != nil || n <= 0 || n > 1<<30 {
		return nil
	}
	return &n
}

// flag reads a boolean variable: false if it is empty, "0" or "false".
func (e Environment) flag(name string) bool {
	value := e.Getenv(name)
	return value != "" && value != "0" && !strings.EqualFold(value, "false")
}

func (e Environment) protocols() RegistryProtocols {
	p := RegistryProtocols{RetryCount: e.positive("TF_REGISTRY_DISCOVERY_RETRY")}
	if seconds := e.positive("TF_REGISTRY_CLIENT_TIMEOUT"); seconds != nil {
		timeout := time.Duration(*seconds) * time.Second
		p.Timeout = &timeout
	}
	return p
}

const tokenPrefix = "TF_TOKEN_"

// tokens reads the variables TF_TOKEN_<host>, in which "__" stands for "-", and "_" for ".":
// https://opentofu.org/docs/cli/config/config-file/#environment-variable-credentials. Names that are no host are
// ignored, and of two names of one host the last counts.
func (e Environment) tokens() map[sources.Host]sources.Token {
	var tokens map[sources.Host]sources.Token
	for _, variable := range e.Variables {
		name, value, _ := strings.Cut(variable, "=")
		if !strings.HasPrefix(name, tokenPrefix) || value == "" {
			continue
		}
		if host, ok := tokenHost(strings.TrimPrefix(name, tokenPrefix)); ok {
			put(&tokens, host, sources.Token(value))
		}
	}
	return tokens
}

func tokenHost(name string) (sources.Host, bool) {
	name = strings.ReplaceAll(strings.ReplaceAll(name, "__", "-"), "_", ".")
	u, err := url.Parse("https://" + name)
	if err != nil || u.Host != name {
		return sources.Host{}, false
	}
	host, err := sources.HostOfURL(u)
	return host, err == nil
}
