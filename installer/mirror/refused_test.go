package mirror_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/hashing/signature"
	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/installer/mirror"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// fault makes the registry do something wrong about one version of rocket.
func (f *fixture) fault(fault registrytest.Fault) {
	f.Helper()
	fault.Provider = "acme/rocket"
	if err := f.srv.AddFault(fault); err != nil {
		f.Fatal(err)
	}
}

// archive returns the bytes of one of rocket's.
func (f *fixture) archive(version string, on sources.Platform) []byte {
	f.Helper()
	path := filepath.Join(f.TempDir(), "archive.zip")
	if _, err := f.installer().Fetch(f.Context(), rocket, sources.MustParseVersion(version), on, path); err != nil {
		f.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	return data
}

// An archive that is not the one that was signed is refused; the version's other packages, and other versions, are not.
func TestTamperedArchive(t *testing.T) {
	t.Parallel()
	f := setup(t, rockets("1.0.0", "1.1.0")...)
	f.fault(registrytest.Fault{Body: f.archive("1.1.0", darwin), Path: filepath.Base(archivePath("", rocket, "1.1.0", linux))})
	report, err := f.buildError(plan(want("", mirror.All)))
	e := failure(t, err)
	var mismatch *hashing.MismatchError
	if !errors.As(err, &mismatch) || e.Platform != linux || e.Version != sources.MustParseVersion("1.1.0") {
		t.Errorf("the error is %v", err)
	}
	want := []string{"rocket 1.1.0 added darwin,plan9,windows", "rocket 1.0.0 added darwin,linux,plan9,windows"}
	if diff := cmp.Diff(want, summary(report)); diff != "" {
		t.Error(diff)
	}
	if slices.Contains(archives(t, f.dir), filepath.Base(archivePath("", rocket, "1.1.0", linux))) {
		t.Error("the archive was published")
	}

	f.srv.ClearFaults() // a later build completes it
	f.downloads()
	report = f.build(plan(mirror.Want{Provider: rocket}))
	if n := f.downloads(); n != 1 || !slices.Equal(report.Releases[0].Added, []sources.Platform{linux}) {
		t.Errorf("%d downloads; the report is %v", n, summary(report))
	}
}

func TestTamperedSignature(t *testing.T) {
	t.Parallel()
	f := setup(t, rockets("1.0.0", "1.1.0")...)
	f.fault(registrytest.Fault{WrongSigner: newSigner(t), Path: "*_1.1.0_SHA256SUMS.sig"})
	report, err := f.buildError(plan(want("", mirror.All)))
	var all *mirror.Error
	if !errors.As(err, &all) || len(all.Failures) != len(four) {
		t.Fatalf("the error is %v", err)
	}
	for _, e := range all.Failures {
		if !errors.Is(e, signature.ErrUnknownIssuer) || e.Version != sources.MustParseVersion("1.1.0") {
			t.Errorf("a failure is %v", e)
		}
	}
	if diff := cmp.Diff([]string{"rocket 1.0.0 added darwin,linux,plan9,windows"}, summary(report)); diff != "" {
		t.Error(diff)
	}
	if n := len(archives(t, f.dir)); n != 4 {
		t.Errorf("the mirror has %d archives", n)
	}
}

// A release that changes after it was mirrored stays what it was. What else there is of the version can be published.
func TestChangedRelease(t *testing.T) {
	t.Parallel()
	f := setup(t, release("acme/rocket", "1.0.0", linux, darwin))
	p := mirror.Plan{Wants: []mirror.Want{{Provider: rocket}}, Platforms: []sources.Platform{linux, darwin}}
	f.build(p)
	before := tree(t, f.dir)
	changed := release("acme/rocket", "1.0.0", linux, darwin, windows)
	changed.Executable = []byte("something else")
	if err := f.srv.Add(changed); err != nil {
		t.Fatal(err)
	}
	report, err := f.buildError(p)
	var all *mirror.Error
	if !errors.As(err, &all) || len(all.Failures) != 2 {
		t.Fatalf("the error is %v", err)
	}
	for _, e := range all.Failures {
		var conflict *sources.ConflictError
		if !errors.As(e, &conflict) || conflict.Platform != e.Platform || conflict.Stored == conflict.Pushed {
			t.Errorf("a failure is %v", e)
		}
	}
	if len(report.Releases) != 0 {
		t.Errorf("the report is %v", summary(report))
	}
	if diff := cmp.Diff(before, tree(t, f.dir)); diff != "" {
		t.Errorf("the mirror has changed: %s", diff)
	}

	// The statement about the changed release does not fit what the mirror has, so that nothing of it is added, either.
	p.Platforms = []sources.Platform{windows}
	var statement *sources.StatementError
	if _, err := f.buildError(p); !errors.As(err, &statement) {
		t.Errorf("the error is %v", err)
	}
	if diff := cmp.Diff(before, tree(t, f.dir)); diff != "" {
		t.Errorf("the mirror has changed: %s", diff)
	}
}

// A file that was damaged in the mirror is replaced: the index still knows what it was.
func TestDamagedArchive(t *testing.T) {
	t.Parallel()
	f := setup(t, rockets("1.0.0")...)
	f.build(plan(want("", 0)))
	before := tree(t, f.dir)
	if err := os.WriteFile(archivePath(f.dir, rocket, "1.0.0", linux), []byte("damaged"), 0o644); err != nil {
		t.Fatal(err)
	}
	f.downloads()
	report := f.build(plan(want("", 0)))
	if n := f.downloads(); n != 1 || !slices.Equal(report.Releases[0].Added, []sources.Platform{linux}) {
		t.Errorf("%d downloads; the report is %v", n, summary(report))
	}
	if diff := cmp.Diff(before, tree(t, f.dir)); diff != "" {
		t.Errorf("the mirror is not what it was: %s", diff)
	}
}

// Archives that stand in the directory without an index, and without the signature, get both, without being fetched.
func TestCompletion(t *testing.T) {
	t.Parallel()
	f := setup(t, rockets("1.0.0")...)
	f.build(plan(want("", 0)))
	before := tree(t, f.dir)
	for name := range before {
		if name := filepath.Join(f.dir, name); filepath.Ext(name) != ".zip" && filepath.Base(name) != ".purveyor.lock" {
			if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
				if err := os.Remove(name); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	f.downloads()
	report := f.build(plan(want("", 0)))
	if n := f.downloads(); n != 0 || !report.Releases[0].Signed || len(report.Releases[0].Present) != 4 {
		t.Errorf("%d downloads; the report is %+v", n, report.Releases)
	}
	if diff := cmp.Diff(before, tree(t, f.dir)); diff != "" {
		t.Errorf("the mirror is not what it was: %s", diff)
	}
}

func TestPolicy(t *testing.T) {
	t.Parallel()
	signer := newSigner(t)
	for name, test := range map[string]struct {
		policy installer.Policy
		rule   string // that refuses; "": none
	}{
		"no policy":          {},
		"a signature":        {installer.Policy{RequireSignature: true}, ""},
		"the signer":         {installer.Policy{Signers: []string{spaced(signer.Fingerprint())}}, ""},
		"somebody else":      {installer.Policy{Signers: []string{newSigner(t).Fingerprint()}}, "Signers"},
		"nothing expired":    {installer.Policy{RejectExpired: true}, ""},
		"signer, no expired": {installer.Policy{RejectExpired: true, Signers: []string{signer.Fingerprint()}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := release("acme/rocket", "1.0.0", linux)
			r.Signer = signer
			f := setup(t, r)
			p := mirror.Plan{Wants: []mirror.Want{{Provider: rocket}}, Platforms: []sources.Platform{linux}}
			f.build(p) // without a policy: what is there already is judged all the same
			f.downloads()
			f.builder.Installer.Policy = test.policy
			dir := f.dir
			for _, fresh := range []bool{false, true} {
				if fresh {
					f.dir = t.TempDir()
				}
				_, err := f.again().Build(t.Context(), p)
				var refused *installer.PolicyError
				if errors.As(err, &refused) != (test.rule != "") || refused != nil && refused.Rule != test.rule || refused == nil && err != nil {
					t.Errorf("the error is %v", err)
				}
				if n := f.downloads(); !fresh && test.rule == "" && n != 0 {
					t.Errorf("%d downloads of what is there", n)
				}
				if fresh && test.rule != "" && len(archives(t, f.dir)) != 0 {
					t.Error("the package was published")
				}
			}
			if n := len(archives(t, dir)); n != 1 {
				t.Errorf("the first mirror has %d archives", n)
			}
		})
	}
}

// spaced is how gpg prints fingerprints.
func spaced(fingerprint string) string { return fingerprint[:20] + " " + fingerprint[20:] }

func TestUnsignedAndPolicy(t *testing.T) {
	t.Parallel()
	srv := registrytest.New(t, registrytest.Config{Releases: rockets("1.0.0")})
	origin := t.TempDir()
	if err := srv.WriteMirror(origin, registrytest.Packed, host+"/acme/rocket"); err != nil {
		t.Fatal(err)
	}
	f := setup(t)
	p := plan(want("", 0))
	b := f.from(origin)
	report, err := b.Build(t.Context(), p)
	if err != nil || report.Releases[0].Authority != "unverified" || report.Releases[0].Signed {
		t.Fatalf("the report is %+v, %v", report, err)
	}
	if report, err = f.from(origin).Build(t.Context(), p); err != nil || len(report.Releases[0].Present) != 4 {
		t.Errorf("the second report is %+v, %v", report, err)
	}
	b = f.from(origin)
	b.Installer.Policy.RequireSignature = true
	var refused *installer.PolicyError
	if report, err = b.Build(t.Context(), p); !errors.As(err, &refused) || len(report.Releases) != 0 {
		t.Errorf("the report is %v, the error %v", summary(report), err)
	}
}

// locks are those of rocket's only version, made by the installer itself.
func (f *fixture) locks(platforms ...sources.Platform) installer.Locks {
	f.Helper()
	locks, err := f.installer().Lock(f.Context(), installer.Request{Requirements: installer.Requirements{rocket: {}}}, platforms)
	if err != nil {
		f.Fatal(err)
	}
	return locks
}

func TestLockedHashesBind(t *testing.T) {
	t.Parallel()
	f := setup(t, rockets("1.0.0")...)
	locks := f.locks(four...)
	p := mirror.ForLocks(locks)
	p.Platforms = four
	report := f.build(p)
	if len(report.Releases) != 1 || len(report.Releases[0].Added) != 4 {
		t.Errorf("the report is %v", summary(report))
	}
	f.downloads()
	if f.build(p); f.downloads() != 0 {
		t.Error("archives were downloaded again")
	}

	lock := locks[rocket]
	lock.Hashes = []hashing.Hash{"zh:" + hashing.Hash(make64('0'))}
	wrong := mirror.ForLocks(installer.Locks{rocket: lock})
	wrong.Platforms = []sources.Platform{linux}
	for _, dir := range []string{f.dir, t.TempDir()} { // with the package, and without
		f.dir = dir
		before := tree(t, dir)
		_, err := f.buildError(wrong.And(p))
		var mismatch *hashing.MismatchError
		if !errors.As(err, &mismatch) || mismatch.By != hashing.ByLock || failure(t, err).Platform != linux {
			t.Errorf("the error is %v", err)
		}
		if len(before) > 0 {
			if diff := cmp.Diff(before, tree(t, dir)); diff != "" {
				t.Errorf("the mirror has changed: %s", diff)
			}
		} else if slices.Contains(archives(t, dir), filepath.Base(archivePath("", rocket, "1.0.0", linux))) {
			t.Error("the package was published")
		}
	}
}

func make64(c byte) string {
	text := make([]byte, 64)
	for i := range text {
		text[i] = c
	}
	return string(text)
}

// A lock file with nothing but hashes of contents binds, too; a directory's own archive is read again to find out.
func TestLockedContentsBind(t *testing.T) {
	t.Parallel()
	f := setup(t, release("acme/rocket", "1.0.0", linux))
	p := mirror.Plan{Wants: []mirror.Want{{Provider: rocket}}, Platforms: []sources.Platform{linux}}
	f.build(p)
	a, err := f.installer().Fetch(t.Context(), rocket, sources.MustParseVersion("1.0.0"), linux, filepath.Join(t.TempDir(), "a.zip"))
	if err != nil {
		t.Fatal(err)
	}
	p.Wants[0].Version, p.Wants[0].Hashes = a.Version, []hashing.Hash{a.Proof.Computed.Tree}
	f.downloads()
	before := tree(t, f.dir)
	report := f.build(p)
	if n := f.downloads(); n != 0 || len(report.Releases[0].Present) != 1 || report.Releases[0].Bytes != 0 || report.Releases[0].Authority != "signed" {
		t.Errorf("%d downloads; the report is %+v", n, report.Releases)
	}
	if diff := cmp.Diff(before, tree(t, f.dir)); diff != "" {
		t.Errorf("the mirror has changed: %s", diff)
	}
	p.Wants[0].Hashes = []hashing.Hash{"h1:" + hashing.Hash("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")}
	var mismatch *hashing.MismatchError
	if _, err := f.buildError(p); !errors.As(err, &mismatch) || mismatch.By != hashing.ByLock {
		t.Errorf("the error is %v", err)
	}
}
