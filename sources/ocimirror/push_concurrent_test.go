package ocimirror_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	goversions "github.com/apparentlymart/go-versions/versions"
	"golang.org/x/sync/errgroup"

	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/ocimirror"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// Publishers that know nothing of each other lose none of their packages.
func TestConcurrentPublishersLoseNothing(t *testing.T) {
	t.Parallel()
	for _, shared := range []bool{false, true} {
		d := newDock(t, registrytest.OCI{PageSize: 5})
		target := d.target()
		var group errgroup.Group
		var want []string
		for i := range 8 {
			on := sources.Platform{OS: "plan", Arch: fmt.Sprint(i)}
			want = append(want, on.String())
			archive := freight(t, on, on.String())
			publisher := target
			if !shared {
				publisher = d.target()
			}
			group.Go(func() error {
				_, err := publisher.Push(t.Context(), roverRelease(archive))
				return err
			})
		}
		if err := group.Wait(); err != nil {
			t.Error(err)
		}
		if got := d.platforms("1.0.0"); !slices.Equal(got, want) {
			t.Errorf("the index has %q", got)
		}
	}
}

func TestConcurrentPublishersKeepTheStatement(t *testing.T) {
	t.Parallel()
	bothKinds(t, func(t *testing.T, d *dock) {
		signer := newSigner(t)
		var archives []sources.Archive
		for i := range 6 {
			on := sources.Platform{OS: "plan", Arch: fmt.Sprint(i)}
			archives = append(archives, freight(t, on, on.String()))
		}
		statement := attest(t, signer, archives...)
		var group errgroup.Group
		for _, a := range archives {
			r := roverRelease(a)
			r.Statement = statement
			group.Go(func() error {
				_, err := d.target().Push(t.Context(), r)
				return err
			})
		}
		if err := group.Wait(); err != nil {
			t.Error(err)
		}
		d.wantSigned(signer, archives...)
	})
}

// Of two different archives for one platform, at most one gets published, and somebody hears of it.
func TestConcurrentPublishersDisagree(t *testing.T) {
	t.Parallel()
	d := newDock(t, registrytest.OCI{})
	errs := make(chan error, 2)
	for _, content := range []string{"one", "other"} {
		archive := freight(t, onLinux, content)
		go func() {
			_, err := d.target().Push(t.Context(), roverRelease(archive))
			errs <- err
		}()
	}
	conflicts := 0
	for range 2 {
		var conflict *sources.ConflictError
		if err := <-errs; errors.As(err, &conflict) {
			conflicts++
		} else if err != nil {
			t.Error(err)
		}
	}
	if conflicts == 0 {
		t.Error("both were published")
	}
	d.push(roverRelease(freight(t, onDarwin, "darwin")))
	if got := d.platforms("1.0.0"); !slices.Equal(got, []string{"darwin_arm64", "linux_amd64"}) {
		t.Errorf("platforms are %q", got)
	}
}

// interposed is a transport that does something before the index is written for the first time, and after that.
type interposed struct {
	http.RoundTripper
	before, after func()
	done          bool
}

func (i *interposed) RoundTrip(req *http.Request) (*http.Response, error) {
	if i.done || req.Method != http.MethodPut || !strings.HasSuffix(req.URL.Path, "/manifests/1.0.0") {
		return i.RoundTripper.RoundTrip(req)
	}
	i.done = true
	i.before()
	resp, err := i.RoundTripper.RoundTrip(req)
	i.after()
	return resp, err
}

func (d *dock) interposing(before, after func()) func(*ocimirror.TargetConfig) {
	return func(c *ocimirror.TargetConfig) {
		c.Client = &http.Client{Transport: &interposed{RoundTripper: d.Client().Transport, before: before, after: after}}
	}
}

// The worst case: a publisher writes an index that is older than all that another one has done from first to last.
func TestStaleIndexIsRepaired(t *testing.T) {
	t.Parallel()
	d := newDock(t, registrytest.OCI{})
	var stale []string
	slow := d.target(d.interposing(
		func() { d.push(roverRelease(freight(t, onDarwin, "darwin"))) },
		func() { stale = d.platforms("1.0.0") },
	))
	if _, err := slow.Push(t.Context(), roverRelease(freight(t, onLinux, "linux"))); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(stale, []string{"linux_amd64"}) {
		t.Errorf("meanwhile the index had %q, so that nothing is tested", stale)
	}
	if got := d.platforms("1.0.0"); !slices.Equal(got, []string{"darwin_arm64", "linux_amd64"}) {
		t.Errorf("the index has %q", got)
	}
}

// A publisher that is killed after such a write leaves an index that the next one repairs, whatever it publishes.
func TestStaleIndexOfTheDeadIsRepaired(t *testing.T) {
	t.Parallel()
	linux, darwin := freight(t, onLinux, "linux"), freight(t, onDarwin, "darwin")
	for name, next := range map[string]sources.Archive{
		"its own package again": linux,
		"the lost package":      darwin,
		"another package":       freight(t, onWindows, "windows"),
	} {
		d := newDock(t, registrytest.OCI{})
		ctx, kill := context.WithCancel(t.Context())
		dying := d.target(d.interposing(func() { d.push(roverRelease(darwin)) }, kill))
		if _, err := dying.Push(ctx, roverRelease(linux)); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if got := d.platforms("1.0.0"); !slices.Equal(got, []string{"linux_amd64"}) {
			t.Fatalf("the index has %q, so that nothing is tested", got)
		}
		d.push(roverRelease(next))
		if got := d.platforms("1.0.0"); !slices.Contains(got, "darwin_arm64") || !slices.Contains(got, "linux_amd64") {
			t.Errorf("%s: the index has %q", name, got)
		}
	}
}

// A registry that forgets what it is told is not asked forever.
func TestIndexesThatDoNotLast(t *testing.T) {
	t.Parallel()
	d := newDock(t, registrytest.OCI{})
	const empty = `{"schemaVersion":2,"mediaType":"application/vnd.oci.image.index.v1+json","artifactType":"application/vnd.opentofu.provider","manifests":[]}`
	d.fault(registrytest.Fault{
		Kind: registrytest.KindOCIManifest, Method: "GET", Path: "1.0.0",
		Body: []byte(empty), ContentType: "application/vnd.oci.image.index.v1+json",
		Header: map[string]string{"Docker-Content-Digest": digestOf(empty)},
	})
	_, err := d.target().Push(t.Context(), roverRelease(freight(t, onLinux, "linux")))
	var contended *ocimirror.ContendedError
	if !errors.As(err, &contended) || !errors.Is(err, sources.ErrUnavailable) || contended.Attempts == 0 {
		t.Errorf("the error is %v", err)
	}
}

// Nobody takes a trace for a version: not OpenTofu, whose parser this is, and not purveyor.
func TestTracesAreNoVersions(t *testing.T) {
	t.Parallel()
	d := newDock(t, registrytest.OCI{})
	r := roverRelease(freight(t, onLinux, "linux"))
	for _, version := range []string{"1.0.0", "1.0.0-rc.1", "1.0.0+build.5"} {
		r.Version = sources.MustParseVersion(version)
		d.push(r)
	}
	tags := d.tags()
	if len(tags) != 6 {
		t.Errorf("tags are %q", tags)
	}
	for _, tag := range tags {
		if _, err := goversions.ParseVersion(strings.ReplaceAll(tag, "_", "+")); (err == nil) == strings.HasPrefix(tag, "purveyor.") {
			t.Errorf("OpenTofu parses the tag %q with the error %v", tag, err)
		}
	}
	source, err := ocimirror.New(d.config())
	if err != nil {
		t.Fatal(err)
	}
	listing, err := source.Versions(t.Context(), rover)
	if err != nil || len(listing.Versions) != 3 || len(listing.Warnings) != 0 {
		t.Errorf("listed are %+v, %v", listing, err)
	}
}

// A package whose tag has been taken for something else is not published.
func TestTracesOfOtherThings(t *testing.T) {
	t.Parallel()
	d := newDock(t, registrytest.OCI{})
	const image = "application/vnd.oci.image.manifest.v1+json"
	d.push(sources.Release{Provider: rover, Version: sources.MustParseVersion("0.0.1"), Archives: []sources.Archive{freight(t, onLinux, "linux")}})
	d.put(image, "purveyor.1.0.0.darwin_arm64", `{"schemaVersion":2,"mediaType":"`+image+`","config":{"mediaType":"application/vnd.oci.empty.v1+json","digest":"`+digestOf("{}")+`","size":2},"layers":[]}`)
	for _, on := range []sources.Platform{onLinux, onDarwin} {
		_, err := d.target().Push(t.Context(), roverRelease(freight(t, on, "content")))
		var artifact *ocimirror.ArtifactError
		if !errors.As(err, &artifact) || !strings.Contains(err.Error(), "purveyor.1.0.0.darwin_arm64") {
			t.Errorf("%s: %v", on, err)
		}
	}
}

// An index can lose a package that somebody else has published while the same package is published again.
func TestForeignManifestsThatGetLost(t *testing.T) {
	t.Parallel()
	d := newDock(t, registrytest.OCI{})
	linux, darwin := freight(t, onLinux, "linux"), freight(t, onDarwin, "darwin")
	d.push(roverRelease(darwin))
	alone := string(d.get("manifests/1.0.0"))
	const image = "application/vnd.oci.image.manifest.v1+json"
	const indexType = "application/vnd.oci.image.index.v1+json"
	// Another tool publishes the same archive by a manifest of its own.
	other := sources.Release{Provider: rover, Version: sources.MustParseVersion("0.0.1"), Archives: []sources.Archive{linux}}
	d.push(other)
	foreign := fmt.Sprintf(`{"schemaVersion":2,"mediaType":%q,"artifactType":"application/vnd.opentofu.provider-target","config":{"mediaType":"application/vnd.oci.empty.v1+json","digest":%q,"size":2},"layers":[{"mediaType":"archive/zip","digest":%q,"size":5}]}`,
		image, digestOf("{}"), digestOf("linux"))
	d.put(image, digestOf(foreign), foreign)
	both := strings.TrimSuffix(alone, "]}") + fmt.Sprintf(`,{"mediaType":%q,"artifactType":"application/vnd.opentofu.provider-target","digest":%q,"size":%d,"platform":{"architecture":"amd64","os":"linux"}}]}`,
		image, digestOf(foreign), len(foreign))
	d.put(indexType, "1.0.0", both)
	lose := &interposedHead{RoundTripper: d.Client().Transport, then: func() { d.put(indexType, "1.0.0", alone) }}
	target := d.target(func(c *ocimirror.TargetConfig) { c.Client = &http.Client{Transport: lose} })
	if _, err := target.Push(t.Context(), roverRelease(linux)); err != nil {
		t.Fatal(err)
	}
	if !lose.done {
		t.Fatal("nothing got lost")
	}
	source, err := ocimirror.New(d.config())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := source.Package(t.Context(), rover, rover1, onLinux); err != nil {
		t.Error(err)
	}
}

type interposedHead struct {
	http.RoundTripper
	then func()
	done bool
}

func (i *interposedHead) RoundTrip(req *http.Request) (*http.Response, error) {
	if !i.done && req.Method == http.MethodHead && strings.Contains(req.URL.Path, "/blobs/") {
		i.done = true
		i.then()
	}
	return i.RoundTripper.RoundTrip(req)
}
