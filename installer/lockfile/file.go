package lockfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/internal/atomicfile"
)

// Error says what is wrong with the contents of a lock file, and where.
type Error struct {
	Diagnostics hcl.Diagnostics      // warnings included
	Files       map[string]*hcl.File // for printing with [hcl.NewDiagnosticTextWriter]
}

// Error returns the errors among the diagnostics, one on each line: "file:line,column: what".
func (e *Error) Error() string {
	var lines []string
	for _, diag := range e.Diagnostics {
		if diag.Severity == hcl.DiagError {
			lines = append(lines, diag.Error())
		}
	}
	return strings.Join(lines, "\n")
}

// Read reads a lock file. A missing one is empty: there are no locks, and no error. The error is an [*Error] if the
// contents are wrong; otherwise it is that of the file system. Warnings are for those who call [Parse].
func Read(path string) (installer.Locks, error) {
	src, err := read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return installer.Locks{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the dependency lock file: %w", err)
	}
	return decode(src, path)
}

// read reads one byte more than allowed, which is enough to be refused.
func read(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, MaxBytes+1))
}

// decode is [Parse] with an error.
func decode(src []byte, path string) (installer.Locks, error) {
	locks, file, diags := parse(src, path)
	if !diags.HasErrors() {
		return locks, nil
	}
	if file == nil {
		file = &hcl.File{Bytes: src}
	}
	return nil, &Error{Diagnostics: diags, Files: map[string]*hcl.File{path: file}}
}

// Write makes the file hold these locks. The file is replaced atomically, with permissions 0644; its directory must
// exist. It stays untouched if only its header or its line ends would change, so that switching between the tools
// makes no difference in version control. Of several writers the last one wins.
//
// Locks that cannot be in a lock file, such as those of built-in providers, are an [*Error], and nothing is written.
func Write(path string, locks installer.Locks) error {
	src := Format(locks)
	if _, err := decode(src, path); err != nil {
		return fmt.Errorf("the locks do not make a dependency lock file: %w", err)
	}
	if old, err := read(path); err == nil && bytes.Equal(entries(old), entries(src)) {
		return nil
	}
	if err := atomicfile.Write(path, src, 0o644); err != nil {
		return fmt.Errorf("updating the dependency lock file: %w", err)
	}
	return nil
}

// entries returns a file without its header comment and without carriage returns at line ends.
func entries(src []byte) []byte {
	src = bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n"))
	for bytes.HasPrefix(src, []byte("#")) {
		_, src, _ = bytes.Cut(src, []byte("\n"))
	}
	return src
}
