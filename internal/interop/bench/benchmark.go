package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
)

// benchmark is what to measure.
type benchmark struct {
	count  int  // providers
	size   int  // of each, unpacked, in MB of 10⁶ bytes
	runs   int  // of each client
	warm   bool // measure the second installation in the same directory, too
	memory bool // measure only our memory, with one provider
}

func (b *benchmark) parse(args []string) error {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.IntVar(&b.count, "count", 0, "`number` of providers (default 8; with -memory 1)")
	flags.IntVar(&b.size, "size", 0, "unpacked size of each in `MB` (default 100; with -memory 600)")
	flags.IntVar(&b.runs, "runs", 0, "`number` of runs of each client (default 5; with -memory 1)")
	flags.BoolVar(&b.warm, "warm", false, "also measure a second installation with everything in place")
	flags.BoolVar(&b.memory, "memory", false, "measure only how much memory the library takes")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	defaults := benchmark{count: 8, size: 100, runs: 5}
	if b.memory {
		defaults = benchmark{count: 1, size: 600, runs: 1}
	}
	b.count, b.size, b.runs = cmp.Or(b.count, defaults.count), cmp.Or(b.size, defaults.size), cmp.Or(b.runs, defaults.runs)
	if b.count < 1 || b.size < 1 || b.runs < 1 {
		return fmt.Errorf("-count %d, -size %d and -runs %d must all be positive", b.count, b.size, b.runs)
	}
	return nil
}

func (b *benchmark) run(ctx context.Context, self string, out io.Writer) error {
	registry, err := startRegistry(ctx, self, b.count, b.size)
	if err != nil {
		return err
	}
	defer registry.stop()
	clients := append(realClients(), ours(self))
	if b.memory {
		clients = clients[len(clients)-1:]
	}
	fmt.Fprintf(out, "%d × %d MB, %d run(s) of each client\n", b.count, b.size, b.runs)
	results := make(map[string]*samples)
	for range b.runs {
		for _, c := range clients {
			if err := b.once(ctx, registry, c, results); err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
		}
	}
	b.report(out, clients, results)
	return nil
}

// samples are one client's.
type samples struct{ cold, warm []sample }

// once lets a client install everything in a new directory, and again if that is asked for.
func (b *benchmark) once(ctx context.Context, registry *registry, c contestant, results map[string]*samples) error {
	module, err := newModule(registry, b.count)
	if err != nil {
		return err
	}
	defer module.remove()
	if results[c.name] == nil {
		results[c.name] = &samples{}
	}
	all := results[c.name]
	if all.cold, err = module.measure(ctx, c, all.cold); err != nil || !b.warm {
		return err
	}
	all.warm, err = module.measure(ctx, c, all.warm)
	return err
}

func (b *benchmark) report(out io.Writer, clients []contestant, results map[string]*samples) {
	cold, warm := table{title: "cold"}, table{title: "again"}
	for _, c := range clients {
		cold.rows = append(cold.rows, row{c.name, median(results[c.name].cold)})
		warm.rows = append(warm.rows, row{c.name, median(results[c.name].warm)})
	}
	cold.print(out)
	if b.warm {
		warm.print(out)
	}
}
