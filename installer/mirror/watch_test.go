package mirror_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/purveyor-dev/purveyor/installer/mirror"
	"github.com/purveyor-dev/purveyor/sources"
)

// builder is a Builder whose every call is held to what the comment of Event says of events and log records.
type builder struct {
	*mirror.Builder
	t *testing.T
}

func watch(t *testing.T, b *mirror.Builder) *builder { return &builder{b, t} }

func (b *builder) Build(ctx context.Context, plan mirror.Plan) (*mirror.Report, error) {
	b.t.Helper()
	w, ctx, own := b.watched(ctx)
	report, err := own.Build(ctx, plan)
	w.finish(ctx, err)
	return report, err
}

func (b *builder) Prune(ctx context.Context, plan mirror.Plan) ([]mirror.Surplus, error) {
	b.t.Helper()
	w, ctx, own := b.watched(ctx)
	removed, err := own.Prune(ctx, plan)
	w.finish(ctx, err)
	return removed, err
}

func (b *builder) Surplus(ctx context.Context, plan mirror.Plan) ([]mirror.Surplus, error) {
	b.t.Helper()
	w, ctx, own := b.watched(ctx)
	surplus, err := own.Surplus(ctx, plan)
	w.finish(ctx, err)
	return surplus, err
}

// watched returns a copy of the builder whose events are checked before they are passed on.
func (b *builder) watched(ctx context.Context) (*watcher, context.Context, *mirror.Builder) {
	w := &watcher{T: b.t, versions: map[string]*progress{}}
	own := *b.Builder
	own.Notify = func(e mirror.Event) {
		w.see(e)
		if b.Notify != nil {
			b.Notify(e)
		}
	}
	if own.Installer != nil {
		in := *own.Installer
		if in.Logger != nil {
			w.next = in.Logger.Handler()
		}
		in.Logger = slog.New(w)
		own.Installer = &in
	}
	return w, context.WithValue(ctx, watchKey{}, w), &own
}

type watchKey struct{}

// steps says what can follow what: state, kind of event, next state.
type steps map[string]map[string]string

// packageSteps is the life of a package. A kind that is not there cannot happen.
var packageSteps = steps{
	"new":      {"present": "in hand", "fetching": "fetching", "missing": "out", "failed": "out", "removed": "out"},
	"fetching": {"fetched": "in hand", "missing": "out", "failed": "out"},
	"in hand":  {"failed": "out"},
}

// versionSteps is the life of a version: "refused" is the failure of a package that was in hand, "all failed" that of the
// version.
var versionSteps = steps{
	"new":       {"present": "gathering", "fetching": "gathering", "missing": "telling", "failed": "telling", "removed": "removing", "all failed": "over"},
	"gathering": {"present": "gathering", "fetching": "gathering", "fetched": "gathering", "missing": "telling", "failed": "telling", "refused": "refusing", "published": "over", "all failed": "over"},
	"telling":   {"missing": "telling", "failed": "telling", "refused": "refusing", "published": "over", "all failed": "over"},
	"refusing":  {"refused": "refusing", "published": "over", "all failed": "over"},
	"removing":  {"removed": "removing"},
}

// eventFields are the fields that an event has besides Kind and Provider, by kind; those with "?" may be zero.
var eventFields = map[mirror.EventKind]string{
	mirror.EventPresent:   "Version Platform Proof",
	mirror.EventMissing:   "Version Platform Err",
	mirror.EventFetching:  "Version Platform",
	mirror.EventFetched:   "Version Platform Bytes? Proof",
	mirror.EventPublished: "Version Pushed",
	mirror.EventRemoved:   "Version Platform",
	mirror.EventWarning:   "Message",
	mirror.EventFailed:    "Version? Platform? Err",
}

// progress is how far a version has come.
type progress struct {
	state    string
	packages map[sources.Platform]string
	told     sources.Platform // the last one that was missing or failed
}

// watcher checks the events and log records of one call.
type watcher struct {
	*testing.T
	versions map[string]*progress
	begun    bool     // the work on versions
	over     bool     // the call
	failed   []string // what Failed was about
	events   []string // as log records should be

	mu      sync.Mutex
	records []string
	next    slog.Handler // of the test; nil: none
}

func (w *watcher) wrong(e mirror.Event, format string, args ...any) {
	w.Errorf("event %+v: %s", e, fmt.Sprintf(format, args...))
}

func (w *watcher) see(e mirror.Event) {
	if w.over {
		w.wrong(e, "the call has returned")
	}
	w.checkFields(e)
	w.events = append(w.events, subject(e.Kind, e.Provider, e.Version, e.Platform))
	if e.Kind == mirror.EventFailed {
		w.failed = append(w.failed, subject("", e.Provider, e.Version, e.Platform)+": "+e.Err.Error())
	}
	if e.Kind == mirror.EventWarning || e.Version.IsZero() {
		if w.begun {
			w.wrong(e, "wants come before versions")
		}
		return
	}
	key := subject("", e.Provider, e.Version, sources.Platform{})
	if w.versions[key] == nil {
		w.versions[key] = &progress{state: "new", packages: map[sources.Platform]string{}}
	}
	w.advance(w.versions[key], e)
}

func subject(kind mirror.EventKind, p sources.Provider, v sources.Version, on sources.Platform) string {
	text := strings.TrimSpace(fmt.Sprintf("%s %s", kind, p))
	if !v.IsZero() {
		text += " " + v.String()
	}
	return strings.TrimSpace(text + " " + on.String())
}

func (w *watcher) checkFields(e mirror.Event) {
	allowed, known := eventFields[e.Kind]
	if !known || e.Provider.IsZero() {
		w.wrong(e, "it is of no kind, or about no provider")
	}
	names := strings.Fields(allowed)
	for value, i := reflect.ValueOf(e), 0; i < value.NumField(); i++ {
		name, set := value.Type().Field(i).Name, !value.Field(i).IsZero()
		switch {
		case name == "Kind" || name == "Provider" || slices.Contains(names, name+"?"):
		case set != slices.Contains(names, name):
			w.wrong(e, "%s is set: %v", name, set)
		}
	}
	if e.Kind == mirror.EventFailed && e.Version.IsZero() && !e.Platform.IsZero() {
		w.wrong(e, "a platform of no version")
	}
}

// advance takes the steps that an event means for its version and package.
func (w *watcher) advance(p *progress, e mirror.Event) {
	step := string(e.Kind)
	if e.Platform.IsZero() {
		if e.Kind == mirror.EventFailed {
			step = "all failed" // of a want, perhaps
		}
	} else {
		step = w.advancePackage(p, e)
	}
	w.begun = w.begun || step != "all failed"
	inHand := 0
	for _, state := range p.packages {
		if state == "in hand" {
			inHand++
		}
	}
	if (step == "published" || step == "all failed" && p.state != "new") && inHand == 0 {
		w.wrong(e, "no package is left")
	}
	next, ok := versionSteps[p.state][step]
	if !ok {
		w.wrong(e, "%s cannot follow when the version is %s", step, p.state)
	}
	p.state = next
}

// advancePackage returns what the event means for the version.
func (w *watcher) advancePackage(p *progress, e mirror.Event) string {
	state := p.packages[e.Platform]
	if state == "" {
		state = "new"
	}
	next, ok := packageSteps[state][string(e.Kind)]
	if !ok {
		w.wrong(e, "it cannot follow when the package is %s", state)
	}
	p.packages[e.Platform] = next
	switch {
	case state == "in hand":
		return "refused"
	case next == "out" && e.Kind != mirror.EventRemoved:
		if p.told.Compare(e.Platform) >= 0 {
			w.wrong(e, "it comes after %s", p.told)
		}
		p.told = e.Platform
	}
	return string(e.Kind)
}

// finish checks that nothing is missing, and that events, log and error agree.
func (w *watcher) finish(ctx context.Context, err error) {
	w.Helper()
	w.over = true
	for version, p := range w.versions {
		for on, state := range p.packages {
			if state == "fetching" || state == "in hand" && p.state != "over" {
				w.Errorf("%s: at the end the package for %s is %s", version, on, state)
			}
		}
	}
	var all *mirror.Error
	if errors.As(err, &all); all != nil && ctx.Err() == nil {
		var want []string
		for _, f := range all.Failures {
			want = append(want, subject("", f.Provider, f.Version, f.Platform)+": "+f.Err.Error())
		}
		slices.Sort(want)
		if slices.Sort(w.failed); !slices.Equal(want, w.failed) {
			w.Errorf("the failures are\n%s\nand the events\n%s", strings.Join(want, "\n"), strings.Join(w.failed, "\n"))
		}
	} else if err == nil && len(w.failed) > 0 {
		w.Errorf("the call succeeded, and there were failures: %q", w.failed)
	}
	w.finishLog()
}
