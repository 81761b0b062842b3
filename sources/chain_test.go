package sources_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/purveyor-dev/purveyor/sources"
)

var _ sources.Source = (*shelf)(nil)

func TestChainListsTheUnion(t *testing.T) {
	t.Parallel()
	a := holds("a", "1.0.0 linux_amd64", "2.0.0 linux_amd64")
	b := holds("b", "1.0.0 darwin_arm64 linux_amd64", "2.0.0", "3.0.0")
	b.listing["acme/rocket"].Versions[2].Protocols = []sources.Protocol{{Major: 6}}
	c := holds("c")
	delete(c.listing, "acme/rocket")
	a.listing["acme/rocket"] = sources.Listing{Versions: a.listing["acme/rocket"].Versions, Warnings: []string{"a is old"}}
	spare := append(make([]sources.Platform, 0, 2), linux) // appending to it would not show in its length
	a.listing["acme/rocket"].Versions[0].Platforms = spare
	got, err := chain(a, b, c).Versions(t.Context(), rocket)
	if err != nil {
		t.Fatal(err)
	}
	want := sources.Listing{
		Versions: []sources.Available{
			{Version: v1, Platforms: []sources.Platform{linux, darwin}, From: []string{"a", "b"}},
			{Version: sources.MustParseVersion("2.0.0"), From: []string{"a", "b"}}, // b does not say for which platforms
			{Version: sources.MustParseVersion("3.0.0"), Protocols: []sources.Protocol{{Major: 6}}, From: []string{"b"}},
		},
		Warnings: []string{"a is old"},
	}
	got.Asked = nil // has a test of its own
	if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b sources.Version) bool { return a == b })); diff != "" {
		t.Error(diff)
	}
	if before := a.listing["acme/rocket"].Versions[0]; spare[:2][1] != (sources.Platform{}) || before.From != nil {
		t.Errorf("the chain changed its source's answer: %+v", before)
	}
}

func TestChainTakesThePackageOfTheFirstSourceThatHasIt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		chain sources.Chain
		want  string
	}{
		{"both", chain(holds("a", "1.0.0"), holds("b", "1.0.0")), "a"},
		{"absent version", chain(holds("a", "2.0.0"), holds("b", "1.0.0")), "b"},
		{"absent platform", chain(holds("a", "1.0.0 darwin_arm64"), holds("b", "1.0.0")), "b"},
		{"absent provider", chain(holds("a"), holds("b", "1.0.0")), "b"},
		{"first one fails later ones do not matter", chain(holds("a", "1.0.0"), fails("b", errDown)), "a"},
		{"outage passed over", sources.Chain{passing(fails("a", errDown)), {Source: holds("b", "1.0.0")}}, "b"},
		{"chain in a chain", chain(chain(holds("a")), chain(holds("b", "1.0.0"))), "b"},
	} {
		pkg, err := c.chain.Package(t.Context(), rocket, v1, linux)
		if err != nil || pkg.Location != c.want {
			t.Errorf("%s: package = %+v, %v; want that of %s", c.name, pkg, err, c.want)
		}
	}
}

func TestSourcesAreAskedSideBySide(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var list []sources.Source
		for _, name := range []string{"a", "b", "c"} {
			s := holds(name, "1.0.0")
			s.delay = time.Second
			list = append(list, s)
		}
		begun := time.Now()
		if _, err := chain(list...).Versions(t.Context(), rocket); err != nil {
			t.Error(err)
		}
		if waited := time.Since(begun); waited != time.Second {
			t.Errorf("three sources of a second each took %v", waited)
		}
	})
}

func TestRuleMatches(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		include, exclude []string
		want             bool
	}{
		{nil, nil, true},
		{[]string{"acme/*"}, nil, true},
		{[]string{"hashicorp/*", "acme/rocket"}, nil, true},
		{[]string{"hashicorp/*"}, nil, false},
		{nil, []string{"acme/*"}, false},
		{nil, []string{"hashicorp/*"}, true},
		{[]string{"acme/rocket"}, []string{"*/*/*"}, false}, // exclude beats include
		{[]string{"registry.example.com/*/*"}, nil, false},
	} {
		rule := sources.Rule{Source: holds("a", "1.0.0"), Include: patterns(c.include...), Exclude: patterns(c.exclude...)}
		if got := rule.Matches(rocket); got != c.want {
			t.Errorf("include %q, exclude %q: %v, want %v", c.include, c.exclude, got, c.want)
		}
		_, err := sources.Chain{rule}.Package(t.Context(), rocket, v1, linux)
		if (err == nil) != c.want {
			t.Errorf("include %q, exclude %q: error = %v", c.include, c.exclude, err)
		}
	}
}

func TestRulesThatDoNotMatchAreNotAsked(t *testing.T) {
	t.Parallel()
	c := sources.Chain{
		{Source: fails("a", errRefused), Exclude: patterns("acme/*")},
		{Source: holds("b", "1.0.0")},
	}
	if listing, err := c.Versions(t.Context(), rocket); err != nil || !slices.Equal(listing.Versions[0].From, []string{"b"}) {
		t.Errorf("listing = %v, %v", listing, err)
	}
}

func TestLongListingsAreMergedInNoTime(t *testing.T) {
	t.Parallel()
	const count = 100_000
	var versions []sources.Available
	for i := range count {
		versions = append(versions, sources.Available{Version: sources.MustParseVersion(fmt.Sprintf("1.0.%d", i))})
	}
	long := &shelf{name: "long", listing: map[string]sources.Listing{"acme/rocket": {Versions: versions}}}
	begun := time.Now()
	listing, err := chain(long, long).Versions(t.Context(), rocket)
	if err != nil || len(listing.Versions) != count {
		t.Errorf("%d versions, %v", len(listing.Versions), err)
	}
	if took := time.Since(begun); took > 20*time.Second { // comparing each with each takes minutes
		t.Errorf("took %v", took)
	}
}

func TestChainName(t *testing.T) {
	t.Parallel()
	if got, want := chain(&shelf{name: "a"}, &shelf{name: "b"}).String(), "chain of a, b"; got != want {
		t.Errorf("String() = %q, want %q", got, want)
	}
}

// A mirror in the office comes first, for everything but the office's own providers.
func ExampleChain() {
	own, _ := sources.ParsePattern("registry.example.com/acme/*")
	c := sources.Chain{
		{Source: holds("office mirror", "1.0.0", "1.1.0"), Exclude: []sources.Pattern{own}},
		{Source: holds("the origin registry", "1.1.0", "1.2.0")},
	}
	listing, err := c.Versions(context.Background(), rocket)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, a := range listing.Versions {
		fmt.Println(a.Version, "from", a.From)
	}
	pkg, err := c.Package(context.Background(), rocket, sources.MustParseVersion("1.1.0"), linux)
	fmt.Println(pkg.Location, err)
	// Output:
	// 1.0.0 from [office mirror]
	// 1.1.0 from [office mirror the origin registry]
	// 1.2.0 from [the origin registry]
	// office mirror <nil>
}
