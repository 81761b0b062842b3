package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestMain makes the test binary the process that serves.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == asMirror {
		if err := run(context.Background(), os.Args[1:], os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// TestEverythingIsMeasured has so little to do that the figures say nothing.
func TestEverythingIsMeasured(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := run(t.Context(), []string{"-runs", "1", "-size", "1", "-clients", "2", "-duration", "20ms"}, &out); err != nil {
		t.Fatal(err)
	}
	t.Log(out.String())
	if got := strings.Count(out.String(), "  handler "); got != 2 && got != 4 {
		t.Errorf("there are %d figures", got)
	}
	if strings.Contains(out.String(), "not compared") {
		t.Skip("not tested: there is no nginx")
	}
	if got := strings.Count(out.String(), "handler ÷ nginx"); got != 2 {
		t.Errorf("there are %d ratios", got)
	}
}
