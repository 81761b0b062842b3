package netmirror_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/fsmirror"
	"github.com/purveyor-dev/purveyor/sources/netmirror"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// Names that no file can have are names of nothing; the system's complaint about them is not the mirror's trouble.
func TestImpossibleFileNames(t *testing.T) {
	t.Parallel()
	h := newShelf("1.0.0").before(t)
	expect(t, h, rocketLinux, http.StatusOK)
	long := strings.Repeat("a", 300)
	const home = "/registry.example.com/acme/rocket/"
	for _, name := range []string{
		"1.0.0-" + long + ".json",
		"terraform-provider-rocket_1.0.0-" + long + "_linux_amd64.zip",
		"terraform-provider-rocket_1.0.0_linux_" + long + ".zip",
		"terraform-provider-rocket_1.0.0_" + long + "_SHA256SUMS",
		"terraform-provider-rocket_1.0.0_%00_SHA256SUMS",
		`terraform-provider-rocket_1.0.0_\..\..\x_SHA256SUMS.sig`,
	} {
		expect(t, h, home+name, http.StatusNotFound)
	}
	if got := h.Stats(); got.Failed != 0 {
		t.Errorf("stats are %+v", got)
	}
}

// A release gets packages for more platforms, and a new signature over all: what is signed about the new ones is what clients
// of the new ones are sent to, though the store has the old signature.
func TestAReleaseThatGrows(t *testing.T) {
	t.Parallel()
	signer := newSigner(t)
	small := registrytest.Release{Provider: "acme/rocket", Version: "1.0.0", Platforms: []string{"linux_amd64"}}
	origin := start(t, registrytest.Config{Signer: signer, Releases: []registrytest.Release{small}})
	now := func(c *netmirror.HandlerConfig) { c.IndexTTL, c.VersionTTL = -1, -1 }
	h := readThrough(t, registry(origin), now)
	expect(t, h, rocketLinux, http.StatusOK)
	small.Platforms = append(small.Platforms, "darwin_arm64")
	if err := origin.Add(small); err != nil {
		t.Fatal(err)
	}
	source := through(t, h)
	for _, on := range []sources.Platform{linux, darwin} {
		pkg, err := source.Package(t.Context(), rocket, v1, on)
		if err != nil {
			t.Fatal(err)
		}
		claims, err := pkg.Claims(t.Context())
		if err != nil || claims.Signer == nil || claims.Signer.Fingerprint != signer.Fingerprint() {
			t.Errorf("%s: claims %+v, error %v", on, claims, err)
		}
	}
	expect(t, h, strings.Replace(rocketLinux, "linux_amd64", "darwin_arm64", 1), http.StatusOK)
	if _, err := install(t, source, signer.Fingerprint()); err != nil {
		t.Error(err)
	}
}

// Archives that cannot be had do not keep others from being fetched.
func TestFailuresDoNotFillTheQueue(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newShelf("1.0.0", "1.1.0", "1.2.0")
		h := s.before(t, func(c *netmirror.HandlerConfig) {
			c.Queue = 2
			c.Fetch = func(ctx context.Context, p sources.Provider, v sources.Version, on sources.Platform, path string) (sources.Release, error) {
				if v.String() != "1.0.0" {
					return sources.Release{}, errors.New("refused")
				}
				return s.fetch(ctx, p, v, on, path)
			}
		})
		for _, v := range []string{"1.1.0", "1.2.0"} {
			expect(t, h, strings.Replace(rocketLinux, "1.0.0", v, 1), http.StatusBadGateway)
		}
		expect(t, h, rocketLinux, http.StatusOK)
	})
}

// What was listed by h1 only, as other mirrors do, is compared by that.
func TestAnArchiveOfOtherContentsIsRefused(t *testing.T) {
	t.Parallel()
	for name, complete := range map[string]func(*sources.Release){
		"computed": func(*sources.Release) {},
		"told": func(r *sources.Release) {
			r.Archives[0].H1 = "h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
		},
	} {
		s, store := newShelf("1.0.0"), t.TempDir()
		s.vouching = func() (hashing.Claims, error) {
			return hashing.Claims{Package: []hashing.Claim{{
				Hash: "h1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", Authority: hashing.Reported, Platform: linux.String(),
			}}}, nil
		}
		h := s.before(t, in(store), func(c *netmirror.HandlerConfig) {
			c.Fetch = func(ctx context.Context, p sources.Provider, v sources.Version, on sources.Platform, path string) (sources.Release, error) {
				r, err := s.fetch(ctx, p, v, on, path)
				complete(&r)
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

// A mirror that minds the age of versions shares its store with one that does not, and has asked for the list before that
// one did.
func TestMinimumAgeBesideAnotherMirror(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s, store := newShelf("0.9.0"), t.TempDir()
		careless := s.before(t, in(store), func(c *netmirror.HandlerConfig) { c.IndexTTL = -1 })
		strict := s.before(t, in(store), func(c *netmirror.HandlerConfig) { c.MinAge = 24 * time.Hour })
		expect(t, strict, rocketIndex, http.StatusOK)
		s.offer("0.9.0", "1.0.0")
		time.Sleep(time.Second)
		expect(t, careless, rocketLinux, http.StatusOK)
		if got := expect(t, strict, rocketIndex, http.StatusOK).Body.String(); strings.Contains(got, "1.0.0") {
			t.Errorf("index.json is %s", got)
		}
		for _, path := range []string{rocketV1, rocketLinux} {
			expect(t, strict, path, http.StatusNotFound)
		}
		time.Sleep(24 * time.Hour)
		for _, path := range []string{rocketV1, rocketLinux} {
			expect(t, strict, path, http.StatusOK)
		}
	})
}

// What is signed about a version is as old as the version.
func TestMinimumAgeOfStatements(t *testing.T) {
	t.Parallel()
	origin, store := start(t, registrytest.Config{}), t.TempDir()
	now := func(c *netmirror.HandlerConfig) { c.IndexTTL = -1 }
	careless := readThrough(t, registry(origin), in(store), now)
	expect(t, careless, rocketIndex, http.StatusOK)
	if err := origin.Add(registrytest.Release{Provider: "acme/rocket", Version: "1.2.0", Platforms: []string{"linux_amd64"}}); err != nil {
		t.Fatal(err)
	}
	expect(t, careless, strings.Replace(rocketLinux, "1.0.0", "1.2.0", 1), http.StatusOK)
	found, err := filepath.Glob(filepath.Join(store, filepath.FromSlash("registry.example.com/acme/rocket/*_1.2.0_*_SHA256SUMS")))
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	path := strings.Replace(rocketV1, "1.0.0.json", filepath.Base(found[0]), 1)
	for _, source := range []sources.Source{nil, registry(origin)} {
		strict := readThrough(t, source, in(store), func(c *netmirror.HandlerConfig) { c.MinAge = time.Hour })
		expect(t, strict, path, http.StatusNotFound)
	}
	expect(t, careless, path, http.StatusOK)
}

// A clock that was wrong for a while does not keep the mirror from asking again.
func TestAnAnswerFromTheFuture(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s, store := newShelf("1.0.0"), t.TempDir()
		expect(t, s.before(t, in(store)), rocketIndex, http.StatusOK)
		record := filepath.Join(store, ".purveyor-mirror", "answers", "registry.example.com", "acme", "rocket", "versions.json")
		data, err := os.ReadFile(record)
		if err != nil {
			t.Fatal(err)
		}
		var answer map[string]any
		if err := json.Unmarshal(data, &answer); err != nil {
			t.Fatal(err)
		}
		answer["asked"] = time.Now().AddDate(10, 0, 0)
		if data, err = json.Marshal(answer); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(record, data, 0o600); err != nil {
			t.Fatal(err)
		}
		s.offer("1.0.0", "2.0.0")
		h := s.before(t, in(store))
		if got := expect(t, h, rocketIndex, http.StatusOK).Body.String(); !strings.Contains(got, "2.0.0") {
			t.Errorf("index.json is %s", got)
		}
	})
}

// Two hundred clients want an archive from a slow source; all but one lose patience.
func TestClientsThatLeave(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := newShelf("1.0.0")
		s.hold = make(chan struct{})
		h := s.before(t)
		ctx, leave := context.WithCancel(t.Context())
		for range 199 {
			go h.ServeHTTP(discard{}, requestOf(ctx, rocketLinux))
		}
		got := make(chan int)
		go func() { got <- request(t, h, rocketLinux).Code }()
		synctest.Wait()
		leave()
		synctest.Wait()
		close(s.hold)
		if status := <-got; status != http.StatusOK {
			t.Errorf("status %d", status)
		}
		if asked, fetched := s.counts(); asked != 1 || fetched != 1 || h.Stats().Failed != 0 {
			t.Errorf("%d questions, %d fetches, stats %+v", asked, fetched, h.Stats())
		}
	})
}

// What a signature cannot be fetched for is not absent.
func TestAMissingSignatureIsNotAbsence(t *testing.T) {
	t.Parallel()
	for _, kind := range []registrytest.Kind{registrytest.KindSums, registrytest.KindSignature} {
		origin := start(t, registrytest.Config{Faults: []registrytest.Fault{{Kind: kind, Status: http.StatusNotFound}}})
		h := readThrough(t, registry(origin))
		for _, path := range []string{rocketV1, rocketLinux} {
			expect(t, h, path, http.StatusBadGateway)
		}
	}
}

// A panic of the program's own functions is a failure that is told and counted.
func TestPanicsAreFailures(t *testing.T) {
	t.Parallel()
	h := readThrough(t, panicking{newShelf()}, func(c *netmirror.HandlerConfig) { c.Fetch = newShelf().fetch })
	for range 3 {
		expect(t, h, rocketIndex, http.StatusBadGateway)
	}
	if got := h.Stats(); got.Questions != 1 || got.SourceFailures != 1 {
		t.Errorf("stats are %+v", got)
	}
	half := readThrough(t, panicking{newShelf("1.0.0")}, func(c *netmirror.HandlerConfig) { c.Fetch = newShelf().fetch })
	expect(t, half, rocketV1, http.StatusBadGateway)
	s := newShelf("1.0.0")
	passing := s.before(t, func(c *netmirror.HandlerConfig) { c.Onward = panickingTarget{} })
	expect(t, passing, rocketLinux, http.StatusOK)
	if err := passing.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := passing.Stats(); got.OnwardFailures != 1 {
		t.Errorf("stats are %+v", got)
	}
	failing := s.before(t, func(c *netmirror.HandlerConfig) {
		c.Fetch = func(context.Context, sources.Provider, sources.Version, sources.Platform, string) (sources.Release, error) {
			panic("a program's error")
		}
	})
	expect(t, failing, rocketLinux, http.StatusBadGateway)
	if got := failing.Stats(); got.FetchFailures != 1 || got.Fetching != 0 {
		t.Errorf("stats are %+v", got)
	}
}

// panicking is a source that panics where its shelf has something, and where it has nothing.
type panicking struct{ *shelf }

func (s panicking) Versions(ctx context.Context, p sources.Provider) (sources.Listing, error) {
	if len(s.listing) == 0 {
		panic("a source's error")
	}
	return s.shelf.Versions(ctx, p)
}

func (panicking) Package(context.Context, sources.Provider, sources.Version, sources.Platform) (*sources.Package, error) {
	panic("a source's error")
}

type panickingTarget struct{ *fsmirror.Target }

func (panickingTarget) Push(context.Context, sources.Release) (*sources.Pushed, error) {
	panic("a target's error")
}

// Forwarding headers and hosts change nothing: documents have relative references only.
func TestHeadersAreNotBelieved(t *testing.T) {
	t.Parallel()
	h := newShelf("1.0.0").before(t)
	want := expect(t, h, rocketV1, http.StatusOK).Body.String()
	for _, header := range []string{"Forwarded", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Forwarded-Prefix", "X-Original-Url", "X-Rewrite-Url", "X-Http-Method-Override"} {
		if got := expect(t, h, rocketV1, http.StatusOK, header, "https://evil.example.com/x").Body.String(); got != want {
			t.Errorf("%s: the document is %s", header, got)
		}
	}
	if u, err := url.Parse("terraform-provider-rocket_1.0.0_linux_amd64.zip"); err != nil || u.IsAbs() || !strings.Contains(want, u.Path) {
		t.Errorf("the document is %s", want)
	}
}
