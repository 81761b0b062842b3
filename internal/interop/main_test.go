package interop_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/purveyor-dev/purveyor/internal/interop/client"
)

// childVariable makes the test binary the program that client.Main is, for tests that need a process of it.
const childVariable = "PURVEYOR_INTEROP_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) == "" {
		os.Exit(m.Run())
	}
	if err := client.Main(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
