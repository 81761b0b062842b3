package interop_test

import (
	"os/exec"
	"runtime"
	"testing"

	"github.com/purveyor-dev/purveyor/sources"
)

// cli is one of the real clients.
type cli struct {
	name     string
	path     string
	registry sources.Host // of addresses that name none
}

var clis = []cli{
	{name: "terraform", registry: sources.TerraformRegistry},
	{name: "tofu", registry: sources.OpenTofuRegistry},
}

// withEach runs the test with each of the real clients that is on PATH.
func withEach(t *testing.T, test func(t *testing.T, c cli)) {
	t.Helper()
	t.Parallel()
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		t.Skipf("not tested: the clients cannot be told by SSL_CERT_FILE to trust the test registry on %s", runtime.GOOS)
	}
	found := 0
	for _, c := range clis {
		path, err := exec.LookPath(c.name)
		if err != nil {
			continue
		}
		found++
		c.path = path
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			test(t, c)
		})
	}
	if found == 0 {
		t.Skip("not tested: neither terraform nor tofu is on PATH to be the judge")
	}
}
