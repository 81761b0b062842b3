package ocimirror_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/ocimirror"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

func (d *dock) fault(f registrytest.Fault) {
	d.t.Helper()
	if err := d.AddFault(f); err != nil {
		d.t.Fatal(err)
	}
}

// uploads returns how many blobs were sent.
func (d *dock) uploads() (n int) {
	for _, r := range d.Requests() {
		if r.Kind == registrytest.KindOCIUpload && r.Method == http.MethodPut {
			n++
		}
	}
	return n
}

// A release that was cut off is published by publishing it again, and what has arrived is not sent twice.
func TestCutReleasesAreContinued(t *testing.T) {
	t.Parallel()
	d := newDock(t, registrytest.OCI{})
	linux, darwin := freight(t, onLinux, "linux"), freight(t, onDarwin, strings.Repeat("darwin", 10_000))
	d.push(sources.Release{Provider: rover, Version: sources.MustParseVersion("0.9.0"), Archives: []sources.Archive{linux}})

	d.fault(registrytest.Fault{Kind: registrytest.KindOCIUpload, Method: "PUT", CutUploadAt: 10_000})
	once := func(c *ocimirror.TargetConfig) { c.ArchiveRetries = -1 }
	_, err := d.target(once).Push(t.Context(), roverRelease(linux, darwin))
	if !errors.Is(err, sources.ErrUnavailable) || !strings.Contains(err.Error(), "darwin_arm64") {
		t.Errorf("the error is %v", err)
	}
	if slices.Contains(d.tags(), "1.0.0") {
		t.Error("half of the release is published")
	}

	d.ClearFaults()
	d.ResetRequests()
	pushed := d.push(roverRelease(linux, darwin))
	if d.uploads() != 1 || pushed.Uploaded.Count != 1 || pushed.Uploaded.Bytes != 60_000 {
		t.Errorf("the second time, %d were sent: %+v", d.uploads(), pushed)
	}
}

func TestPassingFailuresAreSurvived(t *testing.T) {
	t.Parallel()
	put, upload := registrytest.KindOCIManifest, registrytest.KindOCIUpload
	for name, f := range map[string]registrytest.Fault{
		"a cut upload":           {Kind: upload, Method: "PUT", CutUploadAt: 10_000},
		"a refused upload":       {Kind: upload, Method: "PUT", Status: 503},
		"no upload for now":      {Kind: upload, Method: "POST", Status: 429},
		"a cut manifest":         {Kind: put, Method: "PUT", CutUploadAt: -1},
		"a manifest not stored":  {Kind: put, Method: "PUT", Status: 500},
		"a tag that is not told": {Kind: put, Method: "GET", Status: 502},
		"a list of tags":         {Kind: registrytest.KindOCITags, Status: 503},
		"a blob that is unclear": {Kind: registrytest.KindOCIBlob, Method: "HEAD", Status: 504},
		"an answer that is cut":  {Kind: put, Method: "GET", CutAt: -1},
	} {
		d := newDock(t, registrytest.OCI{})
		f.Times = 1
		d.fault(f)
		d.push(roverRelease(freight(t, onLinux, strings.Repeat("linux", 10_000))))
		if got := d.get("blobs/" + digestOf(strings.Repeat("linux", 10_000))); len(got) != 50_000 {
			t.Errorf("%s: the blob has %d bytes", name, len(got))
		}
	}
}

func TestLastingFailuresAreTold(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fault registrytest.Fault
		want  error
		text  string
	}{
		"the registry fails": {registrytest.Fault{Kind: registrytest.KindOCIUpload, Status: 500, Body: []byte(`{"errors":[{"code":"UNKNOWN","message":"the disk is full"}]}`)}, sources.ErrUnavailable, "the disk is full"},
		"it does not permit": {registrytest.Fault{Kind: registrytest.KindOCIUpload, Status: 403, Body: []byte(`{"errors":[{"code":"DENIED","message":"you may only read"}]}`)}, sources.ErrUnauthorized, "you may only read"},
		"tags do not change": {registrytest.Fault{Kind: registrytest.KindOCIManifest, Method: "PUT", Status: 405, Body: []byte(`{"errors":[{"code":"UNSUPPORTED","message":"tags are immutable"}]}`)}, nil, "tags are immutable"},
		"an endless list":    {registrytest.Fault{EndlessTags: true}, sources.ErrTooLarge, ""},
		"a giant index":      {registrytest.Fault{Kind: registrytest.KindOCIManifest, Method: "GET", Body: bytes.Repeat([]byte(" "), ocimirror.MaxManifest+1)}, sources.ErrTooLarge, ""},
		"an index of nulls":  {registrytest.Fault{Kind: registrytest.KindOCIManifest, Method: "GET", Body: []byte(`{"manifests":[null]}`)}, sources.ErrMalformed, ""},
		"no manifest":        {registrytest.Fault{Kind: registrytest.KindOCIManifest, Method: "GET", Body: []byte(`<html>`)}, sources.ErrMalformed, ""},
	} {
		d := newDock(t, registrytest.OCI{})
		d.fault(test.fault)
		_, err := d.target().Push(t.Context(), roverRelease(freight(t, onLinux, "linux")))
		var question *sources.Error
		if test.want != nil && !errors.Is(err, test.want) || !errors.As(err, &question) || question.Provider != rover || !strings.Contains(err.Error(), test.text) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The location of an upload must not lead credentials or archives elsewhere.
func TestUploadsStayAtTheRegistry(t *testing.T) {
	t.Parallel()
	other := newDock(t, registrytest.OCI{})
	d := newDock(t, registrytest.OCI{})
	d.fault(registrytest.Fault{Kind: registrytest.KindOCIUpload, Method: "POST", Header: map[string]string{"Location": other.URL() + "/v2/" + roverRepository + "/blobs/uploads/1"}})
	_, err := d.target().Push(t.Context(), roverRelease(freight(t, onLinux, "linux")))
	if err == nil || len(other.Requests()) != 0 {
		t.Errorf("the error is %v, and the other registry got %v", err, other.Requests())
	}
}

func TestStalledUploadsEnd(t *testing.T) {
	t.Parallel()
	d := newDock(t, registrytest.OCI{})
	d.fault(registrytest.Fault{Kind: registrytest.KindOCIUpload, Method: "PUT", Hook: func(_ http.ResponseWriter, r *http.Request) bool {
		<-r.Context().Done()
		return true
	}})
	attempts := &uploadCounter{RoundTripper: d.Client().Transport}
	hasty := func(c *ocimirror.TargetConfig) {
		c.Stall, c.ArchiveRetries, c.Client = 50*time.Millisecond, 1, &http.Client{Transport: attempts}
	}
	big := freight(t, onLinux, strings.Repeat("linux", 4<<20)) // more than any buffer on the way
	_, err := d.target(hasty).Push(t.Context(), roverRelease(big))
	if !errors.Is(err, sources.ErrUnavailable) || !strings.Contains(err.Error(), "no data") {
		t.Errorf("the error is %v", err)
	}
	if n := attempts.n.Load(); n != 2 {
		t.Errorf("there were %d attempts", n)
	}
}

// uploadCounter is a transport that counts the requests that send blobs.
type uploadCounter struct {
	http.RoundTripper
	n atomic.Int32
}

func (c *uploadCounter) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method == http.MethodPut && strings.Contains(req.URL.Path, "/blobs/uploads/") {
		c.n.Add(1)
	}
	return c.RoundTripper.RoundTrip(req)
}

func TestRegistriesThatDoNotAnswer(t *testing.T) {
	t.Parallel()
	for _, f := range []registrytest.Fault{
		{Kind: registrytest.KindOCIManifest, Method: "PUT"},
		{Kind: registrytest.KindOCIBlob, Method: "HEAD"},
		{Kind: registrytest.KindOCIReferrers},
	} {
		d := newDock(t, registrytest.OCI{})
		if f.Kind == registrytest.KindOCIReferrers {
			d.push(roverRelease(freight(t, onDarwin, "darwin")))
		}
		f.Hook = func(_ http.ResponseWriter, r *http.Request) bool { <-r.Context().Done(); return true }
		d.fault(f)
		hasty := func(c *ocimirror.TargetConfig) { c.Timeout, c.Retries = 50*time.Millisecond, -1 }
		_, err := d.target(hasty).Push(t.Context(), roverRelease(freight(t, onLinux, "linux")))
		if !errors.Is(err, sources.ErrUnavailable) || errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s %s: %v", f.Method, f.Kind, err)
		}
	}
}

func TestPushesEndWithTheirContext(t *testing.T) {
	t.Parallel()
	for _, f := range []registrytest.Fault{
		{Kind: registrytest.KindOCIUpload, Method: "PUT"},
		{Kind: registrytest.KindOCIManifest, Method: "PUT"},
		{Kind: registrytest.KindOCIManifest, Method: "GET"},
	} {
		d := newDock(t, registrytest.OCI{})
		ctx, cancel := context.WithCancel(t.Context())
		f.Hook = func(_ http.ResponseWriter, r *http.Request) bool {
			cancel()
			<-r.Context().Done()
			return true
		}
		d.fault(f)
		_, err := d.target().Push(ctx, roverRelease(freight(t, onLinux, "linux")))
		if !errors.Is(err, context.Canceled) || errors.Is(err, sources.ErrUnavailable) {
			t.Errorf("%s %s: %v", f.Method, f.Kind, err)
		}
	}
}

func TestBlobsAreMounted(t *testing.T) {
	t.Parallel()
	twin := sources.MustParseProvider("registry.example.com/others/rover")
	for _, noMount := range []bool{false, true} {
		d := newDock(t, registrytest.OCI{NoMount: noMount})
		target := d.target()
		r := roverRelease(freight(t, onLinux, "linux"))
		if _, err := target.Push(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		r.Provider = twin
		pushed, err := target.Push(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		mounted, uploaded := 2, 0
		if noMount {
			mounted, uploaded = uploaded, mounted
		}
		if pushed.Mounted.Count != mounted || pushed.Uploaded.Count != uploaded || d.uploads() != 2+uploaded {
			t.Errorf("without mounting is %v: %+v, %d uploads", noMount, pushed, d.uploads())
		}
	}
}

// What a registry says goes to terminals.
func TestWhatRegistriesSayOfUploadsIsClean(t *testing.T) {
	t.Parallel()
	d := newDock(t, registrytest.OCI{})
	d.fault(registrytest.Fault{Kind: registrytest.KindOCIUpload, Status: http.StatusNotFound,
		Body: []byte(`{"errors":[{"code":"NAME_UNKNOWN","message":"\u001b[2Jhello"}]}`)})
	_, err := d.target().Push(t.Context(), roverRelease(freight(t, onLinux, "linux")))
	var refused *ocimirror.RegistryError
	if !errors.As(err, &refused) || refused.Code != "NAME_UNKNOWN" || strings.Contains(err.Error(), "\x1b") {
		t.Errorf("the error is %q", err)
	}
}
