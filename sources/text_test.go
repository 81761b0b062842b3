package sources_test

import (
	"encoding/json"
	"testing"

	"github.com/purveyor-dev/purveyor/sources"
)

// Values are texts in JSON, also as the names of members, and come back as they were.
func TestValuesAreTextsInJSON(t *testing.T) {
	t.Parallel()
	type values struct {
		Host        sources.Host
		Provider    sources.Provider
		Version     sources.Version
		Constraints sources.Constraints
		Platform    sources.Platform
		Protocol    sources.Protocol
		Pattern     sources.Pattern
		Table       map[sources.Provider]sources.Version
	}
	const text = `{"Host":"bücher.example.com:8443","Provider":"registry.example.com/acme/rocket","Version":"1.2.3-rc1+x",` +
		`"Constraints":"\u003e= 1.0.0, \u003c 2.0.0","Platform":"linux_amd64","Protocol":"5.1","Pattern":"registry.example.com/acme/*","Table":{"registry.example.com/acme/rocket":"1.0.0"}}`
	var v values
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	if got, err := json.Marshal(v); err != nil || string(got) != text {
		t.Errorf("got %s, %v\nwant %s", got, err, text)
	}
	var zero values
	if got, err := json.Marshal(zero); err != nil || json.Unmarshal(got, &zero) != nil {
		t.Errorf("zero values: %s, %v", got, err)
	}
	for _, bad := range []string{`{"Host":"a b"}`, `{"Version":"x"}`, `{"Constraints":"=>1"}`, `{"Platform":"x"}`, `{"Protocol":""}`, `{"Pattern":"*/a/b"}`, `{"Provider":"a/b/c/d"}`} {
		if err := json.Unmarshal([]byte(bad), new(values)); err == nil {
			t.Errorf("%s was accepted", bad)
		}
	}
}
