package signature_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/hashing/signature"
)

// gpg is GnuPG with a home of its own.
type gpg struct {
	t       *testing.T
	home    string
	program string
}

func newGPG(t *testing.T) *gpg {
	t.Helper()
	program, err := exec.LookPath("gpg")
	if err != nil {
		t.Skip("gpg is not on PATH: signatures made by GnuPG are not tested")
	}
	home, err := os.MkdirTemp("", "gpg") // t.TempDir is too long a path for the agent's socket
	if err != nil {
		t.Fatal(err)
	}
	g := &gpg{t, home, program}
	t.Cleanup(func() {
		stop := exec.Command("gpgconf", "--homedir", home, "--kill", "all")
		if out, err := stop.CombinedOutput(); err != nil {
			t.Logf("gpgconf: %v\n%s", err, out)
		}
		os.RemoveAll(home)
	})
	return g
}

func (g *gpg) run(stdin string, args ...string) string {
	g.t.Helper()
	args = append([]string{"--homedir", g.home, "--batch", "--quiet", "--no-tty", "--yes", "--pinentry-mode", "loopback", "--passphrase", ""}, args...)
	cmd := exec.Command(g.program, args...)
	cmd.Stdin = strings.NewReader(stdin)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		g.t.Fatalf("gpg %s: %v\n%s", strings.Join(args, " "), err, stderr.String())
	}
	return string(out)
}

func (g *gpg) fingerprint() string {
	g.t.Helper()
	for line := range strings.Lines(g.run("", "--list-keys", "--with-colons")) {
		if fields := strings.Split(line, ":"); fields[0] == "fpr" {
			return fields[9]
		}
	}
	g.t.Fatal("gpg lists no key")
	return ""
}

func TestVerifyGnuPG(t *testing.T) {
	t.Parallel()
	for _, algorithm := range []string{"rsa3072", "ed25519", "nistp256"} {
		t.Run(algorithm, func(t *testing.T) {
			t.Parallel()
			g := newGPG(t)
			g.run("", "--quick-gen-key", author, algorithm, "sign", "1y")
			checkGnuPG(t, g)
		})
	}
	t.Run("subkey", func(t *testing.T) {
		t.Parallel()
		g := newGPG(t)
		g.run("", "--quick-gen-key", author, "ed25519", "cert", "never")
		g.run("", "--quick-add-key", g.fingerprint(), "rsa2048", "sign", "1y")
		checkGnuPG(t, g)
	})
}

// checkGnuPG has the document signed, and checks what Verify makes of that today and in two years.
func checkGnuPG(t *testing.T, g *gpg) {
	t.Helper()
	sig := []byte(g.run(string(document), "--detach-sign"))
	keys := []string{g.run("", "--armor", "--export")}
	signer, err := signature.Verify(document, sig, keys, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	if signer.Fingerprint != g.fingerprint() || !strings.HasSuffix(signer.Fingerprint, signer.KeyID) || signer.Identity != author {
		t.Errorf("signer %+v, want fingerprint %s", *signer, g.fingerprint())
	}
	signer, err = signature.Verify(document, sig, keys, time.Now().AddDate(2, 0, 0))
	if !errors.Is(err, signature.ErrExpired) || signer == nil || signer.ExpiredAt.Before(time.Now()) {
		t.Errorf("in two years: %+v, %v", signer, err)
	}
}

func TestVerifyRevokedByGnuPG(t *testing.T) {
	t.Parallel()
	g := newGPG(t)
	g.run("", "--quick-gen-key", author, "ed25519", "sign", "never")
	sig := []byte(g.run(string(document), "--detach-sign"))
	revocations, err := filepath.Glob(filepath.Join(g.home, "openpgp-revocs.d", "*.rev"))
	if err != nil || len(revocations) != 1 {
		t.Skipf("this gpg prepares no revocation certificate: %v, %v", revocations, err)
	}
	text, err := os.ReadFile(revocations[0])
	if err != nil {
		t.Fatal(err)
	}
	g.run(strings.ReplaceAll(string(text), ":-----BEGIN", "-----BEGIN"), "--import")
	signer, err := signature.Verify(document, sig, []string{g.run("", "--armor", "--export")}, time.Time{})
	if !errors.Is(err, signature.ErrRevoked) || signer != nil {
		t.Errorf("Verify = %v, %v; want %v", signer, err, signature.ErrRevoked)
	}
}
