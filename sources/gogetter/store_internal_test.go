package gogetter

import (
	"net/url"
	"strings"
	"testing"
)

// FuzzResolve: whatever a document says, nothing but a path below the mirror is asked for.
func FuzzResolve(f *testing.F) {
	for _, reference := range []string{
		"x.zip", "../x.zip", "../../../../x.zip", "/x.zip", "//host/x.zip", "https://host/x.zip", "%2e%2e/%2e%2e/%2e%2e/%2e%2e/x", "a/../..", "", "?", "#", "x?y", "a\\..\\b", ".",
	} {
		f.Add(reference)
	}
	f.Fuzz(func(t *testing.T, reference string) {
		a, err := parseAddress("s3::https://store.example.com/bucket/mirror?region=x", false)
		if err != nil {
			t.Fatal(err)
		}
		u, err := (&store{address: a}).resolve(&url.URL{Path: "/bucket/mirror/host/acme/rocket/1.0.0.json"}, reference)
		if err != nil {
			return
		}
		if u.Host != "store.example.com" || u.RawQuery != "region=x" || !strings.HasPrefix(u.Path, "/bucket/mirror/") || strings.Contains(u.Path, "/../") {
			t.Errorf("%q leads to %s", reference, u)
		}
	})
}
