package main

import (
	"cmp"
	"fmt"
	"io"
	"net/url"
	"text/tabwriter"
)

// writeTable prints what is installed.
func writeTable(w io.Writer, packages []record) {
	if len(packages) == 0 {
		return
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "PROVIDER\tVERSION\tFROM\tSIZE\tTIME\tVERIFIED")
	for _, r := range packages {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n",
			shortAddress(r), r.Version, printable(source(r)), cmp.Or(size(r.Bytes), "-"), seconds(r.Seconds), printable(shortTrust(r)))
	}
	_ = table.Flush() // nobody is left to be told
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
