package main

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// complete asks a real bash what it offers behind words, the last of which is being typed.
func complete(t *testing.T, script string, words ...string) string {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed: its completion was not tried")
	}
	program := script + "\nCOMP_WORDS=(" + strings.Join(append([]string{"purveyor"}, words...), " ") +
		")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_purveyor\necho \"${COMPREPLY[@]}\"\n"
	out, err := exec.CommandContext(t.Context(), bash, "-c", program).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return strings.TrimSpace(string(out))
}

func TestCompletion(t *testing.T) {
	t.Parallel()
	w := newWorld(t, registrytest.Config{})
	script := w.must(t, "completion", "bash").out
	for words, want := range map[string]string{
		"inst":           "install",
		"install -upg":   "-upgrade",
		"versions -upg":  "",
		"lock -platf":    "-platform",
		"install -js":    "-json",
		"completion -ch": "-chdir",
	} {
		if got := complete(t, script, strings.Fields(words)...); got != want {
			t.Errorf("%q is completed to %q, want %q", words, got, want)
		}
	}
	for _, shell := range []string{"zsh", "fish"} {
		if o := w.must(t, "completion", shell); !strings.Contains(o.out, "upgrade") {
			t.Errorf("the script for %s knows nothing of -upgrade:\n%s", shell, o.out)
		}
	}
	w.fails(t, []string{"completion", "tcsh"}, exitUsage, "bash, zsh or fish")
}
