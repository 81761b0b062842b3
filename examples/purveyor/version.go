package main

import (
	"context"
	"flag"
	"fmt"
	"runtime"
	"runtime/debug"
)

var versionCommand = &command{
	name: "version", takes: operands{},
	about: "print the version of this program",
	setup: func(s *session, _ *flag.FlagSet) action { return s.version },
}

func (s *session) version(context.Context) error {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	_, err := fmt.Fprint(s.stdout, versionLines(info))
	return err
}

// versionLines returns what the linker has recorded about the program, as far as it has.
func versionLines(info *debug.BuildInfo) string {
	version := info.Main.Version
	if version == "" {
		version = "(devel)"
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	text := "purveyor " + version + "\n"
	if revision := settings["vcs.revision"]; revision != "" {
		text += "revision " + revision
		if settings["vcs.modified"] == "true" {
			text += ", modified"
		}
		text += "\n"
	}
	return text + fmt.Sprintf("%s %s/%s\n", runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
