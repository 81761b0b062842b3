package main

import (
	"bytes"
	"testing"
)

func TestWhatPeopleRead(t *testing.T) {
	t.Parallel()
	const subject = "example.com/a/b 1.0.0: "
	for _, tt := range []struct {
		r    record
		want string
	}{
		{record{Event: "package", Bytes: 1, Authority: "reported"}, subject + "installed, as its source reports, not signed\n"},
		{record{Event: "package", Bytes: 1, Authority: "signed", Key: "ABC"}, subject + "installed, signed by key ABC\n"},
		{record{Event: "package", Bytes: 1, Signer: "Me", Key: "ABC", Carried: true}, subject + "installed, signed by Me, key ABC (key from the mirror)\n"},
		{record{Event: "package", Stored: "/c", Locked: true}, subject + "installed from the cache, as locked\n"},
		{record{Event: "package", Location: "/m", Authority: "unverified"}, subject + "installed from /m, not verified: nobody vouches for it yet\n"},
		{
			record{Event: "package", Locked: true, Signer: "Me", Key: "ABC", Expired: "2020-01-02"},
			subject + "already installed, as locked, signed by Me, key ABC, expired on 2020-01-02\n",
		},
		{record{Event: "fetching", Location: "https://x/"}, subject + "downloading https://x/\n"},
		{record{Event: "fetching", Location: "https://x/", Size: 4_800_000}, subject + "downloading 4.8 MB from https://x/\n"},
		{record{Event: "waiting"}, subject + "waiting for another process that installs the same package\n"},
		{record{Event: "retrying", Message: "broken"}, subject + "the download broke and begins again: broken\n"},
		{record{Event: "retrying", Path: "x", Message: "gone"}, subject + "the package has gone from the cache, and its installation begins again: gone\n"},
		{record{Event: "locked"}, ""},
		{record{Event: "fetched"}, ""},
		{record{Event: "healed"}, subject + "replaced a damaged package\n"},
		{record{Event: "lock", Platforms: []string{"linux_amd64", "darwin_arm64"}, Hashes: 2}, subject + "locked for linux_amd64, darwin_arm64: 2 hashes\n"},
		{record{Event: "lock", Platforms: []string{"linux_amd64"}, Hashes: 1}, subject + "locked for linux_amd64: 1 hash\n"},
		{record{Event: "mirrored", Added: []string{"linux_amd64"}, Authority: "signed", Key: "ABC", Signer: "Me"}, subject + "added: linux_amd64; signed by Me, key ABC\n"},
		{record{Event: "mirrored", Present: []string{"linux_amd64"}, Authority: "signed", Keys: []string{"A", "B"}}, subject + "there already: linux_amd64; signed by the keys A, B\n"},
		{record{Event: "progress"}, ""},
		{record{Event: "done"}, ""},
		{record{Event: "warning", Message: "beware"}, "Warning: example.com/a/b: beware\n"},
		{record{Event: "error", Message: "no", Hint: "do this\nor that"}, "Error: no\n  do this\n  or that\n"},
	} {
		var out bytes.Buffer
		tt.r.Provider, tt.r.Version = "example.com/a/b", "1.0.0"
		(&human{out: &out, err: &out}).print(tt.r)
		if out.String() != tt.want {
			t.Errorf("%+v: %q, want %q", tt.r, out.String(), tt.want)
		}
	}
}

// TestServersDoNotControlTheTerminal: names of signers and messages come from outside.
func TestServersDoNotControlTheTerminal(t *testing.T) {
	t.Parallel()
	for _, r := range []record{
		{Event: "package", Signer: "\x1b[2J", Key: "\u202e"},
		{Event: "warning", Message: "\x1b]0;title\a", Hint: "\r\x9b"},
		{Event: "error", Message: "\x1b[1A", Hint: "\b"},
	} {
		var out bytes.Buffer
		(&human{out: &out, err: &out}).print(r)
		if bytes.ContainsAny(out.Bytes(), "\x1b\a\b\r\u009b\u202e") {
			t.Errorf("%+v prints %q", r, out.String())
		}
	}
}
