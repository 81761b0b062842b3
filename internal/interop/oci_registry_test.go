package interop_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/bcrypt"
)

// ociRegistryModule is the registry that container tools are measured against. Building it takes less than two minutes on
// two cores; what is built once is taken from the go command's cache from then on. It is no tool of this module, because
// its requirements would raise those of the library's tests: the library is to be tested with its own.
const ociRegistryModule, ociRegistryVersion = "github.com/distribution/distribution/v3", "v3.1.1"

// ociBuild is a program, or why there is none.
type ociBuild struct {
	program     string
	unreachable error // the module is not to be had, for want of a network
	failed      error
}

// buildOCIRegistry returns the registry's program, of which the user's cache keeps one.
var buildOCIRegistry = sync.OnceValue(func() (b ociBuild) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return ociBuild{failed: err}
	}
	dir := filepath.Join(cache, "purveyor-interop")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return ociBuild{failed: err}
	}
	b.program = filepath.Join(dir, "registry")
	if b.unreachable = goCommand(dir, "mod", "download", ociRegistryModule+"@"+ociRegistryVersion); b.unreachable == nil {
		b.failed = goCommand(dir, "install", ociRegistryModule+"/cmd/registry@"+ociRegistryVersion)
	}
	return b
})

// goCommand runs the go command outside of this module, with dir for the programs that it installs.
func goCommand(dir string, args ...string) error {
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOBIN="+dir, "GOFLAGS=")
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, output)
	}
	return nil
}

const (
	ociUser     = "interop"
	ociPassword = "correct horse: battery/staple" // with a colon, at which parsers of user:password break
)

// ociRegistry is a running OCI registry with TLS that wants a password and keeps everything in files.
type ociRegistry struct {
	address   string // HOST:PORT
	authority []byte // certificate, PEM
	accessLog string // file
	seen      int64  // bytes of the log that do not count any more
}

// newOCIRegistry starts a registry that ends with the test.
func newOCIRegistry(t *testing.T) *ociRegistry {
	t.Helper()
	build := buildOCIRegistry()
	if build.unreachable != nil {
		t.Skipf("not tested: the registry cannot be built without a network: %v", build.unreachable)
	}
	if build.failed != nil {
		t.Fatal(build.failed)
	}
	dir := t.TempDir()
	r := &ociRegistry{accessLog: filepath.Join(dir, "access.log"), authority: newCertificate(t, dir)}
	hash, err := bcrypt.GenerateFromPassword([]byte(ociPassword), bcrypt.MinCost)
	if err != nil {
		t.Fatal(err)
	}
	writeFiles(t, dir, files{"htpasswd": ociUser + ":" + string(hash) + "\n", "config.yml": ociConfig(dir)})
	r.start(t, exec.Command(build.program, "serve", filepath.Join(dir, "config.yml")))
	return r
}

func ociConfig(dir string) string {
	return strings.ReplaceAll(`version: 0.1
log: {level: info, accesslog: {disabled: false}}
storage: {filesystem: {rootdirectory: DIR/storage}, delete: {enabled: true}}
auth: {htpasswd: {realm: interop, path: DIR/htpasswd}}
http:
  addr: 127.0.0.1:0
  secret: interop
  tls: {certificate: DIR/tls.crt, key: DIR/tls.key}
`, "DIR", dir)
}

// start runs the server and waits until it says where it listens.
func (r *ociRegistry) start(t *testing.T, server *exec.Cmd) {
	t.Helper()
	log, err := os.Create(r.accessLog)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = log.Close() })
	server.Stdout = log
	server.Env = []string{"OTEL_TRACES_EXPORTER=none"} // it would send traces somewhere
	stderr, err := server.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	said := listenTo(stderr)
	t.Cleanup(func() {
		_ = server.Process.Kill()
		<-said.ended
		_ = server.Wait() // says that it was killed
		if t.Failed() {
			t.Logf("the OCI registry complained:\n%s", said.complaints.Bytes())
		}
	})
	select {
	case r.address = <-said.address:
	case <-said.ended:
		t.Fatal("the OCI registry ended before it listened")
	case <-time.After(time.Minute):
		t.Fatal("the OCI registry does not listen after a minute")
	}
}

// said is what a registry says of itself.
type said struct {
	address    chan string // gets one
	ended      chan struct{}
	complaints bytes.Buffer // once it has ended; to refuse a request is one
}

var ociListening = regexp.MustCompile(`listening on ([0-9.:]+), tls`)

func listenTo(stderr io.Reader) *said {
	s := &said{address: make(chan string, 1), ended: make(chan struct{})}
	go func() {
		defer close(s.ended)
		lines := bufio.NewScanner(stderr)
		for lines.Scan() {
			if !strings.Contains(lines.Text(), "level=info") {
				s.complaints.WriteString(lines.Text() + "\n")
			}
			if m := ociListening.FindStringSubmatch(lines.Text()); m != nil {
				s.address <- m[1]
			}
		}
		_, _ = io.Copy(io.Discard, stderr) // after a line that was too long
	}()
	return s
}
