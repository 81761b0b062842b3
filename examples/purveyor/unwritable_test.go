package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestOnlyMakingIsWriting: what may have been reading is not said to be writing, and nothing is made to find out.
func TestOnlyMakingIsWriting(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	there, absent := filepath.Join(dir, "there"), filepath.Join(dir, "absent")
	if err := os.WriteFile(there, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := &session{program: &program{}, dir: t.TempDir()}
	for name, tt := range map[string]struct {
		err  error
		want bool
	}{
		"reading a file":                    {&fs.PathError{Op: "open", Path: there, Err: syscall.EACCES}, false},
		"reading one that another has made": {&fs.PathError{Op: "open", Path: there, Err: syscall.EPERM}, false},
		"asking about a file":               {&fs.PathError{Op: "stat", Path: absent, Err: syscall.EACCES}, false},
		"a file that is not there":          {&fs.PathError{Op: "open", Path: absent, Err: syscall.ENOENT}, false},
		"a relative path":                   {&fs.PathError{Op: "mkdir", Path: "absent", Err: syscall.EACCES}, false},
		"a hard link":                       {&os.LinkError{Op: "link", Old: there, New: absent, Err: syscall.EPERM}, false},
		"another error":                     {errors.New("permission denied"), false},
		"no error":                          {nil, false},
		"a new file":                        {&fs.PathError{Op: "open", Path: absent, Err: syscall.EACCES}, true},
		"a new file on a read-only system":  {fmt.Errorf("writing: %w", &fs.PathError{Op: "open", Path: absent, Err: syscall.EROFS}), true},
		"a directory":                       {&fs.PathError{Op: "mkdir", Path: absent, Err: syscall.EACCES}, true},
		"a file's final name":               {&os.LinkError{Op: "rename", Old: there, New: absent, Err: syscall.EACCES}, true},
		"a symbolic link":                   {&os.LinkError{Op: "symlink", Old: there, New: absent, Err: syscall.EACCES}, true},
	} {
		r, got := s.unwritable(tt.err)
		if got != tt.want {
			t.Errorf("%s (%v): unwritable is %t", name, tt.err, got)
		}
		if want := "cannot write in " + dir + ": "; got && r.Message[:len(want)] != want {
			t.Errorf("%s: %s", name, r.Message)
		}
	}
	if all, err := os.ReadDir(dir); err != nil || len(all) != 1 {
		t.Errorf("there is %v, %v", all, err)
	}
}
