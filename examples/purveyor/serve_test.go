package main

import (
	"context"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// serving is a mirror that serves in the background, until the test ends.
type serving struct {
	addresses []string // of the mirror, and of the metrics
	said      *screen
	stop      context.CancelFunc
	ended     chan int
}

var listensAt = regexp.MustCompile(`https?://([\d.:]+)/`)

func (w *world) serve(t *testing.T, listeners int, args ...string) *serving {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	s := &serving{said: &screen{}, stop: stop, ended: make(chan int, 1)}
	p := &program{env: w.environment(), stdout: s.said, stderr: s.said, client: w.srv.Client()}
	go func() { s.ended <- p.run(ctx, append([]string{"serve", "-listen=127.0.0.1:0"}, args...)) }()
	t.Cleanup(stop)
	for deadline := time.Now().Add(30 * time.Second); len(s.addresses) < listeners; time.Sleep(time.Millisecond) {
		s.addresses = nil
		for _, found := range listensAt.FindAllStringSubmatch(s.said.String(), -1) {
			s.addresses = append(s.addresses, found[1])
		}
		if time.Now().After(deadline) {
			t.Fatalf("it does not listen:\n%s", s.said)
		}
	}
	return s
}

func get(t *testing.T, url, token string) (status int, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

func TestServe(t *testing.T) {
	t.Parallel()
	w := newWorld(t, registrytest.Config{})
	w.write(t, "tokens", "# of the build machines\nsecret-token\n")
	s := w.serve(t, 2, "-metrics=127.0.0.1:0", "-tokens=tokens", "-deny=hashicorp/*", "store")
	mirror, metrics := "http://"+s.addresses[0]+"/", "http://"+s.addresses[1]+"/"
	if strings.Contains(s.said.String(), "metrics are at "+mirror) {
		mirror, metrics = metrics, mirror
	}
	if status, _ := get(t, mirror+rocket+"/index.json", ""); status != http.StatusUnauthorized {
		t.Errorf("without a token: %d", status)
	}
	if status, body := get(t, mirror+rocket+"/index.json", "secret-token"); status != http.StatusOK || !strings.Contains(body, `"1.4.0"`) {
		t.Errorf("the index: %d %s", status, body)
	}
	if status, _ := get(t, mirror+"registry.opentofu.org/hashicorp/alpha/index.json", "secret-token"); status != http.StatusForbidden {
		t.Errorf("a provider that is denied: %d", status)
	}
	status, body := get(t, mirror+rocket+"/1.4.0.json", "secret-token")
	var version struct {
		Archives map[string]struct{ URL string }
	}
	if err := json.Unmarshal([]byte(body), &version); err != nil || status != http.StatusOK || version.Archives["linux_amd64"].URL == "" {
		t.Fatalf("the version: %d %s", status, body)
	}
	url := mirror + rocket + "/" + version.Archives["linux_amd64"].URL
	for range 2 {
		if status, body := get(t, url, ""); status != http.StatusOK || !strings.HasPrefix(body, "PK") {
			t.Errorf("the archive: %d", status)
		}
	}
	if n := w.srv.Count(registrytest.KindArchive); n != 1 {
		t.Errorf("%d downloads", n)
	}
	if _, body := get(t, metrics+"metrics", ""); !strings.Contains(body, "purveyor_mirror_fetched_total 1\n") || !strings.Contains(body, "purveyor_mirror_archive_hits_total 1\n") {
		t.Errorf("the metrics are:\n%s", body)
	}
	if status, _ := get(t, metrics+"healthz", ""); status != http.StatusOK {
		t.Errorf("health: %d", status)
	}
	s.stop()
	if code := <-s.ended; code != exitDone {
		t.Errorf("exit status %d:\n%s", code, s.said)
	}

	w.srv.Close()
	sealed := w.serve(t, 1, "-sealed", "store")
	if status, body := get(t, "http://"+sealed.addresses[0]+"/"+rocket+"/index.json", ""); status != http.StatusOK || !strings.Contains(body, `"1.4.0"`) {
		t.Errorf("sealed, the index: %d %s", status, body)
	}
	w.fails(t, []string{"serve", "-sealed", "nonexistent"}, exitFailed, "there is no nonexistent, and with -sealed nothing is fetched into it")
	for _, says := range []string{"Note: store is new: it was not there\n", "clients want https: let a proxy speak it, or give -tls-cert and -tls-key\n"} {
		if !strings.Contains(s.said.String(), says) {
			t.Errorf("nothing about %q in:\n%s", says, s.said)
		}
	}
	w.fails(t, []string{"serve", "-tls-cert=a", "store"}, exitUsage, "go together")
	w.fails(t, []string{"serve", "-allow=a/b/c/d", "store"}, exitUsage, "a/b/c/d")
}

// TestServeLogsWhatIsWrongWithConnections where it logs everything else.
func TestServeLogsWhatIsWrongWithConnections(t *testing.T) {
	t.Parallel()
	w := newWorld(t, registrytest.Config{})
	w.certificate(t)
	s := w.serve(t, 1, "-json", "-tls-cert=cert.pem", "-tls-key=key.pem", "store")
	if status, _ := get(t, "http://"+s.addresses[0]+"/", ""); status != http.StatusBadRequest {
		t.Errorf("http, where https is spoken: %d", status)
	}
	s.stop()
	if code := <-s.ended; code != exitDone {
		t.Errorf("exit status %d", code)
	}
	if said := s.said.String(); !strings.Contains(said, `level=WARN msg="http: TLS handshake error from `) {
		t.Errorf("it says:\n%s", said)
	}
}

// certificate writes a server's certificate and its key.
func (w *world) certificate(t *testing.T) {
	t.Helper()
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	pair := server.TLS.Certificates[0]
	key, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	w.write(t, "cert.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: pair.Certificate[0]})))
	w.write(t, "key.pem", string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key})))
}

// TestServeMentionsTheDefault where it decides about the patterns.
func TestServeMentionsTheDefault(t *testing.T) {
	t.Parallel()
	w := newWorld(t, registrytest.Config{})
	w.onlyTerraform(t)
	for pattern, want := range map[string]bool{"-allow=hashicorp/*": true, "-deny=*/*": true, "-allow=*/*/*": false, "-allow=registry.terraform.io/hashicorp/*": false} {
		s := w.serve(t, 1, pattern, "store")
		if got := strings.Contains(s.said.String(), defaultNote); got != want {
			t.Errorf("serve %s mentions it: %t:\n%s", pattern, got, s.said)
		}
		s.stop()
		<-s.ended
	}
}
