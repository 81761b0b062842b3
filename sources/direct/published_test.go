package direct_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// published edits the packages member of a package document.
func published(edit func(packages map[string]any)) func([]byte) []byte {
	return editing(func(doc map[string]any) { edit(doc["packages"].(map[string]any)) })
}

// hashes is one platform's part of the packages member.
func hashes(list ...string) map[string]any { return map[string]any{"hashes": list} }

const otherTree = "h1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

func TestPackagesMember(t *testing.T) {
	t.Parallel()
	release := alpha()
	release.Packages = true
	claims, archive, err := examine(t, start(t, release), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(claims.Package) != 2 || claims.Package[0].Hash != archive || claims.Package[1].Hash.Scheme() != hashing.SchemeH1 {
		t.Errorf("claims = %v, want the zh and the h1", claims.Package)
	}
	if claims.Package[1].Authority != hashing.Reported {
		t.Errorf("the h1 is %v; nobody signed it", claims.Package[1].Authority)
	}
	if len(claims.Others) != 2 || claims.Others[1].Hash.Scheme() != hashing.SchemeH1 || claims.Others[1].Platform != "darwin_arm64" {
		t.Errorf("other claims = %v, want the zh and the h1", claims.Others)
	}
}

func TestPackagesMemberThatIsNotUsed(t *testing.T) {
	t.Parallel()
	for name, edit := range map[string]func(map[string]any){
		"without zh":    func(p map[string]any) { p["linux_amd64"], p["darwin_arm64"] = hashes(otherTree), hashes(otherTree) },
		"without hash":  func(p map[string]any) { p["linux_amd64"], p["darwin_arm64"] = hashes(), map[string]any{} },
		"without entry": func(p map[string]any) { clear(p) },
	} {
		release := alpha()
		release.Packages = true
		s := start(t, release)
		misbehave(t, s, registrytest.Fault{Kind: registrytest.KindPackage, Edit: published(edit)})
		claims, _, err := examine(t, s, nil)
		if err != nil || len(claims.Package) != 1 || len(claims.Others) != 1 {
			t.Errorf("%s: claims = %+v, %v; want those of the sums alone", name, claims, err)
		}
	}
}

func TestPackagesMemberThatContradictsTheSums(t *testing.T) {
	t.Parallel()
	zeros := "zh:" + strings.Repeat("0", 64)
	for name, edit := range map[string]func(map[string]any){
		"this platform": func(p map[string]any) { p["linux_amd64"] = hashes(zeros, otherTree) },
		"this platform, among others": func(p map[string]any) {
			member := p["linux_amd64"].(map[string]any)
			member["hashes"] = append(member["hashes"].([]any), zeros)
		},
		"the sum of another platform": func(p map[string]any) {
			p["darwin_arm64"] = map[string]any{"hashes": append([]any{otherTree}, p["linux_amd64"].(map[string]any)["hashes"].([]any)...)}
		},
		"another platform":   func(p map[string]any) { p["darwin_arm64"] = hashes(zeros, otherTree) },
		"platforms swapped":  func(p map[string]any) { p["linux_amd64"], p["darwin_arm64"] = p["darwin_arm64"], p["linux_amd64"] },
		"platform not there": func(p map[string]any) { p["windows_amd64"] = hashes(zeros, otherTree) },
	} {
		release := alpha()
		release.Packages = true
		s := start(t, release)
		misbehave(t, s, registrytest.Fault{Kind: registrytest.KindPackage, Edit: published(edit)})
		if claims, _, err := examine(t, s, nil); !errors.Is(err, sources.ErrMalformed) {
			t.Errorf("%s: claims %+v, error %v; want ErrMalformed", name, claims, err)
		}
	}
}
