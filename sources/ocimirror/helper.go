package ocimirror

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/purveyor-dev/purveyor/sources"
)

// Limits of a credential helper.
const (
	HelperTimeout   = 30 * time.Second // of one run
	MaxHelperOutput = 64 << 10         // of its answer, in bytes
	maxHelperStderr = 4 << 10
)

const helperPrefix = "docker-credential-"

// HelperError says that a credential helper failed.
type HelperError struct {
	Program  string // "docker-credential-x"
	File     string // the configuration file that names it; "": the [Keychain]
	Registry string // that it was asked for
	Stderr   string // what the program said of it, shortened; it is for people
	Err      error  // an [*exec.ExitError], [exec.ErrNotFound], a context's error, [sources.ErrTooLarge], [sources.ErrMalformed], …
}

func (e *HelperError) Error() string {
	text := "credential helper " + e.Program
	if e.File != "" {
		text += ", which " + e.File + " names"
	}
	text = fmt.Sprintf("%s, asked for %s: %v", text, e.Registry, e.Err)
	return withMessage(text, e.Stderr)
}

// Unwrap returns the cause.
func (e *HelperError) Unwrap() error { return e.Err }

// run asks a helper about a registry, by each of the names under which its credentials can be stored. Helpers answer
// to the name that was used when the credentials were stored, which is not the same with all tools.
func (k *Keychain) run(ctx context.Context, c candidate, registry string) (Credential, error) {
	e := HelperError{Program: helperPrefix + c.helper, File: c.file, Registry: registry}
	if !isHelperName(c.helper) {
		e.Err = errHelperPath
		return Credential{}, &e
	}
	path, err := lookPath(k.Environ, e.Program)
	if err != nil {
		e.Err = err
		return Credential{}, &e
	}
	names := []string{"https://" + registry, registry}
	if registry == dockerHub {
		names = []string{dockerHubKey, registry}
	}
	var failed error
	for _, name := range names {
		credential, err := k.get(ctx, path, name, e)
		var exit *exec.ExitError
		switch {
		case err == nil && !credential.IsZero():
			return credential, nil
		case failed == nil:
			failed = err
		}
		if err != nil && !errors.As(err, &exit) {
			break // the program does not object to the name
		}
	}
	return Credential{}, failed
}

// get makes one run of the program, by the protocol of
// https://docs.docker.com/reference/cli/docker/login/#credential-helper-protocol. The error is e, completed.
func (k *Keychain) get(ctx context.Context, path, name string, e HelperError) (Credential, error) {
	limited, cancel := context.WithTimeout(ctx, HelperTimeout)
	defer cancel()
	cmd := exec.CommandContext(limited, path, "get")
	cmd.Env = append([]string{}, k.Environ...)
	cmd.Dir = k.Dir
	cmd.WaitDelay = time.Second
	cmd.Stdin = strings.NewReader(name)
	stdout, stderr := &limitedBuffer{limit: MaxHelperOutput}, &limitedBuffer{limit: maxHelperStderr}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case limited.Err() != nil:
		err = limited.Err()
	case errors.As(err, &exit) && (hasNothing(stdout.kept) || hasNothing(stderr.kept)):
		return Credential{}, nil
	case err == nil && stdout.exceeded:
		err = sources.ErrTooLarge
	}
	var credential Credential
	if err == nil {
		credential, err = parseHelperAnswer(stdout.kept)
	}
	if err != nil {
		e.Err, e.Stderr = err, complaint(err, stdout.kept, stderr.kept)
		return Credential{}, &e
	}
	return credential, nil
}

// complaint returns what a program says about its failure. Most helpers say it where the answer would be, which is not
// shown if it looks like one.
func complaint(err error, stdout, stderr []byte) string {
	text := shown(string(stderr))
	var exit *exec.ExitError
	if text == "" && errors.As(err, &exit) && !bytes.ContainsRune(stdout, '{') {
		text = shown(string(stdout))
	}
	return text
}

// hasNothing recognises the words with which helpers say that they know no credentials, with a status as for an error:
// https://github.com/docker/docker-credential-helpers/blob/v0.9.0/credentials/error.go.
func hasNothing(output []byte) bool {
	return bytes.Contains(bytes.ToLower(output), []byte("credentials not found"))
}

// parseHelperAnswer reads {"Username": "…", "Secret": "…"}. The answer itself is never part of an error.
func parseHelperAnswer(answer []byte) (Credential, error) {
	var document *struct{ Username, Secret string }
	if err := json.Unmarshal(answer, &document); err != nil || document == nil {
		return Credential{}, fmt.Errorf("%w: it is not a JSON object with a Username and a Secret", sources.ErrMalformed)
	}
	if strings.ContainsAny(document.Username+document.Secret, "\r\n\x00") {
		return Credential{}, fmt.Errorf("%w: the credentials contain control characters", sources.ErrMalformed)
	}
	if document.Secret == "" {
		return Credential{}, nil
	}
	return newCredential(document.Username, document.Secret), nil
}

// isHelperName tells a name from a path, by which another program could be found than those that are made to be helpers.
func isHelperName(name string) bool { return !strings.ContainsAny(name, "/\\:\x00") }

var errHelperPath = errors.New("this is not the name of a credential helper")

// lookPath looks for a program in the directories of PATH; those that are not absolute are passed over, so that what
// runs does not depend on where.
func lookPath(environ []string, program string) (string, error) {
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	for _, dir := range filepath.SplitList(getenv(environ, "PATH")) {
		if !filepath.IsAbs(dir) {
			continue
		}
		path := filepath.Join(dir, program)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && isExecutable(info.Mode()) {
			return path, nil
		}
	}
	return "", exec.ErrNotFound
}

func isExecutable(mode fs.FileMode) bool { return runtime.GOOS == "windows" || mode&0o111 != 0 }

// getenv returns the last value of a variable. Windows does not distinguish case in names.
func getenv(environ []string, name string) string {
	value := ""
	for _, variable := range environ {
		key, v, _ := strings.Cut(variable, "=")
		if key == name || runtime.GOOS == "windows" && strings.EqualFold(key, name) {
			value = v
		}
	}
	return value
}

// limitedBuffer keeps the beginning of what is written to it.
type limitedBuffer struct {
	kept     []byte
	limit    int
	exceeded bool
}

// Write never fails, so that the program does not end by a broken pipe.
func (b *limitedBuffer) Write(p []byte) (int, error) {
	room := min(len(p), b.limit-len(b.kept))
	b.kept = append(b.kept, p[:room]...)
	b.exceeded = b.exceeded || room < len(p)
	return len(p), nil
}
