package interop_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/cliconfig"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/gogetter"
)

// versityGateway is a real server of the S3 protocol whose buckets are directories. Building it takes about a minute on
// two cores; what is built once is taken from the go command's cache from then on.
const versityGateway = "github.com/versity/versitygw/cmd/versitygw@v1.8.0"

// buildGateway returns the path of the server's program, of which the user's cache keeps one.
var buildGateway = sync.OnceValues(func() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "purveyor-interop")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	build := exec.Command("go", "install", versityGateway)
	build.Dir = dir // outside of this module, whose requirements are not the server's
	build.Env = append(os.Environ(), "GOBIN="+dir, "GOFLAGS=")
	if output, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go install %s: %w\n%s", versityGateway, err, output)
	}
	return filepath.Join(dir, "versitygw"), nil
})

const (
	s3Key    = "AKIDINTEROP"
	s3Secret = "s3cr3t/of+interop"
)

// objectStore is a running S3 server.
type objectStore struct {
	root    string // has a directory for each bucket
	address string // HOST:PORT
}

func newObjectStore(t *testing.T) *objectStore {
	t.Helper()
	program, err := buildGateway()
	if err != nil {
		t.Fatal(err)
	}
	s := &objectStore{root: t.TempDir(), address: freeAddress(t)}
	var output bytes.Buffer
	server := exec.Command(program, "--port", s.address, "--quiet", "posix", "--sidecar", t.TempDir(), s.root)
	server.Env = []string{"ROOT_ACCESS_KEY=" + s3Key, "ROOT_SECRET_KEY=" + s3Secret}
	server.Stdout, server.Stderr = &output, &output
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait() // says that it was killed
		if t.Failed() {
			t.Logf("the S3 server said:\n%s", output.Bytes())
		}
	})
	s.await(t)
	return s
}

// freeAddress returns an address of this machine that nobody listens at.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// await waits until the server answers.
func (s *objectStore) await(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for {
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", s.address)
		if err == nil {
			_ = conn.Close()
			return
		}
		if ctx.Err() != nil {
			t.Fatalf("the S3 server does not listen: %v", err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// url is the go-getter address of a place in the store.
func (s *objectStore) url(place, secret string) string {
	return fmt.Sprintf("s3::http://%s/%s?region=us-east-1&aws_access_key_id=%s&aws_access_key_secret=%s", s.address, place, s3Key, secret)
}

const escapedSecret = "s3cr3t%2Fof%2Binterop"

func TestAMirrorInAnObjectStore(t *testing.T) {
	withEach(t, func(t *testing.T, c cli) {
		m, mirror := mirroredModule(t, c)
		store := newObjectStore(t)
		copyTree(t, filepath.Join(store.root, "bucket", "providers"), mirror)
		dir := t.TempDir()
		config := block("go_getter_mirror", fmt.Sprintf("address = %q", store.url("bucket/providers", escapedSecret)))
		installFrom(t, m, configured(t, config, cliconfig.SourceOptions{}, func(m *gogetter.Mirrors) { m.Config.Dir = dir }))
		if left, err := filepath.Glob(filepath.Join(dir, "*", "file-*")); err != nil || len(left) != 0 {
			t.Errorf("temporary files are left: %v, %v", left, err)
		}
	})
}

func TestAnswersOfAnObjectStore(t *testing.T) {
	t.Parallel()
	store := newObjectStore(t)
	if err := os.Mkdir(filepath.Join(store.root, "bucket"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		address string
		want    error // its kind; nil: no kind, and not absence
	}{
		"no such provider": {store.url("bucket", escapedSecret), sources.ErrNotFound},
		"no such bucket":   {store.url("elsewhere", escapedSecret), nil},
		"wrong secret":     {store.url("bucket", "wrong"), sources.ErrUnauthorized},
		"nobody listens":   {(&objectStore{address: freeAddress(t)}).url("bucket", escapedSecret), sources.ErrUnavailable},
	} {
		source, err := gogetter.New(gogetter.Config{Address: test.address, Dir: t.TempDir(), Retries: -1})
		if err != nil {
			t.Fatal(err)
		}
		_, err = source.Versions(t.Context(), sources.MustParseProvider(rocket))
		if err == nil || test.want != nil && !errors.Is(err, test.want) || test.want == nil && errors.Is(err, sources.ErrNotFound) {
			t.Errorf("%s: error is %v", name, err)
		}
		if err := source.Close(); err != nil {
			t.Error(err)
		}
	}
}
