package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"time"

	"github.com/purveyor-dev/purveyor/internal/slowlink"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

const version = "1.0.0" // of all providers

// greeting is what the registry's process says first.
type greeting struct {
	Host   string // "127.0.0.1:PORT"
	Mirror string // the URL of the network mirror
	CA     string // in PEM form
}

// usage is what the registry noticed since it was last asked.
type usage struct {
	Requests    int
	Connections int // the most at a time
}

// serve is the registry's process. To each line of input it answers with the usage.
func serve(args []string, in io.Reader, out io.Writer) error {
	var o offer
	if len(args) != 1 {
		return errors.New("the registry takes one argument, its offer as JSON")
	}
	if err := json.Unmarshal([]byte(args[0]), &o); err != nil {
		return err
	}
	var listener *slowlink.Listener
	srv, err := registrytest.Start(registrytest.Config{
		HTTP1:        o.HTTP1,
		WrapListener: func(l net.Listener) net.Listener { listener = o.Link.Listen(l); return listener },
	})
	if err != nil {
		return err
	}
	defer srv.Close()
	if err := o.publish(srv); err != nil {
		return err
	}
	encoder := json.NewEncoder(out)
	if err := encoder.Encode(greeting{srv.Host(), srv.MirrorURL(), string(srv.CA())}); err != nil {
		return err
	}
	for lines := bufio.NewScanner(in); lines.Scan(); srv.ResetRequests() {
		if err := encoder.Encode(usage{srv.Count(""), listener.Recount().Most}); err != nil {
			return err
		}
	}
	return nil
}

func (o offer) publish(srv *registrytest.Server) error {
	for n, s := range o.Sets {
		for i := range s.Count {
			release := registrytest.Release{Provider: provider(n, i), Version: version, Size: s.Size, Seed: uint64(i)}
			if err := srv.Add(release); err != nil {
				return err
			}
		}
	}
	return nil
}

// stopTime is what the registry's process has to end by itself.
const stopTime = 5 * time.Second

// provider is the address of the i-th provider of a set, without its host.
func provider(set, i int) string { return fmt.Sprintf("set%d/p%d", set, i) }

// registry is the other end of serve.
type registry struct {
	greeting
	cmd     *exec.Cmd
	ask     io.WriteCloser
	answers *json.Decoder
}

func startRegistry(ctx context.Context, self string, o offer) (*registry, error) {
	text, err := json.Marshal(o)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, self, asRegistry, string(text))
	cmd.Stderr = os.Stderr
	ask, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	answer, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	cmd.Cancel, cmd.WaitDelay = ask.Close, stopTime // which lets it remove its files
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

// usage returns what the registry noticed since the last call.
func (r *registry) usage() (u usage, err error) {
	if _, err := io.WriteString(r.ask, "\n"); err != nil {
		return usage{}, err
	}
	return u, r.answers.Decode(&u)
}

func (r *registry) stop() {
	_ = r.ask.Close() // ends the process; that it did not end well changes no measurement
	_ = r.cmd.Wait()
}
