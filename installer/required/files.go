package required

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/json"
)

// configFiles returns the configuration files of a directory in the order of their names: those that declare, and those
// that override.
func (l *loader) configFiles(dir string) (primary, overrides []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil, err
	}
	names := map[string]bool{}
	for _, entry := range entries {
		if !entry.IsDir() && l.isConfig(entry.Name()) {
			names[entry.Name()] = true
		}
	}
	for _, entry := range entries {
		name := entry.Name()
		switch {
		case !names[name] || names[tofuTwin(name)]:
		case isOverride(name):
			overrides = append(overrides, filepath.Join(dir, name))
		default:
			primary = append(primary, filepath.Join(dir, name))
		}
	}
	return primary, overrides, nil
}

// extensions of configuration files; the longer ones come first.
var extensions = []string{".tofu.json", ".tf.json", ".tofu", ".tf"}

// extension returns that of a configuration file, or "".
func extension(name string) string {
	i := slices.IndexFunc(extensions, func(ext string) bool { return strings.HasSuffix(name, ext) })
	if i < 0 {
		return ""
	}
	return extensions[i]
}

func (l *loader) isConfig(name string) bool {
	ext := extension(name)
	editors := strings.HasPrefix(name, ".") || strings.HasSuffix(name, "~") ||
		strings.HasPrefix(name, "#") && strings.HasSuffix(name, "#")
	return ext != "" && !editors && !(l.opts.TerraformFiles && strings.HasPrefix(ext, ".tofu"))
}

// tofuTwin returns the name of the file that hides this one, or "".
func tofuTwin(name string) string {
	ext := extension(name)
	if !strings.HasPrefix(ext, ".tf") {
		return ""
	}
	return strings.TrimSuffix(name, ext) + strings.Replace(ext, ".tf", ".tofu", 1)
}

func isOverride(name string) bool {
	base := strings.TrimSuffix(name, extension(name))
	return base == "override" || strings.HasSuffix(base, "_override")
}

// parse reads a configuration file, or returns nil after reporting why not.
func (l *loader) parse(path string) *hcl.File {
	start := hcl.Range{Filename: path, Start: hcl.InitialPos, End: hcl.InitialPos}
	if len(l.files) >= MaxFiles {
		l.fail(start, "Too many configuration files", "A configuration has at most %d files.", MaxFiles)
		return nil
	}
	src, err := readFile(path)
	if err != nil {
		l.fail(start, "Cannot read configuration file", "Reading failed: %s.", err)
		return nil
	}
	file, diags := parse(src, path)
	l.add(diags)
	l.files[path] = file
	if diags.HasErrors() {
		return nil
	}
	return file
}

// parse chooses the syntax by the name. The file is never nil.
func parse(src []byte, path string) (file *hcl.File, diags hcl.Diagnostics) {
	isJSON := strings.HasSuffix(path, ".json")
	if diags := checkNesting(src, path, isJSON); diags.HasErrors() {
		return &hcl.File{Bytes: src}, diags
	}
	if isJSON {
		file, diags = json.Parse(src, path)
	} else {
		file, diags = hclsyntax.ParseConfig(src, path, hcl.InitialPos)
	}
	if file == nil {
		file = &hcl.File{Bytes: src}
	}
	return file, diags
}

// readFile reads a regular file of at most MaxFileBytes. Others, such as pipes, are not even opened.
func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("not a regular file")}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	src, err := io.ReadAll(io.LimitReader(f, MaxFileBytes+1))
	if err == nil && len(src) > MaxFileBytes {
		err = &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("larger than %d bytes", MaxFileBytes)}
	}
	return src, err
}
