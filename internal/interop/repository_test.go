package interop_test

import (
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/cliconfig"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/gogetter"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// gitEnv is an environment in which git knows nothing of the machine's user.
func gitEnv() []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + os.DevNull, "GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=me", "GIT_AUTHOR_EMAIL=me@example.com", "GIT_COMMITTER_NAME=me", "GIT_COMMITTER_EMAIL=me@example.com",
	}
}

// git runs git in a directory.
func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Dir, cmd.Env = dir, gitEnv()
	output, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, output)
	}
	return strings.TrimSpace(string(output))
}

// newRepository makes a repository, in root, of which the tag v1 has a mirror in the directory providers.
func newRepository(t *testing.T, root, mirror string) {
	t.Helper()
	work := t.TempDir()
	git(t, work, "init", "--quiet")
	copyTree(t, filepath.Join(work, "providers"), mirror)
	git(t, work, "add", "--all")
	git(t, work, "commit", "--quiet", "--message=mirror")
	git(t, work, "tag", "v1")
	git(t, work, "rm", "-r", "--quiet", "providers")
	git(t, work, "commit", "--quiet", "--message=empty")
	git(t, work, "clone", "--quiet", "--bare", work, filepath.Join(root, "mirror.git"))
}

// gitServer is git's own server, behind TLS and a password.
func gitServer(t *testing.T, root string) (srv *httptest.Server, environ []string) {
	t.Helper()
	backend := &cgi.Handler{
		Path: filepath.Join(git(t, root, "--exec-path"), "git-http-backend"),
		Env:  append(gitEnv(), "GIT_PROJECT_ROOT="+root, "GIT_HTTP_EXPORT_ALL=1"),
	}
	srv = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user != "me" || password != "s3cr3t" {
			w.Header().Set("WWW-Authenticate", `Basic realm="git"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		backend.ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	ca := filepath.Join(t.TempDir(), "ca.pem")
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: srv.Certificate().Raw})
	if err := os.WriteFile(ca, certificate, 0o600); err != nil {
		t.Fatal(err)
	}
	return srv, append(gitEnv(), "GIT_SSL_CAINFO="+ca)
}

func TestAMirrorInARepository(t *testing.T) {
	withEach(t, func(t *testing.T, c cli) {
		m, mirror := mirroredModule(t, c)
		root, dir := t.TempDir(), t.TempDir()
		newRepository(t, root, mirror)
		srv, environ := gitServer(t, root)
		address := "git::" + strings.Replace(srv.URL, "https://", "https://me:s3cr3t@", 1) + "/mirror.git//providers?ref=v1"
		source := configured(t, block("go_getter_mirror", fmt.Sprintf("address = %q", address)), cliconfig.SourceOptions{}, func(m *gogetter.Mirrors) {
			m.Config.Dir, m.Config.Environ = dir, environ
		})
		installFrom(t, m, source)
	})
}

// What is installed must not be in a directory that goes with the source.
func TestPackagesOutliveTheRepository(t *testing.T) {
	withEach(t, func(t *testing.T, c cli) {
		m, mirror, root := twoToMirror(t, c), t.TempDir(), t.TempDir()
		if err := m.srv.WriteMirror(mirror, registrytest.Unpacked, rocket, idnRocket); err != nil {
			t.Fatal(err)
		}
		newRepository(t, root, mirror)
		address := "git::file://" + filepath.ToSlash(root) + "/mirror.git//providers?ref=v1"
		var mirrors *gogetter.Mirrors
		source := configured(t, block("go_getter_mirror", fmt.Sprintf("address = %q", address)), cliconfig.SourceOptions{}, func(m *gogetter.Mirrors) {
			m.Config.Environ = gitEnv()
			mirrors = m
		})
		installed := installFrom(t, m, source)
		if err := mirrors.Close(); err != nil {
			t.Fatal(err)
		}
		checkPackages(t, installed, "")
	})
}

func TestAnswersOfARepository(t *testing.T) {
	t.Parallel()
	root, mirror := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(mirror, "README.md"), []byte("nothing here yet"), 0o600); err != nil {
		t.Fatal(err)
	}
	newRepository(t, root, mirror)
	srv, environ := gitServer(t, root)
	host := strings.TrimPrefix(srv.URL, "https://")
	for name, test := range map[string]struct {
		address string
		want    error // its kind; nil: no kind, and not absence
	}{
		"no password":       {"git::https://" + host + "/mirror.git", sources.ErrUnauthorized},
		"wrong password":    {"git::https://me:wrong@" + host + "/mirror.git", sources.ErrUnauthorized},
		"no such ref":       {"git::https://me:s3cr3t@" + host + "/mirror.git?ref=v2", nil},
		"no such directory": {"git::https://me:s3cr3t@" + host + "/mirror.git//elsewhere", nil},
		"no provider":       {"git::https://me:s3cr3t@" + host + "/mirror.git", sources.ErrNotFound},
	} {
		source, err := gogetter.New(gogetter.Config{Address: test.address, Dir: t.TempDir(), Environ: environ})
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
