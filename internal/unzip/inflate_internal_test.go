package unzip

import (
	"bytes"
	"compress/flate"
	"io"
	"testing"
)

// maxInflated bounds what a fuzzed stream may become, in bytes.
const maxInflated = 1 << 20

// inflate returns what a stream inflates to, and whether it is whole.
func inflate(r io.ReadCloser) (data []byte, whole bool) {
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, maxInflated))
	return data, err == nil
}

// The inflater takes the streams that the standard library's takes, and no others, and gets the same bytes.
func FuzzInflaterAgreesWithTheStandardLibrary(f *testing.F) {
	for level := flate.HuffmanOnly; level <= flate.BestCompression; level++ {
		for _, text := range []string{"", "a", "banana banana banana", string(bytes.Repeat([]byte("0123456789"), 5000))} {
			var packed bytes.Buffer
			w, err := flate.NewWriter(&packed, level)
			if err != nil {
				f.Fatal(err)
			}
			_, _ = io.WriteString(w, text)
			if err := w.Close(); err != nil {
				f.Fatal(err)
			}
			f.Add(packed.Bytes())
		}
	}
	f.Fuzz(func(t *testing.T, packed []byte) {
		got, gotWhole := inflate(newInflater(bytes.NewReader(packed)))
		want, wantWhole := inflate(flate.NewReader(bytes.NewReader(packed)))
		if gotWhole != wantWhole {
			t.Errorf("whole: %t, want %t", gotWhole, wantWhole)
		}
		if wantWhole && !bytes.Equal(got, want) {
			t.Errorf("got %d bytes, want %d, or they differ", len(got), len(want))
		}
	})
}

// What is compressed comes back as it was, whatever it is and at each level.
func FuzzInflaterUndoesDeflation(f *testing.F) {
	f.Add([]byte("banana"), int8(9))
	f.Add([]byte{}, int8(0))
	f.Fuzz(func(t *testing.T, data []byte, level int8) {
		var packed bytes.Buffer
		w, err := flate.NewWriter(&packed, int(level)%(flate.BestCompression+1))
		if err != nil {
			t.Skip("there is no such level")
		}
		_, _ = w.Write(data)
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if got, whole := inflate(newInflater(&packed)); !whole || !bytes.Equal(got, data[:min(len(data), maxInflated)]) {
			t.Errorf("%d bytes came back as %d", len(data), len(got))
		}
	})
}
