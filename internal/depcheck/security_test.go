package depcheck

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	namedTest  = regexp.MustCompile("`([a-z]+)\\.(Test[A-Za-z]+)`")
	testHeader = regexp.MustCompile(`(?m)^func (Test[A-Za-z0-9_]+)\(`)
)

// Each test by which SECURITY.md shows something is there.
func TestWhatShowsThatSecurityHolds(t *testing.T) {
	t.Parallel()
	const root = "../.."
	document, err := os.ReadFile(filepath.Join(root, "SECURITY.md"))
	if err != nil {
		t.Fatal(err)
	}
	named := namedTest.FindAllStringSubmatch(string(document), -1)
	if len(named) == 0 {
		t.Fatal("SECURITY.md names no tests")
	}
	there := testsBelow(t, root)
	for _, match := range named {
		if name := match[1] + "." + match[2]; !there[name] {
			t.Errorf("there is no %s", name)
		}
	}
}

// testsBelow returns the tests of all packages, by the last element of the package's path and their own name.
func testsBelow(t *testing.T, root string) map[string]bool {
	t.Helper()
	there := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, match := range testHeader.FindAllStringSubmatch(string(text), -1) {
			there[filepath.Base(filepath.Dir(path))+"."+match[1]] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return there
}
