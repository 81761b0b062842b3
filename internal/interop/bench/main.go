// Command bench compares the library with the real clients: how long, with how much processor time, memory and how many
// requests does each install the same providers from the same registry?
//
//	go run ./bench                            8 providers of 100 MB each from a registry, 5 runs
//	go run ./bench -scenario mirror,link      other scenarios, see "go run ./bench -help"
//	go run ./bench -scenario all -runs 3      all of them: some ten minutes, and 10 GB of disk
//	go run ./bench -count 1 -size 600         one large provider
//	go run ./bench -warm                      also the second installation, with everything in place
//	go test -run '^$' -bench . ./bench        the parts of an installation that take processor time
//
// The registry (package registrytest, TLS on the loopback interface, in some scenarios over a slow link, package slowlink) is
// a process of its own, so that its work counts for nobody; it does take processor time away from the clients, which few
// processors make felt. Before each run, another process uses a few GB of memory, so that nobody has to wait for the host of a
// virtual machine to find some. The clients are terraform and tofu, as far as they are on PATH, and a small program around the
// library (package client), run in turn, each with a new directory. All read the same CLI configuration file, which leads
// to a network mirror in some scenarios.
//
// # Figures
//
// Figures are medians. Sizes are those of unpacked packages, whose archives have about a third of that; 1 MB is 10⁶ bytes.
//
//   - CPU: user and system time together, of the client alone; system is the part of it that the system took.
//   - peak MB: the most memory that the process had at a time.
//   - requests: those that the registry got. One that is answered in part counts like any other.
//   - connections: the most that the registry had open at a time.
//   - read MB: what the process read, from files, connections and everything else. It is known on Linux alone.
//
// Below a ratio stands the target that the library has set itself, and whether it is met: this says most on two
// processors, which the targets are for. Nothing depends on it: missing a target is no failure of this program.
//
// # Baselines
//
// Some targets are relative to what cannot be avoided. "download alone" is a process that gets one archive with net/http
// and writes it to a file. "inflate alone" is a process that inflates every file of an archive that is there, with the
// library's inflater, and writes it to a file. Neither computes a hash other than the CRC-32 that belongs to the zip format.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/purveyor-dev/purveyor/internal/interop/client"
)

// The first argument that makes this program one of the processes that it starts itself.
const (
	asRegistry = "registry"
	asClient   = "client"
	asDownload = "download"
	asInflate  = "inflate"
	asTouch    = "touch"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := run(ctx, os.Args[1:], os.Stdin, os.Stdout)
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, in io.Reader, out io.Writer) error {
	if len(args) > 0 {
		switch args[0] {
		case asRegistry:
			return serve(args[1:], in, out)
		case asClient:
			return client.Main(ctx, args[1:])
		case asDownload:
			return download(ctx, args[1:])
		case asInflate:
			return inflate(args[1:])
		case asTouch:
			return touch(args[1:])
		}
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	chosen, err := parse(args, scenarios(self))
	if err != nil {
		return err
	}
	for _, s := range chosen {
		if err := s.run(ctx, self, out); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return nil
}
