package required_test

import (
	"errors"
	"testing"

	"github.com/purveyor-dev/purveyor/installer/required"
)

func FuzzRead(f *testing.F) {
	for _, test := range readCases {
		for _, contents := range files(test.archive) {
			f.Add(contents, false)
			f.Add(contents, true)
		}
	}
	f.Add(`resource "a_b" "c" { provider = "d[" }`, false)
	f.Add(`terraform { required_providers { a = { (b) = "${c}" } } }`, false)
	f.Add(`{"terraform": [{"required_providers": [[{"a": {"version": null}}]]}], "provider": 1}`, true)
	f.Fuzz(func(t *testing.T, contents string, isJSON bool) {
		dir := t.TempDir()
		name := dir + "/main.tf"
		if isJSON {
			name += ".json"
		}
		write(t, name, contents)
		result, err := required.Read(dir, required.Options{})
		var wrong *required.Error
		switch {
		case err == nil:
			for p := range result.Requirements {
				if p.IsZero() || len(result.Origins[p]) == 0 {
					t.Errorf("%q has %d origins", p, len(result.Origins[p]))
				}
			}
		case result != nil || !errors.As(err, &wrong) || !wrong.Diagnostics.HasErrors():
			t.Errorf("got %v, %v", result, err)
		}
	})
}

func FuzzModulesManifest(f *testing.F) {
	f.Add(`{"Modules":[{"Key":"","Source":"","Dir":"."},{"Key":"net","Source":"acme/net/cloud","Dir":"mods/net"}]}`)
	f.Add(`{"Modules":[{"Key":"net","Dir":"../../../../etc"},null]}`)
	f.Add(`{"Modules":[{"Key":"net","Dir":"."}]}`)
	f.Add(`[]`)
	f.Fuzz(func(t *testing.T, manifest string) {
		dir := t.TempDir()
		write(t, dir+"/main.tf", `module "net" { source = "acme/net/cloud" }`)
		write(t, dir+"/mods/net/main.tf", `terraform { required_providers { a = "1.0.0" } }`)
		write(t, dir+"/.terraform/modules/modules.json", manifest)
		result, err := required.Read(dir, required.Options{})
		var wrong *required.Error
		if err != nil && (result != nil || !errors.As(err, &wrong)) {
			t.Errorf("got %v, %v", result, err)
		}
	})
}
