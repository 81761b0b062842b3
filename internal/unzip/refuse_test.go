package unzip_test

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/internal/unzip"
)

// reasons are all the reasons there are; an error has one of them.
var reasons = []error{
	unzip.ErrUnsafeName, unzip.ErrDuplicate, unzip.ErrNotRegular, unzip.ErrOverlap,
	unzip.ErrTooLarge, unzip.ErrUnsupported, unzip.ErrEmpty, unzip.ErrCorrupt,
}

// refused checks that archive is refused for one reason, before anything was written.
func refused(t *testing.T, archive []byte, limits unzip.Limits, want error) {
	t.Helper()
	_, dir, err := extract(t, archive, limits)
	checkReason(t, err, want)
	if left := read(t, dir); len(left) != 0 {
		t.Errorf("wrote %d files before refusing", len(left))
	}
}

func checkReason(t *testing.T, err, want error) {
	t.Helper()
	if e := (*unzip.Error)(nil); !errors.As(err, &e) {
		t.Errorf("got %v, want an *unzip.Error", err)
	}
	for _, reason := range reasons {
		if errors.Is(err, reason) != (reason == want) {
			t.Errorf("got %v, want %v", err, want)
		}
	}
}

func TestUnsafeNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"", "..", "../a", "a/../b", "a/..", "/a", "/", "//a", ".", "./a", "a/./b", "a//b", "a/b//",
		`a\b`, `..\a`, `\\server\share`, "C:", "C:/a", "C:a", "a:stream",
		"a\x00", "a\nb", "a\r", "a\x1b[31m", "a\x7f", "a\u0085", "a\u200bb", "a\u202efdp.exe", "a\u2028b",
		"a\xff", "\xc0\xae\xc0\xae/a", "a/\xed\xa0\x80",
		"CON", "con", "nul.txt", "a/Aux", "PRN .txt", "COM1", "com0.log", "LPT9", "COM¹", "CONIN$", "conout$.x",
		"a.", "a ", "a./b", "a /b", "...",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refused(t, rawZip(file("good", "x"), file(name, "x")), unzip.Limits{}, unzip.ErrUnsafeName)
		})
	}
}

func TestNamesThatOnlyLookUnsafe(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"..a", "a..b", "...a", ".hidden", "console", "com10", "COM", "nul_", "a b", "-rf", "$HOME", "~", "ü", "日本"} {
		if _, dir, err := extract(t, rawZip(file(name, "x")), unzip.Limits{}); err != nil || len(read(t, dir)) != 1 {
			t.Errorf("%q: %v", name, err)
		}
	}
}

func TestPathsThatAreTaken(t *testing.T) {
	t.Parallel()
	dir := func(name string) rawEntry { return rawEntry{name: name, mode: unixDir | 0o755} }
	for name, entries := range map[string][]rawEntry{
		"same":                          {file("a", "1"), file("a", "2")},
		"same directory":                {file("x", ""), dir("a/"), dir("a/")},
		"case":                          {file("README", "1"), file("readme", "2")},
		"case beyond ASCII":             {file("Σ", "1"), file("ς", "2")},
		"the sign for kelvin":           {file("K", "1"), file("\u212a", "2")},
		"composed and decomposed":       {file("\u00fc", "1"), file("u\u0308", "2")},
		"both":                          {file("\u00dc", "1"), file("u\u0308", "2")},
		"directories by case":           {file("Bin/a", "1"), file("bin/b", "2")},
		"directories by case, deeper":   {file("x/Bin/a", "1"), file("x/bin/a", "2")},
		"file, then directory":          {file("a", "1"), file("a/b", "2")},
		"directory, then file":          {file("a/b", "1"), file("a", "2")},
		"file, then directory entry":    {file("a", "1"), dir("a/")},
		"directory entry, then file":    {dir("a/"), file("a", "1")},
		"file as directory, other case": {file("a", "1"), file("A/b", "2")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refused(t, rawZip(entries...), unzip.Limits{}, unzip.ErrDuplicate)
		})
	}
}

func TestKindsThatAreNotPlain(t *testing.T) {
	t.Parallel()
	for name, mode := range map[string]uint32{
		"link":         unixLink | 0o777,
		"char device":  unixChar | 0o644,
		"block device": unixBlock | 0o644,
		"pipe":         unixPipe | 0o644,
		"socket":       unixSocket | 0o644,
		"setuid":       unixFile | 0o4755,
		"setgid":       unixFile | 0o2755,
		"sticky":       unixFile | 0o1755,
		"directory":    unixDir | 0o755,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := file("a", "/etc/passwd")
			e.mode = mode
			refused(t, rawZip(e, file("b", "x")), unzip.Limits{}, unzip.ErrNotRegular)
		})
	}
	link := rawEntry{name: "dir/", mode: unixLink | 0o777}
	refused(t, rawZip(link, file("b", "x")), unzip.Limits{}, unzip.ErrNotRegular)
}

func TestUnsupportedFeatures(t *testing.T) {
	t.Parallel()
	encrypted, strong, bzip2, deflate64 := file("a", "x"), file("a", "x"), file("a", "x"), file("a", "x")
	encrypted.flags, strong.flags = 1, 0x40
	bzip2.method, deflate64.method = 12, 9
	split := rawZip(file("a", "x"))
	split[len(split)-22+4] = 1
	split64 := rawZip64(file("a", "x"))
	split64[len(split64)-22-4] = 2
	for name, archive := range map[string][]byte{
		"encrypted": rawZip(encrypted), "strongly encrypted": rawZip(strong),
		"bzip2": rawZip(bzip2), "deflate64": rawZip(deflate64), "split": split, "split, 64 bit": split64,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refused(t, archive, unzip.Limits{}, unzip.ErrUnsupported)
		})
	}
}

func TestSharedAndMisplacedData(t *testing.T) {
	t.Parallel()
	at := func(e rawEntry, offset uint32) rawEntry { e.offset = ptr(offset); return e }
	long := file("a", "x")
	long.csize, long.size = ptr(uint32(40)), ptr(uint32(40))
	into := file("b", "x")
	into.csize, into.size = ptr(uint32(20)), ptr(uint32(20))
	away := file("b", "x")
	away.offset, away.extra = ptr(uint32(1<<32-1)), put(nil, uint16(1), uint16(8), ^uint64(0))
	huge := file("b", "x")
	huge.csize, huge.method, huge.extra = ptr(uint32(1<<32-1)), zip.Deflate, put(nil, uint16(1), uint16(8), ^uint64(0))
	for name, archive := range map[string][]byte{
		"one place for two":                rawZip(file("a", "x"), at(file("b", "x"), 0)),
		"data reaching into the next":      rawZip(long, file("b", "x")),
		"data reaching into the directory": rawZip(file("a", "x"), into),
		"behind the archive":               rawZip(file("a", "x"), at(file("b", "x"), 1<<20)),
		"in the directory":                 rawZip(file("a", "x"), at(file("b", "x"), 70)),
		"before the archive":               rawZip(file("a", "x"), away),
		"data of 2^64 bytes":               rawZip(file("a", "x"), huge),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refused(t, archive, unzip.Limits{}, unzip.ErrOverlap)
		})
	}
}

// A local header can claim to be longer than the directory lets one guess; that shows only when it is read.
func TestALocalHeaderThatPushesItsDataIntoTheNextEntry(t *testing.T) {
	t.Parallel()
	archive := rawZip(file("a", "x"), file("b", strings.Repeat("y", 100)))
	binary.LittleEndian.PutUint16(archive[28:], 8) // of extra field
	_, _, err := extract(t, archive, unzip.Limits{})
	checkReason(t, err, unzip.ErrOverlap)
}

func TestLimits(t *testing.T) {
	t.Parallel()
	zeros := deflated(t, "zeros", make([]byte, unzip.RatioFloor+1))
	for name, c := range map[string]struct {
		archive []byte
		limits  unzip.Limits
	}{
		"entries":        {rawZip(file("a", ""), file("b", ""), file("c", "")), unzip.Limits{Entries: 2}},
		"name":           {rawZip(file("abcde", "")), unzip.Limits{Name: 4}},
		"name, default":  {rawZip(file(strings.Repeat("a/", 300)+"a", "")), unzip.Limits{}},
		"depth":          {rawZip(file(strings.Repeat("a/", 32)+"a", "")), unzip.Limits{}},
		"element":        {rawZip(file(strings.Repeat("a", 256), "")), unzip.Limits{}},
		"file":           {rawZip(file("a", "12345")), unzip.Limits{File: 4}},
		"total":          {rawZip(file("a", "123"), file("b", "456")), unzip.Limits{Total: 5}},
		"ratio":          {rawZip(zeros), unzip.Limits{}},
		"nothing at all": {rawZip(file("a", "")), unzip.Limits{Entries: -1}},
		"no bytes":       {rawZip(file("a", "")), unzip.Limits{File: -1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refused(t, c.archive, c.limits, unzip.ErrTooLarge)
		})
	}
	fits := unzip.Limits{Entries: 2, Name: 1, File: 3, Total: 6, Ratio: 1}
	if _, _, err := extract(t, rawZip(file("a", "123"), file("b", "456")), fits); err != nil {
		t.Errorf("exactly at the limits: %v", err)
	}
	bomb := rawZip(zeros)
	if _, err := unzip.Extract(t.Context(), bytes.NewReader(bomb), int64(len(bomb)), "", unzip.Limits{Ratio: 2000}); err != nil {
		t.Errorf("a higher ratio allowed: %v", err)
	}
}

func TestContentsThatAreNotAsDeclared(t *testing.T) {
	t.Parallel()
	text := []byte(strings.Repeat("text ", 100))
	more, less, sum := deflated(t, "a", text), deflated(t, "a", text), deflated(t, "a", text)
	more.size, less.size, sum.crc = ptr(uint32(10)), ptr(uint32(1000)), ptr(uint32(1))
	storedSum := file("a", "text")
	storedSum.crc = ptr(uint32(1))
	junk, cut := deflated(t, "a", text), deflated(t, "a", text)
	junk.data = bytes.Repeat([]byte{0xff}, 20)
	cut.data = cut.data[:len(cut.data)-4]
	unsigned := rawZip(file("a", "x"))
	unsigned[0] = 'Q'
	descriptor := packed(t, map[string][]byte{"a": text})
	descriptor[bytes.Index(descriptor, []byte("PK\x07\x08"))+4] ^= 1
	for name, archive := range map[string][]byte{
		"more": rawZip(more), "less": rawZip(less), "checksum": rawZip(sum), "checksum, stored": rawZip(storedSum),
		"not deflate": rawZip(junk), "cut": rawZip(cut), "no local header": unsigned, "data descriptor": descriptor,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, dir, err := extract(t, archive, unzip.Limits{})
			checkReason(t, err, unzip.ErrCorrupt)
			if got := read(t, dir)["a"]; len(got) > max(len(text), 10) {
				t.Errorf("%d bytes written", len(got))
			}
		})
	}
}

func TestDirectoriesThatLie(t *testing.T) {
	t.Parallel()
	body, directory := rawDirectory([]rawEntry{file("a", "1"), file("b", "2")})
	whole := func(end []byte) []byte { return put(nil, body, directory, end) }
	n, at := len(directory), len(body)
	storedWrong, fullDir := file("a", "123"), rawEntry{name: "d/", mode: unixDir, data: []byte("x")}
	storedWrong.size = ptr(uint32(2))
	commented := file("a", "1")
	commented.comment = string(rawEnd(1, 0, 0, ""))
	for name, archive := range map[string][]byte{
		"nothing":                     {},
		"no zip":                      []byte(strings.Repeat("no zip ", 20_000)),
		"cut":                         whole(rawEnd(2, n, at, ""))[:at+n],
		"fewer entries":               whole(rawEnd(1, n, at, "")),
		"more entries":                whole(rawEnd(3, n, at, "")),
		"smaller":                     whole(rawEnd(2, n-1, at, "")),
		"larger":                      whole(rawEnd(2, n+1, at, "")),
		"elsewhere":                   whole(rawEnd(2, n, at+1, "")),
		"far away":                    whole(rawEnd(2, n, 1<<31, "")),
		"entries and offset saturate": whole(rawEnd(1<<16-1, n, 1<<32-1, "")),
		"bytes in front":              put(nil, "#!/bin/sh\n", whole(rawEnd(2, n, at, ""))),
		"bytes behind":                put(nil, whole(rawEnd(2, n, at, "")), "x"),
		"comment too long":            whole(rawEnd(2, n, at, "comment"))[:at+n+22+3],
		"second end in the comment":   whole(rawEnd(2, n, at, string(rawEnd(0, 0, 0, "")))),
		"end in an entry's comment":   put(nil, rawZip(commented)[:32+46+1+22]),
		"stored size":                 rawZip(storedWrong),
		"directory with contents":     rawZip(file("a", "1"), fullDir),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refused(t, archive, unzip.Limits{Entries: 1 << 16}, unzip.ErrCorrupt)
		})
	}
}

func TestEndRecordsThatDiffer(t *testing.T) {
	t.Parallel()
	body, directory := rawDirectory([]rawEntry{file("a", "1")})
	n, at := len(directory), len(body)
	whole := func(big, small []byte) []byte { return put(nil, body, directory, big, small) }
	saturated := rawEnd(1<<16-1, 1<<32-1, 1<<32-1, "")
	big := func(records, size, offset, where int) []byte {
		return rawEnd64(uint64(records), uint64(size), uint64(offset), uint64(where))
	}
	for name, archive := range map[string][]byte{
		"entries":               whole(big(1, n, at, at+n), rawEnd(2, n, at, "")),
		"size":                  whole(big(1, n, at, at+n), rawEnd(1, n-1, at, "")),
		"offset":                whole(big(1, n, at, at+n), rawEnd(1, n, at+1, "")),
		"locator to nowhere":    whole(big(1, n, at, 1<<40), saturated),
		"locator to the middle": whole(big(1, n, at, at), saturated),
		"negative offset":       whole(big(1, n, -1, at+n), saturated),
		"negative size":         whole(big(1, -1, at, at+n), saturated),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refused(t, archive, unzip.Limits{}, unzip.ErrCorrupt)
		})
	}
	refused(t, whole(big(1<<60, n, at, at+n), saturated), unzip.Limits{}, unzip.ErrTooLarge)
	same := whole(big(1, n, at, at+n), rawEnd(1, n, at, ""))
	if _, _, err := extract(t, same, unzip.Limits{}); err != nil {
		t.Errorf("equal end records: %v", err)
	}
}

func TestNoFiles(t *testing.T) {
	t.Parallel()
	refused(t, rawZip(), unzip.Limits{}, unzip.ErrEmpty)
	refused(t, rawZip(rawEntry{name: "d/", mode: unixDir | 0o755}), unzip.Limits{}, unzip.ErrEmpty)
}

// An archive may announce a directory as large as it likes: it is not read, and nothing is allocated for it.
func TestALyingEndRecordCostsNoMemory(t *testing.T) { // not parallel: it measures the whole process
	const size = 16 << 20
	headers := bytes.Repeat(put(nil, "PK\x01\x02", make([]byte, 42)), size/46)
	for _, records := range []int{1, 9_999} {
		archive := put(nil, headers, rawEnd(records, len(headers), 0, ""))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := unzip.Extract(t.Context(), bytes.NewReader(archive), int64(len(archive)), "", unzip.Limits{})
		runtime.ReadMemStats(&after)
		checkReason(t, err, unzip.ErrTooLarge)
		if n := after.TotalAlloc - before.TotalAlloc; n > 200_000 {
			t.Errorf("%d records: %d bytes allocated", records, n)
		}
	}
}

// What the environment says about archive/zip's own check of names makes no difference.
func TestGodebugDoesNotMatter(t *testing.T) {
	for _, setting := range []string{"zipinsecurepath=0", "zipinsecurepath=1"} {
		t.Setenv("GODEBUG", setting)
		refused(t, rawZip(file("../a", "x")), unzip.Limits{}, unzip.ErrUnsafeName)
	}
}

func TestErrorsAreShortAndQuoted(t *testing.T) {
	t.Parallel()
	_, _, err := extract(t, rawZip(file("evil\x1b[2J"+strings.Repeat("x", 60_000), "")), unzip.Limits{})
	text := err.Error()
	if len(text) > 500 || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' }) {
		t.Errorf("%d bytes: %q", len(text), text)
	}
	if !slices.ContainsFunc(reasons, func(reason error) bool { return strings.Contains(text, reason.Error()) }) {
		t.Errorf("no reason in %q", text)
	}
}
