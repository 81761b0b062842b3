package mirror_test

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/installer/mirror"
	"github.com/purveyor-dev/purveyor/sources/bundle"
	"github.com/purveyor-dev/purveyor/sources/fsmirror"
)

// What comes out of a bundle is what went in, with the origin's signature.
func TestThroughABundle(t *testing.T) {
	t.Parallel()
	f := setup(t, append(rockets("1.0.0", "1.1.0"), release("acme/anvil", "0.1.0", linux))...)
	some := mirror.Want{Provider: anvil, Optional: true}
	f.build(plan(want("", mirror.All), some))
	path := filepath.Join(t.TempDir(), "providers.tar")
	out, err := bundle.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	b := f.again()
	b.Target = out
	for range 2 { // the second time there is nothing to fetch
		if _, err := b.Build(t.Context(), plan(want("", mirror.All), some)); err != nil {
			t.Fatal(err)
		}
	}
	if n := f.downloads(); n != 2*9 {
		t.Errorf("%d downloads, want those of the directory and of the bundle", n)
	}
	if err := out.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}

	in, err := bundle.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	imported := t.TempDir()
	b = watch(t, &mirror.Builder{Installer: &installer.Installer{Source: in}, Target: fsmirror.NewTarget(imported)})
	report, err := b.Build(t.Context(), plan(want("", mirror.All), some))
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Releases) != 3 || len(report.Releases[0].Missing) != 3 {
		t.Errorf("the report is %v", summary(report))
	}
	if diff := cmp.Diff(tree(t, f.dir), tree(t, imported)); diff != "" {
		t.Errorf("the mirrors differ: %s", diff)
	}
}
