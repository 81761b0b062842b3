package main

import (
	"bytes"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/sources"
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

// TestBarsOfWideCharacters: there are such in addresses, and each takes two columns.
func TestBarsOfWideCharacters(t *testing.T) {
	t.Parallel()
	p, err := sources.ParseProvider("漢字漢字漢字漢字/漢字漢字漢字漢字漢字")
	if err != nil {
		t.Fatal(err)
	}
	b := bar{name: shortAddress(record{Provider: p.String()}) + " 1.0.0", phase: "downloading", current: 1_900_000_000, total: 2_419_400_000, elapsed: time.Second}
	const want = "漢字漢..字漢字漢字 1.0.0 downloading [=====>--]   1.9 GB /   2.4 GB   1.9 GB/s"
	if got := b.line(80, textWidth(b.name)); got != want {
		t.Errorf("it is\n%q, want\n%q", got, want)
	}
	if got := b.line(200, textWidth(b.name)); textWidth(got) != 200-terminalEdge {
		t.Errorf("of 200 columns it takes %d: %q", textWidth(got), got)
	}
}

func TestSize(t *testing.T) {
	t.Parallel()
	for bytes, want := range map[int64]string{
		-1: "", 0: "", 1: "0.0 kB", 999_949: "999.9 kB", 999_950: "1.0 MB", 419_400_000: "419.4 MB", 999_949_999: "999.9 MB",
		999_950_000: "1.0 GB", 1_900_000_000: "1.9 GB", 2e12: "2.0 TB", math.MaxInt64: "9.2 EB",
	} {
		if got := size(bytes); got != want {
			t.Errorf("%d bytes are %q, want %q", bytes, got, want)
		}
	}
}

func FuzzBar(f *testing.F) {
	f.Add("registry.example.com/acme/rocket 1.2.3", 80, int64(5), int64(10))
	f.Add("é/ü 1", 20, int64(20), int64(10))
	f.Add("漢字漢字漢字漢字/漢字漢字漢字漢字漢字 1.0.0", 80, int64(20), int64(10))
	f.Add("acme/rocket 1.0.0", 80, int64(1_900_000_000), int64(2_419_400_000))
	f.Add("0", 80, int64(-53), int64(10))
	f.Fuzz(func(t *testing.T, name string, columns int, current, total int64) {
		if columns < 0 || columns > 1000 || len(name) > 300 {
			return
		}
		b := bar{name: name, phase: "unpacking", current: current, total: total, elapsed: time.Second}
		if line := b.line(columns, textWidth(name)); textWidth(line) > max(0, columns-terminalEdge) {
			t.Errorf("in %d columns it takes %d: %q", columns, textWidth(line), line)
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
			if n := textWidth(strings.TrimSuffix(line, "\n")); columns > 0 && n > columns {
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

// TestTheTableShortensPaths, from which packages come that a directory has.
func TestTheTableShortensPaths(t *testing.T) {
	t.Parallel()
	for _, provider := range []string{"registry.example.com/acme/rocket", "acme/rocket", "漢字漢字漢字漢字漢字漢字/漢字漢字漢字漢字rocket"} {
		var out bytes.Buffer
		writeTable(&out, []record{{Provider: provider, Version: "1.2.3", Authority: "reported",
			Location: "/home/somebody/with/a/long/path/to/registry.example.com/acme/rocket/terraform-provider-rocket_1.2.3_linux_amd64.zip"}}, 80)
		for line := range strings.Lines(out.String()) {
			if n := textWidth(strings.TrimSuffix(line, "\n")); n > 80 {
				t.Errorf("a line has %d columns: %s", n, line)
			}
		}
		for _, word := range []string{"rocket ", "/home/so", "amd64.zip ", "as its source reports"} {
			if !strings.Contains(out.String(), word) {
				t.Errorf("nothing about %q:\n%s", word, out.String())
			}
		}
	}
}
