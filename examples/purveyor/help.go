package main

import (
	"fmt"
	"strings"
)

// helpWidth is that of the narrowest terminals, in columns.
const helpWidth = 80

// help returns the text about a command, several, a topic, or about everything; "" if there is none.
func help(words []string) string {
	name := strings.Join(words, " ")
	c, _ := find(words)
	switch {
	case name == "" || isHelp(words[0]):
		return usage()
	case words[0] == "json":
		return jsonHelp()
	case c != nil:
		return c.usage()
	}
	var b strings.Builder
	for _, nested := range family(name) {
		c, _ := find(strings.Fields(nested))
		b.WriteString(c.summary())
	}
	return b.String()
}

// usage is about the whole program.
func usage() string {
	var b strings.Builder
	b.WriteString("purveyor installs Terraform and OpenTofu providers.\n\n")
	for _, c := range commands() {
		b.WriteString(c.summary())
	}
	b.WriteString(`
The CLI configuration of terraform and tofu applies.
Exit status: 0 done, 1 failed, 2 wrong usage, 130 interrupted.
Flags and examples: purveyor COMMAND -h; what -json prints: purveyor help json
`)
	return b.String()
}

func (c *command) summary() string {
	return "  " + c.synopsis() + "\n" + wrapped("        ", c.about, helpWidth-1)
}

func (c *command) synopsis() string {
	return strings.TrimSpace("purveyor " + c.name + " [flags] " + c.args)
}

// usage is about a command.
func (c *command) usage() string {
	var flags strings.Builder
	set, _ := c.flagSet(&session{})
	set.SetOutput(&flags)
	set.PrintDefaults()

	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n%s\n", c.synopsis(), wrapped("", strings.ToUpper(c.about[:1])+c.about[1:]+".", helpWidth-1))
	for line := range strings.Lines(flags.String()) {
		if about, ok := strings.CutPrefix(line, "    \t"); ok {
			line = wrapped("        ", about, helpWidth-1)
		}
		b.WriteString(line)
	}
	if c.examples != "" {
		b.WriteString("\nExamples:\n")
		for line := range strings.Lines(strings.TrimPrefix(c.examples, "\n")) {
			b.WriteString(strings.TrimRight("  "+line, " \n") + "\n")
		}
	}
	return b.String() + c.more
}

// wrapped breaks a text into lines of so many columns, each with an indent.
func wrapped(indent, text string, columns int) string {
	var b strings.Builder
	line := indent
	for word := range strings.FieldsSeq(text) {
		if line != indent && textWidth(line+word) > columns {
			b.WriteString(strings.TrimSuffix(line, " ") + "\n")
			line = indent
		}
		line += word + " "
	}
	return b.String() + strings.TrimSuffix(line, " ") + "\n"
}
