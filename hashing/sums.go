package hashing

import (
	"fmt"
	"strings"
)

// MaxSumsBytes is the size of the largest SHA256SUMS document that [ParseSums] reads, in bytes. A release for fifteen
// platforms needs about 1,500.
const MaxSumsBytes = 1 << 20

// Sum is one entry of a SHA256SUMS document.
type Sum struct {
	Filename string // verbatim, without the marker for binary files
	Hash     Hash   // "zh:…", whatever kind of file it is
}

// Sums are the entries of a SHA256SUMS document in their order, each file name once.
type Sums []Sum

// Lookup returns the hash of the file with exactly this name.
func (s Sums) Lookup(filename string) (Hash, bool) {
	for _, sum := range s {
		if sum.Filename == filename {
			return sum.Hash, true
		}
	}
	return "", false
}

// ParseSums reads a SHA256SUMS document as sha256sum writes it, the "shasums" of the provider registry protocol
// (https://opentofu.org/docs/internals/provider-registry-protocol/): lines of 64 hexadecimal digits, white space,
// perhaps the marker "*", and a file name. White space around a line does not count, so lines may end in CR LF; blank
// lines are skipped, upper-case digits are folded, and an entry may be repeated.
//
// Everything else is a [*SumsError], and then nothing of the document is given: a line that cannot be read may be the
// one that matters. That includes two different sums for one name.
func ParseSums(doc []byte) (Sums, error) {
	if len(doc) > MaxSumsBytes {
		return nil, &SumsError{Reason: fmt.Sprintf("%d bytes are more than the limit of %d", len(doc), MaxSumsBytes)}
	}
	var sums Sums
	type place struct{ line, index int }
	places := make(map[string]place) // where a name was first seen
	number := 0
	for line := range strings.Lines(string(doc)) {
		number++
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		sum, reason := parseSum(line)
		if reason != "" {
			return nil, &SumsError{Line: number, Reason: reason}
		}
		first, seen := places[sum.Filename]
		if !seen {
			places[sum.Filename] = place{number, len(sums)}
			sums = append(sums, sum)
			continue
		}
		if sums[first.index].Hash != sum.Hash {
			return nil, &SumsError{Line: number, Reason: fmt.Sprintf("%q has another sum on line %d", clip(sum.Filename), first.line)}
		}
	}
	return sums, nil
}

// parseSum reads one line without white space around it; reason says what is wrong with it.
func parseSum(line string) (sum Sum, reason string) {
	end := strings.IndexAny(line, " \t")
	if end < 0 {
		end = len(line)
	}
	digest, ok := parseHex(line[:end])
	if !ok {
		return Sum{}, fmt.Sprintf("must begin with 64 hexadecimal digits, not %q", clip(line[:end]))
	}
	name := strings.TrimLeft(line[end:], " \t")
	name = strings.TrimPrefix(name, "*")
	if name == "" {
		return Sum{}, "the file name is missing"
	}
	return Sum{Filename: name, Hash: ZH(digest)}, ""
}
