package installer_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"testing"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/direct"
)

// order is what a child process is to install, handed over in an environment variable.
type order struct {
	CA       []byte
	Services map[string]string // of the host registry.example.com
	Dir      string
	CacheDir string
	Records  string
	Segment  int64             // Installer.SegmentSize
	Account  string            // file to copy /proc/self/io to, at the end
	Wanted   map[string]string // address to constraint
	Locked   map[string]lockedEntry
	Prune    *installer.CachePrune // prune CacheDir instead
	Link     installer.Link
}

type lockedEntry struct {
	Version string
	Hashes  []hashing.Hash
}

const orderVariable = "PURVEYOR_TEST_ORDER"

// TestMain makes the test binary a program that installs, when it finds an order.
func TestMain(m *testing.M) {
	if text := os.Getenv(orderVariable); text != "" {
		if err := obey(text); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func obey(text string) error {
	var o order
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return err
	}
	if o.Prune != nil {
		_, err := (&installer.Cache{Dir: o.CacheDir}).Prune(context.Background(), *o.Prune)
		return err
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(o.CA)
	in := &installer.Installer{
		Source: direct.New(direct.Config{
			Client:   &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: true}},
			Services: map[sources.Host]map[string]string{sources.MustParseHost("registry.example.com"): o.Services},
		}),
		Dir:       o.Dir,
		CacheDir:  o.CacheDir,
		RecordDir: o.Records,

		SegmentSize: o.Segment,
		Link:        o.Link,
	}
	_, err := in.Install(context.Background(), o.request())
	if o.Account != "" {
		err = errors.Join(err, account(o.Account))
	}
	return err
}

func account(path string) error {
	data, err := os.ReadFile("/proc/self/io")
	if err != nil {
		return err
	}
	return os.WriteFile(path, data, 0o600)
}

func (o order) request() installer.Request {
	req := installer.Request{Requirements: installer.Requirements{}, Locks: installer.Locks{}}
	for address, constraint := range o.Wanted {
		req.Requirements[sources.MustParseProvider(address)] = sources.MustParseConstraints(constraint)
	}
	for address, entry := range o.Locked {
		req.Locks[sources.MustParseProvider(address)] = installer.Lock{Version: sources.MustParseVersion(entry.Version), Hashes: entry.Hashes}
	}
	return req
}

// order returns one for the request, for this fixture's registry and directories.
func (f *fixture) order(req installer.Request) order {
	o := order{
		CA:       f.srv.CA(),
		Services: f.srv.HostServices("registry.example.com"),
		Dir:      f.in.Dir,
		CacheDir: f.in.CacheDir,
		Wanted:   map[string]string{},
		Locked:   map[string]lockedEntry{},
	}
	for p, constraints := range req.Requirements {
		o.Wanted[p.String()] = constraints.String()
	}
	for p, lock := range req.Locks {
		o.Locked[p.String()] = lockedEntry{Version: lock.Version.String(), Hashes: lock.Hashes}
	}
	return o
}

// child returns a process that installs.
func (o order) child(t *testing.T) *exec.Cmd {
	t.Helper()
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), orderVariable+"="+string(text))
	cmd.Stderr = os.Stderr
	return cmd
}
