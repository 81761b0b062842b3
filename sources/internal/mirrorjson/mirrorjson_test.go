package mirrorjson_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/internal/mirrorjson"
	"github.com/purveyor-dev/purveyor/sources/internal/remote"
)

var (
	rocket = sources.MustParseProvider("registry.example.com/acme/rocket")
	linux  = sources.Platform{OS: "linux", Arch: "amd64"}
	darwin = sources.Platform{OS: "darwin", Arch: "arm64"}
)

func TestHostNames(t *testing.T) {
	t.Parallel()
	for host, want := range map[string][]string{
		"registry.example.com":      {"registry.example.com"},
		"registry.example.com:8443": {"registry.example.com:8443"},
		"bücher.example.com":        {"xn--bcher-kva.example.com", "bücher.example.com"},
	} {
		if got := mirrorjson.HostNames(sources.MustParseHost(host)); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", host, got, want)
		}
	}
}

func TestListing(t *testing.T) {
	t.Parallel()
	index := mirrorjson.Index{Versions: map[string]json.RawMessage{"1.0": nil, "1.0.0": nil, "2.0.0-rc1": nil, "latest": nil}}
	var spellings remote.Spellings
	listing := index.Listing("the mirror", rocket, &spellings)
	if len(listing.Versions) != 2 || len(listing.Warnings) != 1 {
		t.Fatalf("listing is %+v; want 1.0.0 once, the candidate, and a warning about the third", listing)
	}
	if got := spellings.Of(rocket, sources.MustParseVersion("1.0.0")); got != "1.0" {
		t.Errorf("the spelling is %q", got)
	}
}

func TestClaims(t *testing.T) {
	t.Parallel()
	doc := mirrorjson.Version{Archives: map[string]*mirrorjson.Archive{
		linux.String():  {Hashes: []string{"test:linux"}},
		darwin.String(): {Hashes: []string{"test:darwin", "other:darwin"}},
		"windows_amd64": nil,
		"no platform":   {},
	}}
	if got := doc.Platforms(); !slices.Equal(got, []sources.Platform{darwin, linux, {OS: "windows", Arch: "amd64"}}) {
		t.Errorf("platforms are %v", got)
	}
	for others, want := range map[bool]int{false: 0, true: 2} {
		claims, err := doc.Claims(linux, others)
		if err != nil || len(claims.Others) != want || len(claims.Package) != 1 {
			t.Fatalf("claims are %+v, %v", claims, err)
		}
		if c := claims.Package[0]; c != (hashing.Claim{Hash: "test:linux", Authority: hashing.Reported, Platform: linux.String()}) {
			t.Errorf("the claim is %+v", c)
		}
	}
}

func TestHashesThatAreNone(t *testing.T) {
	t.Parallel()
	doc := mirrorjson.Version{Archives: map[string]*mirrorjson.Archive{linux.String(): {}, darwin.String(): {Hashes: []string{"none"}}}}
	if _, err := doc.Claims(linux, false); err != nil {
		t.Errorf("those of another platform matter: %v", err)
	}
	if _, err := doc.Claims(linux, true); err == nil {
		t.Error("those that are to be trusted do not matter")
	}
}

func FuzzDocuments(f *testing.F) {
	f.Add([]byte(`{"versions":{"1.0.0":{},"x":null}}`))
	f.Add([]byte(`{"archives":{"linux_amd64":{"url":"x.zip","hashes":["h1:x","zh:00"]},"darwin_arm64":null}}`))
	f.Add([]byte(`{"archives":[]}`))
	f.Fuzz(func(_ *testing.T, data []byte) {
		var index mirrorjson.Index
		if json.Unmarshal(data, &index) == nil {
			index.Listing("the mirror", rocket, new(remote.Spellings))
		}
		var doc mirrorjson.Version
		if json.Unmarshal(data, &doc) == nil {
			doc.Platforms()
			_, _ = doc.Claims(linux, true)
		}
	})
}
