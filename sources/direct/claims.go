package direct

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/hashing/signature"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/internal/remote"
	"github.com/purveyor-dev/purveyor/sources/internal/signed"
)

// voucher finds out who vouches for one package: it fetches the checksums and their signature and compares them with
// what the package document says.
type voucher struct {
	source    *Source
	provider  sources.Provider
	version   sources.Version
	platform  sources.Platform
	filename  string
	sum       hashing.Hash // zh: of the package, as the package document states it
	key       sumsKey
	keys      []string // armored signing keys
	published map[sources.Platform][]hashing.Hash
}

func newVoucher(s *Source, document *url.URL, answer *packageDocument, p sources.Provider, v sources.Version, on sources.Platform) (*voucher, error) {
	if answer.Filename == "" {
		return nil, errors.New("filename is missing")
	}
	sum, err := parseSum(answer.Sum)
	if err != nil {
		return nil, err
	}
	w := &voucher{source: s, provider: p, version: v, platform: on, filename: answer.Filename, sum: sum}
	if w.keys, err = armoredKeys(answer.SigningKeys); err != nil {
		return nil, err
	}
	if w.published, err = parsePackages(answer.Packages); err != nil {
		return nil, err
	}
	sums, err := reference(document, "shasums_url", answer.SumsURL)
	if err != nil {
		return nil, err
	}
	w.key.sums = sums.String()
	if len(w.keys) > 0 {
		sig, err := reference(document, "shasums_signature_url", answer.SignatureURL)
		if err != nil {
			return nil, err
		}
		w.key.signature = sig.String()
	}
	return w, nil
}

func armoredKeys(keys signingKeys) ([]string, error) {
	var armored []string
	for i, key := range keys.GPG {
		if key == nil || key.Armor == "" {
			return nil, fmt.Errorf("gpg_public_keys[%d] has no ascii_armor", i)
		}
		armored = append(armored, key.Armor)
	}
	return armored, nil
}

// claims fetches and checks the documents. It implements the Claims field of [sources.Package].
func (w *voucher) claims(ctx context.Context) (hashing.Claims, error) {
	claims, err := w.examine(ctx)
	if err != nil {
		return hashing.Claims{}, fmt.Errorf("checksums of %.*q: %w", remote.MaxShown, w.filename, err)
	}
	return claims, nil
}

// examine uses checksums that another package of the version has brought already. If they do not fit, the release
// may have changed since, and they are fetched again.
func (w *voucher) examine(ctx context.Context) (hashing.Claims, error) {
	remembered := true
	fetch := func(ctx context.Context) (*sumsDocument, error) {
		remembered = false
		return w.source.fetchSums(ctx, w.key)
	}
	doc, err := w.source.sums.Get(ctx, w.key, fetch)
	if err != nil {
		return hashing.Claims{}, err
	}
	claims, err := w.compare(doc)
	if err == nil || !remembered {
		return claims, err
	}
	w.source.sums.Forget(w.key)
	if doc, err = w.source.sums.Get(ctx, w.key, fetch); err != nil {
		return hashing.Claims{}, err
	}
	return w.compare(doc)
}

// compare checks the signature, and the checksums against the package document.
func (w *voucher) compare(doc *sumsDocument) (hashing.Claims, error) {
	verified, err := w.verify(doc)
	if err != nil {
		return hashing.Claims{}, err
	}
	claims, err := verified.Claims(signed.Release{
		Provider: w.provider,
		Version:  w.version,
		Platform: w.platform,
		Filename: w.filename,
		Archive:  w.sum,
	})
	if err != nil {
		return hashing.Claims{}, err
	}
	if err := w.addPublished(&claims, verified.Sums); err != nil {
		return hashing.Claims{}, err
	}
	return claims, nil
}

// verify checks the signature, and decides whether the checksums count where there is none to check.
func (w *voucher) verify(doc *sumsDocument) (*signed.Document, error) {
	if len(w.keys) > 0 {
		return signed.Verify(&hashing.Statement{Sums: doc.sums, Signature: doc.signature, Keys: w.keys})
	}
	if host := w.provider.Host(); host != sources.OpenTofuRegistry && !slices.Contains(w.source.config.UnsignedInsecure, host) {
		return nil, &signature.Error{Reason: signature.ErrUnsigned, Key: -1, Err: fmt.Errorf("registry %s offers no signing keys", host)}
	}
	return signed.Read(doc.sums)
}
