package mirror_test

import (
	"context"
	"slices"
	"testing"

	"github.com/purveyor-dev/purveyor/installer/mirror"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// No document is asked for twice in one build.
func TestRequests(t *testing.T) {
	t.Parallel()
	f := setup(t, rockets("1.0.0", "1.1.0")...)
	for _, when := range []string{"empty", "complete"} {
		f.build(plan(want("", mirror.All), want("~> 1.0", 0)))
		seen := map[string]int{}
		for _, r := range f.srv.Requests() {
			seen[r.Method+" "+r.Path+"?"+r.Query]++
		}
		for request, n := range seen {
			if n > 1 {
				t.Errorf("%s: %d times %s", when, n, request)
			}
		}
		// The list of versions; of each version the checksums, the signature, and the documents about four packages.
		if n := f.srv.Count("") - f.srv.Count(registrytest.KindArchive); n != 1+2*(1+1+4) {
			t.Errorf("%s: %d requests for documents", when, n)
		}
		f.srv.ResetRequests()
	}
}

// repeating is a source that lists every version twice, as one that lists "1.0" and "1.0.0" may.
type repeating struct{ sources.Source }

func (r repeating) Versions(ctx context.Context, p sources.Provider) (sources.Listing, error) {
	listing, err := r.Source.Versions(ctx, p)
	listing.Versions = append(listing.Versions, slices.Clone(listing.Versions)...)
	return listing, err
}

func TestVersionsListedTwiceCountOnce(t *testing.T) {
	t.Parallel()
	f := setup(t, rockets("1.0.0", "1.1.0", "1.2.0")...)
	b := f.again()
	b.Installer.Source = repeating{b.Installer.Source}
	report, err := b.Build(t.Context(), plan(want("", 2)))
	if err != nil || len(report.Releases) != 2 {
		t.Errorf("the report is %v, %v", summary(report), err)
	}
}
