// Command serve compares netmirror.Handler with nginx: how fast does each send the archives of one directory, over plain HTTP
// on the loopback interface, as behind a proxy that has the certificate?
//
//	go run ./bench/serve                      16 clients, an archive of 64 MB, and one of 16 kB
//	go run ./bench/serve -clients 64 -runs 5
//
// Both are processes of their own, asked in turn; nginx has one worker for each processor, sendfile and no log. The clients share
// the processors with them, and so take time away from both. Processor time is that of the server alone, on Linux. Where
// there is no nginx (Debian's package nginx-light has what is needed) the handler is measured alone.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"time"
)

// asMirror is the argument that makes this program the process that serves.
const asMirror = "mirror"

// options are the flags.
type options struct {
	clients, runs int
	size          int64 // of the large archive, in MB
	duration      time.Duration
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "serve:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	if len(args) == 2 && args[0] == asMirror {
		return serve(ctx, args[1], out)
	}
	var o options
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	flags.IntVar(&o.clients, "clients", 16, "connections at a time")
	flags.IntVar(&o.runs, "runs", 3, "how often each server is asked")
	flags.Int64Var(&o.size, "size", 64, "of the large archive, in MB")
	flags.DurationVar(&o.duration, "duration", 3*time.Second, "of each run")
	if err := flags.Parse(args); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "serve")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	return o.compare(ctx, dir, out)
}

// compare measures both servers with both archives.
func (o options) compare(ctx context.Context, dir string, out io.Writer) error {
	archives, err := publish(ctx, dir, o.size)
	if err != nil {
		return err
	}
	servers, err := start(ctx, dir, out)
	defer func() {
		for _, s := range servers {
			s.stop()
		}
	}()
	if err != nil {
		return err
	}
	for _, a := range archives {
		if err := o.measure(ctx, servers, a, out); err != nil {
			return err
		}
	}
	return nil
}

// measure asks the servers in turn for one archive, and prints medians.
func (o options) measure(ctx context.Context, servers []*server, a archive, out io.Writer) error {
	figures := make([][]figure, len(servers))
	for range o.runs {
		for i, s := range servers {
			f, err := o.load(ctx, s, a)
			if err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			figures[i] = append(figures[i], f)
		}
	}
	fmt.Fprintf(out, "archive of %d bytes, %d clients, %d runs of %s\n", a.size, o.clients, o.runs, o.duration)
	var rates []float64
	for i, s := range servers {
		f := middle(figures[i])
		rates = append(rates, f.bytes)
		fmt.Fprintf(out, "  %-8s %8.0f MB/s %8.0f requests/s %6.2f s of processor time per GB\n", s.name, f.bytes/1e6, f.requests, f.cpu)
	}
	if len(rates) == 2 {
		fmt.Fprintf(out, "  handler ÷ nginx: %.2f\n", rates[1]/rates[0])
	}
	return nil
}

// middle returns the figures of the run whose rate is the median.
func middle(all []figure) figure {
	slices.SortFunc(all, func(a, b figure) int { return int(a.bytes - b.bytes) })
	return all[len(all)/2]
}

// lookNginx returns the program, or "" with a message.
func lookNginx(out io.Writer) string {
	path, err := exec.LookPath("nginx")
	if err != nil {
		if _, err := os.Stat("/usr/sbin/nginx"); err == nil {
			return "/usr/sbin/nginx"
		}
		fmt.Fprintln(out, "not compared: there is no nginx on PATH (Debian: apt-get install nginx-light)")
		return ""
	}
	return path
}
