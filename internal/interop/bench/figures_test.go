package main

import (
	"strconv"
	"strings"
	"testing"
)

func TestMedianIsTakenOfEachFigure(t *testing.T) {
	t.Parallel()
	got := median([]sample{
		{wall: 3, cpu: 1, memory: 7, requests: 5},
		{wall: 1, cpu: 2, memory: 9, requests: 5},
		{wall: 2, cpu: 9, memory: 8, requests: 1},
	})
	if want := (sample{wall: 2, cpu: 2, memory: 8, requests: 5}); got != want {
		t.Errorf("got %+v", got)
	}
	if got := median(nil); got != (sample{}) {
		t.Errorf("of nothing: %+v", got)
	}
}

func TestTable(t *testing.T) {
	t.Parallel()
	table := table{title: "link", rows: []row{
		{"terraform", sample{wall: 4, cpu: 5, system: 2, memory: 80, connections: 2}},
		{"slow", sample{wall: 2, cpu: 6, system: 1, memory: 70, connections: 1}},
		{"purveyor", sample{wall: 1, cpu: 4, system: 1, memory: 20, requests: 3}},
	}}
	table.compare(goal{of: "purveyor", against: []string{"terraform"}, limits: limits{wall: 0.25, cpu: 0.5, requests: 0}})
	table.compare(goal{of: "purveyor", against: []string{"terraform", "slow"}})
	table.compare(goal{of: "purveyor", limits: limits{requests: 0, read: 0}})
	table.compare(goal{of: "purveyor", against: []string{"absent"}, limits: limits{wall: 1}})
	table.compare(goal{of: "absent", limits: limits{wall: 1}})
	var out strings.Builder
	table.print(&out)
	const want = `
                             link    wall s    CPU s  system s  peak MB  requests  connections  read MB
                        terraform      4.00     5.00      2.00       80         0            2      0.0
                             slow      2.00     6.00      1.00       70         0            1      0.0
                         purveyor      1.00     4.00      1.00       20         3            0      0.0
             purveyor / terraform      0.25     0.80      0.50     0.25         -         0.00        -
                           target  ≤ 0.25 ✓  ≤ 0.5 ✗                                                   
  purveyor / max(terraform, slow)      0.25     0.67      0.50     0.25         -         0.00        -
               target of purveyor                                           ≤ 0 ✗                 ≤ 0 ✓

`
	if out.String() != want {
		t.Errorf("got:\n%s\nwant:\n%s", &out, want)
	}
}

func TestFlags(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"":                                   "registry 8 × 100 MB 5",
		"-warm":                              "registry 8 × 100 MB 5; again 8 × 100 MB 5",
		"-scenario many,crowd":               "many 100 × 1 MB, round trips of 30ms 3; crowd 500 × 0.05 MB, round trips of 30ms, HTTP/1.1 1",
		"-scenario memory -count 2 -size 3":  "memory 2 × 3 MB and 2 × 3 MB 1",
		"-scenario paced -runs 50 -size 200": "paced 1 × 200 MB, 50 MB/s for each connection 50",
	} {
		chosen, err := parse(strings.Fields(args), scenarios("self"))
		if got := describe(chosen); got != want || err != nil {
			t.Errorf("%s: %s, %v; want %s", args, got, err, want)
		}
	}
	if all, err := parse([]string{"-scenario", "all"}, scenarios("self")); len(all) != len(scenarios("self")) || err != nil {
		t.Errorf("all: %s, %v", describe(all), err)
	}
	for _, args := range []string{"-runs -1", "-size x", "-count 0.5", "-scenario none", "unexpected"} {
		if _, err := parse(strings.Fields(args), scenarios("self")); err == nil {
			t.Errorf("%s is accepted", args)
		}
	}
}

// describe makes a text of what scenarios do.
func describe(chosen []*scenario) string {
	var texts []string
	for _, s := range chosen {
		texts = append(texts, strings.Join([]string{s.name, s.offer.String(), strconv.Itoa(s.runs)}, " "))
	}
	return strings.Join(texts, "; ")
}

// TestGoalsAreAboutEntrants guards against names that no row has.
func TestGoalsAreAboutEntrants(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, s := range scenarios("self") {
		if seen[s.name] || s.name == every || strings.Contains(s.name, ",") {
			t.Errorf("the name %q cannot be asked for", s.name)
		}
		seen[s.name] = true
		names := map[string]bool{terraform: true} // on PATH or not
		for _, e := range s.entrants {
			names[e.name] = true
		}
		for _, g := range s.goals {
			for _, name := range append(g.against, g.of) {
				if !names[name] {
					t.Errorf("%s: nobody is called %q", s.name, name)
				}
			}
		}
	}
}
