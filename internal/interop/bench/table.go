package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// table shows the medians of all clients, and how ours compare. Ours is the last row.
type table struct {
	title string
	rows  []row
}

type row struct {
	name string
	sample
}

func (t *table) print(out io.Writer) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(out)
	line(w, t.title, "wall s", "CPU s", "peak MB", "requests")
	for _, r := range t.rows {
		line(w, r.name, seconds(r.wall.Seconds()), seconds(r.cpu.Seconds()), fmt.Sprintf("%.0f", float64(r.rss)/1e6), fmt.Sprint(r.requests))
	}
	us := t.rows[len(t.rows)-1]
	for _, r := range t.rows[:len(t.rows)-1] {
		line(w, us.name+" / "+r.name,
			ratio(us.wall.Seconds(), r.wall.Seconds()), ratio(us.cpu.Seconds(), r.cpu.Seconds()),
			ratio(float64(us.rss), float64(r.rss)), ratio(float64(us.requests), float64(r.requests)))
	}
	_ = w.Flush() // fails only if out does
}

// line writes one row; in a tabwriter every cell is ended.
func line(w io.Writer, cells ...string) {
	fmt.Fprintln(w, strings.Join(cells, "\t")+"\t")
}

func seconds(s float64) string { return fmt.Sprintf("%.2f", s) }

func ratio(ours, theirs float64) string {
	if theirs == 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", ours/theirs)
}
