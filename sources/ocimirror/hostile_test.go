package ocimirror_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/ocimirror"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

type edit = func([]byte) []byte

var (
	set    = registrytest.SetJSON
	remove = registrytest.DeleteJSON
	edits  = registrytest.Edits
)

const zeros = "0000000000000000000000000000000000000000000000000000000000000000"

// flawed describes a package of an artifact with one flaw.
func flawed(t *testing.T, f registrytest.Fault) (*sources.Package, error) {
	t.Helper()
	s := start(t, registrytest.Config{})
	fault(t, s, f)
	return describe(t, connect(t, s))
}

// mustBeMalformed checks the error of an artifact that is not to be used.
func mustBeMalformed(t *testing.T, name string, err error, says string) {
	t.Helper()
	var artifact *ocimirror.ArtifactError
	if !errors.As(err, &artifact) || !errors.Is(err, sources.ErrMalformed) || errors.Is(err, sources.ErrNotFound) {
		t.Errorf("%s: %v", name, err)
		return
	}
	if !strings.Contains(err.Error(), says) || !strings.Contains(artifact.Artifact, repositoryOf) {
		t.Errorf("%s: %v, want %q", name, err, says)
	}
}

// without keeps the first entry of an index.
var alone = remove("/manifests/1")

func TestIndexesThatAreNot(t *testing.T) {
	t.Parallel()
	const entry = "/manifests/0"
	for name, test := range map[string]struct {
		edit edit
		says string
	}{
		"not JSON":                  {func([]byte) []byte { return []byte("{") }, "not the JSON of a manifest"},
		"an array":                  {func([]byte) []byte { return []byte("[]") }, "not the JSON of a manifest"},
		"null":                      {func([]byte) []byte { return []byte("null") }, "an index without an artifact type"},
		"no media type":             {remove("/mediaType"), "does not say its media type"},
		"another media type":        {set("/mediaType", "text/plain"), `the document says "text/plain"`},
		"no artifact type":          {remove("/artifactType"), "such as container images have"},
		"a module":                  {set("/artifactType", "application/vnd.opentofu.modulepkg"), "this is a module package"},
		"a package":                 {set("/artifactType", ocimirror.ArtifactTypePackage), "a provider's package for one platform"},
		"something else":            {set("/artifactType", "application/x\n"), `an artifact of type "application/x\n"`},
		"no entries":                {set("/manifests", []any{}), "no packages of a provider"},
		"null entries":              {set("/manifests", nil), "no packages of a provider"},
		"a null entry":              {set(entry, nil), "manifests[0] is null"},
		"entries that are none":     {set("/manifests", "x"), "not the JSON of a manifest"},
		"too many entries":          {set("/manifests", make([]struct{}, ocimirror.MaxEntries+1)), "more than 1000 elements"},
		"all of another type":       {edits(alone, set(entry+"/artifactType", "x")), "no packages of a provider"},
		"an entry of another media": {set(entry+"/mediaType", "application/vnd.oci.image.index.v1+json"), "manifests[0] has the media type"},
		"no platform":               {remove(entry + "/platform"), "manifests[0] has no platform"},
		"a null platform":           {set(entry+"/platform", nil), "manifests[0] has no platform"},
		"a platform of a kind":      {set(entry+"/platform", "linux"), "not the JSON of a manifest"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := flawed(t, registrytest.Fault{EditIndex: test.edit})
			mustBeMalformed(t, name, err, test.says)
		})
	}
}

// brokenDescriptors are members of descriptors that must not be used, or make anything worse.
var brokenDescriptors = map[string]map[string]any{
	"no digest":         {"digest": ""},
	"a null digest":     {"digest": nil},
	"no colon":          {"digest": "sha256"},
	"no value":          {"digest": "sha256:"},
	"a short value":     {"digest": "sha256:00"},
	"upper case":        {"digest": "sha256:" + strings.Repeat("A", 64)},
	"no algorithm":      {"digest": ":" + zeros},
	"another algorithm": {"digest": "md5:d41d8cd98f00b204e9800998ecf8427e"},
	"unknown algorithm": {"digest": "sha257+b64u:AAAA"},
	"a path":            {"digest": "sha256:../../../../etc/passwd"},
	"a long digest":     {"digest": strings.Repeat("sha256:", 10_000)},
	"negative size":     {"size": -1},
}

func TestEntriesThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	for name, members := range brokenDescriptors {
		all := []edit{alone, set("/manifests/0/platform", map[string]string{"os": "linux", "architecture": "amd64"})}
		for member, value := range members {
			all = append(all, set("/manifests/0/"+member, value))
		}
		_, err := flawed(t, registrytest.Fault{EditIndex: edits(all...)})
		mustBeMalformed(t, name, err, "")
		if err != nil && len(err.Error()) > 2000 {
			t.Errorf("%s: an error of %d bytes", name, len(err.Error()))
		}
	}
	for name, size := range map[string]any{"huge": int64(1) << 62, "beyond": json.RawMessage("1e400"), "a fraction": 1.5, "wrong": 7} {
		_, err := flawed(t, registrytest.Fault{EditIndex: edits(set("/manifests/0/size", size), set("/manifests/1/size", size))})
		if err == nil || errors.Is(err, sources.ErrNotFound) {
			t.Errorf("%s size: %v", name, err)
		}
	}
}

// What is wrong with the package for another platform, or with entries that are no packages, does not matter.
func TestOthersFlaws(t *testing.T) {
	t.Parallel()
	other := map[string]any{"artifactType": "x", "digest": "nonsense", "size": -5, "mediaType": "y"}
	for name, edit := range map[string]edit{
		"digest of another platform": set("/manifests/1/digest", "nonsense"),
		"another type":               set("/manifests/-", other),
		"annotations":                set("/annotations", map[string]string{"a": "b"}),
		"schema version":             set("/schemaVersion", 7),
		"unknown members":            set("/unknown", []any{1}),
	} {
		if _, err := flawed(t, registrytest.Fault{EditIndex: edit}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestVariantsOfAPlatform(t *testing.T) {
	t.Parallel()
	variant := func(v string) edit {
		platform := map[string]any{"os": "linux", "architecture": "amd64", "variant": v, "os.features": []string{"x\x1b"}}
		return edits(set("/manifests/-", map[string]any{
			"mediaType": "application/vnd.oci.image.manifest.v1+json", "artifactType": ocimirror.ArtifactTypePackage,
			"digest": "sha256:" + zeros, "size": 2, "platform": platform,
		}))
	}
	_, err := flawed(t, registrytest.Fault{EditIndex: variant("v3")})
	var ambiguous *ocimirror.AmbiguousError
	if !errors.As(err, &ambiguous) || !errors.Is(err, sources.ErrMalformed) || ambiguous.Platform != linux || len(ambiguous.Variants) != 2 ||
		ambiguous.Variants[1] != "linux/amd64/v3/x (sha256:"+zeros+")" {
		t.Errorf("error is %v (%+v)", err, ambiguous)
	}
	if !strings.Contains(err.Error(), "linux/amd64/v3") {
		t.Errorf("the error does not name the variants: %v", err)
	}
}

// One entry with a variant is the package: providers have no other platforms.
func TestASingleVariantIsThePackage(t *testing.T) {
	t.Parallel()
	if _, err := flawed(t, registrytest.Fault{EditIndex: set("/manifests/0/platform/variant", "v3")}); err != nil {
		t.Error(err)
	}
	_, err := flawed(t, registrytest.Fault{EditIndex: set("/manifests/0/platform/os.version", "10.0")})
	var platform *sources.PlatformError
	if !errors.As(err, &platform) || len(platform.Available) != 1 {
		t.Errorf("a version of a system is the system: %v", err)
	}
}

func TestPackagesThatAreNot(t *testing.T) {
	t.Parallel()
	const layer = "/layers/0"
	for name, test := range map[string]struct {
		edit edit
		says string
	}{
		"not JSON":         {func([]byte) []byte { return []byte("x") }, "not the JSON of a manifest"},
		"null":             {func([]byte) []byte { return []byte("null") }, "a document of media type"},
		"no media type":    {remove("/mediaType"), "does not say its media type"},
		"no artifact type": {remove("/artifactType"), `an artifact of type "application/vnd.oci.empty.v1+json"`},
		"an image": {edits(remove("/artifactType"), set("/config/mediaType", "application/vnd.oci.image.config.v1+json")),
			"this is a container image"},
		"no layers":         {set("/layers", []any{}), "this one has 0"},
		"null layers":       {set("/layers", nil), "this one has 0"},
		"a null layer":      {set("/layers", []any{nil}), "this one has 0"},
		"no archive":        {set(layer+"/mediaType", "application/zip"), "this one has 0"},
		"too many layers":   {set("/layers", make([]struct{}, ocimirror.MaxEntries+1)), "more than 1000 elements"},
		"layers of a kind":  {set("/layers", "x"), "not the JSON of a manifest"},
		"two archives":      {registrytest.CopyJSON(layer, "/layers/-"), "this one has 2"},
		"another platform":  {set(layer+"/platform", map[string]string{"os": "windows", "architecture": "amd64"}), `is for "windows_amd64"`},
		"another algorithm": {set(layer+"/digest", "sha512:"+zeros+zeros), "must be a sha256"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := flawed(t, registrytest.Fault{EditImage: test.edit})
			mustBeMalformed(t, name, err, test.says)
		})
	}
	for name, members := range brokenDescriptors {
		for member, value := range members {
			_, err := flawed(t, registrytest.Fault{EditImage: set(layer+"/"+member, value)})
			mustBeMalformed(t, name, err, "")
		}
	}
}

func TestOtherLayersDoNotMatter(t *testing.T) {
	t.Parallel()
	other := map[string]any{"mediaType": "text/plain", "digest": "nonsense", "size": -5}
	for name, edit := range map[string]edit{
		"before":   edits(registrytest.CopyJSON("/layers/0", "/layers/-"), set("/layers/0", other)),
		"after":    set("/layers/-", other),
		"null":     set("/layers/-", nil),
		"platform": set("/layers/0/platform", map[string]string{"os": "linux", "architecture": "amd64"}),
		"config":   set("/config", nil),
	} {
		s := start(t, registrytest.Config{Releases: []registrytest.Release{{
			Provider: "registry.example.com/acme/rocket", Version: "1.0.0", Platforms: []string{linux.String()},
		}}})
		fault(t, s, registrytest.Fault{EditImage: edit})
		if err := install(t, connect(t, s)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// byDigest is a fault of the documents that are asked for by digest.
func byDigest(f registrytest.Fault) registrytest.Fault {
	f.Kind, f.Path = registrytest.KindOCIManifest, "sha256:*"
	return f
}

func TestManifestsThatAreNotWhatTheIndexSays(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fault registrytest.Fault
		want  error
		says  string
	}{
		"another document":   {registrytest.Fault{WrongHash: true}, sources.ErrMalformed, "another document than the one with this digest"},
		"cut short":          {registrytest.Fault{TruncateAt: 100}, sources.ErrMalformed, "another document"},
		"empty":              {registrytest.Fault{Body: []byte{}, ContentType: "application/vnd.oci.image.manifest.v1+json"}, sources.ErrMalformed, "another document"},
		"longer":             {registrytest.Fault{Edit: func(b []byte) []byte { return append(b, ' ') }}, sources.ErrTooLarge, "more than"},
		"giant":              {registrytest.Fault{Edit: func([]byte) []byte { return make([]byte, 8<<20) }}, sources.ErrTooLarge, "more than"},
		"another media type": {registrytest.Fault{ContentType: "text/html"}, sources.ErrMalformed, `media type "text/html"`},
		"gone":               {registrytest.Fault{Status: 404}, sources.ErrMalformed, "does not have this manifest"},
		"failing":            {registrytest.Fault{Status: 500}, sources.ErrUnavailable, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := flawed(t, byDigest(test.fault))
			if !errors.Is(err, test.want) || errors.Is(err, sources.ErrNotFound) || !strings.Contains(err.Error(), test.says) {
				t.Errorf("error is %v", err)
			}
		})
	}
}

// A digest in a header is nothing that counts: the bytes do.
func TestHeadersDoNotCount(t *testing.T) {
	t.Parallel()
	for _, value := range []string{"", "nonsense", "md5:00", "sha256:" + zeros} {
		if _, err := flawed(t, registrytest.Fault{Kind: registrytest.KindOCIManifest, Header: map[string]string{"Docker-Content-Digest": value}}); err != nil {
			t.Errorf("%q: %v", value, err)
		}
	}
}

func TestTagsOfSomethingElse(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ mediaType, body, says string }{
		"a container image": {"application/vnd.oci.image.manifest.v1+json",
			`{"mediaType":"application/vnd.oci.image.manifest.v1+json","config":{"mediaType":"application/vnd.oci.image.config.v1+json"}}`, "this is a container image"},
		"Docker's": {"application/vnd.docker.distribution.manifest.v2+json",
			`{"mediaType":"application/vnd.docker.distribution.manifest.v2+json","config":{"mediaType":"application/vnd.docker.container.image.v1+json"}}`, "this is a container image"},
		"Docker's list": {"application/vnd.docker.distribution.manifest.list.v2+json",
			`{"mediaType":"application/vnd.docker.distribution.manifest.list.v2+json","manifests":[]}`, "such as container images have"},
		"a module": {"application/vnd.oci.image.manifest.v1+json",
			`{"mediaType":"application/vnd.oci.image.manifest.v1+json","artifactType":"application/vnd.opentofu.modulepkg"}`, "this is a module package"},
		"a bare package": {"application/vnd.oci.image.manifest.v1+json",
			`{"mediaType":"application/vnd.oci.image.manifest.v1+json","artifactType":"application/vnd.opentofu.provider-target"}`, "this is a provider's package for one platform"},
		"a chart": {"application/vnd.oci.image.manifest.v1+json",
			`{"mediaType":"application/vnd.oci.image.manifest.v1+json","config":{"mediaType":"application/vnd.cncf.helm.config.v1+json"}}`, `"application/vnd.cncf.helm.config.v1+json"`},
		"a page": {"text/html", `{"mediaType":"","artifactType":""}`, `a document of media type "text/html"`},
	} {
		_, err := flawed(t, registrytest.Fault{Kind: registrytest.KindOCIManifest, ContentType: test.mediaType, Body: []byte(test.body)})
		mustBeMalformed(t, name, err, test.says)
		if err != nil && !strings.Contains(err.Error(), "where there has to be the index of a provider's packages") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestGiantManifests(t *testing.T) {
	t.Parallel()
	giant := func(body []byte) []byte {
		return fmt.Appendf(nil, `{"x":"%s",%s`, strings.Repeat("x", 5<<20), body[1:])
	}
	for name, f := range map[string]registrytest.Fault{"index": {EditIndex: giant}, "image": {EditImage: giant}} {
		if _, err := flawed(t, f); !errors.Is(err, sources.ErrTooLarge) && !errors.Is(err, sources.ErrMalformed) || errors.Is(err, sources.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestBlobsOfAnotherSize(t *testing.T) {
	t.Parallel()
	for name, f := range map[string]registrytest.Fault{
		"shorter": {TruncateAt: 100},
		"longer":  {Body: make([]byte, 100_000), Header: map[string]string{"Content-Length": "100000"}},
	} {
		s := start(t, registrytest.Config{})
		f.Kind = registrytest.KindOCIBlob
		fault(t, s, f)
		pkg, err := describe(t, connect(t, s))
		if err != nil {
			t.Fatal(err)
		}
		_, err = fetch(t.Context(), pkg)
		mustBeMalformed(t, name, err, "the registry offers")
	}
}

// A registry that does not say how long an archive is leaves it to the reader to find out, who knows it from the manifest.
func TestBlobsOfNoSize(t *testing.T) {
	t.Parallel()
	s := start(t, registrytest.Config{})
	longer := 0
	fault(t, s, registrytest.Fault{Kind: registrytest.KindOCIBlob, Edit: func(b []byte) []byte { longer = len(b) + 1; return append(b, 0) }})
	pkg, err := describe(t, connect(t, s))
	if err != nil {
		t.Fatal(err)
	}
	r, size, err := pkg.Content.Archive.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if size != int64(longer-1) {
		t.Errorf("the size is %d, want that of the manifest, %d", size, longer-1)
	}
}

// Messages stay readable.
func TestErrorsOfManyVariantsAreShort(t *testing.T) {
	t.Parallel()
	e := &ocimirror.AmbiguousError{Artifact: "a", Platform: onLinux}
	for range 1000 {
		e.Variants = append(e.Variants, strings.Repeat("v", 300))
	}
	if n := len(e.Error()); n > 10_000 {
		t.Errorf("%d bytes", n)
	}
}
