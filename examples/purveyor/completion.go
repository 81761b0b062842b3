package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"strings"
)

// completionCommand is a function, because what it does needs the list that it is in.
func completionCommand() *command {
	return &command{
		name: "completion", args: "SHELL", takes: operands{what: "shell (bash, zsh or fish)", least: 1, most: 1},
		about: "print a script that completes commands and flags in bash, zsh or fish",
		examples: `
# In ~/.bashrc:
source <(purveyor completion bash)
# In ~/.zshrc, after compinit:
source <(purveyor completion zsh)
# Once:
purveyor completion fish > ~/.config/fish/completions/purveyor.fish
`,
		setup: func(s *session, _ *flag.FlagSet) action { return s.completion },
	}
}

// completion prints a script that knows all commands and flags: nothing is run when somebody presses the tab key.
func (s *session) completion(context.Context) error {
	var script string
	switch shell := s.paths[0]; shell {
	case "bash":
		script = posixCompletion()
	case "zsh":
		script = "autoload -U +X bashcompinit && bashcompinit\n" + posixCompletion()
	case "fish":
		script = fishCompletion()
	default:
		return usagef("bash, zsh or fish is expected, not %q", shell)
	}
	_, err := io.WriteString(s.stdout, script)
	return err
}

// offered returns the flags of a command as they are written.
func (c *command) offered() []string {
	var all []string
	set, _ := c.flagSet(&session{})
	set.VisitAll(func(f *flag.Flag) { all = append(all, "-"+f.Name) })
	return all
}

// posixCompletion is in the language that bash and zsh share.
func posixCompletion() string {
	var b strings.Builder
	b.WriteString("_purveyor() {\n  local words\n  case \"${COMP_WORDS[*]:1:COMP_CWORD-1} \" in\n")
	second := map[string][]string{}
	var first []string
	for _, c := range byLength(commands()) {
		fmt.Fprintf(&b, "    %q*) words=%q ;;\n", c.name+" ", strings.Join(c.offered(), " "))
	}
	for _, c := range commands() {
		head, tail, _ := strings.Cut(c.name, " ")
		if _, ok := second[head]; !ok {
			first = append(first, head)
		}
		second[head] = append(second[head], tail)
	}
	for _, head := range first {
		if second[head][0] != "" {
			fmt.Fprintf(&b, "    %q*) words=%q ;;\n", head+" ", strings.Join(second[head], " "))
		}
	}
	fmt.Fprintf(&b, "    *) words=%q ;;\n  esac\n", strings.Join(append(first, "help"), " "))
	b.WriteString("  COMPREPLY=($(compgen -W \"$words\" -- \"${COMP_WORDS[COMP_CWORD]}\"))\n}\ncomplete -o default -F _purveyor purveyor\n")
	return b.String()
}

// byLength puts names of two words before those of one.
func byLength(all []*command) (sorted []*command) {
	for _, words := range []int{2, 1} {
		for _, c := range all {
			if len(strings.Fields(c.name)) == words {
				sorted = append(sorted, c)
			}
		}
	}
	return sorted
}

func fishCompletion() string {
	var b strings.Builder
	for _, c := range commands() {
		head, tail, nested := strings.Cut(c.name, " ")
		fmt.Fprintf(&b, "complete -c purveyor -n __fish_use_subcommand -a %s -d '%s'\n", head, c.about)
		seen := "__fish_seen_subcommand_from " + head
		if nested {
			fmt.Fprintf(&b, "complete -c purveyor -n '%s' -a %s -d '%s'\n", seen, tail, c.about)
			seen += "; and __fish_seen_subcommand_from " + tail
		}
		set, _ := c.flagSet(&session{})
		set.VisitAll(func(f *flag.Flag) {
			_, about := flag.UnquoteUsage(f)
			fmt.Fprintf(&b, "complete -c purveyor -n '%s' -o %s -d '%s'\n", seen, f.Name, strings.ReplaceAll(about, "'", "\\'"))
		})
	}
	return b.String()
}
