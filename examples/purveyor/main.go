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

	// exitInterrupted is what shells return for a command that an interrupt has ended: 128 and the number of the signal.
	exitInterrupted = 130
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
	if subject, asked := aboutWhat(args); asked {
		if text := help(subject); text != "" {
			fmt.Fprint(p.stdout, text)
			return exitDone
		}
		args = subject
	}
	if isVersion(args[0]) {
		args = []string{versionCommand.name}
	}
	c, rest := find(args)
	if c == nil {
		fmt.Fprintf(p.stderr, "purveyor: %s\nTry: purveyor help\n", noCommand(args))
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

// aboutWhat returns the words behind "help", or before "-h", and reports whether help was asked for.
func aboutWhat(args []string) (subject []string, asked bool) {
	if isHelp(args[0]) {
		return args[1:], true
	}
	return args[:1], len(args) == 2 && isHelp(args[1])
}

func isVersion(arg string) bool {
	return arg == "-v" || arg == "-version" || arg == "--version"
}

func isHelp(arg string) bool {
	return arg == "help" || arg == "-h" || arg == "-help" || arg == "--help"
}
