package main

import (
	"cmp"
	"fmt"
	"io"
	"net/url"
	"strings"
)

// table is what is installed, for people.
type table struct {
	rows  [][]string // of the same length
	below []string   // for each row, what stands below it; "" for nothing
}

// writeTable prints what is installed into so many columns; 0: as many as it takes. What verification rests on is long, and
// stands below the rows where the columns do not suffice.
func writeTable(w io.Writer, packages []record, columns int) {
	if len(packages) == 0 {
		return
	}
	t := tableOf(packages)
	if columns > 0 && t.width() > columns {
		t.narrow(columns)
	}
	_, _ = io.WriteString(w, t.text(columns)) // nobody is left to be told
}

func tableOf(packages []record) *table {
	t := &table{rows: [][]string{{"PROVIDER", "VERSION", "FROM", "SIZE", "TIME", "VERIFIED"}}}
	for _, r := range packages {
		t.rows = append(t.rows, []string{
			shortAddress(r), r.Version, printable(source(r)), cmp.Or(size(r.Bytes), "-"), seconds(r.Seconds), printable(shortTrust(r)),
		})
	}
	t.below = make([]string, len(t.rows))
	return t
}

const (
	columnGap = 2
	leastText = 14 // how narrow addresses, and the places that packages come from, may become
)

// widths returns those of the columns.
func (t *table) widths() []int {
	widths := make([]int, len(t.rows[0]))
	for _, row := range t.rows {
		for i, text := range row {
			widths[i] = max(widths[i], textWidth(text))
		}
	}
	return widths
}

// width returns that of the whole table.
func (t *table) width() int {
	sum := -columnGap
	for _, width := range t.widths() {
		sum += width + columnGap
	}
	return sum
}

// narrow puts the last column below the rows, and if that is not enough shortens the addresses, and the places that packages
// come from, which may be paths.
func (t *table) narrow(columns int) {
	for i, row := range t.rows {
		last := len(row) - 1
		t.rows[i], t.below[i] = row[:last], row[last]
	}
	t.below[0] = ""
	const provider, from = 0, 2
	widths := t.widths()
	for surplus := t.width() - columns; surplus > 0 && max(widths[provider], widths[from]) > leastText; surplus-- {
		if widths[provider] >= widths[from] {
			widths[provider]--
		} else {
			widths[from]--
		}
	}
	for _, row := range t.rows {
		row[provider], row[from] = shorten(row[provider], widths[provider]), shorten(row[from], widths[from])
	}
}

func (t *table) text(columns int) string {
	var b strings.Builder
	widths := t.widths()
	for i, row := range t.rows {
		var line strings.Builder
		for j, text := range row {
			line.WriteString(pad(text, widths[j]+columnGap))
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
		if t.below[i] != "" {
			b.WriteString(wrapped("    ", t.below[i], columns))
		}
	}
	return b.String()
}

// source says in a word or two where a package has come from.
func source(r record) string {
	switch {
	case r.Location != "":
		if u, err := url.Parse(r.Location); err == nil && u.Host != "" {
			return u.Host
		}
		return r.Location
	case r.Stored != "":
		return "the cache"
	}
	return "here already"
}

// shortTrust is trust with the last 16 digits of a key, by which people look for it.
func shortTrust(r record) string {
	r.Key = r.Key[max(0, len(r.Key)-16):]
	return trust(r)
}

// seconds returns "1.2s"; "-" for no time worth mentioning.
func seconds(s float64) string {
	if s < 0.05 {
		return "-"
	}
	return fmt.Sprintf("%.1fs", s)
}
