package spool

import (
	"slices"
	"testing"
)

// Spans say the same as a table with a flag for each byte.
func FuzzSpans(f *testing.F) {
	f.Add([]byte{1, 3, 5, 9, 3, 5})
	f.Add([]byte{10, 20, 0, 5, 4, 12, 20, 21})
	f.Fuzz(func(t *testing.T, data []byte) {
		var all spans
		var flags [300]bool
		for pair := range slices.Chunk(data, 2) {
			if len(pair) < 2 {
				continue
			}
			from, to := int64(pair[0]), int64(pair[1])
			compare(t, all, flags[:], from, max(from, to))
			all.add(from, to)
			for i := from; i < to; i++ {
				flags[i] = true
			}
		}
		compare(t, all, flags[:], 0, 256)
	})
}

func compare(t *testing.T, all spans, flags []bool, from, to int64) {
	t.Helper()
	missing := make([]bool, len(flags))
	for _, gap := range all.missing(from, to) {
		if gap.from >= gap.to {
			t.Fatalf("an empty gap in %v", all)
		}
		for i := gap.from; i < gap.to; i++ {
			missing[i] = true
		}
	}
	var total int64
	for i, there := range flags {
		if in := int64(i) >= from && int64(i) < to; missing[i] != (in && !there) {
			t.Fatalf("%v: missing(%d, %d) is wrong about %d", all, from, to, i)
		}
		if there {
			total++
		}
	}
	end := from
	for flags[end] {
		end++
	}
	if all.until(from) != end || all.total() != total {
		t.Fatalf("%v: until(%d) = %d, want %d; total %d, want %d", all, from, all.until(from), end, all.total(), total)
	}
	if !slices.IsSortedFunc(all, func(a, b span) int { return int(a.to - b.from) }) {
		t.Fatalf("%v touch each other", all)
	}
}
