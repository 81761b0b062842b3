package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"syscall"

	"github.com/purveyor-dev/purveyor/cliconfig"
)

// Exit statuses.
const (
	exitDone   = 0
	exitFailed = 1
	exitUsage  = 2
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second interrupt ends the process at once
	p := &program{env: cliconfig.OSEnvironment(), stdout: os.Stdout, stderr: os.Stderr}
	os.Exit(p.run(ctx, os.Args[1:]))
}

// program is what the commands know of the process.
type program struct {
	env            cliconfig.Environment
	stdout, stderr io.Writer
	client         *http.Client // makes all requests; nil: each source has its own
}

// run does what the arguments say and returns the exit status.
func (p *program) run(ctx context.Context, args []string) int {
	if len(args) == 0 {
		fmt.Fprint(p.stderr, usage())
		return exitUsage
	}
	if isHelp(args[0]) && len(args) > 1 {
		args = append(args[1:], "-h")
	}
	if isHelp(args[0]) {
		fmt.Fprint(p.stdout, usage())
		return exitDone
	}
	c, rest := find(args)
	if c == nil {
		fmt.Fprintf(p.stderr, "purveyor: there is no command %q.\n\n%s", args[0], usage())
		return exitUsage
	}
	s, run, err := c.session(p, rest)
	if err == nil {
		err = run(ctx)
	}
	var wrong *usageError
	switch {
	case errors.Is(err, flag.ErrHelp):
		fmt.Fprint(p.stdout, c.usage())
		return exitDone
	case s == nil || errors.As(err, &wrong):
		fmt.Fprintf(p.stderr, "purveyor %s: %v\nTry: purveyor %s -h\n", c.name, err, c.name)
		return exitUsage
	}
	return s.finish(ctx, err)
}

func isHelp(arg string) bool {
	return arg == "help" || arg == "-h" || arg == "-help" || arg == "--help"
}
