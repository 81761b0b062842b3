package main

import (
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// TestADirectoryThatCannotBeWrittenIn is said once, whatever was to be made there. Not even root makes files in /sys.
func TestADirectoryThatCannotBeWrittenIn(t *testing.T) {
	t.Parallel()
	if isWritable("/sys") {
		t.Skip("there is no directory that cannot be written in")
	}
	w := newWorld(t, registrytest.Config{})
	w.write(t, "main.tf", requires(rocket, "hashicorp/alpha"))
	for _, args := range [][]string{
		{"mirror", "-dir=/sys/purveyor", "-platform=linux_amd64"}, {"bundle", "export", "-o=/sys/purveyor.tar"}, {"install"},
	} {
		if args[0] == "install" {
			w.env = append(w.env, "TF_DATA_DIR=/sys/purveyor")
		}
		o := w.fails(t, args, exitFailed, "Error: cannot write in /sys: ")
		if strings.Count(o.err, "\n") != 1 {
			t.Errorf("purveyor %s says:\n%s", strings.Join(args, " "), o.err)
		}
	}
	if _, found := (&session{dir: "/"}).unwritable(nil); found {
		t.Error("there was no error")
	}
}
