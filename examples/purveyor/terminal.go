package main

import (
	"io"
	"os"

	"golang.org/x/term"

	"github.com/purveyor-dev/purveyor/cliconfig"
)

// isTerminal reports whether something is looked at by people, on a terminal that can move its cursor.
func isTerminal(w io.Writer, env cliconfig.Environment) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd())) && env.Getenv("TERM") != "dumb"
}

// columns returns how many a terminal has; 0: it is none, or does not say.
func columns(w io.Writer) int {
	if file, ok := w.(*os.File); ok {
		if width, _, err := term.GetSize(int(file.Fd())); err == nil {
			return width
		}
	}
	return 0
}

// style is how something stands out on a terminal, an SGR parameter of ECMA-48.
type style string

const (
	plain  style = ""
	bold   style = "1"
	red    style = "1;31"
	yellow style = "1;33"
)

// styler applies styles; false: there are none, because nobody looks or nobody wants them, https://no-color.org.
type styler bool

func stylerFor(w io.Writer, env cliconfig.Environment) styler {
	return styler(env.Getenv("NO_COLOR") == "" && isTerminal(w, env))
}

func (s styler) apply(as style, text string) string {
	if !s || as == plain {
		return text
	}
	return "\x1b[" + string(as) + "m" + text + "\x1b[0m"
}
