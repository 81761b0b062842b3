package main

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// habits are commands of other programs, and what does the same here.
var habits = map[string][]string{
	"init":     {"install"},
	"get":      {"install"},
	"download": {"install", "mirror"},
	"list":     {"versions", "cache list"},
	"export":   {"bundle export"},
	"import":   {"bundle import"},
	"prune":    {"cache prune", "mirror"},
	"publish":  {"push"},
}

// noCommand says why there is no command that the arguments begin with, and which may be meant.
func noCommand(args []string) string {
	word := args[0]
	if strings.HasPrefix(word, "-") {
		return misplaced(args)
	}
	if all := family(word); len(all) > 0 {
		return alternatives(all) + "?"
	}
	text := fmt.Sprintf("there is no command %q", word)
	meant := habits[word]
	if meant == nil {
		meant = near(word, heads())
	}
	if len(meant) > 0 {
		text += "; did you mean " + alternatives(meant) + "?"
	}
	return text
}

// misplaced is about flags before the command.
func misplaced(args []string) string {
	for i := range args {
		if c, rest := find(args[i:]); c != nil {
			return fmt.Sprintf("flags come after the command: purveyor %s", strings.Join(slices.Concat([]string{c.name}, quoted(args[:i]), quoted(rest)), " "))
		}
	}
	return fmt.Sprintf("flags come after the command, and there is none before %s", args[0])
}

// quoted returns words as a shell reads them.
func quoted(words []string) []string {
	all := slices.Clone(words)
	for i, word := range all {
		if word == "" || strings.ContainsFunc(word, special) {
			all[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return all
}

// special reports whether a character may mean something to a shell.
func special(c rune) bool {
	return !unicode.IsLetter(c) && !unicode.IsDigit(c) && !strings.ContainsRune("-_=./:@,+%", c)
}

// family returns the commands of two words that begin with one.
func family(word string) (names []string) {
	for _, c := range commands() {
		if strings.HasPrefix(c.name, word+" ") {
			names = append(names, c.name)
		}
	}
	return names
}

// heads returns the first words of all commands.
func heads() (words []string) {
	for _, c := range commands() {
		if head, _, _ := strings.Cut(c.name, " "); !slices.Contains(words, head) {
			words = append(words, head)
		}
	}
	return words
}

// noFlag says that a command has no such flag, and which may be meant.
func noFlag(set *flag.FlagSet, name string) error {
	var known []string
	set.VisitAll(func(f *flag.Flag) { known = append(known, f.Name) })
	text := "there is no flag -" + name
	if meant := near(name, known); len(meant) > 0 {
		text += "; did you mean -" + strings.Join(meant, " or -") + "?"
	}
	return usagef("%s", text)
}

// maxWord is the length of the longest word, in bytes, that may be a slip.
const maxWord = 40

// near returns the words to which one is nearest, if that is near enough to be a slip. Of a slip, a letter is right: or else
// all words of one letter would be near to each other.
func near(word string, known []string) (best []string) {
	if len(word) > maxWord {
		return nil
	}
	least := 1 + len(word)/4
	for _, k := range known {
		d := distance(word, k)
		if len(word) > 2 && strings.HasPrefix(k, word) {
			d = 1 // an abbreviation
		}
		switch {
		case d >= max(len(word), len(k)):
		case d < least:
			best, least = []string{k}, d
		case d == least:
			best = append(best, k)
		}
	}
	return best
}

// distance is how many letters have to be inserted, deleted, replaced, or swapped with their neighbours, to make one word of
// another: the restricted one of https://en.wikipedia.org/wiki/Damerau%E2%80%93Levenshtein_distance.
func distance(a, b string) int {
	var last, before []int // the rows for one letter less of a, and for two
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, last, row = last, row, make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			changed := last[j-1]
			if a[i-1] != b[j-1] {
				changed++
			}
			row[j] = min(last[j]+1, row[j-1]+1, changed)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return row[len(b)]
}

// alternatives returns "a, b or c".
func alternatives(all []string) string {
	if n := len(all) - 1; n > 0 {
		return strings.Join(all[:n], ", ") + " or " + all[n]
	}
	return strings.Join(all, "")
}
