package lockfile_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources"
)

// header is what the files of this library begin with.
const header = `# This file is maintained automatically by "purveyor".
# Manual edits may be lost in future updates.
`

// lock makes an entry.
func lock(version, constraints string, hashes ...hashing.Hash) installer.Lock {
	v, err := sources.ParseVersion(version)
	if err != nil {
		panic(err)
	}
	return installer.Lock{Version: v, Constraints: sources.MustParseConstraints(constraints), Hashes: hashes}
}

// example has all that is special in a lock file.
func example() installer.Locks {
	return installer.Locks{
		sources.MustParseProvider("registry.terraform.io/hashicorp/random"): lock("3.6.0", "~> 3.6, != 3.6.1",
			"h1:I8MBeauYA8J8yheLJ8oSMWqB0kovn16dF/wKZ1QTdkk=",
			"zh:03360ed3ecd31e8c5dac9c95fe0858be50f3e9a0d0c654b5e504109c2159287d",
			"zh:1c67ac51254ba2a2bb53a25e8ae7e4d076103483f55f39b426ec55e47d1fe211"),
		sources.MustParseProvider("acme/rocket"):                            lock("1.2.3-beta.1+build", "", "h1:abc="),
		sources.MustParseProvider("bücher.example:8443/acme/rocket"):        lock("0.1.0", ">= 0.1.0, < 1.0.0"),
		sources.MustParseProvider("registry.terraform.io/hashicorp/nohash"): lock("10.0.0", ""),
	}
}

const exampleFile = header + `
provider "registry.opentofu.org/acme/rocket" {
  version = "1.2.3-beta.1+build"
  hashes = [
    "h1:abc=",
  ]
}

provider "registry.terraform.io/hashicorp/nohash" {
  version = "10.0.0"
}

provider "registry.terraform.io/hashicorp/random" {
  version     = "3.6.0"
  constraints = "~> 3.6, != 3.6.1"
  hashes = [
    "h1:I8MBeauYA8J8yheLJ8oSMWqB0kovn16dF/wKZ1QTdkk=",
    "zh:03360ed3ecd31e8c5dac9c95fe0858be50f3e9a0d0c654b5e504109c2159287d",
    "zh:1c67ac51254ba2a2bb53a25e8ae7e4d076103483f55f39b426ec55e47d1fe211",
  ]
}

provider "bücher.example:8443/acme/rocket" {
  version     = "0.1.0"
  constraints = ">= 0.1.0, < 1.0.0"
}
`

// same compares locks, with constraints by their text.
func same(t *testing.T, want, got installer.Locks) {
	t.Helper()
	text := func(locks installer.Locks) map[string][]string {
		m := map[string][]string{}
		for p, l := range locks {
			entry := []string{l.Version.String(), l.Constraints.String()}
			for _, h := range l.Hashes {
				entry = append(entry, h.String())
			}
			m[p.String()] = entry
		}
		return m
	}
	if diff := cmp.Diff(text(want), text(got)); diff != "" {
		t.Errorf("locks (-want +got):\n%s", diff)
	}
}

// block returns a file with one provider block.
func block(label string, lines ...string) string {
	return "provider \"" + label + "\" {\n" + strings.Join(lines, "\n") + "\n}\n"
}
