package main

import (
	"runtime/debug"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// TestSlips: what is said of a wrong word fits two lines, and names what may be meant.
func TestSlips(t *testing.T) {
	t.Parallel()
	w := newWorld(t, registrytest.Config{})
	for args, want := range map[string]string{
		"instal":                       `purveyor: there is no command "instal"; did you mean install?`,
		"init":                         `purveyor: there is no command "init"; did you mean install?`,
		"list":                         `purveyor: there is no command "list"; did you mean versions or cache list?`,
		"fly":                          `purveyor: there is no command "fly"`,
		"bundle":                       `purveyor: bundle export, bundle import or bundle verify?`,
		"cache clean":                  `purveyor: cache list, cache verify or cache prune?`,
		"help instal":                  `purveyor: there is no command "instal"; did you mean install?`,
		"-chdir=x install -upgrade":    `purveyor: flags come after the command: purveyor install -chdir=x -upgrade`,
		"-chdir x bundle verify b.tar": `purveyor: flags come after the command: purveyor bundle verify -chdir x b.tar`,
		"-chdir=$x mirror a/b@>1":      `purveyor: flags come after the command: purveyor mirror '-chdir=$x' 'a/b@>1'`,
		"bundle export -f=b.tar":       `purveyor bundle export: there is no flag -f`,
		"push -t=x":                    `purveyor push: there is no flag -t; did you mean -to?`,
		"-json":                        `purveyor: flags come after the command, and there is none before -json`,
		"install -platfrom=a_b":        `purveyor install: there is no flag -platfrom; did you mean -platform?`,
		"install -reg=x":               `purveyor install: there is no flag -reg; did you mean -registry?`,
		"install -xyz":                 `purveyor install: there is no flag -xyz`,
		"install -platform a_b,c_d":    `purveyor install: -platform: "a_b,c_d": for several platforms, repeat the flag`,
		"cache prune -older-than=soon": `purveyor cache prune: -older-than: "soon": a time is expected, like "30d" or "12h"`,
		"install a/b 3.1.0":            `a constraint follows an @: 'a/b@3.1.0'`,
		"install a/b ~>3.1":            `a constraint follows an @: 'a/b@~>3.1'`,
		"install a/b:3.1.0":            `a constraint follows an @: 'a/b@3.1.0'`,
		"install a/b =3.1.0":           `a constraint follows an @: 'a/b@=3.1.0'`,
		"serve -listen 18080 x":        `purveyor serve: -listen: "18080" is no address; write :18080, or localhost:18080`,
		"serve -metrics here x":        `purveyor serve: -metrics: "here" is no address; write :8080, or localhost:8080`,
	} {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			o := w.fails(t, strings.Fields(args), exitUsage, want+"\nTry: purveyor ")
			if strings.Count(o.err, "\n") != 2 || o.out != "" {
				t.Errorf("it says:\n%s%s", o.out, o.err)
			}
		})
	}
}

func TestQuoted(t *testing.T) {
	t.Parallel()
	got := strings.Join(quoted([]string{"-chdir=live/a", "a/b@~> 3", "it's", "", "漢字/b"}), " ")
	if want := `-chdir=live/a 'a/b@~> 3' 'it'\''s' '' 漢字/b`; got != want {
		t.Errorf("they are %s, want %s", got, want)
	}
}

func TestDistance(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"install", "install", 0}, {"instal", "install", 1},
		{"isntall", "install", 1}, {"verfiy", "verify", 1}, {"lock", "look", 1}, {"kitten", "sitting", 3}, {"abcd", "badc", 2},
	} {
		if got := distance(tt.a, tt.b); got != tt.want {
			t.Errorf("from %q to %q it is %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}

func FuzzDistance(f *testing.F) {
	f.Add("install", "instal")
	f.Fuzz(func(t *testing.T, a, b string) {
		if len(a) > 50 || len(b) > 50 {
			return
		}
		d := distance(a, b)
		if d != distance(b, a) || d > max(len(a), len(b)) || (d == 0) != (a == b) {
			t.Errorf("from %q to %q it is %d, back %d", a, b, d, distance(b, a))
		}
	})
}

func TestVersion(t *testing.T) {
	t.Parallel()
	w := newWorld(t, registrytest.Config{})
	for _, arg := range []string{"version", "--version", "-v"} {
		if o := w.must(t, arg); !strings.HasPrefix(o.out, "purveyor ") || !strings.Contains(o.out, "\ngo") {
			t.Errorf("%s says:\n%s", arg, o.out)
		}
	}
	got := versionLines(&debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}, Settings: []debug.BuildSetting{
		{Key: "vcs.revision", Value: "abc"}, {Key: "vcs.modified", Value: "true"},
	}})
	if !strings.HasPrefix(got, "purveyor v1.2.3\nrevision abc, modified\ngo") {
		t.Errorf("it is:\n%s", got)
	}
}

// TestHelpFits: terminals have 80 columns at least.
func TestHelpFits(t *testing.T) {
	t.Parallel()
	texts := []string{usage(), jsonHelp(), help([]string{"bundle"})}
	for _, c := range commands() {
		texts = append(texts, c.usage())
	}
	for _, text := range texts {
		for line := range strings.Lines(text) {
			if n := len([]rune(line)) - 1; n > helpWidth {
				t.Errorf("%d columns: %s", n, line)
			}
		}
	}
}
