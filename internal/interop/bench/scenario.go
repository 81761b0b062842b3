package main

import (
	"context"
	"fmt"
	"io"

	"github.com/purveyor-dev/purveyor/internal/slowlink"
)

const megabyte = 1_000_000 // bytes

// scenario is what to measure.
type scenario struct {
	name     string // on the command line
	about    string
	offer    offer
	mirror   bool // install from the network mirror instead of the registry
	entrants []entrant
	goals    []goal
	runs     int // of each entrant
}

// offer is what the registry has, and how it is reached. The registry's process gets it as JSON.
type offer struct {
	Sets  []set
	Link  slowlink.Link
	HTTP1 bool // no HTTP/2
}

// set is providers of the same size. What a module requires is one set.
type set struct {
	Count int
	Size  int64 // bytes of each, unpacked
}

func (s set) String() string { return fmt.Sprintf("%d × %g MB", s.Count, float64(s.Size)/megabyte) }

func (o offer) String() string {
	text := ""
	for i, s := range o.Sets {
		if i > 0 {
			text += " and "
		}
		text += s.String()
	}
	if rate := o.Link.BytesPerSecond; rate > 0 {
		text += fmt.Sprintf(", %g MB/s for each connection", float64(rate)/megabyte)
	}
	if delay := o.Link.Delay; delay > 0 {
		text += fmt.Sprintf(", round trips of %v", 2*delay)
	}
	if o.HTTP1 {
		text += ", HTTP/1.1"
	}
	return text
}

func (s *scenario) title() string { return s.about + ": " + s.offer.String() }

// run measures the entrants in turn and prints a table.
func (s *scenario) run(ctx context.Context, self string, out io.Writer) error {
	registry, err := startRegistry(ctx, self, s.offer)
	if err != nil {
		return err
	}
	defer registry.stop()
	fmt.Fprintf(out, "%s; %d run(s) of each\n", s.title(), s.runs)
	samples := make([][]sample, len(s.entrants))
	for range s.runs {
		for i, e := range s.entrants {
			one, err := s.once(ctx, self, registry, e)
			if err != nil {
				return fmt.Errorf("%s: %w", e.name, err)
			}
			samples[i] = append(samples[i], one)
		}
	}
	s.report(out, samples)
	return nil
}

// once measures an entrant in a new directory.
func (s *scenario) once(ctx context.Context, self string, r *registry, e entrant) (sample, error) {
	m, err := newModule(r, s, e.set)
	if err != nil {
		return sample{}, err
	}
	defer m.remove()
	if err := touchBefore(ctx, self, s.offer.Sets[e.set]); err != nil {
		return sample{}, err
	}
	for _, step := range e.before {
		if err := step(ctx, m); err != nil {
			return sample{}, err
		}
	}
	return m.measure(ctx, e.command)
}

func (s *scenario) report(out io.Writer, samples [][]sample) {
	t := table{title: s.name}
	for i, e := range s.entrants {
		t.rows = append(t.rows, row{e.name, median(samples[i])})
	}
	for _, g := range s.goals {
		t.compare(g)
	}
	t.print(out)
}
