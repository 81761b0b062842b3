package required

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/hashicorp/hcl/v2"

	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources"
)

// Limits of what is read; more is an error.
const (
	MaxFileBytes = 4 << 20 // size of a file, in bytes
	MaxFiles     = 10_000  // configuration files, in all modules together
	MaxModules   = 10_000  // module calls, a module that is called twice counting twice
	MaxDepth     = 64      // module calls inside one another
	MaxNesting   = 500     // brackets, templates and the like inside one another, in one file
)

// DefaultDataDir is the directory in which terraform and tofu keep installed modules.
const DefaultDataDir = ".terraform"

// Options say how to read a configuration. The zero value is ready to use.
type Options struct {
	// Registry is the host of addresses that name none. Zero: [sources.DefaultRegistry].
	Registry sources.Host

	// DataDir is where modules are installed, what the environment variable TF_DATA_DIR is to the clients; relative to
	// the root module's directory. Empty: [DefaultDataDir].
	DataDir string

	// TerraformFiles leaves out *.tofu and *.tofu.json, as terraform does. False: they are read, as by tofu.
	TerraformFiles bool
}

// Read returns what the root module in a directory and all modules below it require. A directory without
// configuration files requires nothing.
//
// The error is an [*Error] for everything that is wrong with the configuration, and otherwise that of the file
// system: errors.Is(err, fs.ErrNotExist) when there is no such directory.
func Read(dir string, opts Options) (*Result, error) {
	if _, err := os.ReadDir(dir); err != nil {
		return nil, fmt.Errorf("reading the configuration: %w", err)
	}
	l := newLoader(filepath.Clean(dir), opts)
	l.tree()
	diags := l.sorted()
	if diags.HasErrors() {
		return nil, &Error{Diagnostics: diags, Files: l.files}
	}
	l.result.sort()
	l.result.Warnings, l.result.Files = diags, l.files
	return l.result, nil
}

// loader reads one configuration.
type loader struct {
	report
	opts      Options
	root      string
	files     map[string]*hcl.File
	modules   map[string]*module // by directory; each is read once
	callCount int
	result    *Result

	installed map[string]string // directories by module key; nil: not read yet
}

func newLoader(root string, opts Options) *loader {
	if opts.Registry.IsZero() {
		opts.Registry = sources.DefaultRegistry
	}
	if opts.DataDir == "" {
		opts.DataDir = DefaultDataDir
	}
	if !filepath.IsAbs(opts.DataDir) {
		opts.DataDir = filepath.Join(root, opts.DataDir)
	}
	return &loader{
		opts: opts, root: root,
		files:   map[string]*hcl.File{},
		modules: map[string]*module{},
		result: &Result{
			Requirements: installer.Requirements{},
			Origins:      map[sources.Provider][]Origin{},
		},
	}
}
