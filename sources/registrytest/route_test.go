package registrytest

import (
	"strings"
	"testing"
)

func TestParsePath(t *testing.T) {
	t.Parallel()
	alpha := address{"", "acme", "alpha"}
	mirrored := address{"a.example", "acme", "alpha"}
	const dir, archive = "/releases/acme/alpha/1.0.0/", "terraform-provider-alpha_1.0.0_linux_amd64.zip"
	for path, want := range map[string]target{
		"/.well-known/terraform.json":                         {kind: KindDiscovery},
		"/at/a.example/.well-known/terraform.json":            {kind: KindDiscovery, prefix: "/at/a.example", addr: address{host: "a.example"}},
		"/v1/providers/acme/alpha/versions":                   {kind: KindVersions, addr: alpha},
		"/v1/providers/acme/alpha/1.0.0/download/linux/amd64": {kind: KindPackage, addr: alpha, version: "1.0.0", platform: "linux_amd64"},
		"/at/A.example:8443/v1/providers/acme/alpha/versions": {kind: KindVersions, prefix: "/at/A.example:8443", addr: address{"a.example:8443", "acme", "alpha"}},
		dir + "x.zip":                                   {kind: KindArchive, addr: alpha, version: "1.0.0", file: "x.zip"},
		dir + "x_SHA256SUMS":                            {kind: KindSums, addr: alpha, version: "1.0.0", file: "x_SHA256SUMS"},
		dir + "x_SHA256SUMS.sig":                        {kind: KindSignature, addr: alpha, version: "1.0.0", file: "x_SHA256SUMS.sig"},
		dir + "x_manifest.json":                         {kind: KindManifest, addr: alpha, version: "1.0.0", file: "x_manifest.json"},
		"/mirror/A.example:8443/acme/alpha/index.json":  {kind: KindMirrorIndex, mirrored: true, prefix: "/mirror/A.example:8443", addr: address{"a.example:8443", "acme", "alpha"}},
		"/mirror/a.example/acme/alpha/1.0.0.json":       {kind: KindMirrorVersion, mirrored: true, prefix: "/mirror/a.example", addr: mirrored, version: "1.0.0"},
		"/mirror/a.example/acme/alpha/" + archive:       {kind: KindArchive, mirrored: true, prefix: "/mirror/a.example", addr: mirrored, version: "1.0.0", file: archive},
		"/mirror/a.example/acme/alpha/other.zip":        {kind: KindArchive, mirrored: true, prefix: "/mirror/a.example", addr: mirrored, file: "other.zip"},
		"/mirror/a.example/acme/alpha/other":            {kind: KindOther, mirrored: true, prefix: "/mirror/a.example", addr: mirrored},
		"/mirror/a.example/acme/alpha":                  {kind: KindOther},
		"/mirror/":                                      {kind: KindOther},
		"/v2/":                                          {kind: KindOCIPing},
		"/v2/m/acme/alpha/tags/list":                    {kind: KindOCITags, repository: "m/acme/alpha"},
		"/v2/m/alpha/manifests/1.0.0_x":                 {kind: KindOCIManifest, repository: "m/alpha", reference: "1.0.0_x", version: "1.0.0+x"},
		"/v2/alpha/manifests/sha256:0":                  {kind: KindOCIManifest, repository: "alpha", reference: "sha256:0"},
		"/v2/m/alpha/blobs/sha256:0":                    {kind: KindOCIBlob, repository: "m/alpha", reference: "sha256:0"},
		"/v2/m/alpha/blobs/uploads/":                    {kind: KindOCIUpload, repository: "m/alpha"},
		"/v2/m/alpha/blobs/uploads":                     {kind: KindOCIUpload, repository: "m/alpha"},
		"/v2/m/alpha/blobs/uploads/x":                   {kind: KindOCIUpload, repository: "m/alpha", reference: "x"},
		"/v2/m/alpha/referrers/sha256:0":                {kind: KindOCIReferrers, repository: "m/alpha", reference: "sha256:0"},
		"/v2/tags/list/tags/list":                       {kind: KindOCITags, repository: "tags/list"},
		"/v2/tags/list":                                 {kind: KindOther},
		"/v2/blobs/uploads/":                            {kind: KindOther},
		"/v2/_catalog":                                  {kind: KindOther},
		"/v2/m/alpha/elsewhere/x":                       {kind: KindOther},
		"/v2":                                           {kind: KindOther},
		"/token":                                        {kind: KindOCIToken},
		"/storage/m/alpha/sha256:0":                     {kind: KindOCIStorage, repository: "m/alpha", reference: "sha256:0"},
		"/storage/sha256:0":                             {kind: KindOther},
		"/":                                             {kind: KindOther},
		"":                                              {kind: KindOther},
		"/v1/providers/acme/alpha":                      {kind: KindOther},
		"/v1/providers/acme/alpha/1.0.0/download/linux": {kind: KindOther},
		"/v1/providers/acme/alpha/1.0.0/upload/linux/amd64":     {kind: KindOther},
		"/releases/acme/alpha/x.zip":                            {kind: KindOther},
		"/at/a.example/at/b.example/.well-known/terraform.json": {kind: KindOther, prefix: "/at/a.example", addr: address{host: "a.example"}},
	} {
		if got := parsePath(path); got != want {
			t.Errorf("%s: got %+v, want %+v", path, got, want)
		}
	}
}

func FuzzParsePath(f *testing.F) {
	for _, path := range []string{
		"/", "/at/", "/at/host", "/.well-known/terraform.json", "/v1/providers/a/b/versions",
		"/v1/providers/a/b/1/download/os/arch", "/at/host/releases/a/b/1/c.zip",
		"/v2/", "/v2//", "/v2/a/b/tags/list", "/v2/a/manifests/b", "/v2/a/blobs/uploads/b", "/v2/a/blobs/sha256:0", "/storage/a/b",
		"/mirror/", "/mirror/host/a/b/index.json", "/mirror/host/a/b/1.json", "/mirror/host/a/b/terraform-provider-b_1_os_arch.zip",
	} {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, path string) {
		got := parsePath(path)
		if got.kind == "" {
			t.Errorf("%q has no kind", path)
		}
		for _, segment := range []string{got.addr.namespace, got.addr.name, got.addr.host, got.version, got.file, got.reference} {
			if strings.Contains(segment, "/") {
				t.Errorf("%q: %q is more than a segment", path, segment)
			}
		}
		if !strings.HasPrefix(path, got.prefix) {
			t.Errorf("%q does not begin with %q", path, got.prefix)
		}
	})
}

func TestCanonicalHost(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]string{
		"A.Example":                  "a.example",
		"a.example:443":              "a.example",
		"a.example:8443":             "a.example:8443",
		"bücher.example":             "bücher.example",
		"BÜCHER.example:8443":        "bücher.example:8443",
		"xn--bcher-kva.example:8443": "bücher.example:8443",
		"127.0.0.1:1234":             "127.0.0.1:1234",
		"Not A Host":                 "not a host",
		"a.example:0":                "a.example:0",
		"xn--a.example":              "xn--a.example",
		"":                           "",
	} {
		if got := canonicalHost(host); got != want {
			t.Errorf("%q is %q, want %q", host, got, want)
		}
	}
}

func FuzzCanonicalHost(f *testing.F) {
	for _, host := range []string{"", "A.example", "a.example:443", "xn--bcher-kva.example", "BÜCHER.example:1", "[::1]:443", "XN--", "İ"} {
		f.Add(host)
	}
	f.Fuzz(func(t *testing.T, host string) {
		got := canonicalHost(host)
		if again := canonicalHost(got); again != got {
			t.Errorf("%q is %q, and that is %q", host, got, again)
		}
		if strings.Contains(got, "/") && !strings.Contains(host, "/") {
			t.Errorf("%q is %q, which is more than a segment", host, got)
		}
	})
}

func FuzzParseAddress(f *testing.F) {
	for _, provider := range []string{"", "/", "a/b", "h/a/b", "/a/b", "./a/b", "a//b", "a/b/c/d", "H.example:1/a/b"} {
		f.Add(provider)
	}
	f.Fuzz(func(t *testing.T, provider string) {
		addr, err := parseAddress(provider)
		if err != nil {
			return
		}
		if again, err := parseAddress(strings.TrimPrefix(addr.host+"/"+addr.short(), "/")); err != nil || again != addr {
			t.Errorf("%q is %+v, which is read back as %+v, %v", provider, addr, again, err)
		}
	})
}
