package main

import (
	"encoding/json"
	"io"
)

// jsonLines prints each record as a JSON object on a line of its own.
type jsonLines struct{ out io.Writer }

func (j jsonLines) print(r record) {
	encoder := json.NewEncoder(j.out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(r) // nobody is left to be told that the reader is gone
}

func (j jsonLines) packages(all []record) {
	for _, r := range all {
		j.print(r)
	}
}

func (jsonLines) close() {}

var _ printer = jsonLines{}
