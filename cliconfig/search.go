package cliconfig

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// mainFile returns the path of the main configuration file, "" if there is none, and the variable that names it, "" if
// none does.
func (e Environment) mainFile() (path, variable string) {
	for _, name := range []string{"TF_CLI_CONFIG_FILE", "TERRAFORM_CONFIG"} {
		if path := e.Getenv(name); path != "" {
			return e.absolute(path), name
		}
	}
	if e.windows() {
		return firstExisting(inside(e.appData(), "tofu.rc", "terraform.rc")), ""
	}
	candidates := inside(e.home(), ".tofurc", ".terraformrc")
	candidates = append(candidates, inside(e.Getenv("XDG_CONFIG_HOME"), "opentofu/tofurc")...)
	return firstExisting(candidates), ""
}

// inside returns paths in a directory; none if the directory is "".
func inside(dir string, names ...string) []string {
	var paths []string
	for _, name := range names {
		if dir != "" {
			paths = append(paths, filepath.Join(dir, filepath.FromSlash(name)))
		}
	}
	return paths
}

// firstExisting returns the first path that may exist: reading it says why if it cannot be read.
func firstExisting(paths []string) string {
	for _, path := range paths {
		if exists(path) {
			return path
		}
	}
	return ""
}

func exists(path string) bool {
	_, err := os.Lstat(path)                                                   // a link to nowhere is to be read, and so reported
	return !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) // the latter if HOME is /dev/null
}

// configDir returns the directory of further configuration files, "" if there is none.
func (e Environment) configDir() string {
	if e.windows() {
		return firstExisting(inside(e.appData(), "terraform.d"))
	}
	candidates := inside(e.home(), ".terraform.d")
	candidates = append(candidates, inside(e.Getenv("XDG_CONFIG_HOME"), "opentofu")...)
	return firstExisting(candidates)
}

func isConfigName(name string) bool {
	return strings.HasSuffix(name, ".tfrc") || strings.HasSuffix(name, ".tfrc.json")
}

// dataDirs returns the directories that can contain plugins and credentials helpers.
func (e Environment) dataDirs() []string {
	if e.windows() {
		return inside(e.appData(), "terraform.d")
	}
	return append(inside(e.home(), ".terraform.d"), inside(e.Getenv("XDG_DATA_HOME"), "opentofu")...)
}

// pluginDirs returns the directories that are mirrors without being configured, whether or not they exist:
// https://opentofu.org/docs/cli/config/config-file/#implied-local-mirror-directories.
func (e Environment) pluginDirs() []string {
	dirs := []string{e.absolute(filepath.Join("terraform.d", "plugins"))}
	for _, dir := range e.dataDirs() {
		dirs = append(dirs, filepath.Join(dir, "plugins"))
	}
	for _, dir := range e.applicationDirs() {
		dirs = append(dirs, filepath.Join(dir, "plugins"))
	}
	return dirs
}

// applicationDirs returns the directories that the operating system has for the data of an application named Terraform.
func (e Environment) applicationDirs() []string {
	switch e.platform().OS {
	case "windows":
		return inside(e.appData(), "HashiCorp/Terraform")
	case "darwin":
		const bundle = "Library/Application Support/io.terraform"
		return append(inside(e.home(), bundle), inside("/", bundle)...)
	}
	dirs := inside(e.Getenv("XDG_DATA_HOME"), "terraform")
	if len(dirs) == 0 {
		dirs = inside(e.home(), ".local/share/terraform")
	}
	system := e.Getenv("XDG_DATA_DIRS")
	if system == "" {
		system = "/usr/local/share:/usr/share"
	}
	for _, dir := range strings.Split(system, ":") {
		dirs = append(dirs, inside(dir, "terraform")...)
	}
	return dirs
}

// dockerConfigFiles returns where credentials of container tools are looked for by default, without repetition:
// https://github.com/containers/image/blob/main/docs/containers-auth.json.5.md.
func (e Environment) dockerConfigFiles() []string {
	const auth = "containers/auth.json"
	var files []string
	if e.platform().OS == "linux" {
		files = inside(e.Getenv("XDG_RUNTIME_DIR"), auth)
	} else {
		files = inside(e.home(), ".config/"+auth)
	}
	if config := e.Getenv("XDG_CONFIG_HOME"); config != "" {
		files = append(files, inside(config, auth)...)
	} else {
		files = append(files, inside(e.home(), ".config/"+auth)...)
	}
	files = append(files, inside(e.home(), ".docker/config.json", ".dockercfg")...)
	if len(files) > 1 && files[0] == files[1] {
		files = files[1:]
	}
	return files
}
