package direct

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/internal/web"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/internal/remote"
)

// packageDocument is the answer to "find a provider package" of the provider registry protocol.
type packageDocument struct {
	Protocols    []string                   `json:"protocols"`
	OS           string                     `json:"os"`
	Arch         string                     `json:"arch"`
	Filename     string                     `json:"filename"`
	DownloadURL  string                     `json:"download_url"`
	SumsURL      string                     `json:"shasums_url"`
	SignatureURL string                     `json:"shasums_signature_url"`
	Sum          string                     `json:"shasum"`
	SigningKeys  signingKeys                `json:"signing_keys"`
	Packages     map[string]*packagesMember `json:"packages"`
}

type signingKeys struct {
	GPG []*struct {
		Armor string `json:"ascii_armor"`
	} `json:"gpg_public_keys"`
}

// Package implements [sources.Source]. The error is one as for Versions, or a [*sources.Error] around a
// [*sources.PlatformError]. That of claims is a [*signature.Error], a [*hashing.SumsError] or a [*hashing.MismatchError].
func (s *Source) Package(ctx context.Context, p sources.Provider, v sources.Version, on sources.Platform) (*sources.Package, error) {
	pkg, err := s.describe(ctx, p, v, on)
	if err != nil {
		return nil, &sources.Error{Op: "describe package", Source: "registry " + p.Host().String(), Provider: p, Version: v, Platform: on, Err: err}
	}
	return pkg, nil
}

func (s *Source) describe(ctx context.Context, p sources.Provider, v sources.Version, on sources.Platform) (*sources.Package, error) {
	registry, err := s.discover(ctx, p.Host())
	if err != nil {
		return nil, err
	}
	doc, err := s.packageDocument(ctx, registry, p, v, on)
	if err != nil {
		return nil, err
	}
	var answer packageDocument
	if err := remote.Decode(doc, &answer); err != nil {
		return nil, err
	}
	pkg, err := s.translate(doc.URL, &answer, p, v, on)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", sources.ErrMalformed, web.Redact(doc.URL), err)
	}
	return pkg, nil
}

// packageDocument asks for a package, in the registry's own spelling of the version.
func (s *Source) packageDocument(ctx context.Context, registry *service, p sources.Provider, v sources.Version, on sources.Platform) (*web.Document, error) {
	spelling := s.spellings.Of(p, v)
	doc, err := s.askPackage(ctx, registry, p, spelling, on)
	if err != nil || doc.Status == http.StatusOK {
		return doc, err
	}
	// Absent: the registry's list tells whether it is the platform, the version, or only the spelling.
	listing, err := s.versions(ctx, p)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(listing.Versions, func(a sources.Available) bool { return a.Version == v })
	if i < 0 {
		return nil, fmt.Errorf("%w: the registry does not list the version", sources.ErrNotFound)
	}
	if listed := s.spellings.Of(p, v); listed != spelling {
		doc, err := s.askPackage(ctx, registry, p, listed, on)
		if err != nil || doc.Status == http.StatusOK {
			return doc, err
		}
	}
	available := slices.SortedFunc(slices.Values(listing.Versions[i].Platforms), sources.Platform.Compare)
	available = slices.DeleteFunc(available, func(listed sources.Platform) bool { return listed == on }) // yet it is not there
	return nil, &sources.PlatformError{Platform: on, Available: available}
}

func (s *Source) askPackage(ctx context.Context, registry *service, p sources.Provider, spelling string, on sources.Platform) (*web.Document, error) {
	return s.ask(ctx, registry, MaxPackageDocument, p.Namespace(), p.Type(), spelling, "download", on.OS, on.Arch)
}

// translate turns a registry's answer into a package. Its errors say what is wrong with the document.
func (s *Source) translate(document *url.URL, answer *packageDocument, p sources.Provider, v sources.Version, on sources.Platform) (*sources.Package, error) {
	if answer.OS != on.OS || answer.Arch != on.Arch {
		return nil, fmt.Errorf("the document is about platform %.*q, not %s", remote.MaxShown, answer.OS+"_"+answer.Arch, on)
	}
	protocols, err := parseProtocols(answer.Protocols)
	if err != nil {
		return nil, err
	}
	archive, err := reference(document, "download_url", answer.DownloadURL)
	if err != nil {
		return nil, err
	}
	vouching, err := newVoucher(s, document, answer, p, v, on)
	if err != nil {
		return nil, err
	}
	return &sources.Package{
		Provider:  p,
		Version:   v,
		Platform:  on,
		Location:  web.Redact(archive),
		Protocols: protocols,
		Content: sources.Content{Archive: sources.OpenFunc(func(ctx context.Context) (io.ReadCloser, int64, error) {
			return s.web.Open(ctx, web.Archive{URL: archive})
		})},
		Claims: vouching.claims,
	}, nil
}

func parseProtocols(texts []string) ([]sources.Protocol, error) {
	var protocols []sources.Protocol
	for _, text := range texts {
		protocol, err := sources.ParseProtocol(text)
		if err != nil {
			return nil, err
		}
		protocols = append(protocols, protocol)
	}
	return protocols, nil
}

// reference resolves a URL that a document contains against the document's own.
func reference(document *url.URL, member, text string) (*url.URL, error) {
	if text == "" {
		return nil, fmt.Errorf("%s is missing", member)
	}
	u, err := url.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("%s is not a URL", member) // the parser's error would repeat a URL that may hold a secret
	}
	return document.ResolveReference(u), nil
}

// parseSum reads the shasum member.
func parseSum(text string) (hashing.Hash, error) {
	if raw, err := hex.DecodeString(text); err != nil || len(raw) != 32 {
		return "", errors.New("shasum is not a SHA-256 checksum of 64 hexadecimal digits")
	}
	return hashing.ParseHash(hashing.SchemeZH + ":" + text)
}
