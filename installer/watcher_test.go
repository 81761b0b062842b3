package installer_test

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources"
)

// watcher checks that an installer's events follow the rules.
type watcher struct {
	t  testing.TB
	in *installer.Installer

	mu     sync.Mutex
	open   map[string]*progression // sequences that have not ended
	failed []string                // since the call began
	seen   map[string]int          // steps, in all
	over   bool                    // there are no more calls
	course *course                 // of the call; nil: there is none, or it is not told of
}

// progression is how far a sequence is.
type progression struct {
	last           string
	version        sources.Version
	bytes, size    int64
	broke, bounced int // times that a download broke, in a row, and that the package was gone
}

// watch makes an installer's events be checked, and passes them on.
func watch(t testing.TB, in *installer.Installer) *watcher {
	w := &watcher{t: t, in: in, open: map[string]*progression{}, seen: map[string]int{}}
	in.Notify = w.then(in.Notify)
	t.Cleanup(w.ended)
	return w
}

// then returns a function that checks events and passes them on.
func (w *watcher) then(notify func(installer.Event)) func(installer.Event) {
	return func(e installer.Event) {
		w.see(e)
		if notify != nil {
			notify(e)
		}
	}
}

func (w *watcher) errorf(format string, args ...any) {
	w.t.Helper()
	w.t.Errorf("events: "+format, args...)
}

// step names an event as the rules do: with the place that its Path names.
func (w *watcher) step(e installer.Event) string {
	kind := string(e.Kind)
	if e.Path == "" || e.Kind == installer.EventFetched {
		return kind
	}
	place := w.place(e)
	inDir := place == "project" || place == "home" && w.in.CacheDir == ""
	if inDir && (e.Kind == installer.EventPresent || e.Kind == installer.EventInstalled) {
		return kind
	}
	return kind + ":" + place
}

// place returns "home" for a Path where the package is stored, "project" for the one in Dir that is not, and any other Path
// itself.
func (w *watcher) place(e installer.Event) string {
	name := filepath.FromSlash(sources.PackagePath(e.Provider, e.Version, e.Platform))
	switch e.Path {
	case filepath.Join(cmp.Or(w.in.CacheDir, w.in.Dir), name):
		return "home"
	case filepath.Join(w.in.Dir, name):
		return "project"
	}
	return e.Path
}

func (w *watcher) see(e installer.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	step, rules := w.step(e), packing
	if e.Platform.IsZero() {
		rules = selecting
	}
	w.seen[step]++
	key := e.Provider.String() + " " + e.Platform.String()
	s, begun := w.open[key]
	if !begun {
		s = &progression{last: "start", version: e.Version}
		w.open[key] = s
	}
	r, known := rules[step]
	if !known || !slices.Contains(strings.Fields(r.after), s.last) || w.over {
		w.errorf("%s: %s comes after %s (all calls have returned: %v)", key, step, s.last, w.over)
	}
	w.checkFields(e, r)
	w.checkCourse(e, key)
	w.checkVersion(e, s)
	w.checkNumbers(e, s)
	if s.last = step; e.Kind == installer.EventFailed {
		w.failed = append(w.failed, failureText(e.Provider, e.Version, e.Err))
	}
	if e.Kind.Last() {
		delete(w.open, key)
	}
}

// checkFields compares the fields that are set with those that a rule has.
func (w *watcher) checkFields(e installer.Event, r rule) {
	set := map[string]bool{
		"location": e.Location != "", "bytes": e.Bytes != 0, "size": e.Size != 0, "path": e.Path != "",
		"proof": e.Proof != nil, "message": e.Message != "", "err": e.Err != nil,
	}
	for _, field := range strings.Fields(r.fields) {
		name, optional := strings.CutSuffix(field, "?")
		if !set[name] && !optional {
			w.errorf("%s without %s", e.Kind, name)
		}
		delete(set, name)
	}
	for name, is := range set {
		if is {
			w.errorf("%s has a %s: %+v", e.Kind, name, e)
		}
	}
}

// checkVersion: a package has one version throughout, and a provider one when it is resolved.
func (w *watcher) checkVersion(e installer.Event, s *progression) {
	want := !e.Platform.IsZero() || e.Kind == installer.EventResolved
	if e.Provider.IsZero() || want == e.Version.IsZero() || !e.Platform.IsZero() && e.Version != s.version {
		w.errorf("%+v is not of %s", e, s.version)
	}
}

// checkNumbers: downloads go forward and end with the last byte, and nothing is retried for ever.
func (w *watcher) checkNumbers(e installer.Event, s *progression) {
	switch e.Kind {
	case installer.EventFetching:
		s.bytes, s.size = 0, e.Size
	case installer.EventProgress:
		if e.Size != s.size || e.Bytes < s.bytes || e.Size >= 0 && e.Bytes > e.Size {
			w.errorf("%d bytes of %d come after %d of %d", e.Bytes, e.Size, s.bytes, s.size)
		}
		s.bytes = e.Bytes
	case installer.EventUnpacking:
		if s.size >= 0 && s.bytes != s.size {
			w.errorf("complete with %d of %d bytes", s.bytes, s.size)
		}
	case installer.EventFetched:
		if e.Size != s.bytes {
			w.errorf("fetched %d bytes of %d", e.Size, s.bytes)
		}
	case installer.EventRetrying:
		if s.broke++; e.Path != "" {
			s.broke, s.bounced = 0, s.bounced+1
		}
		if s.broke > 2 || s.bounced > 3 {
			w.errorf("retried %d times, and %d times from the beginning", s.broke, s.bounced)
		}
	}
}

// call makes a call that is watched: its events end with it, and its failures are those of its error.
func (w *watcher) call(do func() error) error {
	w.t.Helper()
	w.mu.Lock()
	w.failed = nil
	w.course = newCourse()
	w.mu.Unlock()
	err := do()
	w.ended()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.course = nil
	var failures []string
	var all *installer.Error
	if errors.As(err, &all) {
		for _, f := range all.Failures {
			failures = append(failures, failureText(f.Provider, f.Version, f.Err))
		}
	}
	slices.Sort(failures)
	slices.Sort(w.failed)
	if !slices.Equal(failures, w.failed) {
		w.errorf("failed were %q, the error is of %q", w.failed, failures)
	}
	return err
}

func failureText(p sources.Provider, v sources.Version, err error) string {
	return fmt.Sprintf("%s %s: %v", p, v, err)
}

// ended fails the test if a sequence has not.
func (w *watcher) ended() {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	for key, s := range w.open {
		w.errorf("those of %s end with %s", key, s.last)
	}
	clear(w.open)
}

// close says that there are no more calls.
func (w *watcher) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.over = true
}
