package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/purveyor-dev/purveyor/cliconfig"
	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/installer/required"
	"github.com/purveyor-dev/purveyor/sources"
)

// session is one run of a command: what it was told, what it has found out so far, and where its account goes.
type session struct {
	*program

	// Of the command line.
	chdir     string
	registry  sources.Host // zero: the default
	offline   bool
	json      bool
	quiet     bool
	platforms []sources.Platform
	policy    installer.Policy // of what is fetched: the lock file's word stands
	named     []requirement    // the operands that are addresses
	paths     []string         // the operands that are not

	dir string // absolute: of the module
	out printer

	notifying sync.Mutex
	noted     []string                   // what need not be said again
	signers   map[string]*hashing.Signer // those whose signatures were verified, by fingerprint

	// What follows is found out on the way, and makes errors helpful.
	required installer.Requirements
	origins  map[sources.Provider][]required.Origin // where the module asks for its providers
	short    bool                                   // some of it names no host
	decided  sources.Host                           // the default registry by a lock file; zero: none has decided
	config   *cliconfig.Config
	chain    sources.Chain // the sources of config, one rule for each of its methods
}

// requirement is an ADDRESS[@CONSTRAINT] of the command line.
type requirement struct {
	provider    sources.Provider
	constraints sources.Constraints
	text        string // of the constraints
	short       bool   // the address names no host
}

// session makes the session for the arguments of a command. Every error is one of usage.
func (c *command) session(p *program, args []string) (*session, action, error) {
	s := &session{program: p, signers: map[string]*hashing.Signer{}}
	set, run := c.flagSet(s)
	operands, err := c.parse(set, args)
	if err != nil {
		return nil, nil, err
	}
	if err := s.read(c, operands); err != nil {
		return nil, nil, err
	}
	s.out = s.printer()
	return s, run, nil
}

// read makes sense of the operands.
func (s *session) read(c *command, operands []string) (err error) {
	if c.takes.what == "address" {
		s.named, err = c.requirements(s.registry, operands)
		s.short = slices.ContainsFunc(s.named, func(r requirement) bool { return r.short })
	} else {
		s.paths = operands
	}
	if err == nil {
		s.dir, err = s.absolute(s.chdir)
	}
	return err
}

// platform returns the one that packages are for; zero: this machine's.
func (s *session) platform() sources.Platform {
	if len(s.platforms) == 0 {
		return sources.Platform{}
	}
	return s.platforms[0]
}

// absolute resolves a path against the working directory.
func (p *program) absolute(path string) (string, error) {
	if filepath.IsAbs(path) {
		return filepath.Clean(path), nil
	}
	return filepath.Abs(filepath.Join(p.env.WorkingDir, path))
}

// inModule resolves a path of the environment against the module's directory; "" stays empty.
func (s *session) inModule(path string) string {
	if path == "" || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(s.dir, path)
}

// show returns a path for people: a relative one, if it is below the working directory.
func (s *session) show(path string) string {
	if base, err := s.absolute(""); err == nil && filepath.IsAbs(path) {
		if relative, err := filepath.Rel(base, path); err == nil && filepath.IsLocal(relative) {
			return relative
		}
	}
	return path
}

// enter checks the module's directory, which nothing creates.
func (s *session) enter() error {
	info, err := os.Stat(s.dir)
	var path *fs.PathError
	switch {
	case errors.As(err, &path):
		return fmt.Errorf("cannot work in %s: %w", s.show(s.dir), path.Err)
	case err == nil && !info.IsDir():
		return fmt.Errorf("cannot work in %s: it is not a directory", s.show(s.dir))
	}
	return err
}

// finish reports how a command ended and returns the exit status.
func (s *session) finish(ctx context.Context, err error) int {
	s.out.close()
	code, last := exitDone, record{Event: "done"}
	if err != nil {
		code, last = exitFailed, record{Event: "failed"}
		if ctx.Err() != nil {
			code = exitInterrupted
		}
		for _, r := range s.problems(ctx, err) {
			s.out.print(r)
		}
	}
	s.out.print(last)
	return code
}

// noteOnce is for what several parts of a command find out.
func (s *session) noteOnce(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(s.noted, text) {
		s.noted = append(s.noted, text)
		s.note("%s", text)
	}
}

func (s *session) note(format string, args ...any) {
	s.out.print(record{Event: "note", Message: fmt.Sprintf(format, args...)})
}
