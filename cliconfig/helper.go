package cliconfig

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/purveyor-dev/purveyor/sources"
)

// Limits of a credentials helper.
const (
	HelperTimeout   = 30 * time.Second // of one question
	MaxHelperOutput = 64 << 10         // of its answer, in bytes
	maxHelperStderr = 4 << 10
)

// HelperError says that a credentials helper failed.
type HelperError struct {
	Program string
	Host    sources.Host
	Stderr  string // what the program said, shortened; it is for people
	Err     error  // an [*exec.ExitError], a context's error, [sources.ErrTooLarge], [sources.ErrMalformed], …
}

func (e *HelperError) Error() string {
	text := fmt.Sprintf("credentials helper %s, asked for %s: %s", e.Program, e.Host, e.Err)
	if e.Stderr != "" {
		text += ": " + e.Stderr
	}
	return text
}

// Unwrap returns the cause.
func (e *HelperError) Unwrap() error { return e.Err }

// helperProgram speaks the credentials helper protocol:
// https://developer.hashicorp.com/terraform/internals/credentials-helpers.
type helperProgram struct {
	path string
	args []string
	env  Environment
}

// get runs the program with the arguments "get" and the host, in Punycode.
func (h *helperProgram) get(ctx context.Context, host sources.Host) (sources.Token, error) {
	limited, cancel := context.WithTimeout(ctx, HelperTimeout)
	defer cancel()
	cmd := exec.CommandContext(limited, h.path, append(slices.Clone(h.args), "get", host.ASCII())...)
	cmd.Env = append([]string{}, h.env.Variables...)
	cmd.Dir = h.env.WorkingDir
	cmd.WaitDelay = time.Second
	stdout, stderr := &limitedBuffer{limit: MaxHelperOutput}, &limitedBuffer{limit: maxHelperStderr}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	err := cmd.Run()
	switch {
	case limited.Err() != nil:
		err = limited.Err()
	case err == nil && stdout.exceeded:
		err = sources.ErrTooLarge
	}
	var token sources.Token
	if err == nil {
		token, err = parseHelperAnswer(stdout.kept)
	}
	if err != nil {
		return "", &HelperError{Program: h.path, Host: host, Stderr: visible(strings.TrimSpace(string(stderr.kept))), Err: err}
	}
	return token, nil
}

// parseHelperAnswer reads {"token": "…"}; an object without a token means that there are no credentials. The answer
// itself is never part of an error.
func parseHelperAnswer(answer []byte) (sources.Token, error) {
	var credentials *struct {
		Token *string `json:"token"`
	}
	if err := json.Unmarshal(answer, &credentials); err != nil || credentials == nil {
		return "", fmt.Errorf("%w: it is not a JSON object with a string named token", sources.ErrMalformed)
	}
	if credentials.Token == nil {
		return "", nil
	}
	if strings.ContainsAny(*credentials.Token, "\r\n\x00") {
		return "", fmt.Errorf("%w: the token contains control characters", sources.ErrMalformed)
	}
	return sources.Token(*credentials.Token), nil
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
