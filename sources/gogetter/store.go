package gogetter

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path"
	"strings"

	"github.com/purveyor-dev/purveyor/internal/web"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/internal/mirrorjson"
	"github.com/purveyor-dev/purveyor/sources/internal/remote"
)

// store is a mirror that is read file by file.
type store struct {
	address   *address
	name      string // of the source
	trustAll  bool
	files     *fetcher
	spellings remote.Spellings
	vouchers  mirrorjson.Vouchers
}

var _ mirror = (*store)(nil)

func newStore(a *address, config Config, scratch *scratch, name string) *store {
	s := &store{address: a, name: name, trustAll: config.TrustAllHashes, files: newFetcher(a, config, scratch)}
	s.vouchers.Resolve, s.vouchers.Fetch = s.resolve, s.files.readDescribed
	return s
}

func (s *store) versions(ctx context.Context, p sources.Provider) (sources.Listing, error) {
	doc, err := s.document(ctx, p, mirrorjson.IndexName, mirrorjson.MaxIndexDocument)
	if errors.Is(err, sources.ErrNotFound) {
		return sources.Listing{}, fmt.Errorf("%w: the mirror does not have the provider", sources.ErrNotFound)
	}
	if err != nil {
		return sources.Listing{}, err
	}
	var index mirrorjson.Index
	if err := remote.Decode(doc, &index); err != nil {
		return sources.Listing{}, err
	}
	return index.Listing(s.name, p, &s.spellings), nil
}

func (s *store) describe(ctx context.Context, p sources.Provider, v sources.Version, on sources.Platform) (*sources.Package, error) {
	doc, err := s.versionDocument(ctx, p, v)
	if err != nil {
		return nil, err
	}
	var answer mirrorjson.Version
	if err := remote.Decode(doc, &answer); err != nil {
		return nil, err
	}
	member, ok := answer.Archives[on.String()]
	if !ok {
		return nil, &sources.PlatformError{Platform: on, Available: answer.Platforms()}
	}
	pkg := &sources.Package{Provider: p, Version: v, Platform: on}
	if err := s.complete(pkg, doc.URL, member, answer); err != nil {
		return nil, fmt.Errorf("%w: %s: %w", sources.ErrMalformed, web.Redact(doc.URL), err)
	}
	return pkg, nil
}

// complete fills in what the mirror says about a package. Its errors say what is wrong with the document.
func (s *store) complete(pkg *sources.Package, document *url.URL, member *mirrorjson.Archive, answer mirrorjson.Version) error {
	if member == nil {
		return fmt.Errorf("the archive of %s has no url", pkg.Platform)
	}
	archive, err := s.resolve(document, member.URL)
	if err != nil {
		return fmt.Errorf("the url of %s %w", pkg.Platform, err)
	}
	claims, err := answer.Claims(pkg.Platform, s.trustAll)
	if err != nil {
		return err
	}
	pkg.Location = web.Redact(archive)
	pkg.Content.Archive = s.files.opener(archive)
	pkg.Claims, err = s.vouchers.Claims(pkg, document, answer.Statement, claims)
	return err
}

// resolve returns the place of an archive, or of a part of a statement. It is within the mirror: the credentials in the
// address, or those that an SDK finds, would go wherever else a document could lead.
func (s *store) resolve(document *url.URL, reference string) (*url.URL, error) {
	r, err := url.Parse(reference)
	if err != nil || r.Path == "" || *r != (url.URL{Path: r.Path, RawPath: r.RawPath}) || path.IsAbs(r.Path) {
		return nil, errors.New("is not a relative path; what a document refers to is in the mirror, beside it")
	}
	u := s.address.at(path.Join(path.Dir(document.Path), r.Path))
	if !strings.HasPrefix(u.Path, strings.TrimSuffix(s.address.url.Path, "/")+"/") {
		return nil, errors.New("leads out of the mirror")
	}
	return u, nil
}

// at returns the URL of a path in a store.
func (a *address) at(path string) *url.URL {
	u := *a.url
	u.Path, u.RawPath = path, ""
	return &u
}

// versionDocument asks for a version, in the mirror's own spelling.
func (s *store) versionDocument(ctx context.Context, p sources.Provider, v sources.Version) (*web.Document, error) {
	spelling := s.spellings.Of(p, v)
	doc, err := s.document(ctx, p, mirrorjson.VersionName(spelling), mirrorjson.MaxVersionDocument)
	if !errors.Is(err, sources.ErrNotFound) {
		return doc, err
	}
	// Absent: the index tells whether it is the version, or only its spelling.
	if _, err := s.versions(ctx, p); err != nil {
		return nil, err
	}
	if listed := s.spellings.Of(p, v); listed != spelling {
		doc, err := s.document(ctx, p, mirrorjson.VersionName(listed), mirrorjson.MaxVersionDocument)
		if !errors.Is(err, sources.ErrNotFound) {
			return doc, err
		}
	}
	return nil, fmt.Errorf("%w: the mirror does not have version %s", sources.ErrNotFound, v)
}

// document fetches one of the mirror's documents, in each spelling of the host until one is there.
func (s *store) document(ctx context.Context, p sources.Provider, name string, limit int64) (*web.Document, error) {
	var err error
	for _, host := range mirrorjson.HostNames(p.Host()) {
		u := s.address.at(path.Join(s.address.url.Path, host, p.Namespace(), p.Type(), name))
		var body []byte
		if body, err = s.files.read(ctx, u, limit); err == nil {
			return &web.Document{URL: u, Body: body}, nil
		}
		if !errors.Is(err, sources.ErrNotFound) {
			break
		}
	}
	return nil, err
}
