package hashing_test

import (
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/hashing"
)

// Hashes with which the table below tells its cases.
var (
	treeH1    = fakeH1(1)
	entriesH1 = fakeH1(2)
	otherH1   = fakeH1(3)
	strangeH1 = fakeH1(4)
	zipZH     = hashing.Hash("zh:" + strings.Repeat("1", 64))
	otherZH   = hashing.Hash("zh:" + strings.Repeat("2", 64))
	strangeZH = hashing.Hash("zh:" + strings.Repeat("3", 64))
	unknown   = hashing.Hash("h9:whatever")

	fromZip = hashing.Computed{Tree: treeH1, Entries: entriesH1, Archive: zipZH}
	fromDir = hashing.Computed{Tree: treeH1}

	author = &hashing.Signer{Fingerprint: strings.Repeat("AB", 20), KeyID: strings.Repeat("AB", 8)}
)

func fakeH1(fill byte) hashing.Hash {
	return hashing.Hash("h1:" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat(string(rune(fill)), 32))))
}

type hashes = []hashing.Hash

func claims(authority hashing.Authority, hs ...hashing.Hash) []hashing.Claim {
	var all []hashing.Claim
	for _, h := range hs {
		all = append(all, hashing.Claim{Hash: h, Authority: authority})
	}
	return all
}

func reported(hs ...hashing.Hash) hashing.Claims {
	return hashing.Claims{Package: claims(hashing.Reported, hs...)}
}

func signed(hs ...hashing.Hash) hashing.Claims {
	return hashing.Claims{Package: claims(hashing.Signed, hs...), Signer: author}
}

// carried makes the signer's key one that came through a mirror.
func carried(c hashing.Claims) hashing.Claims {
	signer := *c.Signer
	signer.Carried = true
	c.Signer = &signer
	return c
}

// with adds claims of another authority about the same package.
func with(c hashing.Claims, more []hashing.Claim) hashing.Claims {
	c.Package = append(c.Package, more...)
	return c
}

func TestJudgeAccepts(t *testing.T) {
	t.Parallel()
	const none, rep, sig = hashing.Unverified, hashing.Reported, hashing.Signed
	others := hashing.Claims{Others: claims(rep, otherZH, otherH1, unknown)}
	for _, test := range []struct {
		name     string
		computed hashing.Computed
		locked   hashes
		claims   hashing.Claims
		want     hashing.Authority
		isLocked bool
		hashes   hashes
	}{
		// Nobody says anything.
		{"no lock, no claims", fromZip, nil, hashing.Claims{}, none, false, hashes{treeH1}},
		{"no lock, no claims, a directory", fromDir, nil, hashing.Claims{}, none, false, hashes{treeH1}},
		{"an unknown scheme does not lock", fromZip, hashes{unknown}, hashing.Claims{}, none, false, hashes{treeH1, unknown}},

		// The lock file.
		{"locked tree", fromZip, hashes{treeH1}, hashing.Claims{}, none, true, hashes{treeH1}},
		{"locked tree, a directory", fromDir, hashes{treeH1}, hashing.Claims{}, none, true, hashes{treeH1}},
		{"locked entries are kept, tree is added", fromZip, hashes{entriesH1}, hashing.Claims{}, none, true, hashes{treeH1, entriesH1}},
		{"locked archive", fromZip, hashes{zipZH}, hashing.Claims{}, none, true, hashes{treeH1, zipZH}},
		{"one of all platforms", fromZip, hashes{otherZH, unknown, otherH1, zipZH, zipZH}, hashing.Claims{}, none, true,
			hashes{treeH1, otherH1, zipZH, otherZH, unknown}},
		{"a directory with zh beside the h1", fromDir, hashes{treeH1, strangeZH}, hashing.Claims{}, none, true, hashes{treeH1, strangeZH}},

		// The source, reporting.
		{"reported archive", fromZip, nil, reported(zipZH), rep, false, hashes{treeH1, zipZH}},
		{"reported tree", fromZip, nil, reported(treeH1), rep, false, hashes{treeH1}},
		{"reported tree, a directory", fromDir, nil, reported(treeH1), rep, false, hashes{treeH1}},
		{"reported entries are not fit for the lock", fromZip, nil, reported(entriesH1), rep, false, hashes{treeH1}},
		{"any of several", fromZip, nil, reported(strangeH1, strangeZH, zipZH), rep, false, hashes{treeH1, zipZH}},
		{"an unknown scheme beside it", fromZip, nil, reported(unknown, zipZH), rep, false, hashes{treeH1, zipZH}},
		{"claimed by nobody in particular", fromZip, nil, hashing.Claims{Package: claims(none, zipZH)}, none, false, hashes{treeH1, zipZH}},

		// The source, with a signature.
		{"signed archive", fromZip, nil, signed(zipZH), sig, false, hashes{treeH1, zipZH}},
		{"signed, and reported otherwise", fromZip, nil, with(signed(zipZH), claims(rep, strangeH1)), sig, false, hashes{treeH1, zipZH}},
		{"signed, and reported alike", fromZip, nil, with(signed(zipZH), claims(rep, zipZH, treeH1)), sig, false, hashes{treeH1, zipZH}},
		{"a directory cannot be judged by the signed archive", fromDir, nil, with(signed(zipZH), claims(rep, treeH1)), rep, false, hashes{treeH1}},
		{"signed by nobody is reported", fromZip, nil, hashing.Claims{Package: claims(sig, zipZH)}, rep, false, hashes{treeH1, zipZH}},

		// Both.
		{"locked and signed", fromZip, hashes{treeH1}, signed(zipZH), sig, true, hashes{treeH1, zipZH}},
		{"locked, claims cannot be judged", fromDir, hashes{treeH1}, signed(zipZH), none, true, hashes{treeH1}},
		{"locked, claims of unknown schemes", fromZip, hashes{zipZH}, reported(unknown), none, true, hashes{treeH1, zipZH}},

		// Other platforms.
		{"others are for the lock only", fromZip, nil, others, none, false, hashes{treeH1, otherH1, otherZH}},
		{"others that are this one", fromZip, nil, hashing.Claims{Others: claims(sig, zipZH), Signer: author}, none, false, hashes{treeH1, zipZH}},
		{"all together", fromZip, hashes{entriesH1, otherZH}, hashing.Claims{
			Package: claims(sig, zipZH), Others: others.Others, Signer: author,
		}, sig, true, hashes{treeH1, entriesH1, otherH1, zipZH, otherZH}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			proof, err := hashing.Judge(test.computed, test.locked, test.claims)
			if err != nil {
				t.Fatal(err)
			}
			if proof.Authority != test.want || proof.Locked != test.isLocked || proof.Computed != test.computed {
				t.Errorf("authority %s, locked %v, computed %v", proof.Authority, proof.Locked, proof.Computed)
			}
			if (proof.Signer != nil) != (proof.Authority == hashing.Signed) {
				t.Errorf("authority %s with signer %v", proof.Authority, proof.Signer)
			}
			slices.Sort(test.hashes)
			if !slices.Equal(proof.Hashes, test.hashes) {
				t.Errorf("hashes %v, want %v", proof.Hashes, test.hashes)
			}
		})
	}
}

func TestJudgeRefusesWhatDoesNotMatch(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		computed hashing.Computed
		locked   hashes
		claims   hashing.Claims
		by       hashing.By
		want     hashes
	}{
		{"locked otherwise", fromZip, hashes{strangeH1, strangeZH, unknown}, hashing.Claims{}, hashing.ByLock, hashes{strangeH1, strangeZH}},
		{"locked otherwise, a directory", fromDir, hashes{strangeH1, zipZH}, hashing.Claims{}, hashing.ByLock, hashes{strangeH1}},
		{"a directory has no entries form", fromDir, hashes{entriesH1}, hashing.Claims{}, hashing.ByLock, hashes{entriesH1}},
		{"a signature does not excuse", fromZip, hashes{strangeZH}, signed(zipZH), hashing.ByLock, hashes{strangeZH}},
		{"reported otherwise", fromZip, nil, reported(strangeZH), hashing.BySource, hashes{strangeZH}},
		{"the lock does not excuse", fromZip, hashes{zipZH}, reported(strangeZH), hashing.BySource, hashes{strangeZH}},
		{"signed otherwise", fromZip, nil, signed(strangeZH), hashing.BySource, hashes{strangeZH}},
		{"signed otherwise by a carried key", fromZip, nil, carried(signed(strangeZH)), hashing.BySource, hashes{strangeZH}},
		{"a report does not outweigh a carried key", fromZip, nil,
			carried(with(signed(strangeZH), claims(hashing.Reported, zipZH))), hashing.BySource, hashes{strangeZH}},
		{"a report does not outweigh the signature", fromZip, nil,
			with(signed(strangeZH), claims(hashing.Reported, zipZH, treeH1)), hashing.BySource, hashes{strangeZH}},
		{"another platform's archive", fromZip, nil, hashing.Claims{
			Package: claims(hashing.Reported, strangeZH), Others: claims(hashing.Reported, zipZH),
		}, hashing.BySource, hashes{strangeZH}},
		{"another spelling is another hash", fromZip, nil, reported("h1:" + treeH1), hashing.BySource, hashes{"h1:" + treeH1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			proof, err := hashing.Judge(test.computed, test.locked, test.claims)
			var mismatch *hashing.MismatchError
			if !errors.As(err, &mismatch) || proof != nil {
				t.Fatalf("Judge = %v, %v; want a *MismatchError", proof, err)
			}
			slices.Sort(test.want)
			if mismatch.By != test.by || !slices.Equal(mismatch.Want, test.want) {
				t.Errorf("by %s, want %v", mismatch.By, mismatch.Want)
			}
			for _, h := range append(mismatch.Got, mismatch.Want...) {
				if !strings.Contains(err.Error(), h.String()) {
					t.Errorf("the message does not name %s: %v", h, err)
				}
			}
		})
	}
}

func TestJudgeRefusesWhatItCannotJudge(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		computed hashing.Computed
		locked   hashes
		claims   hashing.Claims
		by       hashing.By
		want     hashes
	}{
		{"only zh locked, a directory", fromDir, hashes{zipZH, unknown}, hashing.Claims{}, hashing.ByLock, hashes{zipZH}},
		{"that, although its tree is reported", fromDir, hashes{zipZH}, reported(treeH1), hashing.ByLock, hashes{zipZH}},
		{"only h1 locked, only the archive computed", hashing.Computed{Archive: zipZH}, hashes{treeH1}, hashing.Claims{}, hashing.ByLock, hashes{treeH1}},
		{"only zh reported, a directory", fromDir, nil, reported(zipZH), hashing.BySource, hashes{zipZH}},
		{"only zh signed, a directory", fromDir, nil, signed(zipZH), hashing.BySource, hashes{zipZH}},
		{"only unknown schemes reported", fromZip, nil, reported(unknown), hashing.BySource, hashes{unknown}},
		{"that, beside a lock that does not bind", fromZip, hashes{unknown}, reported(unknown), hashing.BySource, hashes{unknown}},
		{"nothing computed", hashing.Computed{}, nil, reported(zipZH), hashing.BySource, hashes{zipZH}},
		{"a claim of no hash", hashing.Computed{}, nil, reported(""), hashing.BySource, hashes{}},
		{"a claim of no value", fromDir, nil, reported("zh:"), hashing.BySource, hashes{"zh:"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			proof, err := hashing.Judge(test.computed, test.locked, test.claims)
			var unverifiable *hashing.UnverifiableError
			if !errors.As(err, &unverifiable) || proof != nil {
				t.Fatalf("Judge = %v, %v; want an *UnverifiableError", proof, err)
			}
			if unverifiable.By != test.by || !slices.Equal(unverifiable.Want, test.want) {
				t.Errorf("by %s, want %v", unverifiable.By, unverifiable.Want)
			}
		})
	}
}

// Judge does not hide from a policy that only a mirror vouches for the key.
func TestJudgeKeepsTheSignerAsItIs(t *testing.T) {
	t.Parallel()
	for _, claims := range []hashing.Claims{signed(zipZH), carried(signed(zipZH))} {
		proof, err := hashing.Judge(fromZip, nil, claims)
		if err != nil || proof.Authority != hashing.Signed || proof.Signer != claims.Signer {
			t.Errorf("proof is %+v, %v; want the signer %+v", proof, err, claims.Signer)
		}
	}
}

func TestJudgeLeavesItsArgumentsAlone(t *testing.T) {
	t.Parallel()
	locked := hashes{otherZH, zipZH, otherZH, treeH1}
	before := slices.Clone(locked)
	if _, err := hashing.Judge(fromZip, locked[:3], hashing.Claims{}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(locked, before) {
		t.Errorf("the locked hashes became %v", locked)
	}
}

func TestAuthority(t *testing.T) {
	t.Parallel()
	for authority, want := range map[hashing.Authority]string{
		hashing.Unverified: "unverified", hashing.Reported: "reported", hashing.Signed: "signed",
	} {
		if authority.String() != want {
			t.Errorf("%d is %q, want %q", authority, authority, want)
		}
	}
	if hashing.Unverified >= hashing.Reported || hashing.Reported >= hashing.Signed {
		t.Error("a greater authority must be better")
	}
}
