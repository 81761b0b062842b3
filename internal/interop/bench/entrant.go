package main

import (
	"context"
	"os/exec"
	"time"
)

// entrant is what is measured in a scenario: a program, and what has to happen before.
type entrant struct {
	name    string
	command command
	set     int    // index of what is required
	before  []step // not measured
}

// command is a program's path and arguments, to be run in the module's directory.
type command func(*module) []string

type step func(context.Context, *module) error

// The names of entrants that others are compared with.
const (
	terraform     = "terraform"
	library       = "purveyor"
	downloadAlone = "download alone"
	inflateAlone  = "inflate alone"
)

// programs are those that can be measured.
type programs struct {
	self   string    // the path of this one
	rivals []entrant // real clients on PATH
}

func findPrograms(self string) programs {
	p := programs{self: self}
	for _, name := range []string{terraform, "tofu"} {
		if path, err := exec.LookPath(name); err == nil {
			init := func(*module) []string { return []string{path, "init", "-input=false", "-no-color"} }
			p.rivals = append(p.rivals, entrant{name: name, command: init})
		}
	}
	p.rivals = p.rivals[:len(p.rivals):len(p.rivals)] // whoever appends gets a list of their own
	return p
}

// library is the program around the library, with further flags.
func (p programs) library(flags ...string) entrant {
	args := append([]string{p.self, asClient, "-config"}, flags...)
	return entrant{name: library, command: func(*module) []string { return args }}
}

// download gets the archive of the first provider.
func (p programs) download() entrant {
	get := func(m *module) []string { return []string{p.self, asDownload, m.archiveURL(), archiveFile} }
	return entrant{name: downloadAlone, command: get}
}

// inflate unpacks that archive.
func (p programs) inflate() entrant {
	unpack := func(*module) []string { return []string{p.self, asInflate, archiveFile} }
	return entrant{name: inflateAlone, command: unpack, before: []step{running(p.download().command)}}
}

// warm are all clients, to be measured when everything is in place. What is to be remembered about packages, a second
// installation remembers: files that are quite new may still change unnoticed.
func (p programs) warm(flags ...string) []entrant {
	clients := append(p.rivals, p.library(flags...))
	for i, c := range clients {
		clients[i].before = []step{running(c.command), settle, running(c.command)}
	}
	return clients
}

// settleTime is a little more than how old files must be before the library relies upon their state.
const settleTime = 2600 * time.Millisecond

func settle(ctx context.Context, _ *module) error {
	select {
	case <-time.After(settleTime):
	case <-ctx.Done():
	}
	return ctx.Err()
}

// running is a step that runs a command.
func running(c command) step {
	return func(ctx context.Context, m *module) error {
		_, err := m.measure(ctx, c)
		return err
	}
}

// relative are the goals of the library's plain entrant: limits relative to terraform, and none relative to others.
func (p programs) relative(l limits) []goal {
	var goals []goal
	for _, r := range p.rivals {
		g := goal{of: library, against: []string{r.name}}
		if r.name == terraform {
			g.limits = l
		}
		goals = append(goals, g)
	}
	return goals
}
