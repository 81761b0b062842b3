package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
)

// headings are those of the columns, one for each figure.
var headings = [figures]string{"wall s", "CPU s", "system s", "peak MB", "requests", "connections", "read MB"}

// formats are those of the figures themselves.
var formats = [figures]string{"%.2f", "%.2f", "%.2f", "%.0f", "%.0f", "%.0f", "%.1f"}

// goal is what a row is compared with, and how good it should be.
type goal struct {
	of      string   // name of a row
	against []string // names of rows, of whose figures the greatest counts; none: limits are of the figures themselves
	limits  limits
}

// base names what a row is divided by.
func (g goal) base() string {
	if len(g.against) == 1 {
		return g.against[0]
	}
	return "max(" + strings.Join(g.against, ", ") + ")"
}

// limits are the most that figures, or their ratios, should be.
type limits map[figure]float64

// table has the medians of all entrants, and below them how they compare.
type table struct {
	title       string
	rows        []row
	comparisons [][]string
}

type row struct {
	name string
	sample
}

// compare adds lines below the rows, unless a row is missing.
func (t *table) compare(g goal) {
	of := t.find(g.of)
	if of == nil {
		return
	}
	if len(g.against) == 0 {
		t.comparisons = append(t.comparisons, g.verdict("target of "+g.of, of.sample))
		return
	}
	var base sample
	for _, name := range g.against {
		other := t.find(name)
		if other == nil {
			return
		}
		for f, value := range other.sample {
			base[f] = max(base[f], value)
		}
	}
	ratios, cells := ratiosOf(of.sample, base)
	t.comparisons = append(t.comparisons, append([]string{g.of + " / " + g.base()}, cells...))
	if len(g.limits) > 0 {
		t.comparisons = append(t.comparisons, g.verdict("target", ratios))
	}
}

func (t *table) find(name string) *row {
	i := slices.IndexFunc(t.rows, func(r row) bool { return r.name == name })
	if i < 0 {
		return nil
	}
	return &t.rows[i]
}

// ratiosOf returns figures divided by others, as numbers and as text. What cannot be divided is no number.
func ratiosOf(of, base sample) (ratios sample, cells []string) {
	for f := range of {
		if base[f] == 0 {
			ratios[f], cells = math.NaN(), append(cells, "-")
			continue
		}
		ratios[f] = of[f] / base[f]
		cells = append(cells, fmt.Sprintf("%.2f", ratios[f]))
	}
	return ratios, cells
}

// verdict is a line with the limits, each with a mark that says whether it is kept.
func (g goal) verdict(name string, values sample) []string {
	cells := []string{name}
	for f, value := range values {
		limit, ok := g.limits[figure(f)]
		switch {
		case !ok || math.IsNaN(value):
			cells = append(cells, "")
		case value <= limit:
			cells = append(cells, fmt.Sprintf("≤ %g ✓", limit))
		default:
			cells = append(cells, fmt.Sprintf("≤ %g ✗", limit))
		}
	}
	return cells
}

func (t *table) print(out io.Writer) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(out)
	line(w, append([]string{t.title}, headings[:]...))
	for _, r := range t.rows {
		cells := []string{r.name}
		for f, value := range r.sample {
			cells = append(cells, fmt.Sprintf(formats[f], value))
		}
		line(w, cells)
	}
	for _, cells := range t.comparisons {
		line(w, cells)
	}
	_ = w.Flush() // fails only if out does
	fmt.Fprintln(out)
}

// line writes one row; in a tabwriter every cell is ended.
func line(w io.Writer, cells []string) {
	fmt.Fprintln(w, strings.Join(cells, "\t")+"\t")
}
