package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources"
)

// live prints records on a terminal: lines, and below them a bar for each download.
type live struct {
	human
	terminal io.Writer

	nameWidth atomic.Int64 // of the bars, in columns

	mu      sync.Mutex
	bars    *mpb.Progress // nil before the first download: most commands have none
	running map[string]*download
}

// lineStart moves the cursor to the first column. It is there but after an interrupt, when the terminal has put "^C" before it.
const lineStart = "\r"

var _ printer = (*live)(nil)

func newLive(terminal io.Writer, lines human) *live {
	l := &live{human: lines, terminal: terminal, running: map[string]*download{}}
	l.human.out = l
	if isTerminal(lines.err, lines.env) {
		l.human.err = l // the same terminal
	}
	return l
}

// Write prints above the bars.
func (l *live) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	line := append([]byte(lineStart), p...)
	err := mpb.ErrDone
	if l.bars != nil {
		_, err = l.bars.Write(line)
	}
	if errors.Is(err, mpb.ErrDone) {
		_, err = l.terminal.Write(line)
	}
	return len(p), err
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
	writeTable(l.terminal, all, columns(l.terminal))
}

// close ends the bars.
func (l *live) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.bars == nil {
		return
	}
	for key, d := range l.running {
		d.bar.Abort(true)
		delete(l.running, key)
	}
	l.bars.Wait() // for the refresh that removes them, which a mere Shutdown may leave out
	fmt.Fprint(l.terminal, lineStart+eraseLine)
}

// eraseLine erases from the cursor to the end of the line, EL of ECMA-48.
const eraseLine = "\x1b[K"

// follow reports whether a record is about a download, and shows how far that is.
func (l *live) follow(r record) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := r.Provider + " " + r.Version + " " + r.Platform
	d := l.running[key]
	switch kind := installer.EventKind(r.Event); {
	case kind == installer.EventFetching && d == nil:
		if d = l.begin(r); d == nil {
			return false
		}
		l.running[key] = d
	case kind == installer.EventFetching:
		d.restart(r)
	case d == nil:
		return kind == installer.EventProgress
	case kind == installer.EventProgress:
		d.at(r.Bytes)
	case kind == installer.EventUnpacking:
		d.unpacking()
	case kind == installer.EventVerified, kind == installer.EventFailed:
		d.bar.Abort(true)
		delete(l.running, key)
	default:
		return false
	}
	return true
}

// download is one that is shown.
type download struct {
	name  string
	bar   *mpb.Bar
	stage atomic.Pointer[stage]
}

// stage is what happens to a download, and since when it has been coming.
type stage struct {
	phase string
	began time.Time
}

// begin adds a bar; nil: there are none any more, because they are closed, or because the terminal has gone. The total is set
// later, or else the bar would end with the last byte, before the package is unpacked.
func (l *live) begin(r record) *download {
	d := &download{name: shortAddress(r) + " " + r.Version}
	d.stage.Store(&stage{phase: "downloading", began: time.Now()})
	l.nameWidth.Store(max(l.nameWidth.Load(), int64(textWidth(d.name))))
	if l.bars == nil {
		l.bars = mpb.New(mpb.WithOutput(l.terminal), mpb.WithAutoRefresh())
	}
	var err error
	d.bar, err = l.bars.Add(0, mpb.BarFillerFunc(func(w io.Writer, now decor.Statistics) error {
		_, err := io.WriteString(w, lineStart+d.now(now).line(now.AvailableWidth, int(l.nameWidth.Load())))
		return err
	}), mpb.BarRemoveOnComplete(), mpb.BarFillerTrim())
	if err != nil {
		return nil
	}
	d.restart(r)
	return d
}

// now returns how far a download is.
func (d *download) now(s decor.Statistics) bar {
	at := d.stage.Load()
	return bar{name: d.name, phase: at.phase, current: s.Current, total: s.Total, elapsed: time.Since(at.began)}
}

func (d *download) restart(r record) {
	d.stage.Store(&stage{phase: "downloading", began: time.Now()})
	d.bar.SetTotal(r.Size, false)
	d.bar.SetCurrent(0)
}

func (d *download) at(bytes int64) { d.bar.SetCurrent(bytes) }

func (d *download) unpacking() {
	d.stage.Store(&stage{phase: "unpacking", began: d.stage.Load().began})
}

// shortAddress is "acme/rocket", with the host only if it is not one of the two that everybody knows.
func shortAddress(r record) string {
	address := r.Provider
	for _, host := range []sources.Host{sources.OpenTofuRegistry, sources.TerraformRegistry} {
		address = strings.TrimPrefix(address, host.String()+"/")
	}
	return printable(address)
}
