// Package depcheck guards the arrows of ARCHITECTURE.md: which package may import which.
package depcheck

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/purveyor-dev/purveyor/"

// rules lists, for each package of the library, what it may import directly besides the standard library. A name that
// ends in "/" allows everything below. A package that is not listed fails the test: give it a line.
var rules = map[string][]string{
	"cliconfig":                   {"sources", "sources/direct", "sources/netmirror", "sources/fsmirror", "sources/ocimirror", "internal/memo", "github.com/hashicorp/hcl/v2", "github.com/hashicorp/hcl/v2/", "github.com/zclconf/go-cty/"},
	"hashing":                     {},
	"hashing/signature":           {"hashing", "github.com/ProtonMail/go-crypto/"},
	"sources":                     {"hashing", "internal/fault", "internal/hostname", "internal/memo", "github.com/hashicorp/go-version"},
	"sources/bundle":              {"sources", "sources/ocimirror", "hashing", "internal/filelock", "internal/ocilayout", "github.com/opencontainers/"},
	"sources/direct":              {"sources", "sources/internal/remote", "sources/internal/signed", "hashing", "hashing/signature", "internal/memo", "internal/web", "golang.org/x/sync/errgroup"},
	"sources/fsmirror":            {"sources", "sources/internal/mirrorjson", "sources/internal/signed", "hashing", "internal/atomicfile", "internal/filelock", "internal/plainfile"},
	"sources/netmirror":           {"sources", "sources/fsmirror", "sources/internal/mirrorjson", "sources/internal/remote", "sources/internal/signed", "hashing", "internal/atomicfile", "internal/filelock", "internal/memo", "internal/plainfile", "internal/web", "golang.org/x/sync/errgroup"},
	"sources/ocimirror":           {"sources", "sources/internal/remote", "sources/internal/signed", "hashing", "internal/memo", "internal/web", "golang.org/x/sync/errgroup", "github.com/opencontainers/", "oras.land/oras-go/v2/"},
	"sources/internal/remote":     {"sources", "internal/web"},
	"sources/internal/mirrorjson": {"sources", "sources/internal/remote", "sources/internal/signed", "hashing", "internal/memo", "internal/web", "golang.org/x/sync/errgroup"},
	"sources/internal/signed":     {"sources", "hashing", "hashing/signature"},
	"sources/gogetter":            {"sources", "sources/fsmirror", "sources/internal/mirrorjson", "sources/internal/remote", "hashing", "cliconfig", "internal/filelock", "internal/memo", "internal/web", "github.com/hashicorp/go-getter", "cloud.google.com/go/storage", "google.golang.org/api/googleapi"},
	"sources/registrytest":        {"hashing", "internal/hostname", "github.com/google/go-containerregistry/pkg/registry", "golang.org/x/mod/sumdb/dirhash", "github.com/ProtonMail/go-crypto/", "github.com/klauspost/compress/"},
	"sources/sourcetest":          {"sources", "hashing", "golang.org/x/sync/errgroup"},
	"installer":                   {"sources", "hashing", "internal/atomicfile", "internal/filelock", "internal/notify", "internal/spool", "internal/unzip", "golang.org/x/sync/", "golang.org/x/sys/"},
	"installer/lockfile":          {"internal/literal", "installer", "sources", "hashing", "internal/atomicfile", "github.com/hashicorp/hcl/v2", "github.com/hashicorp/hcl/v2/", "github.com/zclconf/go-cty/"},
	"installer/mirror":            {"internal/literal", "installer", "installer/lockfile", "installer/required", "sources", "hashing", "internal/filelock", "internal/notify", "golang.org/x/sync/", "github.com/hashicorp/hcl/v2", "github.com/hashicorp/hcl/v2/", "github.com/zclconf/go-cty/"},
	"installer/required":          {"installer", "sources", "github.com/hashicorp/hcl/v2", "github.com/hashicorp/hcl/v2/", "github.com/zclconf/go-cty/"},
	"internal/atomicfile":         {},
	"internal/fault":              {},
	"internal/filelock":           {"golang.org/x/sys/"},
	"internal/hostname":           {"golang.org/x/net/idna"},
	"internal/literal":            {"github.com/hashicorp/hcl/v2", "github.com/hashicorp/hcl/v2/"},
	"internal/memo":               {},
	"internal/notify":             {},
	"internal/ocilayout":          {"internal/fault", "github.com/opencontainers/"},
	"internal/slowlink":           {},
	"internal/plainfile":          {"internal/fault"},
	"internal/smalldisk":          {},
	"internal/spool":              {"golang.org/x/sys/"},
	"internal/unzip":              {"github.com/klauspost/compress/", "golang.org/x/text/"},
	"internal/web":                {"internal/fault"},
}

// heavy are modules with one owner each: nobody else may depend on them, not even through others.
var heavy = map[string][]string{
	"github.com/hashicorp/go-getter":  {"sources/gogetter"},
	"github.com/aws/aws-sdk-go-v2":    {"sources/gogetter"},
	"cloud.google.com/go":             {"sources/gogetter"},
	"google.golang.org/api":           {"sources/gogetter"},
	"oras.land/oras-go/v2":            {"sources/ocimirror", "sources/bundle", "cliconfig", "sources/gogetter"},
	"github.com/hashicorp/hcl/v2":     {"internal/literal", "cliconfig", "sources/gogetter", "installer/lockfile", "installer/required", "installer/mirror"},
	"github.com/ProtonMail/go-crypto": {"hashing/signature", "sources/registrytest", "sources/internal/signed", "sources/internal/mirrorjson", "sources/direct", "sources/fsmirror", "sources/netmirror", "sources/ocimirror", "sources/bundle", "cliconfig", "sources/gogetter"},
}

type listed struct {
	ImportPath string
	Imports    []string
	Deps       []string
	Standard   bool
}

func TestEachPackageImportsOnlyWhatItMay(t *testing.T) {
	t.Parallel()
	for _, pkg := range list(t, "./...") {
		allowed, ok := rules[pkg.ImportPath]
		switch {
		case strings.HasPrefix(pkg.ImportPath, "examples/"), pkg.ImportPath == "internal/depcheck":
			continue
		case !ok:
			t.Errorf("package %s has no line in rules", pkg.ImportPath)
		}
		for _, imported := range pkg.Imports {
			if !isStandard(imported) && !permits(allowed, imported) {
				t.Errorf("%s imports %s, which it must not", pkg.ImportPath, imported)
			}
		}
	}
}

func TestHeavyLibrariesStayWithTheirOwners(t *testing.T) {
	t.Parallel()
	packages := list(t, "./...")
	for _, pkg := range packages {
		if strings.HasPrefix(pkg.ImportPath, "examples/") {
			continue
		}
		for library, owners := range heavy {
			if slices.Contains(owners, pkg.ImportPath) {
				continue
			}
			for _, dep := range pkg.Deps {
				if strings.HasPrefix(dep, library+"/") || dep == library {
					t.Errorf("%s depends on %s, by %s", pkg.ImportPath, library, strings.Join(route(packages, pkg.ImportPath, dep), " → "))
					break
				}
			}
		}
	}
}

// TestConfigurationAndInstallerStayApart: a harness needs no HCL, and a linter of CLI configuration no installer.
func TestConfigurationAndInstallerStayApart(t *testing.T) {
	t.Parallel()
	for _, pkg := range list(t, "./...") {
		for _, pair := range [][2]string{{"installer", "cliconfig"}, {"cliconfig", "installer"}} {
			if pkg.ImportPath == pair[0] && slices.Contains(pkg.Deps, pair[1]) {
				t.Errorf("%s depends on %s", pair[0], pair[1])
			}
		}
	}
}

func permits(allowed []string, imported string) bool {
	return slices.ContainsFunc(allowed, func(a string) bool {
		return imported == a || strings.HasSuffix(a, "/") && strings.HasPrefix(imported, a)
	})
}

// isStandard tells the standard library by the missing dot in the first segment. The module's own packages are named
// without the module's path here, so they are recognised by their first segment.
func isStandard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	own := []string{"hashing", "sources", "installer", "cliconfig", "examples"}
	return !strings.Contains(first, ".") && !slices.Contains(own, first) && !isOwnInternal(path)
}

func isOwnInternal(path string) bool {
	_, ok := rules[path]
	return ok && strings.HasPrefix(path, "internal/")
}

// route finds a way from one package to another along imports, so that the message says who brought a dependency in.
func route(packages []listed, from, to string) []string {
	imports := make(map[string][]string)
	for _, pkg := range packages {
		imports[pkg.ImportPath] = pkg.Imports
	}
	ways := [][]string{{from}}
	seen := map[string]bool{from: true}
	for len(ways) > 0 {
		way := ways[0]
		ways = ways[1:]
		for _, next := range imports[way[len(way)-1]] {
			longer := append(slices.Clone(way), next)
			if next == to {
				return longer
			}
			if !seen[next] {
				seen[next] = true
				ways = append(ways, longer)
			}
		}
	}
	return []string{from, "…", to}
}

// list asks the go command for packages, and shortens the names of the module's own.
func list(t *testing.T, patterns ...string) []listed {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-deps", "-json=ImportPath,Imports,Deps,Standard"}, patterns...)...)
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var packages []listed
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var pkg listed
		if err := decoder.Decode(&pkg); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(pkg.ImportPath, module) {
			packages = append(packages, shorten(pkg))
		}
	}
}

func shorten(pkg listed) listed {
	pkg.ImportPath = strings.TrimPrefix(pkg.ImportPath, module)
	for _, names := range [][]string{pkg.Imports, pkg.Deps} {
		for i := range names {
			names[i] = strings.TrimPrefix(names[i], module)
		}
	}
	return pkg
}
