package sourcetest_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/sourcetest"
)

func TestSourceThatKeepsTheRules(t *testing.T) {
	t.Parallel()
	if err := sourcetest.TestSource(t.Context(), shelf{}, fixture()); err != nil {
		t.Error(err)
	}
}

func TestDirectoryThatKeepsTheRules(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "terraform-provider-rocket"), []byte("whoosh"), 0o755); err != nil {
		t.Fatal(err)
	}
	source := broken{edit: func(pkg *sources.Package) {
		pkg.Content = sources.Content{Dir: dir}
		pkg.Claims = nil
	}}
	if err := sourcetest.TestSource(t.Context(), source, fixture()); err != nil {
		t.Error(err)
	}
}

func TestFixtureWithoutPackages(t *testing.T) {
	t.Parallel()
	if err := sourcetest.TestSource(t.Context(), shelf{}, sourcetest.Fixture{}); err == nil {
		t.Error("no error, though nothing was checked")
	}
}

// TestBrokenSources has sources that break one rule each.
func TestBrokenSources(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		source sources.Source
		rule   sourcetest.Rule
	}{
		{"no name", broken{name: func() string { return " " }}, sourcetest.RuleName},
		{"long name", broken{name: func() string { return "a\nb" }}, sourcetest.RuleName},
		{"secret in the name", broken{name: func() string { return "shelf s3cret" }}, sourcetest.RuleName},
		{"password in the name", broken{name: func() string { return "https://u:p@example.com/" }}, sourcetest.RuleName},
		{"another name each time", changing(), sourcetest.RuleName},
		{"Package needs Versions", listFirst(), sourcetest.RuleUnlisted},
		{"version twice", listed(func(l *sources.Listing) { l.Versions = append(l.Versions, l.Versions[0]) }), sourcetest.RuleListing},
		{"version missing", listed(func(l *sources.Listing) { l.Versions = nil }), sourcetest.RuleListing},
		{"platform missing", listed(func(l *sources.Listing) { l.Versions[0].Platforms = []sources.Platform{} }), sourcetest.RuleListing},
		{"Package fails", failsToDescribe(), sourcetest.RuleDescription},
		{"neither package nor error", describesNothing(), sourcetest.RuleDescription},
		{"another package", broken{edit: func(p *sources.Package) { p.Version = sources.MustParseVersion("2.0.0") }}, sourcetest.RuleDescription},
		{"no location", broken{edit: func(p *sources.Package) { p.Location = "" }}, sourcetest.RuleDescription},
		{"secret in the location", broken{edit: func(p *sources.Package) { p.Location += "?token=s3cret" }}, sourcetest.RuleDescription},
		{"empty list for an absent provider", listsNothing(), sourcetest.RuleProvider},
		{"absent version is another error", failing(func(err error) error {
			if isPlatform(err) || strings.Contains(err.Error(), "sourcetest-absent/") {
				return err
			}
			return fmt.Errorf("%s: no such file", rocket)
		}), sourcetest.RuleVersion},
		{"absent platform is another error", failing(func(err error) error {
			if !isPlatform(err) {
				return err
			}
			return fmt.Errorf("%s: no such file", rocket)
		}), sourcetest.RulePlatform},
		{"error about another platform", platforms(linux, linux), sourcetest.RulePlatform},
		{"platforms in disorder", platforms(wanted, linux, sources.Platform{OS: "darwin", Arch: "arm64"}), sourcetest.RulePlatform},
		{"platforms without the one there is", platforms(wanted, sources.Platform{OS: "darwin", Arch: "arm64"}), sourcetest.RulePlatform},
		{"platforms with the one there is not", platforms(wanted, wanted, linux), sourcetest.RulePlatform},
		{"nameless errors", failing(func(error) error { return sources.ErrNotFound }), sourcetest.RuleErrors},
		{"secret in errors", failing(func(err error) error { return fmt.Errorf("token s3cret: %w", err) }), sourcetest.RuleErrors},
		{"no content", broken{edit: func(p *sources.Package) { p.Content = sources.Content{} }}, sourcetest.RuleContent},
		{"two contents", broken{edit: func(p *sources.Package) { p.Content.Dir = os.TempDir() }}, sourcetest.RuleContent},
		{"relative directory", broken{edit: func(p *sources.Package) {
			p.Content, p.Claims = sources.Content{Dir: "."}, nil
		}}, sourcetest.RuleContent},
		{"content cannot be opened", opening(func(ctx context.Context) (io.ReadCloser, int64, error) {
			return nil, 0, cmpErr(ctx.Err(), io.ErrClosedPipe)
		}), sourcetest.RuleContent},
		{"content is no archive", opening(func(ctx context.Context) (io.ReadCloser, int64, error) {
			return io.NopCloser(reader{ctx, strings.NewReader("not a zip")}), -1, ctx.Err()
		}), sourcetest.RuleContent},
		{"wrong size", opening(func(ctx context.Context) (io.ReadCloser, int64, error) {
			r, size, err := open(ctx)
			return r, size + 1, err
		}), sourcetest.RuleSize},
		{"shifted ranges", ranging(func(offset, length int64) []byte {
			offset = max(0, offset-1)
			return boxed[offset : offset+length]
		}), sourcetest.RuleRanges},
		{"ranges that end with the whole", rangingWhileOpen(), sourcetest.RuleRanges},
		{"ranges that are the whole", ranging(func(int64, int64) []byte { return boxed }), sourcetest.RuleRanges},
		{"wrong claim", broken{edit: func(p *sources.Package) { p.Claims = claiming(hashing.ZH([32]byte{}), hashing.Reported) }}, sourcetest.RuleClaims},
		{"signed by nobody", broken{edit: func(p *sources.Package) {
			p.Claims = claiming(fixture().Packages[0].Hashes[0], hashing.Signed)
		}}, sourcetest.RuleClaims},
		{"claims fail", broken{edit: func(p *sources.Package) {
			p.Claims = func(ctx context.Context) (hashing.Claims, error) {
				return hashing.Claims{}, cmpErr(ctx.Err(), io.ErrClosedPipe)
			}
		}}, sourcetest.RuleClaims},
		{"Versions ignores the context", broken{versions: func(ctx context.Context, p sources.Provider) (sources.Listing, error) {
			return shelf{}.Versions(context.WithoutCancel(ctx), p)
		}}, sourcetest.RuleContext},
		{"Package ignores the context", broken{pack: func(ctx context.Context, p sources.Provider, v sources.Version, on sources.Platform) (*sources.Package, error) {
			return shelf{}.Package(context.WithoutCancel(ctx), p, v, on)
		}}, sourcetest.RuleContext},
		{"Claims ignores the context", broken{edit: func(p *sources.Package) {
			p.Claims = func(ctx context.Context) (hashing.Claims, error) { return claim(context.WithoutCancel(ctx)) }
		}}, sourcetest.RuleContext},
		{"Open ignores the context", opening(func(ctx context.Context) (io.ReadCloser, int64, error) {
			r, size, _ := open(ctx)
			return r, size, nil
		}), sourcetest.RuleContext},
		{"Versions takes a cancel for absence", broken{versions: func(ctx context.Context, p sources.Provider) (sources.Listing, error) {
			l, err := shelf{}.Versions(ctx, p)
			if ctx.Err() != nil {
				err = fmt.Errorf("%w: %w", sources.ErrNotFound, err)
			}
			return l, err
		}}, sourcetest.RuleContext},
		{"Versions hides the cancel", broken{versions: func(ctx context.Context, p sources.Provider) (sources.Listing, error) {
			l, err := shelf{}.Versions(ctx, p)
			if ctx.Err() != nil {
				err = errors.New("interrupted")
			}
			return l, err
		}}, sourcetest.RuleContext},
		{"Versions answers late", broken{versions: func(ctx context.Context, p sources.Provider) (sources.Listing, error) {
			if ctx.Err() != nil {
				time.Sleep(time.Second)
			}
			return shelf{}.Versions(ctx, p)
		}}, sourcetest.RuleContext},
		{"reading ignores the context", opening(func(ctx context.Context) (io.ReadCloser, int64, error) {
			return io.NopCloser(bytes.NewReader(boxed)), int64(len(boxed)), ctx.Err()
		}), sourcetest.RuleReading},
		{"one at a time", alone(), sourcetest.RuleConcurrency},
		{"other claims for each caller", moody(), sourcetest.RuleConcurrency},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := fixture()
			f.Patience = 200 * time.Millisecond
			if got := brokenRules(t, sourcetest.TestSource(t.Context(), c.source, f)); !slices.Equal(got, []sourcetest.Rule{c.rule}) {
				t.Errorf("broken rules: %q, want %q alone", got, c.rule)
			}
		})
	}
}

// Content that differs from one opening to the next cannot have its hashes each time, so these break more rules.
func TestChangingAndWrongContent(t *testing.T) {
	t.Parallel()
	var opened atomic.Int32
	changing := opening(func(ctx context.Context) (io.ReadCloser, int64, error) {
		// A comment of changing length at the end keeps it an archive.
		n := byte(opened.Add(1) % 200)
		data := append(bytes.Clone(boxed), make([]byte, n)...)
		data[len(boxed)-2] = n
		return io.NopCloser(reader{ctx, bytes.NewReader(data)}), -1, ctx.Err()
	})
	if got := brokenRules(t, sourcetest.TestSource(t.Context(), changing, fixture())); !slices.Contains(got, sourcetest.RuleAgain) {
		t.Errorf("broken rules: %q, want %q among them", got, sourcetest.RuleAgain)
	}
	f := fixture()
	f.Packages[0].Hashes = append(f.Packages[0].Hashes, hashing.Hash("h1:"+strings.Repeat("A", 43)+"="))
	if got := brokenRules(t, sourcetest.TestSource(t.Context(), shelf{}, f)); !slices.Equal(got, []sourcetest.Rule{sourcetest.RuleHashes}) {
		t.Errorf("broken rules: %q, want %q alone", got, sourcetest.RuleHashes)
	}
}

func TestSecretsAreNotRepeated(t *testing.T) {
	t.Parallel()
	err := sourcetest.TestSource(t.Context(), broken{name: func() string { return "s3cret" }}, fixture())
	if err == nil || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("error = %v", err)
	}
}

// brokenRules reads the rules off the error of TestSource.
func brokenRules(t *testing.T, err error) []sourcetest.Rule {
	t.Helper()
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		t.Fatalf("error = %v, want joined failures", err)
	}
	var rules []sourcetest.Rule
	for _, err := range joined.Unwrap() {
		var failure *sourcetest.Failure
		if !errors.As(err, &failure) || failure.Unwrap() == nil {
			t.Fatalf("%v is no Failure", err)
		}
		rules = append(rules, failure.Rule)
	}
	return rules
}
