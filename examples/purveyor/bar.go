package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/mattn/go-runewidth"
)

// bar is what a line says about a download.
type bar struct {
	name, phase    string
	current, total int64 // bytes; total 0: not known
	elapsed        time.Duration
}

// The parts of a bar's line, in columns of the terminal, and how narrow they may become.
const (
	phaseWidth   = len("downloading")
	countWidth   = len("419.4 MB / 419.4 MB")
	speedWidth   = len("123.4 MB/s")
	leastName    = 20
	leastBar     = 10
	terminalEdge = 2 // columns left free: the terminal puts "^C" somewhere
)

// line draws a bar into so many columns of a terminal; the names of all bars are so wide. What does not fit is given up in
// turn: the length of the bar, the middle of the name, the phase, the speed, the bar itself.
func (b bar) line(columns, nameWidth int) string {
	columns -= terminalEdge
	least := min(nameWidth, leastName)
	rest := columns - least - 1 - countWidth
	take := func(width int) bool {
		if rest < width+1 {
			return false
		}
		rest -= width + 1
		return true
	}
	drawn := take(leastBar)
	fast := drawn && take(speedWidth)
	phased := fast && take(phaseWidth)

	name := min(nameWidth, least+max(rest, 0))
	rest -= name - least
	parts := []string{pad(shorten(b.name, name), name)}
	if phased {
		parts = append(parts, pad(b.phase, phaseWidth))
	}
	if drawn {
		parts = append(parts, b.drawn(leastBar+rest))
	}
	parts = append(parts, fmt.Sprintf("%*s", countWidth, b.count()))
	if fast {
		parts = append(parts, b.speed())
	}
	line := strings.TrimRight(strings.Join(parts, " "), " ")
	return runewidth.Truncate(line, columns, "")
}

// drawn is the bar itself, of ASCII characters.
func (b bar) drawn(width int) string {
	inside := width - len("[]")
	done := 0
	if b.total > 0 {
		done = int(float64(inside) * min(1, float64(max(b.current, 0))/float64(b.total)))
	}
	line := strings.Repeat("=", done)
	if done > 0 && done < inside {
		line = line[1:] + ">"
	}
	return "[" + line + strings.Repeat("-", inside-done) + "]"
}

func (b bar) count() string {
	current := size(max(b.current, 1))
	if b.total <= 0 {
		return current
	}
	return fmt.Sprintf("%s / %8s", current, size(b.total))
}

// speed is the average one.
func (b bar) speed() string {
	if b.current <= 0 || b.elapsed <= 0 {
		return ""
	}
	return fmt.Sprintf("%*s", speedWidth, size(int64(float64(b.current)/b.elapsed.Seconds()))+"/s")
}

// shorten leaves out the middle of a text that is too wide: an address ends in what tells it from others.
func shorten(text string, width int) string {
	surplus := textWidth(text) - width
	if surplus <= 0 || width < len("a..b") {
		return text
	}
	head := runewidth.Truncate(text, (width-len(".."))/3, "")
	return head + runewidth.TruncateLeft(text, textWidth(head)+surplus+len(".."), "..")
}

// textWidth returns how many columns a text takes on a terminal: two for each character of some scripts, none for accents of
// their own, https://www.unicode.org/reports/tr11/.
func textWidth(text string) int { return runewidth.StringWidth(text) }

func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-textWidth(text)))
}
