package cliconfig

import (
	"strings"
	"testing"
)

// FuzzHelperAnswer: a token from a helper fits into a header, and no error quotes the answer.
func FuzzHelperAnswer(f *testing.F) {
	for _, answer := range []string{`{"token": "abc"}`, `{}`, `null`, `"abc"`, `{"token": 5}`, `{"token": "a\nb"}`, `{"token": null}`, ``} {
		f.Add([]byte(answer))
	}
	f.Fuzz(func(t *testing.T, answer []byte) {
		token, err := parseHelperAnswer(answer)
		if strings.ContainsAny(string(token), "\r\n\x00") || err != nil && token != "" {
			t.Errorf("%q, %v", string(token), err)
		}
	})
}
