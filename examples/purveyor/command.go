package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/purveyor-dev/purveyor/cliconfig"
	"github.com/purveyor-dev/purveyor/sources"
)

// command is one of the things that the program can do.
type command struct {
	name  string
	args  string // in the usage
	about string
	flags []string // besides the common ones
	takes func(addresses int) bool
	run   func(ctx context.Context, s *session) error
}

func commands() []*command {
	some := func(int) bool { return true }
	none := func(n int) bool { return n == 0 }
	one := func(n int) bool { return n == 1 }
	return []*command{
		{
			name: "install", args: "[ADDRESS[@CONSTRAINT] …]", takes: some, run: install,
			about: "install what a module requires, or the providers named",
			flags: []string{"upgrade", "lockfile", "platform", "json"},
		},
		{
			name: "lock", takes: none, run: lock,
			about: "record hashes for several platforms in the lock file",
			flags: []string{"platform", "json"},
		},
		{
			name: "versions", args: "ADDRESS", takes: one, run: versions,
			about: "list the versions of a provider",
			flags: []string{"platform"},
		},
		{
			name: "explain", args: "ADDRESS[@CONSTRAINT]", takes: one, run: explain,
			about: "say which version would come from where, and why",
			flags: []string{"platform"},
		},
		{
			name: "push", args: "ADDRESS[@CONSTRAINT] …", takes: func(n int) bool { return n > 0 }, run: push,
			about: "publish packages in an OCI registry, for oci_mirror",
			flags: []string{"to", "from", "platform", "replace", "plain-http", "json"},
		},
	}
}

func commandNamed(name string) *command {
	all := commands()
	i := slices.IndexFunc(all, func(c *command) bool { return c.name == name })
	if i < 0 {
		return nil
	}
	return all[i]
}

// options are the values of flags.
type options struct {
	chdir     string
	registry  sources.Host // zero: the default
	offline   bool
	upgrade   bool
	readonly  bool
	json      bool
	platforms []sources.Platform
	to        *cliconfig.RepositoryTemplate // nil: not given
	from      string                        // "": the sources of the configuration
	replace   bool
	plainHTTP bool
}

// declare makes the flags of a command.
func (c *command) declare(o *options) *flag.FlagSet {
	set := flag.NewFlagSet(c.name, flag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.Usage = func() {}
	set.StringVar(&o.chdir, "chdir", "", "work for the module in this `DIR`")
	set.Func("registry", "`HOST` of addresses that name none (default: registry.opentofu.org)", o.setRegistry)
	set.BoolVar(&o.offline, "offline", false, "ask no registry and no network mirror")
	more := map[string]func(){
		"upgrade": func() {
			set.BoolVar(&o.upgrade, "upgrade", false, "select the newest versions, whatever the lock file has")
		},
		"lockfile": func() {
			set.Func("lockfile", "with `readonly`: fail if the lock file would have to change", o.setLockfile)
		},
		"platform": func() {
			set.Func("platform", c.platformUsage(), o.addPlatform)
		},
		"to": func() {
			set.Func("to", "`TEMPLATE` of the repositories to publish in, like registry.example.com/mirror/${namespace}/${type} (required)", o.setTemplate)
		},
		"from": func() {
			set.StringVar(&o.from, "from", "", "take packages from the filesystem mirror `DIR` instead of the configured sources")
		},
		"replace": func() {
			set.BoolVar(&o.replace, "replace", false, "replace packages that were published and are different")
		},
		"plain-http": func() {
			set.BoolVar(&o.plainHTTP, "plain-http", false, "speak http to a registry at a loopback address")
		},
		"json": func() { set.BoolVar(&o.json, "json", false, "print events, one JSON object on each line") },
	}
	for _, name := range c.flags {
		more[name]()
	}
	return set
}

func (c *command) platformUsage() string {
	switch c.name {
	case "lock":
		return "`OS_ARCH` to record hashes for; can be repeated (default: this machine's)"
	case "push":
		return "`OS_ARCH` to publish packages for; can be repeated (default: this machine's)"
	}
	return "`OS_ARCH` that packages are for (default: this machine's)"
}

func (o *options) setRegistry(text string) (err error) {
	o.registry, err = sources.ParseHost(text)
	return err
}

func (o *options) setLockfile(text string) error {
	if text != "readonly" {
		return fmt.Errorf("the only value is readonly")
	}
	o.readonly = true
	return nil
}

func (o *options) addPlatform(text string) error {
	platform, err := sources.ParsePlatform(text)
	if err == nil {
		o.platforms = append(o.platforms, platform)
	}
	return err
}

// platform returns the one that packages are for; zero: this machine's.
func (o *options) platform() sources.Platform {
	if len(o.platforms) == 0 {
		return sources.Platform{}
	}
	return o.platforms[0]
}

// check refuses combinations that make no sense.
func (o *options) check(c *command, addresses int) error {
	switch {
	case !c.takes(addresses) && c.args == "":
		return fmt.Errorf("no addresses are expected: the providers are those of the module")
	case !c.takes(addresses):
		return fmt.Errorf("%s expected, not %d", c.expects(), addresses)
	case c.name != "lock" && c.name != "push" && len(o.platforms) > 1:
		return fmt.Errorf("-platform can be given once; purveyor lock takes several")
	case c.name == "push" && o.to == nil:
		return fmt.Errorf("-to is required: the repositories to publish in")
	case c.name == "push" && o.offline && o.from == "":
		return fmt.Errorf("-offline is for packages of a directory: -from is needed")
	case o.readonly && o.upgrade:
		return fmt.Errorf("-upgrade would change the lock file, and -lockfile=readonly forbids it")
	case addresses > 0 && (o.readonly || o.upgrade):
		return fmt.Errorf("-upgrade and -lockfile are for a module; with addresses, no lock file is involved")
	}
	return nil
}

func (c *command) expects() string {
	if c.takes(2) {
		return "at least one address is"
	}
	return "one address is"
}

// parse reads flags and addresses in any order.
func (c *command) parse(args []string) (*options, []string, error) {
	o := &options{}
	set := c.declare(o)
	var addresses []string
	for {
		if err := set.Parse(args); err != nil {
			return nil, nil, err
		}
		if set.NArg() == 0 {
			break
		}
		addresses, args = append(addresses, set.Arg(0)), set.Args()[1:]
	}
	return o, addresses, o.check(c, len(addresses))
}

func usage() string {
	var b strings.Builder
	b.WriteString("purveyor installs Terraform and OpenTofu providers.\n\n")
	for _, c := range commands() {
		fmt.Fprintf(&b, "  %s\n        %s\n", c.synopsis(), c.about)
	}
	b.WriteString("\nThe CLI configuration of terraform and tofu applies. Exit status: 0 done, 1 failed, 2 wrong usage.\n" +
		"Flags: purveyor COMMAND -h\n")
	return b.String()
}

func (c *command) synopsis() string {
	return strings.TrimSpace("purveyor " + c.name + " [flags] " + c.args)
}

func (c *command) usage() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n%s%s.\n\n", c.synopsis(), strings.ToUpper(c.about[:1]), c.about[1:])
	set := c.declare(&options{})
	set.SetOutput(&b)
	set.PrintDefaults()
	return b.String()
}
