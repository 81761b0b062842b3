package main

import (
	"flag"
	"fmt"
	"slices"
	"strings"
)

const (
	standard = "registry" // the scenario to run when none is named
	again    = "again"    // the one that -warm adds
	every    = "all"      // stands for the names of all
)

// options are the command line's.
type options struct {
	names string // of scenarios, with commas between
	warm  bool
	runs  int
	count int
	size  int
}

// parse returns those of the scenarios that the arguments ask for, changed as they want it.
func parse(args []string, known []*scenario) ([]*scenario, error) {
	var o options
	flags := o.flags(known)
	if err := flags.Parse(args); err != nil {
		return nil, err
	}
	if flags.NArg() > 0 {
		return nil, fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if o.runs < 0 || o.count < 0 || o.size < 0 {
		return nil, fmt.Errorf("-runs %d, -count %d and -size %d must all be positive", o.runs, o.count, o.size)
	}
	chosen, err := o.choose(known)
	for _, s := range chosen {
		o.change(s)
	}
	return chosen, err
}

func (o *options) flags(known []*scenario) *flag.FlagSet {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.StringVar(&o.names, "scenario", standard, "`names` of scenarios, with commas between them, or \""+every+"\"")
	flags.IntVar(&o.runs, "runs", 0, "`number` of runs of each client (default: the scenario's)")
	flags.IntVar(&o.count, "count", 0, "`number` of providers (default: the scenario's)")
	flags.IntVar(&o.size, "size", 0, "unpacked size of each provider in `MB` (default: the scenario's)")
	flags.BoolVar(&o.warm, "warm", false, "also measure a second installation, like the scenario \""+again+"\"")
	flags.Usage = func() {
		fmt.Fprintln(flags.Output(), "Usage of bench:")
		flags.PrintDefaults()
		fmt.Fprintln(flags.Output(), "Scenarios:")
		for _, s := range known {
			fmt.Fprintf(flags.Output(), "  %-10s %s\n", s.name, s.title())
		}
	}
	return flags
}

func (o *options) choose(known []*scenario) ([]*scenario, error) {
	names := strings.Split(o.names, ",")
	if o.warm {
		names = append(names, again)
	}
	if slices.Contains(names, every) {
		return known, nil
	}
	var chosen []*scenario
	for _, name := range names {
		i := slices.IndexFunc(known, func(s *scenario) bool { return s.name == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no scenario %q; -help lists all", name)
		}
		chosen = append(chosen, known[i])
	}
	return chosen, nil
}

func (o *options) change(s *scenario) {
	if o.runs > 0 {
		s.runs = o.runs
	}
	for i := range s.offer.Sets {
		if o.count > 0 {
			s.offer.Sets[i].Count = o.count
		}
		if o.size > 0 {
			s.offer.Sets[i].Size = int64(o.size) * megabyte
		}
	}
}
