package gogetter

import (
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/purveyor-dev/purveyor/sources"
)

// newGit prepares git to work in a directory of its own.
func newGit(a *address, config Config, dir string) (*git, error) {
	program := config.Git
	if program == "" {
		var err error
		if program, err = exec.LookPath("git"); err != nil {
			return nil, errors.New("the program git is needed for it, and is not on PATH")
		}
	}
	environ := config.Environ
	if environ == nil {
		environ = os.Environ()
	}
	g := &git{program: program, dir: dir, ref: a.ref, environ: gitEnviron(environ, dir)}
	if a.sshKey != "" {
		if err := g.useKey(a.sshKey); err != nil {
			return nil, err
		}
	}
	g.configure(append(gitSettings(), "remote.mirror.url="+a.url.String()))
	return g, nil
}

// gitSettings are stronger than those in the user's files.
func gitSettings() []string {
	return []string{
		"core.symlinks=false",       // a link becomes a file with its target's name, and leads nowhere
		"core.hooksPath=/dev/null",  // the repository has no hooks, and the user's are not for it
		"core.fsmonitor=false",      //
		"core.protectHFS=true",      // no .git in disguise,
		"core.protectNTFS=true",     // on any system
		"core.autocrlf=false",       // files are what they are, since they have hashes
		"core.eol=lf",               //
		"core.longpaths=true",       //
		"submodule.recurse=false",   //
		"gc.auto=0",                 // nothing goes on in the background
		"maintenance.auto=false",    //
		"fetch.writeCommitGraph=0",  //
		"http.lowSpeedLimit=1",      // bytes per second
		"http.lowSpeedTime=30",      // seconds
		"advice.detachedHead=false", //
		"credential.interactive=false",
	}
}

// gitKept begin the names of git's variables that say how to reach a server; the others could lead to another
// repository, for example where a hook calls us.
var gitKept = []string{
	"GIT_ASKPASS=", "GIT_CONFIG_GLOBAL=", "GIT_CONFIG_NOSYSTEM=", "GIT_CONFIG_SYSTEM=", "GIT_CONFIG_COUNT=",
	"GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_", "GIT_EXEC_PATH=", "GIT_HTTP_", "GIT_PROXY_", "GIT_SSH", "GIT_SSL_",
}

func gitEnviron(environ []string, dir string) []string {
	kept := slices.DeleteFunc(slices.Clone(environ), func(v string) bool {
		return strings.HasPrefix(v, "GIT_") &&
			!slices.ContainsFunc(gitKept, func(prefix string) bool { return strings.HasPrefix(v, prefix) })
	})
	if getenv(kept, "GIT_SSH_COMMAND") == "" && getenv(kept, "GIT_SSH") == "" {
		kept = append(kept, "GIT_SSH_COMMAND=ssh -o BatchMode=yes") // never asks a person
	}
	return append(kept,
		"LC_ALL=C", // messages are sorted by their English words
		"GIT_DIR="+filepath.Join(dir, "git"),
		"GIT_WORK_TREE="+filepath.Join(dir, "files"),
		"GIT_TERMINAL_PROMPT=0",
		"GIT_ALLOW_PROTOCOL=https:ssh:file:http:git",
	)
}

func getenv(environ []string, name string) string {
	for _, variable := range slices.Backward(environ) {
		if value, ok := strings.CutPrefix(variable, name+"="); ok {
			return value
		}
	}
	return ""
}

// configure adds settings, "key=value" each, after those that the environment has already:
// https://git-scm.com/docs/git-config#Documentation/git-config.txt-GITCONFIGCOUNT.
func (g *git) configure(settings []string) {
	count, err := strconv.Atoi(getenv(g.environ, "GIT_CONFIG_COUNT"))
	if err != nil {
		count = 0
	}
	for _, setting := range settings {
		key, value, _ := strings.Cut(setting, "=")
		g.environ = append(g.environ, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", count, key), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", count, value))
		count++
	}
	g.environ = append(g.environ, fmt.Sprintf("GIT_CONFIG_COUNT=%d", count))
}

// useKey makes ssh use the key of the address.
func (g *git) useKey(encoded string) error {
	key, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return errors.New("the parameter sshkey is not Base64")
	}
	path := filepath.Join(g.dir, "key")
	if err := os.WriteFile(path, key, 0o600); err != nil {
		return err
	}
	ssh := getenv(g.environ, "GIT_SSH_COMMAND")
	g.environ = append(g.environ, fmt.Sprintf("GIT_SSH_COMMAND=%s -i '%s' -o IdentitiesOnly=yes", ssh, filepath.ToSlash(path)))
	return nil
}

// gitError is what git says.
type gitError struct {
	op     string
	output string
	err    error
}

func (e *gitError) Error() string {
	return strings.TrimSpace(fmt.Sprintf("git %s failed (%s): %s", e.op, e.err, e.output))
}

// Is sorts the error by what git or ssh say in such cases: there is nothing else to go by.
func (e *gitError) Is(kind error) bool {
	says := func(texts ...string) bool {
		return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(e.output, text) })
	}
	refused := says("Authentication failed", "could not read Username", "could not read Password", "Permission denied (", "returned error: 403")
	switch kind {
	case sources.ErrUnauthorized:
		return refused
	case sources.ErrUnavailable:
		return !refused && says("Could not resolve host", "Failed to connect", "Couldn't connect", "Connection refused",
			"Connection timed out", "Connection reset", "early EOF", "hung up unexpectedly", "returned error: 5", "returned error: 429")
	}
	return false
}

// limitedBuffer keeps the beginning of what is written to it.
type limitedBuffer struct{ kept []byte }

const maxGitOutput = 4 << 10 // bytes

// Write never fails, so that the program does not end by a broken pipe.
func (b *limitedBuffer) Write(p []byte) (int, error) {
	b.kept = append(b.kept, p[:min(len(p), maxGitOutput-len(b.kept))]...)
	return len(p), nil
}
