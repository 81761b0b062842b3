package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/purveyor-dev/purveyor/sources"
)

// command is one of the things that the program can do.
type command struct {
	name     string // of one word, or two
	args     string // in the usage
	about    string
	examples string // lines for its help
	more     string // what follows them
	takes    operands

	// setup declares the flags and returns what to do when they have been read.
	setup func(s *session, flags *flag.FlagSet) action
}

// action does what a command is for.
type action func(ctx context.Context) error

func commands() []*command {
	return []*command{
		installCommand, lockCommand, versionsCommand, explainCommand, pushCommand, mirrorCommand,
		verifyCommand, serveCommand, bundleExportCommand, bundleImportCommand, bundleVerifyCommand,
		cacheListCommand, cacheVerifyCommand, cachePruneCommand, completionCommand(),
		versionCommand,
	}
}

// find returns the command that arguments begin with, and those that follow; nil if there is none.
func find(args []string) (*command, []string) {
	for _, c := range commands() {
		words := strings.Fields(c.name)
		if len(args) >= len(words) && strings.Join(args[:len(words)], " ") == c.name {
			return c, args[len(words):]
		}
	}
	return nil, args
}

// operands are what a command takes beside its flags.
type operands struct {
	what        string // "address": it is read as one, perhaps with a constraint
	least, most int
}

func addresses(least, most int) operands { return operands{"address", least, most} }

const unlimited = 1 << 30

func (o operands) check(n int) error {
	switch {
	case n >= o.least && n <= o.most:
		return nil
	case o.most == 0 && o.what == "address":
		return usagef("no addresses are expected: the providers are those of the module")
	case o.most == 0:
		return usagef("no operands are expected")
	case o.most == 1:
		return usagef("one %s is expected, not %d", o.what, n)
	case o.most == unlimited:
		return usagef("at least one %s is expected, not %d", o.what, n)
	}
	return usagef("%d to %d operands are expected, not %d", o.least, o.most, n)
}

// usageError says that the command line makes no sense.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

func usagef(format string, args ...any) error { return &usageError{fmt.Sprintf(format, args...)} }

// flagSet makes the flags of a command.
func (c *command) flagSet(s *session) (*flag.FlagSet, action) {
	set := flag.NewFlagSet(c.name, flag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.Usage = func() {}
	set.StringVar(&s.chdir, "chdir", "", "work for the module in this `DIR`")
	return set, c.setup(s, set)
}

// askFlags are those of commands that ask sources.
func (s *session) askFlags(set *flag.FlagSet) {
	set.Func("registry", "`HOST` of addresses that name none (default: registry.opentofu.org)", func(text string) (err error) {
		s.registry, err = sources.ParseHost(text)
		return err
	})
	set.BoolVar(&s.offline, "offline", false, "ask no registry and no network mirror")
}

// accountFlags are about what a command says.
func (s *session) accountFlags(set *flag.FlagSet) {
	set.BoolVar(&s.json, "json", false, "print events, one JSON object on each line")
	set.BoolVar(&s.quiet, "quiet", false, "say only what is wrong, and print results")
}

// platformFlag is for commands about packages for one platform.
func (s *session) platformFlag(set *flag.FlagSet) {
	set.Func("platform", "`OS_ARCH` that packages are for (default: this machine's)", func(text string) error {
		if len(s.platforms) > 0 {
			return fmt.Errorf("it can be given once; purveyor lock takes several")
		}
		return s.addPlatform(text)
	})
}

// platformsFlag is for commands about several.
func (s *session) platformsFlag(set *flag.FlagSet, purpose string) {
	set.Func("platform", "`OS_ARCH` "+purpose+"; can be repeated (default: this machine's)", s.addPlatform)
}

func (s *session) addPlatform(text string) error {
	platform, err := sources.ParsePlatform(text)
	if err != nil && strings.ContainsAny(text, ", ") {
		return fmt.Errorf("%q: for several platforms, repeat the flag", text)
	}
	if err == nil {
		s.platforms = append(s.platforms, platform)
	}
	return err
}

// parse reads flags and operands in any order.
func (c *command) parse(set *flag.FlagSet, args []string) (rest []string, err error) {
	for {
		if err := set.Parse(args); err != nil {
			return nil, flagError(set, err)
		}
		if set.NArg() == 0 {
			return rest, c.takes.check(len(rest))
		}
		rest, args = append(rest, set.Arg(0)), set.Args()[1:]
	}
}

// flagError says what is wrong with a flag. Package flag has only texts for that.
func flagError(set *flag.FlagSet, err error) error {
	text := err.Error()
	if name, ok := strings.CutPrefix(text, "flag provided but not defined: -"); ok {
		return noFlag(set, name)
	}
	value, problem, ok := strings.Cut(text, " for flag -")
	value, invalid := strings.CutPrefix(value, "invalid value ")
	if !ok || !invalid {
		return err // flag.ErrHelp among them
	}
	name, problem, _ := strings.Cut(problem, ": ")
	if !strings.Contains(problem, value) {
		problem = value + ": " + problem
	}
	return usagef("-%s: %s", name, problem)
}
