package installer_test

import (
	"archive/zip"
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/hashing/signature"
	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// Every way in which an archive can be made to do harm ends in a typed error and leaves nothing behind. That each kind
// of entry is refused in each of its spellings is tested where archives are unpacked; here, that the refusal holds.
func TestHostileArchives(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		entries []zip.FileHeader
		want    error
	}{
		{"dot dot", []zip.FileHeader{plugin("alpha"), entry("../escaped", 0o644)}, installer.ErrUnsafeName},
		{"absolute", []zip.FileHeader{plugin("alpha"), entry("/etc/escaped", 0o644)}, installer.ErrUnsafeName},
		{"backslash", []zip.FileHeader{plugin("alpha"), entry(`dir\escaped`, 0o644)}, installer.ErrUnsafeName},
		{"drive", []zip.FileHeader{plugin("alpha"), entry("C:escaped", 0o644)}, installer.ErrUnsafeName},
		{"newline", []zip.FileHeader{plugin("alpha"), entry("a\nb", 0o644)}, installer.ErrUnsafeName},
		{"duplicate", []zip.FileHeader{plugin("alpha"), plugin("alpha")}, installer.ErrDuplicate},
		{"case twin", []zip.FileHeader{plugin("alpha"), entry("readme", 0o644), entry("README", 0o644)}, installer.ErrDuplicate},
		{"file and directory", []zip.FileHeader{plugin("alpha"), entry("a", 0o644), entry("a/b", 0o644)}, installer.ErrDuplicate},
		{"symlink", []zip.FileHeader{plugin("alpha"), entry("link", fs.ModeSymlink|0o777)}, installer.ErrNotRegular},
		{"device", []zip.FileHeader{plugin("alpha"), entry("dev", fs.ModeDevice|0o644)}, installer.ErrNotRegular},
		{"setuid", []zip.FileHeader{plugin("alpha"), entry("su", fs.ModeSetuid|0o755)}, installer.ErrNotRegular},
		{"empty", nil, installer.ErrNoFiles},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := release("acme/alpha", "1.0.0")
			r.Archive = archiveOf(test.entries...)
			f := setup(t, r)
			_, err := f.installError(require("acme/alpha", ""))
			var archive *installer.ArchiveError
			if !errors.As(err, &archive) || !errors.Is(err, test.want) {
				t.Errorf("error is %v, want %v", err, test.want)
			}
			f.wantNothingInstalled()
		})
	}
}

func TestAnArchiveThatIsNoZip(t *testing.T) {
	t.Parallel()
	r := release("acme/alpha", "1.0.0")
	r.Archive = func(string) ([]byte, error) { return []byte("<html>moved</html>"), nil }
	f := setup(t, r)
	_, err := f.installError(require("acme/alpha", ""))
	if !errors.Is(err, installer.ErrDamaged) {
		t.Errorf("error is %v", err)
	}
	f.wantNothingInstalled()
}

func TestLimits(t *testing.T) {
	t.Parallel()
	big := registrytest.Release{Provider: "acme/alpha", Version: "1.0.0", Size: 8 << 20}
	tests := map[string]installer.Limits{
		"archive": {Archive: 1 << 20},
		"file":    {File: 1 << 20},
		"total":   {Total: 1 << 20},
		"files":   {Files: 1},
	}
	for name, limits := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := setup(t, big)
			f.in.Limits = limits
			_, err := f.installError(require("acme/alpha", ""))
			var archive *installer.ArchiveError
			if !errors.As(err, &archive) || !errors.Is(err, installer.ErrOverLimit) {
				t.Errorf("error is %v", err)
			}
			f.wantNothingInstalled()
		})
	}
}

func TestABomb(t *testing.T) {
	t.Parallel()
	r := release("acme/alpha", "1.0.0")
	r.Files = func(string) (fs.FS, error) {
		return bombFS{"terraform-provider-alpha": 200 << 20}, nil
	}
	f := setup(t, r)
	_, err := f.installError(require("acme/alpha", ""))
	if !errors.Is(err, installer.ErrOverLimit) {
		t.Errorf("error is %v", err)
	}
	f.wantNothingInstalled()
}

func TestAPackageWithoutExecutable(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"LICENSE", "terraform-provider-alpha_README.md", "terraform-provider-alphabet_v1.0.0", "bin/terraform-provider-alpha"} {
		r := release("acme/alpha", "1.0.0")
		r.Archive = archiveOf(entry(name, 0o755))
		f := setup(t, r)
		_, err := f.installError(require("acme/alpha", ""))
		var executable *installer.ExecutableError
		if !errors.As(err, &executable) {
			t.Errorf("%s: error is %v, want an ExecutableError", name, err)
		}
		f.wantNothingInstalled()
	}
}

// Archives made on Windows give no permissions; the provider has to be executable all the same.
func TestAnExecutableWithoutPermission(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"terraform-provider-alpha", "terraform-provider-alpha_v1.0.0_x5", "terraform-provider-alpha.exe"} {
		r := release("acme/alpha", "1.0.0")
		r.Archive = archiveOf(entry(name, 0o644), entry("LICENSE", 0o644))
		f := setup(t, r)
		f.install(require("acme/alpha", ""))
	}
}

func TestWrongBytes(t *testing.T) {
	t.Parallel()
	f := setup(t, release("acme/alpha", "1.0.0"))
	f.fault(registrytest.Fault{Kind: registrytest.KindArchive, Edit: func([]byte) []byte {
		other, _ := archiveOf(plugin("alpha"))("")
		return other
	}})
	_, err := f.installError(require("acme/alpha", ""))
	var mismatch *hashing.MismatchError
	if !errors.As(err, &mismatch) || len(mismatch.Want) != 1 || mismatch.Want[0].Scheme() != hashing.SchemeZH {
		t.Errorf("error is %v, want a MismatchError", err)
	}
	f.wantNothingInstalled()
}

// The lock file binds even when the registry and its signature agree on other bytes.
func TestAReleaseThatChangedIsRefused(t *testing.T) {
	t.Parallel()
	f := setup(t, release("acme/alpha", "1.0.0"))
	req := require("acme/alpha", "")
	req.Locks = f.install(req).Locks
	changed := release("acme/alpha", "1.0.0")
	changed.Executable = []byte("#!/bin/sh\necho changed\n")
	if err := f.srv.Add(changed); err != nil {
		t.Fatal(err)
	}
	f.in.Dir, f.in.CacheDir = t.TempDir(), t.TempDir()
	_, err := f.installError(req)
	var mismatch *hashing.MismatchError
	if !errors.As(err, &mismatch) || mismatch.By != hashing.ByLock {
		t.Errorf("error is %v, want a mismatch with the lock file", err)
	}
	f.wantNothingInstalled()
}

func TestSignatures(t *testing.T) {
	t.Parallel()
	signer := func(options registrytest.SignerOptions) *registrytest.Signer {
		s, err := registrytest.NewSigner("Acme", options)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	stranger := signer(registrytest.SignerOptions{})
	tests := []struct {
		name    string
		release registrytest.Release
		fault   registrytest.Fault
		want    error
	}{
		{name: "unknown issuer", fault: registrytest.Fault{WrongSigner: stranger}, want: signature.ErrUnknownIssuer},
		{name: "over other sums", fault: registrytest.Fault{Kind: registrytest.KindSums, Edit: func(b []byte) []byte { return append(b, '\n') }}, want: signature.ErrBadSignature},
		{name: "garbage", fault: registrytest.Fault{Kind: registrytest.KindSignature, Body: []byte("garbage")}, want: signature.ErrBadSignature},
		{name: "empty", fault: registrytest.Fault{Kind: registrytest.KindSignature, Body: []byte{}}, want: signature.ErrUnsigned},
		{name: "revoked", release: registrytest.Release{Signer: signer(registrytest.SignerOptions{Revoked: true})}, want: signature.ErrRevoked},
		{name: "no keys", release: registrytest.Release{Unsigned: true}, want: signature.ErrUnsigned},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.release.Provider, test.release.Version = "acme/alpha", "1.0.0"
			f := setup(t, test.release)
			if test.fault.Kind != "" || test.fault.WrongSigner != nil {
				f.fault(test.fault)
			}
			_, err := f.installError(require("acme/alpha", ""))
			if !errors.Is(err, test.want) {
				t.Errorf("error is %v, want %v", err, test.want)
			}
			f.wantNothingInstalled()
		})
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		fault registrytest.Fault
		want  error
	}{
		{"unauthorized list", registrytest.Fault{Kind: registrytest.KindVersions, Status: 401}, sources.ErrUnauthorized},
		{"forbidden package", registrytest.Fault{Kind: registrytest.KindPackage, Status: 403}, sources.ErrUnauthorized},
		{"failing discovery", registrytest.Fault{Kind: registrytest.KindDiscovery, Status: 502}, sources.ErrUnavailable},
		{"failing archive", registrytest.Fault{Kind: registrytest.KindArchive, Status: 503}, sources.ErrUnavailable},
		{"missing sums", registrytest.Fault{Kind: registrytest.KindSums, Status: 404}, nil},
		{"list is no JSON", registrytest.Fault{Kind: registrytest.KindVersions, Body: []byte("<html>")}, sources.ErrMalformed},
		{"package is null", registrytest.Fault{Kind: registrytest.KindPackage, Body: []byte("null")}, sources.ErrMalformed},
		{"discovery has the wrong media type", registrytest.Fault{Kind: registrytest.KindDiscovery, ContentType: "text/html"}, sources.ErrMalformed},
		{"redirect loop", registrytest.Fault{Kind: registrytest.KindVersions, RedirectLoop: true}, nil},
		{"100 MB of JSON", registrytest.Fault{Kind: registrytest.KindVersions, Body: []byte(`{"versions":[]` + strings.Repeat(" ", 100<<20) + `}`)}, sources.ErrTooLarge},
		{"archive that never comes", registrytest.Fault{Kind: registrytest.KindArchive, CutAt: -1}, sources.ErrUnavailable},
		{"archive that ends early", registrytest.Fault{Kind: registrytest.KindArchive, TruncateAt: 100}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := setup(t, release("acme/alpha", "1.0.0"))
			f.fault(test.fault)
			_, err := f.installError(require("acme/alpha", ""))
			if test.want != nil && !errors.Is(err, test.want) {
				t.Errorf("error is %v, want %v", err, test.want)
			}
			if errors.Is(err, sources.ErrNotFound) {
				t.Errorf("%v counts as absence", err)
			}
			f.wantNothingInstalled()
		})
	}
}

func TestAPassingFaultIsSurvived(t *testing.T) {
	t.Parallel()
	faults := map[string]registrytest.Fault{
		"list":       {Kind: registrytest.KindVersions, Times: 1, Status: 503},
		"too many":   {Kind: registrytest.KindPackage, Times: 1, Status: 429, RetryAfter: "1"},
		"discovery":  {Kind: registrytest.KindDiscovery, Times: 1, CutAt: -1},
		"sums":       {Kind: registrytest.KindSums, Times: 1, CutAt: 10},
		"archive":    {Kind: registrytest.KindArchive, Times: 2, Status: 500},
		"broken":     {Kind: registrytest.KindArchive, Times: 2, CutAt: 5000},
		"no headers": {Kind: registrytest.KindArchive, Times: 1, CutAt: -1},
	}
	for name, fault := range faults {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := setup(t, release("acme/alpha", "1.0.0"))
			f.fault(fault)
			f.install(require("acme/alpha", ""))
		})
	}
}

// A server without ranges makes a broken download begin again, as an event says.
func TestABrokenDownloadWithoutRangesBeginsAgain(t *testing.T) {
	t.Parallel()
	f := setupConfig(t, registrytest.Config{NoRanges: true, Releases: []registrytest.Release{release("acme/alpha", "1.0.0")}})
	f.fault(registrytest.Fault{Kind: registrytest.KindArchive, Times: 1, CutAt: 5000})
	f.install(require("acme/alpha", ""))
	f.wantKinds(installer.EventResolving, installer.EventResolved, installer.EventFetching, installer.EventRetrying, installer.EventFetching,
		installer.EventUnpacking, installer.EventVerified, installer.EventInstalled)
}

// Wherever a server stops answering, the end of the context ends the installation soon, and leaves nothing behind.
func TestCancelAtEveryStage(t *testing.T) {
	t.Parallel()
	stages := []registrytest.Kind{
		registrytest.KindDiscovery, registrytest.KindVersions, registrytest.KindPackage,
		registrytest.KindSums, registrytest.KindSignature, registrytest.KindArchive,
	}
	for _, stage := range stages {
		for _, at := range []int64{-1, 1} {
			t.Run(string(stage), func(t *testing.T) {
				t.Parallel()
				f := setup(t, release("acme/alpha", "1.0.0"))
				f.fault(registrytest.Fault{Kind: stage, StallAt: at})
				ctx, cancel := context.WithCancel(t.Context())
				go func() {
					for f.srv.Count(stage) == 0 {
						time.Sleep(time.Millisecond)
					}
					time.Sleep(20 * time.Millisecond)
					cancel()
				}()
				started := time.Now()
				_, err := f.in.Install(ctx, require("acme/alpha", ""))
				if !errors.Is(err, context.Canceled) {
					t.Errorf("error is %v, want the context's", err)
				}
				if took := time.Since(started); took > 10*time.Second {
					t.Errorf("the installation went on for %v", took)
				}
				f.wantNothingInstalled()
			})
		}
	}
}

func TestCancelBeforeAnything(t *testing.T) {
	t.Parallel()
	f := setup(t, release("acme/alpha", "1.0.0"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.in.Install(ctx, require("acme/alpha", "")); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v", err)
	}
}

func TestAStalledDownloadIsResumed(t *testing.T) {
	t.Parallel()
	f := setup(t, release("acme/alpha", "1.0.0"))
	f.fault(registrytest.Fault{Kind: registrytest.KindArchive, Times: 1, StallAt: 3000})
	f.install(require("acme/alpha", ""))
	var ranges []string
	for _, r := range f.srv.Requests() {
		if r.Kind == registrytest.KindArchive {
			ranges = append(ranges, r.Range)
		}
	}
	if len(ranges) != 2 || ranges[1] == "" {
		t.Errorf("ranges requested are %q, want one request more, for the rest", ranges)
	}
}

// bombFS has files of zeros.
type bombFS map[string]int64

func (b bombFS) Open(name string) (fs.File, error) {
	if size, ok := b[name]; ok {
		return &zeros{name: name, size: size, reader: io.LimitReader(zeroReader{}, size)}, nil
	}
	if name == "." {
		return &zeroDir{files: b}, nil
	}
	return nil, fs.ErrNotExist
}

type zeroReader struct{}

func (zeroReader) Read(p []byte) (int, error) { clear(p); return len(p), nil }

type zeros struct {
	name   string
	size   int64
	reader io.Reader
}

func (z *zeros) Stat() (fs.FileInfo, error) { return z, nil }
func (z *zeros) Read(p []byte) (int, error) { return z.reader.Read(p) }
func (z *zeros) Close() error               { return nil }
func (z *zeros) Name() string               { return z.name }
func (z *zeros) Size() int64                { return z.size }
func (z *zeros) Mode() fs.FileMode          { return 0o755 }
func (z *zeros) ModTime() time.Time         { return time.Time{} }
func (z *zeros) IsDir() bool                { return false }
func (z *zeros) Sys() any                   { return nil }

type zeroDir struct{ files bombFS }

func (d *zeroDir) Stat() (fs.FileInfo, error) { return d, nil }
func (d *zeroDir) Read([]byte) (int, error)   { return 0, fs.ErrInvalid }
func (d *zeroDir) Close() error               { return nil }
func (d *zeroDir) Name() string               { return "." }
func (d *zeroDir) Size() int64                { return 0 }
func (d *zeroDir) Mode() fs.FileMode          { return fs.ModeDir | 0o755 }
func (d *zeroDir) ModTime() time.Time         { return time.Time{} }
func (d *zeroDir) IsDir() bool                { return true }
func (d *zeroDir) Sys() any                   { return nil }

func (d *zeroDir) ReadDir(int) ([]fs.DirEntry, error) {
	var entries []fs.DirEntry
	for name, size := range d.files {
		entries = append(entries, fs.FileInfoToDirEntry(&zeros{name: name, size: size}))
	}
	return entries, nil
}
