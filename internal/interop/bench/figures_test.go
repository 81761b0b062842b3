package main

import (
	"strings"
	"testing"
	"time"
)

func TestMedianIsTakenOfEachFigure(t *testing.T) {
	t.Parallel()
	got := median([]sample{
		{wall: 3 * time.Second, cpu: time.Second, rss: 7, requests: 5},
		{wall: time.Second, cpu: 2 * time.Second, rss: 9, requests: 5},
		{wall: 2 * time.Second, cpu: 9 * time.Second, rss: 8, requests: 1},
	})
	want := sample{wall: 2 * time.Second, cpu: 2 * time.Second, rss: 8, requests: 5}
	if got != want {
		t.Errorf("got %+v", got)
	}
	if got := median(nil); got != (sample{}) {
		t.Errorf("of nothing: %+v", got)
	}
}

func TestTable(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	(&table{"cold", []row{
		{"terraform", sample{wall: 4 * time.Second, cpu: 5 * time.Second, rss: 80e6}},
		{"purveyor", sample{wall: time.Second, cpu: 4 * time.Second, rss: 20e6, requests: 3}},
	}}).print(&out)
	const want = `
                  cold  wall s  CPU s  peak MB  requests
             terraform    4.00   5.00       80         0
              purveyor    1.00   4.00       20         3
  purveyor / terraform    0.25   0.80     0.25         -
`
	if out.String() != want {
		t.Errorf("got:\n%s", &out)
	}
}

func TestFlags(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]benchmark{
		"":                          {count: 8, size: 100, runs: 5},
		"-memory":                   {count: 1, size: 600, runs: 1, memory: true},
		"-warm -count 2 -size 3":    {count: 2, size: 3, runs: 5, warm: true},
		"-memory -size 30 -runs 50": {count: 1, size: 30, runs: 50, memory: true},
	} {
		var got benchmark
		if err := got.parse(strings.Fields(args)); err != nil || got != want {
			t.Errorf("%s: %+v, %v", args, got, err)
		}
	}
	for _, args := range []string{"-runs -1", "-size x", "-count 0.5", "unexpected"} {
		if err := new(benchmark).parse(strings.Fields(args)); err == nil {
			t.Errorf("%s is accepted", args)
		}
	}
}
