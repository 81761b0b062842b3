package main

import (
	"bytes"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestBarsFit(t *testing.T) {
	t.Parallel()
	b := bar{name: "registry.example.com/acme/rocket 1.2.3", phase: "downloading", current: 62_600_000, total: 419_400_000, elapsed: 10 * time.Second}
	width := len(b.name)
	for columns, want := range map[int]string{
		120: "registry.example.com/acme/rocket 1.2.3 downloading [====>-----------------------------]  62.6 MB / 419.4 MB   6.3 MB/s",
		80:  "registr..me/rocket 1.2.3 downloading [>-------]  62.6 MB / 419.4 MB   6.3 MB/s",
		60:  "registry..acme/rocket 1.2.3 [>-------]  62.6 MB / 419.4 MB",
		45:  "registr..e/rocket 1.2.3  62.6 MB / 419.4 MB",
		10:  "regist..",
	} {
		if got := b.line(columns, width); got != want {
			t.Errorf("in %d columns it is\n%q, want\n%q", columns, got, want)
		}
	}
	b.total, b.phase = 0, "unpacking"
	if got, want := b.line(80, 10), "registry.."; strings.HasPrefix(got, want) || !strings.Contains(got, "[------") || !strings.Contains(got, "62.6 MB ") {
		t.Errorf("of an unknown size it is %q", got)
	}
}

func FuzzBar(f *testing.F) {
	f.Add("registry.example.com/acme/rocket 1.2.3", 80, int64(5), int64(10))
	f.Add("é/ü 1", 20, int64(20), int64(10))
	f.Add("0", 80, int64(-53), int64(10))
	f.Fuzz(func(t *testing.T, name string, columns int, current, total int64) {
		if columns < 0 || columns > 1000 || len(name) > 300 {
			return
		}
		b := bar{name: name, phase: "unpacking", current: current, total: total, elapsed: time.Second}
		if line := b.line(columns, utf8.RuneCountInString(name)); utf8.RuneCountInString(line) > max(0, columns-terminalEdge) {
			t.Errorf("in %d columns it is %q", columns, line)
		}
	})
}

func TestTheTableFits(t *testing.T) {
	t.Parallel()
	packages := []record{
		{Provider: "registry.example.com/acme/rocket", Version: "1.2.3", Bytes: 139_200_000, Location: "https://example.com/r.zip", Seconds: 2.5,
			Authority: "signed", Locked: true, Key: strings.Repeat("AB", 20), Signer: "Acme Corporation's releases <security@acme.example.com>"},
		{Provider: "registry.opentofu.org/hashicorp/alpha", Version: "3.1.0", Authority: "reported"},
	}
	const below = "    as locked, signed by Acme Corporation's releases"
	for _, columns := range []int{0, 200, 100, 80, 60} {
		var out bytes.Buffer
		writeTable(&out, packages, columns)
		text := out.String()
		if wide := columns == 0 || columns == 200; wide != strings.Contains(text, "VERIFIED") || wide == strings.Contains(text, below) {
			t.Errorf("in %d columns it is\n%s", columns, text)
		}
		for line := range strings.Lines(text) {
			if n := utf8.RuneCountInString(line) - 1; columns > 0 && n > columns {
				t.Errorf("in %d columns, a line has %d: %s", columns, n, line)
			}
		}
		for _, word := range []string{"rocket", "hashicorp/alpha", "139.2 MB", "ABABABABABABABAB", "not signed"} {
			if !strings.Contains(text, word) {
				t.Errorf("in %d columns, nothing about %q:\n%s", columns, word, text)
			}
		}
	}
}
