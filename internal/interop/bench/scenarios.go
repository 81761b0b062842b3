package main

import (
	"time"

	"github.com/purveyor-dev/purveyor/internal/slowlink"
	"github.com/purveyor-dev/purveyor/internal/web"
)

const (
	usualRuns = 5
	longRuns  = 3
)

// scenarios returns all. The limits in their goals are the targets that the library has set itself.
func scenarios(self string) []*scenario {
	p := findPrograms(self)
	var all []*scenario
	for _, group := range []func(programs) []*scenario{fastLinks, slowLinks, baselines, warmStarts, bounds} {
		all = append(all, group(p)...)
	}
	for _, s := range all {
		if s.runs == 0 {
			s.runs = usualRuns
		}
	}
	return all
}

func sets(all ...set) []set { return all }

func fastLinks(p programs) []*scenario {
	large := offer{Sets: sets(set{8, 100 * megabyte})}
	return []*scenario{{
		name:     standard,
		about:    "from a registry",
		offer:    large,
		entrants: append(p.rivals, p.library()),
		goals:    p.relative(limits{wall: 0.45, cpu: 0.85, memory: 0.7}),
	}, {
		name:     "mirror",
		about:    "from a network mirror",
		offer:    large,
		mirror:   true,
		entrants: append(p.rivals, p.library()),
		goals:    p.relative(limits{wall: 0.28, cpu: 0.52, memory: 0.7}),
	}}
}

func slowLinks(p programs) []*scenario {
	single := p.library("-connections=1")
	single.name += ", 1 connection"
	return []*scenario{{
		name:  "link",
		about: "from a registry",
		offer: offer{
			Sets: sets(set{1, 600 * megabyte}),
			Link: slowlink.Link{Delay: 10 * time.Millisecond, BytesPerSecond: 40 * megabyte},
		},
		entrants: append(p.rivals, p.download(), p.library(), single),
		goals: append(p.relative(limits{wall: 0.32}),
			goal{of: single.name, against: []string{terraform}, limits: limits{wall: 0.62}}),
	}, {
		name:  "many",
		about: "from a registry",
		offer: offer{
			Sets: sets(set{100, megabyte}),
			Link: slowlink.Link{Delay: 15 * time.Millisecond},
		},
		entrants: append(p.rivals, p.library()),
		goals:    p.relative(limits{wall: 0.1}),
		runs:     longRuns,
	}}
}

// baselines compares with what cannot be avoided.
func baselines(p programs) []*scenario {
	single := p.library("-connections=1")
	single.name += ", 1 connection"
	bases := []entrant{p.download(), p.inflate()}
	return []*scenario{{
		name:  "paced",
		about: "from a registry, downloading takes longest",
		offer: offer{
			Sets: sets(set{1, 600 * megabyte}),
			Link: slowlink.Link{BytesPerSecond: 50 * megabyte},
		},
		entrants: append(bases, single),
		goals:    []goal{{of: single.name, against: []string{downloadAlone}, limits: limits{wall: 1.03}}},
	}, {
		name:     "unpaced",
		about:    "from a registry, inflating takes longest",
		offer:    offer{Sets: sets(set{1, 600 * megabyte})},
		entrants: append(bases, p.library()),
		goals:    []goal{{of: library, against: []string{downloadAlone, inflateAlone}, limits: limits{wall: 1.15}}},
	}}
}

func warmStarts(p programs) []*scenario {
	large := offer{Sets: sets(set{8, 100 * megabyte})}
	return []*scenario{{
		name:     again,
		about:    "a second time, with everything in place",
		offer:    large,
		entrants: p.warm(),
		goals:    append(p.relative(nil), goal{of: library, limits: limits{requests: 0}}),
	}, {
		name:     "warm",
		about:    "a second time, with everything in place and records of what was verified",
		offer:    large,
		entrants: p.warm("-records=records"),
		goals: append(p.relative(limits{wall: 0.1}),
			goal{of: library, limits: limits{requests: 0, read: 1}}),
	}}
}

// bounds are scenarios about what must not grow. A host gets connections for documents and as many again for archives.
func bounds(p programs) []*scenario {
	large, small := p.library(), p.library()
	large.name, small.name, small.set = library+", large", library+", small", 1
	return []*scenario{{
		name:     "memory",
		about:    "memory for large packages",
		offer:    offer{Sets: sets(set{8, 600 * megabyte}, set{8, 100 * megabyte})},
		entrants: []entrant{large, small},
		goals: []goal{
			{of: large.name, limits: limits{memory: 100}},
			{of: large.name, against: []string{small.name}, limits: limits{memory: 1.2}},
		},
		runs: 1,
	}, {
		name:  "crowd",
		about: "connections for many providers",
		offer: offer{
			Sets:  sets(set{500, megabyte / 20}),
			Link:  slowlink.Link{Delay: 15 * time.Millisecond},
			HTTP1: true,
		},
		entrants: []entrant{p.library()},
		goals:    []goal{{of: library, limits: limits{connections: 2 * web.MaxConnectionsPerHost}}},
		runs:     1,
	}}
}
