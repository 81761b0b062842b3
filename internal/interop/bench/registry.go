package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"

	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

const version = "1.0.0" // of all providers

// greeting is what the registry's process says first.
type greeting struct {
	Host string // "127.0.0.1:PORT"
	CA   string // in PEM form
}

// serve is the registry's process. To each line of input it answers how many requests there were since the last.
func serve(args []string, in io.Reader, out io.Writer) error {
	flags := flag.NewFlagSet(asRegistry, flag.ContinueOnError)
	count, size := flags.Int("count", 1, ""), flags.Int("size", 1, "")
	if err := flags.Parse(args); err != nil {
		return err
	}
	srv, err := registrytest.Start(registrytest.Config{})
	if err != nil {
		return err
	}
	defer srv.Close()
	for i := range *count {
		release := registrytest.Release{Provider: provider(i), Version: version, Size: int64(*size) * 1e6, Seed: uint64(i)}
		if err := srv.Add(release); err != nil {
			return err
		}
	}
	encoder := json.NewEncoder(out)
	if err := encoder.Encode(greeting{srv.Host(), string(srv.CA())}); err != nil {
		return err
	}
	for lines := bufio.NewScanner(in); lines.Scan(); srv.ResetRequests() {
		if err := encoder.Encode(srv.Count("")); err != nil {
			return err
		}
	}
	return nil
}

// provider is the address of the i-th provider, without its host.
func provider(i int) string { return fmt.Sprintf("bench/p%d", i) }

// registry is the other end of serve.
type registry struct {
	greeting
	cmd     *exec.Cmd
	ask     io.WriteCloser
	answers *json.Decoder
}

func startRegistry(ctx context.Context, self string, count, size int) (*registry, error) {
	cmd := exec.CommandContext(ctx, self, asRegistry, fmt.Sprint("-count=", count), fmt.Sprint("-size=", size))
	cmd.Stderr = os.Stderr
	ask, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	answer, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	r := &registry{cmd: cmd, ask: ask, answers: json.NewDecoder(answer)}
	if err := r.answers.Decode(&r.greeting); err != nil {
		r.stop()
		return nil, fmt.Errorf("the registry does not start: %w", err)
	}
	return r, nil
}

// requests returns how many there were since the last call.
func (r *registry) requests() (n int, err error) {
	if _, err := io.WriteString(r.ask, "\n"); err != nil {
		return 0, err
	}
	return n, r.answers.Decode(&n)
}

func (r *registry) stop() {
	_ = r.ask.Close() // ends the process; that it did not end well changes no measurement
	_ = r.cmd.Wait()
}
