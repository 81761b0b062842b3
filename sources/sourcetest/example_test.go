package sourcetest_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/sourcetest"
)

// forgetful is a source whose list of versions is always empty.
type forgetful struct{ sources.Source }

func (forgetful) Versions(ctx context.Context, _ sources.Provider) (sources.Listing, error) {
	return sources.Listing{}, ctx.Err()
}

// In a test, the error is reported with t.Error. Here it tells which rules a bad source breaks.
func ExampleTestSource() {
	fmt.Println(sourcetest.TestSource(context.Background(), shelf{}, fixture()))

	err := sourcetest.TestSource(context.Background(), forgetful{shelf{}}, fixture())
	fmt.Println(err)
	var failure *sourcetest.Failure
	fmt.Println(errors.As(err, &failure) && failure.Rule == sourcetest.RuleListing)
	// Output:
	// <nil>
	// Versions lists the versions, each once: registry.example.com/acme/rocket: 1.0.0 is not listed
	// an absent provider is ErrNotFound: registry.example.com/acme/rocket 1.0.0 for linux_amd64: Versions: no error
	// true
}
