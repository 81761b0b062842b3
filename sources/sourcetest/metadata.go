package sourcetest

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/purveyor-dev/purveyor/sources"
)

func (t *trial) name(context.Context) error {
	name := t.source.String()
	switch {
	case strings.TrimSpace(name) == "":
		return errors.New("the name is empty")
	case strings.ContainsAny(name, "\r\n"):
		return fmt.Errorf("%q has more than one line", name)
	case name != t.source.String():
		return errors.New("the name changes")
	}
	return t.tells(name)
}

var userInfo = regexp.MustCompile(`://[^/@\s]*@`)

// tells says whether a text shows a secret.
func (t *trial) tells(text string) error {
	for _, secret := range t.fixture.Secrets {
		if secret != "" && strings.Contains(text, secret) {
			return fmt.Errorf("%q shows a secret", strings.ReplaceAll(text, secret, "(secret)"))
		}
	}
	if userInfo.MatchString(text) {
		return errors.New("a URL shows a user name or password")
	}
	return nil
}

func (t *trial) unlisted(ctx context.Context) error {
	return t.each(func(p Package) error {
		_, first := t.describe(ctx, p)
		if first == nil {
			return nil
		}
		if _, err := t.source.Versions(ctx, p.Provider); err != nil {
			return nil // broken in another way
		}
		if _, err := t.describe(ctx, p); err != nil {
			return nil // broken in another way
		}
		return fmt.Errorf("it works after Versions only; before: %w", first)
	})
}

func (t *trial) listing(ctx context.Context) error {
	var wrong []error
	for _, provider := range t.fixture.providers() {
		listing, err := t.source.Versions(ctx, provider)
		if err == nil {
			err = t.checkListing(provider, listing)
		}
		if err != nil {
			wrong = append(wrong, fmt.Errorf("%s: %w", provider, err))
		}
	}
	return errors.Join(wrong...)
}

func (t *trial) checkListing(provider sources.Provider, listing sources.Listing) error {
	listed := make(map[sources.Version]sources.Available)
	for _, a := range listing.Versions {
		if _, twice := listed[a.Version]; twice {
			return fmt.Errorf("%s is listed twice", a.Version)
		}
		listed[a.Version] = a
	}
	for _, p := range t.fixture.Packages {
		if p.Provider != provider {
			continue
		}
		a, ok := listed[p.Version]
		if !ok {
			return fmt.Errorf("%s is not listed", p.Version)
		}
		if a.Platforms != nil && !slices.Contains(a.Platforms, p.Platform) {
			return fmt.Errorf("%s is listed for %v, which lacks %s", p.Version, a.Platforms, p.Platform)
		}
	}
	return nil
}

func (t *trial) description(ctx context.Context) error {
	return t.each(func(p Package) error {
		pkg, err := t.describe(ctx, p)
		switch {
		case err != nil:
			return err
		case pkg.Provider != p.Provider || pkg.Version != p.Version || pkg.Platform != p.Platform:
			return fmt.Errorf("the package is %s", Package{Provider: pkg.Provider, Version: pkg.Version, Platform: pkg.Platform})
		case pkg.Location == "":
			return errors.New("the location is empty")
		}
		return t.tells(pkg.Location)
	})
}

// notFound says what is wrong with an error of absence.
func notFound(err error) error {
	switch {
	case err == nil:
		return errors.New("no error")
	case !errors.Is(err, sources.ErrNotFound):
		return fmt.Errorf("the error does not match ErrNotFound: %w", err)
	}
	return nil
}

func (t *trial) absentProvider(ctx context.Context) error {
	return t.each(func(p Package) error {
		nobody, err := absent(p.Provider)
		if err != nil {
			return err
		}
		_, versions := t.source.Versions(ctx, nobody)
		_, pkg := t.source.Package(ctx, nobody, p.Version, p.Platform)
		return errors.Join(named("Versions", notFound(versions)), named("Package", notFound(pkg)))
	})
}

func (t *trial) absentVersion(ctx context.Context) error {
	return t.each(func(p Package) error {
		_, err := t.source.Package(ctx, p.Provider, absentVersion, p.Platform)
		return notFound(err)
	})
}

func (t *trial) absentPlatform(ctx context.Context) error {
	return t.each(func(p Package) error {
		_, err := t.source.Package(ctx, p.Provider, p.Version, absentPlatform)
		if wrong := notFound(err); wrong != nil {
			return wrong
		}
		var platform *sources.PlatformError
		if !errors.As(err, &platform) {
			return nil // it need not say more
		}
		return checkPlatformError(platform, p.Platform)
	})
}

func checkPlatformError(err *sources.PlatformError, present sources.Platform) error {
	switch {
	case err.Platform != absentPlatform:
		return fmt.Errorf("the error is about platform %s", err.Platform)
	case !slices.IsSortedFunc(err.Available, sources.Platform.Compare):
		return fmt.Errorf("the platforms are not sorted: %v", err.Available)
	case err.Available != nil && !slices.Contains(err.Available, present):
		return fmt.Errorf("the platforms lack %s: %v", present, err.Available)
	case slices.Contains(err.Available, absentPlatform):
		return errors.New("the platforms include the one that there is not")
	}
	return nil
}

func (t *trial) errorTexts(ctx context.Context) error {
	return t.each(func(p Package) error {
		nobody, err := absent(p.Provider)
		if err != nil {
			return err
		}
		_, provider := t.source.Versions(ctx, nobody)
		_, version := t.source.Package(ctx, p.Provider, absentVersion, p.Platform)
		_, platform := t.source.Package(ctx, p.Provider, p.Version, absentPlatform)
		return errors.Join(
			named("Versions", t.checkText(provider, nobody)),
			named("Package", t.checkText(version, p.Provider)),
			named("Package", t.checkText(platform, p.Provider)),
		)
	})
}

func (t *trial) checkText(err error, p sources.Provider) error {
	if err == nil {
		return nil // broken in another way
	}
	if !strings.Contains(err.Error(), p.String()) {
		return fmt.Errorf("the error does not name %s: %w", p, err)
	}
	return t.tells(err.Error())
}

// named says which call an error is about.
func named(call string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", call, err)
}
