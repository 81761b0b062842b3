package main

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"

	"github.com/purveyor-dev/purveyor/sources"
)

// checkAddress says what is wrong with an address to listen at; "" is none.
func checkAddress(flag, address string) error {
	if _, _, err := net.SplitHostPort(address); address != "" && err != nil {
		return usagef("-%s: %q is no address; write :%[3]s, or localhost:%[3]s", flag, address, port(address))
	}
	return nil
}

// port returns an address if it is the number of a port, and otherwise an example.
func port(address string) string {
	if _, err := strconv.ParseUint(address, 10, 16); err != nil {
		return "8080"
	}
	return address
}

// patterns reads those of -allow and -deny.
func patterns(registry sources.Host, texts []string) ([]sources.Pattern, error) {
	var all []sources.Pattern
	for _, text := range texts {
		pattern, err := sources.ParsePatternIn(registry, text)
		if err != nil {
			return nil, usagef("%v", err)
		}
		all = append(all, pattern)
	}
	return all, nil
}

// isShortPattern reports whether a pattern names no host, not even *.
func isShortPattern(text string) bool { return strings.Count(text, "/") < 2 }

// readTokens reads one token from each line; those that begin with # are comments.
func readTokens(path string) ([]sources.Token, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var tokens []sources.Token
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		if line := strings.TrimSpace(lines.Text()); line != "" && !strings.HasPrefix(line, "#") {
			tokens = append(tokens, sources.Token(line))
		}
	}
	if len(tokens) == 0 {
		return nil, fmt.Errorf("%s has no token: nobody could ask for anything", path)
	}
	return tokens, nil
}
