package hashing_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/hashing"
)

func TestFingerprintsAsPeopleWriteThem(t *testing.T) {
	t.Parallel()
	const short, long = "34365D9472D7468F", "C874011F0AB405110D02105534365D9472D7468F"
	for text, want := range map[string]string{
		long:                  long,
		strings.ToLower(long): long,
		" C874 011F 0AB4 0511 0D02  1055 3436 5D94 72D7 468F\n": long,
		strings.Repeat("ab", 32):                                strings.Repeat("AB", 32),
	} {
		if got, err := hashing.ParseFingerprint(text); got != want || err != nil {
			t.Errorf("ParseFingerprint(%q) = %q, %v; want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"", short, "0x" + long, long[1:], long + "0", long[1:] + "G", long[1:] + "ß"} {
		var wrong *hashing.FingerprintError
		if got, err := hashing.ParseFingerprint(text); got != "" || !errors.As(err, &wrong) || wrong.Input != text {
			t.Errorf("ParseFingerprint(%q) = %q, %v; want a *FingerprintError", text, got, err)
		}
	}
}

func FuzzParseFingerprint(f *testing.F) {
	f.Add("C874 011F 0AB4 0511 0D02 1055 3436 5D94 72D7 468F")
	f.Add(strings.Repeat("ab", 32))
	f.Add("ı")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := hashing.ParseFingerprint(text)
		if err != nil {
			return
		}
		if again, err := hashing.ParseFingerprint(strings.ToLower(got)); again != got || err != nil || strings.Trim(got, "0123456789ABCDEF") != "" {
			t.Errorf("%q is %q, which is read as %q, %v", text, got, again, err)
		}
	})
}

func TestWhatChangedIsToBeFetchedAgain(t *testing.T) {
	t.Parallel()
	err := &hashing.MismatchError{By: hashing.ByOriginal, Want: []hashing.Hash{"zh:a"}, Got: []hashing.Hash{"zh:b"}}
	const want = "the package does not match the original that was verified: it has zh:b, expected zh:a; it has changed since it was verified: fetch the package again"
	if err.Error() != want {
		t.Errorf("error is %q, want %q", err, want)
	}
}
