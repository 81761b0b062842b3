package mirror_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/installer/mirror"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/direct"
	"github.com/purveyor-dev/purveyor/sources/fsmirror"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// order is what a child process is to build, handed over in an environment variable.
type order struct {
	CA       []byte
	Services map[string]string
	Dir      string
	Scratch  string
	Plan     mirror.Plan
}

const orderVariable = "PURVEYOR_TEST_ORDER"

// TestMain makes the test binary a program that builds, when it finds an order.
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

// obey builds, and prints a line for each archive that is here.
func obey(text string) error {
	var o order
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return err
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(o.CA)
	b := &mirror.Builder{
		Installer: &installer.Installer{Source: direct.New(direct.Config{
			Client:   &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}},
			Services: map[sources.Host]map[string]string{sources.MustParseHost(host): o.Services},
		})},
		Target:   fsmirror.NewTarget(o.Dir),
		Scratch:  o.Scratch,
		Parallel: 1,
		Notify: func(e mirror.Event) {
			if e.Kind == mirror.EventFetched {
				fmt.Println("fetched", e.Version, e.Platform)
			}
		},
	}
	_, err := b.Build(context.Background(), o.Plan)
	return err
}

// killed builds in another process, and kills it when it has fetched so many archives, and waits for one more.
func (f *fixture) killed(p mirror.Plan, after int) {
	f.Helper()
	text, err := json.Marshal(order{f.srv.CA(), f.srv.HostServices(host), f.dir, f.builder.Scratch, p})
	if err != nil {
		f.Fatal(err)
	}
	cmd := exec.CommandContext(f.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), orderVariable+"="+string(text))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		f.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		f.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	for range after {
		if !lines.Scan() {
			f.Fatalf("the process has ended: %v", cmd.Wait())
		}
	}
	for f.srv.Count(registrytest.KindArchive) <= after {
		time.Sleep(time.Millisecond)
	}
	if err := cmd.Process.Kill(); err != nil {
		f.Fatal(err)
	}
	if cmd.Wait() == nil {
		f.Fatal("the process ended before it was killed")
	}
}

// A build that was killed is completed by the next one, which does not fetch again what was fetched, whether it was published
// or not.
func TestKill(t *testing.T) {
	t.Parallel()
	f := setup(t, rockets("1.0.0", "1.1.0", "1.2.0")...)
	p := plan(want("", mirror.All))
	for _, after := range []int{2, 4, 6, 11} {
		f.dir = t.TempDir()
		f.srv.ResetRequests()
		// The archive after that does not arrive before the process is killed.
		if err := f.srv.AddFault(registrytest.Fault{Kind: registrytest.KindArchive, After: after, StallAt: 100}); err != nil {
			t.Fatal(err)
		}
		f.killed(p, after)
		f.srv.ClearFaults()
		cut := f.downloads()
		if published := len(archives(t, f.dir)); published != after/4*4 {
			t.Errorf("after %d archives %d are published", after, published)
		}
		f.build(p)
		if n := f.downloads(); cut != after+1 || n != 12-after {
			t.Errorf("after %d archives %d were fetched, and then %d", after, cut, n)
		}
		fresh := f.again()
		elsewhere := t.TempDir()
		fresh.Target = fsmirror.NewTarget(elsewhere)
		if _, err := fresh.Build(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tree(t, elsewhere), tree(t, f.dir)); diff != "" {
			t.Errorf("after %d archives the mirror is another one: %s", after, diff)
		}
		f.srv.ResetRequests()
	}
}

// What is left of a killed build is not believed.
func TestLeftoversAreVerified(t *testing.T) {
	t.Parallel()
	f := setup(t, rockets("1.0.0")...)
	p := plan(want("", 0))
	if err := f.srv.AddFault(registrytest.Fault{Kind: registrytest.KindArchive, After: 3, StallAt: 100}); err != nil {
		t.Fatal(err)
	}
	f.killed(p, 3)
	f.srv.ClearFaults()
	f.downloads()
	changed := 0
	for name := range tree(t, f.builder.Scratch) {
		if isArchive(name) {
			write(t, f.builder.Scratch+"/"+name, "something else")
			changed++
		}
	}
	f.build(p)
	if n := f.downloads(); n != 4 || changed != 3 {
		t.Errorf("%d archives were fetched, and %d changed", n, changed)
	}
}

func isArchive(name string) bool { return len(name) > 4 && name[len(name)-4:] == ".zip" }
