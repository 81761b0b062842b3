// Command bench compares the library with the real clients: how long, with how much processor time, memory and how
// many requests does each install the same large providers from the same registry?
//
//	go run ./bench                       8 providers of 100 MB each, 5 runs
//	go run ./bench -count 1 -size 600    one large provider
//	go run ./bench -warm                 also the second installation, with everything in place
//	go run ./bench -memory               the peak memory of installing one package of 600 MB
//
// The registry (package registrytest, TLS on the loopback interface) is a process of its own, so that its work counts
// for nobody; it does take processor time away from the clients, which few processors make felt. The clients are
// terraform and tofu, as far as they are on PATH, and a small program around the library (package client), run in turn,
// each with a new directory. Sizes are those of unpacked packages, whose archives have about 30 % of that. Figures are
// medians. Processor time is user and system time together.
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
		}
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	var b benchmark
	if err := b.parse(args); err != nil {
		return err
	}
	return b.run(ctx, self, out)
}
