package installer_test

import (
	"errors"
	"testing"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources"
)

func TestEventsAreReadable(t *testing.T) {
	t.Parallel()
	rocket, version := provider("acme/rocket"), sources.MustParseVersion("1.2.3")
	signed := &hashing.Proof{Authority: hashing.Signed, Signer: &hashing.Signer{Fingerprint: "AB12", Identity: "Acme"}}
	for want, e := range map[string]installer.Event{
		"resolving registry.example.com/acme/rocket":                    {Kind: installer.EventResolving},
		"resolved registry.example.com/acme/rocket 1.2.3":               {Kind: installer.EventResolved, Version: version},
		"warning registry.example.com/acme/rocket: it is old":           {Kind: installer.EventWarning, Message: "it is old"},
		"failed registry.example.com/acme/rocket: no \ufffd[2J":         {Kind: installer.EventFailed, Err: errors.New("no\n\x1b[2J")},
		"failed registry.example.com/acme/rocket: no":                   {Kind: installer.EventFailed, Err: errors.New("no")},
		"fetching registry.example.com/acme/rocket: 9 bytes, from here": {Kind: installer.EventFetching, Size: 9, Location: "here"},
		"fetching registry.example.com/acme/rocket: from here":          {Kind: installer.EventFetching, Size: -1, Location: "here"},
		"progress registry.example.com/acme/rocket: 0 of 9 bytes":       {Kind: installer.EventProgress, Size: 9},
		"verified registry.example.com/acme/rocket 1.2.3 linux_amd64: signed by Acme, key AB12": {
			Kind: installer.EventVerified, Version: version, Platform: linux, Proof: signed,
		},
		"installed registry.example.com/acme/rocket 1.2.3 linux_amd64: in dir": {
			Kind: installer.EventInstalled, Version: version, Platform: linux, Path: "dir",
		},
	} {
		e.Provider = rocket
		if got := e.String(); got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
}
