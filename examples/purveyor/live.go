package main

import (
	"errors"
	"io"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources"
)

// live prints records on a terminal: lines, and below them a bar for each download.
type live struct {
	human
	terminal io.Writer
	bars     *mpb.Progress

	mu      sync.Mutex
	running map[string]*download
}

var _ printer = (*live)(nil)

func newLive(terminal io.Writer, lines human) *live {
	l := &live{human: lines, terminal: terminal, bars: mpb.New(mpb.WithOutput(terminal), mpb.WithAutoRefresh()), running: map[string]*download{}}
	l.human.out = l
	if isTerminal(lines.err, lines.env) {
		l.human.err = l // the same terminal
	}
	return l
}

// Write prints above the bars.
func (l *live) Write(p []byte) (int, error) {
	n, err := l.bars.Write(p)
	if errors.Is(err, mpb.ErrDone) {
		return l.terminal.Write(p)
	}
	return n, err
}

// print shows a record as a change of a bar, or as a line.
func (l *live) print(r record) {
	if !l.follow(r) {
		l.human.print(r)
	}
}

// packages prints a table.
func (l *live) packages(all []record) {
	l.close()
	writeTable(l.terminal, all)
}

// close ends the bars.
func (l *live) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for key, d := range l.running {
		d.bar.Abort(true)
		delete(l.running, key)
	}
	l.bars.Shutdown()
}

// follow reports whether a record is about a download, and shows how far that is.
func (l *live) follow(r record) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := r.Provider + " " + r.Version + " " + r.Platform
	d := l.running[key]
	switch kind := installer.EventKind(r.Event); {
	case kind == installer.EventFetching && d == nil:
		l.running[key] = l.begin(r)
	case kind == installer.EventFetching:
		d.restart(r)
	case d == nil:
		return kind == installer.EventProgress
	case kind == installer.EventProgress:
		d.at(r.Bytes)
	case kind == installer.EventUnpacking:
		d.phase.Store("unpacking")
	case kind == installer.EventVerified, kind == installer.EventFailed:
		d.bar.Abort(true)
		delete(l.running, key)
	default:
		return false
	}
	return true
}

// download is a bar.
type download struct {
	bar   *mpb.Bar
	phase atomic.Value // string
}

// begin adds a bar. Its total is set later, or else it would end with the last byte, before the package is unpacked.
func (l *live) begin(r record) *download {
	d := &download{}
	d.phase.Store("downloading")
	d.bar = l.bars.New(0, mpb.BarStyle(), // which is of ASCII characters
		mpb.BarRemoveOnComplete(),
		mpb.PrependDecorators(
			decor.Name(shortAddress(r)+" "+r.Version, decor.WCSyncSpaceR),
			decor.Any(func(decor.Statistics) string { return d.phase.Load().(string) }, decor.WCSyncSpaceR),
		),
		mpb.AppendDecorators(
			decor.CountersKiloByte("% .1f / % .1f", decor.WCSyncSpace),
			decor.AverageSpeed(decor.SizeB1000(0), "% .1f", decor.WCSyncSpace),
		))
	d.restart(r)
	return d
}

func (d *download) restart(r record) {
	d.phase.Store("downloading")
	d.bar.SetTotal(r.Size, false)
	d.bar.SetCurrent(0)
}

func (d *download) at(bytes int64) { d.bar.SetCurrent(bytes) }

// shortAddress is "acme/rocket", with the host only if it is not one of the two that everybody knows.
func shortAddress(r record) string {
	address := r.Provider
	for _, host := range []sources.Host{sources.OpenTofuRegistry, sources.TerraformRegistry} {
		address = strings.TrimPrefix(address, host.String()+"/")
	}
	return printable(address)
}
