package installer_test

import (
	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources"
)

// course is what one call has told.
type course struct {
	ended    map[string]bool // sequences
	selects  bool            // it is not Fetch
	resolved map[sources.Provider]sources.Version
}

func newCourse() *course {
	return &course{ended: map[string]bool{}, resolved: map[sources.Provider]sources.Version{}}
}

// checkCourse: in a call each sequence comes once, and a package after the selection of its version. Fetch, which brings one
// package, selects none.
func (w *watcher) checkCourse(e installer.Event, key string) {
	c := w.course
	if c == nil {
		return
	}
	selecting := e.Platform.IsZero()
	fetches := !c.selects && e.Kind != installer.EventPresent && e.Kind != installer.EventInstalled && e.Kind != installer.EventLocked
	switch {
	case c.ended[key]:
		w.errorf("%s: %s comes after the end", key, e.Kind)
	case selecting && !c.selects && len(w.open)+len(c.ended) > 1:
		w.errorf("%s: %s comes after a package", key, e.Kind)
	case !selecting && e.Version != c.resolved[e.Provider] && (!fetches || len(w.open)+len(c.ended) > 1):
		w.errorf("%s: %s is of %s, selected is %q", key, e.Kind, e.Version, c.resolved[e.Provider])
	}
	c.selects = c.selects || selecting
	if e.Kind.Last() {
		c.ended[key] = true
	}
	if e.Kind == installer.EventResolved {
		c.resolved[e.Provider] = e.Version
	}
}
