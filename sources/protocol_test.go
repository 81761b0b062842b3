package sources_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/sources"
)

func TestParseProtocol(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]sources.Protocol{
		"5.0": {Major: 5}, "5": {Major: 5}, "6.10": {Major: 6, Minor: 10}, "4.1": {Major: 4, Minor: 1}, "65535.65535": {Major: 65535, Minor: 65535},
	} {
		if got, err := sources.ParseProtocol(in); got != want || err != nil {
			t.Errorf("ParseProtocol(%q) = %v, %v; want %v", in, got, err, want)
		}
	}
	for _, in := range []string{"", ".", "5.", ".0", "five", "5.0.0", "v5.0", "-5.0", "+5.0", " 5.0", "5.x", "65536.0", "1e1"} {
		var wrong *sources.ProtocolSyntaxError
		if got, err := sources.ParseProtocol(in); !errors.As(err, &wrong) || wrong.Input != in || got != (sources.Protocol{}) {
			t.Errorf("ParseProtocol(%q) = %v, %v; want a *ProtocolSyntaxError", in, got, err)
		}
	}
}

func FuzzParseProtocol(f *testing.F) {
	for _, seed := range []string{"5.0", "6", "", "5.0.0", "-1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := sources.ParseProtocol(text)
		if err != nil {
			return
		}
		if again, err := sources.ParseProtocol(p.String()); again != p || err != nil {
			t.Errorf("%q is %v, which is read as %v, %v", text, p, again, err)
		}
	})
}

func TestCheckProtocols(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		offered []sources.Protocol
		ok      bool
	}{
		{nil, true}, // nothing said
		{[]sources.Protocol{{Major: 5}}, true},
		{[]sources.Protocol{{Major: 6, Minor: 9}}, true},
		{[]sources.Protocol{{Major: 4}, {Major: 5}}, true},
		{[]sources.Protocol{{Major: 4}}, false},
		{[]sources.Protocol{{Major: 7}, {Major: 4}}, false},
	} {
		err := sources.CheckProtocols(c.offered)
		if c.ok {
			if err != nil {
				t.Errorf("%v: %v", c.offered, err)
			}
			continue
		}
		var protocol *sources.ProtocolError
		if !errors.As(err, &protocol) || !slices.Equal(protocol.Offered, c.offered) || errors.Is(err, sources.ErrNotFound) {
			t.Errorf("%v: %v, want a ProtocolError that is no absence", c.offered, err)
		}
	}
	if err := sources.CheckProtocols([]sources.Protocol{{Major: 7}, {Major: 4}}); !strings.Contains(err.Error(), "4.0, 7.0") {
		t.Errorf("the error does not tell what there is: %v", err)
	}
}

func TestProtocolOrder(t *testing.T) {
	t.Parallel()
	list := []sources.Protocol{{Major: 6}, {Major: 5, Minor: 10}, {Major: 5, Minor: 2}, {Major: 5}}
	slices.SortFunc(list, sources.Protocol.Compare)
	want := []sources.Protocol{{Major: 5}, {Major: 5, Minor: 2}, {Major: 5, Minor: 10}, {Major: 6}}
	if !slices.Equal(list, want) {
		t.Errorf("sorted: %v", list)
	}
}
