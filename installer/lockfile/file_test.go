package lockfile_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2/hclwrite"

	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/installer/lockfile"
	"github.com/purveyor-dev/purveyor/sources"
)

func TestFormat(t *testing.T) {
	t.Parallel()
	messy := installer.Locks{sources.MustParseProvider(rocket): lock("1.0.0", "< 2, >= 1",
		"zh:b", "x:${a}%{b}\n\t\"\\", "h1:a", "zh:b")}
	for name, test := range map[string]struct {
		locks installer.Locks
		want  string
	}{
		"nothing": {nil, header},
		"example": {example(), exampleFile},
		"sorted, unique and escaped": {messy, header + "\n" + block(rocket,
			`  version     = "1.0.0"`,
			`  constraints = ">= 1.0.0, < 2.0.0"`,
			`  hashes = [`,
			`    "h1:a",`,
			`    "x:$${a}%%{b}\n\t\"\\",`,
			`    "zh:b",`,
			`  ]`)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := lockfile.Format(test.locks)
			if diff := cmp.Diff(test.want, string(got)); diff != "" {
				t.Errorf("file (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(string(hclwrite.Format(got)), string(got)); diff != "" {
				t.Errorf("the formatter of HCL would change it:\n%s", diff)
			}
		})
	}
}

func TestReadGivesWhatWasWritten(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), lockfile.Name)
	if err := lockfile.Write(path, example()); err != nil {
		t.Fatal(err)
	}
	got, err := lockfile.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	same(t, example(), got)
}

func TestReadOfAMissingFileIsEmpty(t *testing.T) {
	t.Parallel()
	locks, err := lockfile.Read(filepath.Join(t.TempDir(), lockfile.Name))
	if err != nil || locks == nil || len(locks) != 0 {
		t.Errorf("got %v, %v", locks, err)
	}
}

func TestReadReportsPositions(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), lockfile.Name)
	create(t, path, block("acme/rocket", `version = "1.0"`))
	locks, err := lockfile.Read(path)
	var wrong *lockfile.Error
	if locks != nil || !errors.As(err, &wrong) || len(wrong.Diagnostics) != 2 || wrong.Files[path] == nil {
		t.Fatalf("got %v, %v", locks, err)
	}
	for _, want := range []string{path + ":1,10-23: Non-normalized", "\n" + path + ":2,11-16: Invalid provider version"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in:\n%v", want, err)
		}
	}
}

func TestReadOfADirectoryIsAFileSystemError(t *testing.T) {
	t.Parallel()
	locks, err := lockfile.Read(t.TempDir())
	var wrong *lockfile.Error
	if locks != nil || err == nil || errors.As(err, &wrong) {
		t.Errorf("got %v, %v", locks, err)
	}
}

func TestReadStopsAtMaxBytes(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), lockfile.Name)
	create(t, path, strings.Repeat("#", lockfile.MaxBytes+1))
	_, err := lockfile.Read(path)
	var wrong *lockfile.Error
	if !errors.As(err, &wrong) || !strings.Contains(err.Error(), "at most") {
		t.Errorf("got %v", err)
	}
}

func TestWriteLeavesTheSameEntriesAlone(t *testing.T) {
	t.Parallel()
	entries := strings.TrimPrefix(exampleFile, header)
	terraforms := "# This file is maintained automatically by \"terraform init\".\n# Manual edits may be lost in future updates.\n"
	for name, contents := range map[string]string{
		"own header":           exampleFile,
		"terraform's header":   terraforms + entries,
		"line ends of Windows": strings.ReplaceAll(terraforms+entries, "\n", "\r\n"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), lockfile.Name)
			create(t, path, contents)
			long := time.Now().Add(-time.Hour).Truncate(time.Second)
			if err := os.Chtimes(path, long, long); err != nil {
				t.Fatal(err)
			}
			if err := lockfile.Write(path, example()); err != nil {
				t.Fatal(err)
			}
			info, err := os.Stat(path)
			if err != nil || !info.ModTime().Equal(long) || text(t, path) != contents {
				t.Errorf("the file was changed: %v, %v", info, err)
			}
		})
	}
}

func TestWriteReplacesOtherEntries(t *testing.T) {
	t.Parallel()
	for name, contents := range map[string]string{
		"other constraints": strings.Replace(exampleFile, "~> 3.6, ", "", 1),
		"fewer entries":     header,
		"broken":            "provider {",
		"empty":             "",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), lockfile.Name)
			create(t, path, contents)
			if err := lockfile.Write(path, example()); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(exampleFile, text(t, path)); diff != "" {
				t.Errorf("file (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWriteRefusesWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	provider := sources.MustParseProvider(rocket)
	for name, locks := range map[string]installer.Locks{
		"zero provider":       {sources.Provider{}: lock("1.0.0", "")},
		"built-in provider":   {sources.MustParseProvider("terraform.io/builtin/terraform"): lock("1.0.0", "")},
		"hash without scheme": {provider: lock("1.0.0", "", "abc")},
		"empty hash":          {provider: lock("1.0.0", "", "")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), lockfile.Name)
			create(t, path, exampleFile)
			var wrong *lockfile.Error
			if err := lockfile.Write(path, locks); !errors.As(err, &wrong) {
				t.Errorf("got %v", err)
			}
			if text(t, path) != exampleFile {
				t.Error("the file was changed")
			}
		})
	}
}

func TestWriteFailsWithoutADirectory(t *testing.T) {
	t.Parallel()
	err := lockfile.Write(filepath.Join(t.TempDir(), "missing", lockfile.Name), example())
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func create(t *testing.T, path, contents string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(contents), 0o644); err != nil {
		t.Fatal(err)
	}
}

func text(t *testing.T, path string) string {
	t.Helper()
	contents, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(contents)
}
