package netmirror_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/fsmirror"
	"github.com/purveyor-dev/purveyor/sources/netmirror"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
	"github.com/purveyor-dev/purveyor/sources/sourcetest"
)

func TestWhatAHandlerServesKeepsTheRules(t *testing.T) {
	t.Parallel()
	origin := start(t, registrytest.Config{})
	var fixture sourcetest.Fixture
	for _, v := range []string{"1.0.0", "1.1.0-rc1"} {
		for _, on := range []sources.Platform{linux, darwin} {
			fixture.Packages = append(fixture.Packages, sourcetest.Package{Provider: rocket, Version: sources.MustParseVersion(v), Platform: on})
		}
	}
	if err := sourcetest.TestSource(t.Context(), through(t, readThrough(t, registry(origin))), fixture); err != nil {
		t.Error(err)
	}
}

// What a client sees is the same before and after the archive came, but for h1.
func TestDocuments(t *testing.T) {
	t.Parallel()
	origin := start(t, registrytest.Config{})
	h := readThrough(t, registry(origin))
	index := expect(t, h, rocketIndex, http.StatusOK)
	if got, want := index.Body.String(), "{\n  \"versions\": {\n    \"1.0.0\": {},\n    \"1.1.0-rc1\": {}\n  }\n}"; got != want {
		t.Errorf("index.json is %s", got)
	}
	hashes := func() map[string][]string {
		w := expect(t, h, rocketV1, http.StatusOK)
		if got := w.Header().Get("Content-Type"); got != "application/json" {
			t.Errorf("Content-Type is %s", got)
		}
		var document struct {
			Archives map[string]struct {
				URL    string
				Hashes []string
			}
			Statement map[string]any `json:"origin_statement"`
		}
		if err := json.Unmarshal(w.Body.Bytes(), &document); err != nil {
			t.Fatal(err)
		}
		schemes := make(map[string][]string)
		for on, a := range document.Archives {
			if want := "terraform-provider-rocket_1.0.0_" + on + ".zip"; a.URL != want {
				t.Errorf("url is %s", a.URL)
			}
			for _, hash := range a.Hashes {
				schemes[on] = append(schemes[on], hashing.Hash(hash).Scheme())
			}
		}
		if document.Statement == nil {
			t.Error("there is no statement")
		}
		return schemes
	}
	if diff := cmp.Diff(map[string][]string{"linux_amd64": {"zh"}, "darwin_arm64": {"zh"}}, hashes()); diff != "" {
		t.Errorf("before: (-want, +got) %s", diff)
	}
	expect(t, h, rocketLinux, http.StatusOK)
	if diff := cmp.Diff(map[string][]string{"linux_amd64": {"h1", "zh"}, "darwin_arm64": {"zh"}}, hashes()); diff != "" {
		t.Errorf("after: (-want, +got) %s", diff)
	}
}

// A signed list of checksums tells about all platforms, so one question is enough.
func TestTheOriginIsAskedLittle(t *testing.T) {
	t.Parallel()
	var many []string
	for i := range 20 {
		many = append(many, fmt.Sprintf("os%d_amd64", i))
	}
	origin := start(t, registrytest.Config{Releases: []registrytest.Release{{Provider: "acme/rocket", Version: "1.0.0", Platforms: append(many, "linux_amd64")}}})
	h := readThrough(t, registry(origin))
	for i, step := range []struct {
		path     string
		requests int
	}{
		{rocketIndex, 2}, // discovery, and versions
		{rocketIndex, 0},
		{rocketV1, 3}, // one package, checksums, signature
		{rocketV1, 0},
		{rocketLinux, 2}, // the package, and its archive
		{rocketLinux, 0},
		{rocketV1, 0},
	} {
		origin.ResetRequests()
		expect(t, h, step.path, http.StatusOK)
		if got := origin.Count(""); got != step.requests {
			t.Errorf("step %d, %s: %d requests, want %d", i, step.path, got, step.requests)
		}
	}
}

// A mirror as source says less with each answer, but can be asked for all there is.
func TestMirrorsBehindMirrors(t *testing.T) {
	t.Parallel()
	signer := newSigner(t)
	far := readThrough(t, through(t, readThrough(t, registry(start(t, registrytest.Config{Signer: signer})))))
	got, err := ask(t, through(t, far))
	if err != nil || got.Signer == nil || got.Signer.Fingerprint != signer.Fingerprint() {
		t.Errorf("claims %+v, error %v", got, err)
	}
	for _, path := range []string{rocketLinux, rocketV1, rocketIndex} {
		expect(t, far, path, http.StatusOK)
	}
}

// A source that publishes no hash has its archives listed without; when they are stored, the store vouches for them.
func TestASourceWithoutHashes(t *testing.T) {
	t.Parallel()
	h := newShelf("1.0.0").before(t)
	if body := expect(t, h, rocketV1, http.StatusOK).Body.String(); !strings.Contains(body, `"hashes": []`) {
		t.Errorf("the document is %s", body)
	}
	expect(t, h, rocketLinux, http.StatusOK)
	if body := expect(t, h, rocketV1, http.StatusOK).Body.String(); !strings.Contains(body, `"zh:`) || !strings.Contains(body, `"h1:`) {
		t.Errorf("the document is %s", body)
	}
}

func TestAStampedeIsOneDownload(t *testing.T) {
	t.Parallel()
	r := released("1.0.0")
	r.Size = 1 << 20
	origin := start(t, registrytest.Config{Releases: []registrytest.Release{r}})
	h := readThrough(t, registry(origin))
	base, client := listen(t, h)
	bodies := make([][]byte, 200)
	var wait sync.WaitGroup
	for i := range bodies {
		wait.Go(func() {
			for _, path := range []string{rocketIndex, rocketV1, rocketLinux} {
				res, err := client.Get(base + path)
				if err != nil {
					t.Error(err)
					return
				}
				bodies[i], err = io.ReadAll(res.Body)
				res.Body.Close()
				if err != nil || res.StatusCode != http.StatusOK {
					t.Errorf("status %d, error %v", res.StatusCode, err)
				}
			}
		})
	}
	wait.Wait()
	for _, body := range bodies {
		if len(body) == 0 || !bytes.Equal(body, bodies[0]) {
			t.Fatal("the bodies differ")
		}
	}
	if got := origin.Count(registrytest.KindArchive); got != 1 {
		t.Errorf("%d downloads", got)
	}
	if got := origin.Count(registrytest.KindVersions); got != 1 {
		t.Errorf("%d questions for versions", got)
	}
	if s := h.Stats(); s.Fetched != 1 || s.Requests != 600 || s.Documents != 400 || s.ArchiveHits+s.ArchiveMisses != 200 || s.Fetching != 0 {
		t.Errorf("stats are %+v", s)
	}
}

func TestMirrorsShareAStore(t *testing.T) {
	t.Parallel()
	origin := start(t, registrytest.Config{})
	store := t.TempDir()
	var wait sync.WaitGroup
	for range 4 {
		h := readThrough(t, registry(origin), in(store))
		wait.Go(func() { request(t, h, rocketLinux) })
	}
	wait.Wait()
	if got := origin.Count(registrytest.KindArchive); got != 1 {
		t.Errorf("%d downloads", got)
	}
	if _, err := fsmirror.New(store).Package(t.Context(), rocket, v1, linux); err != nil {
		t.Errorf("the store is no filesystem mirror: %v", err)
	}
}

func TestWhatIsStoredOutlivesTheOrigin(t *testing.T) {
	t.Parallel()
	origin := start(t, registrytest.Config{})
	store := t.TempDir()
	first := readThrough(t, registry(origin), in(store))
	expect(t, first, rocketLinux, http.StatusOK)
	statement := statementOf(t, first)
	origin.Close()
	now := func(c *netmirror.HandlerConfig) { c.IndexTTL, c.VersionTTL = -1, -1 }
	for name, h := range map[string]*netmirror.Handler{
		"same":      first,
		"restarted": readThrough(t, registry(origin), in(store)),
		"expired":   readThrough(t, registry(origin), in(store), now),
		"sealed":    readThrough(t, nil, in(store)),
	} {
		for _, path := range []string{rocketIndex, rocketV1, rocketLinux, statement} {
			w := expect(t, h, path, http.StatusOK)
			if stale := w.Header().Get("Warning") != ""; stale != (name == "expired" && strings.HasSuffix(path, ".json")) {
				t.Errorf("%s: %s is stale: %v", name, path, stale)
			}
		}
		status := http.StatusServiceUnavailable
		if name == "sealed" {
			status = http.StatusNotFound
		}
		w := expect(t, h, strings.Replace(rocketLinux, "linux_amd64", "darwin_arm64", 1), status)
		if name != "sealed" && w.Header().Get("Retry-After") == "" {
			t.Errorf("%s: there is no Retry-After", name)
		}
	}
	if got := expect(t, readThrough(t, nil, in(store)), rocketIndex, http.StatusOK).Body.String(); strings.Contains(got, "rc1") {
		t.Errorf("a sealed mirror lists what it does not have: %s", got)
	}
}

// statementOf returns the path of the signed checksums of rocket 1.0.0.
func statementOf(t *testing.T, h http.Handler) string {
	t.Helper()
	var document struct {
		Statement struct {
			Sums string `json:"shasums_url"`
		} `json:"origin_statement"`
	}
	if err := json.Unmarshal(expect(t, h, rocketV1, http.StatusOK).Body.Bytes(), &document); err != nil || document.Statement.Sums == "" {
		t.Fatalf("there is no statement: %v", err)
	}
	return strings.Replace(rocketV1, "1.0.0.json", document.Statement.Sums, 1)
}

func TestAnUnreachableOriginIsNotAbsence(t *testing.T) {
	t.Parallel()
	origin := start(t, registrytest.Config{})
	origin.Close()
	h := readThrough(t, registry(origin))
	for _, path := range []string{rocketIndex, rocketV1, rocketLinux} {
		if w := expect(t, h, path, http.StatusServiceUnavailable); w.Header().Get("Retry-After") == "" || strings.Contains(w.Body.String(), "127.0.0.1") {
			t.Errorf("%s: header %v, body %s", path, w.Header(), w.Body)
		}
	}
	if got := h.Stats(); got.Failed != 3 || got.Questions != 1 {
		t.Errorf("a source that fails is asked again at once: %+v", got)
	}
}

func TestTamperedArchivesAreNeitherSentNorStored(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]registrytest.Fault{
		"hash":      {WrongHash: true},
		"cut":       {Kind: registrytest.KindArchive, TruncateAt: 100},
		"signature": {WrongSigner: newSigner(t)},
		"not there": {Kind: registrytest.KindArchive, Status: http.StatusForbidden},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			origin := start(t, registrytest.Config{Faults: []registrytest.Fault{fault}})
			store := t.TempDir()
			h := readThrough(t, registry(origin), in(store))
			for range 3 {
				w := request(t, h, rocketLinux)
				if w.Code < 500 || bytes.Contains(w.Body.Bytes(), []byte("PK")) {
					t.Errorf("status %d, body %q", w.Code, w.Body)
				}
			}
			if got := archives(t, store); len(got) != 0 {
				t.Errorf("stored: %v", got)
			}
			if got := origin.Count(registrytest.KindArchive); got > 1 {
				t.Errorf("%d downloads", got)
			}
		})
	}
}

// A release that is changed after it was described is not what clients were told.
func TestAChangedReleaseIsRefused(t *testing.T) {
	t.Parallel()
	origin := start(t, registrytest.Config{})
	store := t.TempDir()
	h := readThrough(t, registry(origin), in(store))
	expect(t, h, rocketV1, http.StatusOK)
	changed := released("1.0.0")
	changed.Executable = []byte("something else")
	if err := origin.Add(changed); err != nil {
		t.Fatal(err)
	}
	expect(t, h, rocketLinux, http.StatusBadGateway)
	if got := archives(t, store); len(got) != 0 {
		t.Errorf("stored: %v", got)
	}
}

// What Fetch returns is checked, also when it is a program's own.
func TestFetchIsNotBelieved(t *testing.T) {
	t.Parallel()
	good := newShelf("1.0.0")
	for name, spoil := range map[string]func(*sources.Release) error{
		"version":  func(r *sources.Release) error { r.Version = sources.MustParseVersion("2.0.0"); return nil },
		"platform": func(r *sources.Release) error { r.Archives[0].Platform = darwin; return nil },
		"nothing":  func(r *sources.Release) error { *r = sources.Release{}; return nil },
		"no file":  func(r *sources.Release) error { return os.Remove(r.Archives[0].Path) },
		"bytes":    func(r *sources.Release) error { return os.WriteFile(r.Archives[0].Path, zipped("other"), 0o600) },
		"panic":    func(*sources.Release) error { panic("a program's error") },
	} {
		store := t.TempDir()
		h := good.before(t, in(store), func(c *netmirror.HandlerConfig) {
			c.Fetch = func(ctx context.Context, p sources.Provider, v sources.Version, on sources.Platform, path string) (sources.Release, error) {
				r, err := good.fetch(ctx, p, v, on, path)
				err = errors.Join(err, spoil(&r))
				return r, err
			}
		})
		if w := request(t, h, rocketLinux); w.Code != http.StatusBadGateway {
			t.Errorf("%s: status %d", name, w.Code)
		}
		if got := archives(t, store); len(got) != 0 {
			t.Errorf("%s: stored: %v", name, got)
		}
	}
}

func TestDamageInTheStoreIsHealed(t *testing.T) {
	t.Parallel()
	origin := start(t, registrytest.Config{})
	store := t.TempDir()
	good := expect(t, readThrough(t, registry(origin), in(store)), rocketLinux, http.StatusOK).Body.Bytes()
	path := filepath.Join(store, filepath.FromSlash(rocketLinux))
	damaged := bytes.Clone(good)
	damaged[len(damaged)/2] ^= 1
	if err := os.WriteFile(path, damaged, 0o644); err != nil {
		t.Fatal(err)
	}
	expect(t, readThrough(t, nil, in(store)), rocketLinux, http.StatusInternalServerError)
	h := readThrough(t, registry(origin), in(store))
	if got := expect(t, h, rocketLinux, http.StatusOK).Body.Bytes(); !bytes.Equal(got, good) || h.Stats().Damaged == 0 {
		t.Errorf("it was served damaged; stats %+v", h.Stats())
	}
}

// What another program put beside the packages without listing it is not vouched for.
func TestUnlistedFilesAreNotServed(t *testing.T) {
	t.Parallel()
	store := t.TempDir()
	path := filepath.Join(store, filepath.FromSlash(rocketLinux))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, zipped("anything"), 0o644); err != nil {
		t.Fatal(err)
	}
	expect(t, readThrough(t, nil, in(store)), rocketLinux, http.StatusNotFound)
}

// The mirrors of the clients list h1 only.
func TestAStoreThatTerraformFilled(t *testing.T) {
	t.Parallel()
	store := t.TempDir()
	origin := start(t, registrytest.Config{Releases: []registrytest.Release{{Provider: "registry.example.com/acme/rocket", Version: "1.0.0", Platforms: []string{"linux_amd64"}}}})
	if err := origin.WriteMirror(store, registrytest.Packed); err != nil {
		t.Fatal(err)
	}
	h := readThrough(t, nil, in(store))
	for _, path := range []string{rocketIndex, rocketV1, rocketLinux} {
		expect(t, h, path, http.StatusOK)
	}
}

func TestPackagesArePassedOn(t *testing.T) {
	t.Parallel()
	also := t.TempDir()
	h := readThrough(t, registry(start(t, registrytest.Config{})), func(c *netmirror.HandlerConfig) { c.Onward = fsmirror.NewTarget(also) })
	expect(t, h, rocketLinux, http.StatusOK)
	if err := h.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	stored, err := fsmirror.NewTarget(also).Stored(t.Context(), rocket, v1)
	if err != nil || len(stored) != 1 || h.Stats().Onward != 1 {
		t.Errorf("the other mirror has %v, error %v; stats %+v", stored, err, h.Stats())
	}
}

func TestImpossibleConfigurations(t *testing.T) {
	t.Parallel()
	for field, cfg := range map[string]netmirror.HandlerConfig{
		"Store":        {},
		"Fetch":        {Store: t.TempDir(), Source: newShelf()},
		"MinAge":       {Store: t.TempDir(), MinAge: -1},
		"FetchTimeout": {Store: t.TempDir(), FetchTimeout: -1},
		"Fetches":      {Store: t.TempDir(), Fetches: -1},
		"Queue":        {Store: t.TempDir(), Queue: -1},
		"Questions":    {Store: t.TempDir(), Questions: -1},
	} {
		_, err := netmirror.NewHandler(cfg)
		var bad *sources.FieldError
		if !errors.As(err, &bad) || bad.Field != "HandlerConfig."+field {
			t.Errorf("%s: error is %v", field, err)
		}
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := netmirror.NewHandler(netmirror.HandlerConfig{Store: file}); err == nil {
		t.Error("a file is a store")
	}
}

// What a process left that was killed is cleared away by the next, unless somebody is at it.
func TestLeftoversAreClearedAway(t *testing.T) {
	t.Parallel()
	s, store := newShelf("1.0.0"), t.TempDir()
	release := make(chan struct{})
	s.hold = release
	busy := s.before(t, in(store), func(c *netmirror.HandlerConfig) {
		c.Fetch = func(ctx context.Context, p sources.Provider, v sources.Version, on sources.Platform, path string) (sources.Release, error) {
			if err := os.WriteFile(path+".part", nil, 0o600); err != nil {
				return sources.Release{}, err
			}
			left := filepath.Join(filepath.Dir(filepath.Dir(path)), "left")
			if err := os.Mkdir(left, 0o700); err != nil {
				return sources.Release{}, err
			}
			readThrough(t, nil, in(store)) // another process begins
			if _, err := os.Stat(path + ".part"); err != nil {
				t.Errorf("what is being fetched is gone: %v", err)
			}
			if _, err := os.Stat(left); err == nil {
				t.Error("what was left is still there")
			}
			return s.fetch(ctx, p, v, on, path)
		}
	})
	close(release)
	expect(t, busy, rocketLinux, http.StatusOK)
	entries, err := os.ReadDir(filepath.Join(store, ".purveyor-mirror", "fetch"))
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if entry.IsDir() {
			t.Errorf("%s is left", entry.Name())
		}
	}
}
