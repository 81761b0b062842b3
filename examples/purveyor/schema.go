package main

import (
	_ "embed"
	"strings"
)

// schema says what -json prints. Users read it in "purveyor help json"; a test compares it with record and with the events.
//
//go:embed schema.txt
var schema string

func jsonHelp() string { return strings.TrimSpace(schema) + "\n" }
