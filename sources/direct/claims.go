package direct

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/hashing/signature"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/internal/remote"
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
	authority, signer, err := w.authority(doc)
	if err != nil {
		return hashing.Claims{}, err
	}
	sums, err := hashing.ParseSums(doc.sums)
	if err != nil {
		return hashing.Claims{}, err
	}
	if err := w.checkSum(sums); err != nil {
		return hashing.Claims{}, err
	}
	claims := hashing.Claims{Signer: signer}
	for _, sum := range sums {
		claim := hashing.Claim{Hash: sum.Hash, Authority: w.weigh(authority, sum.Filename), Platform: platformOf(sum.Filename)}
		if sum.Filename == w.filename {
			claim.Platform = w.platform.String()
			claims.Package = append(claims.Package, claim)
		} else {
			claims.Others = append(claims.Others, claim)
		}
	}
	return claims, w.addPublished(&claims, sums)
}

// weigh limits what a signature is worth for a file. It is over names and sums, so it says something about this
// version, and about this platform, only where the name does: otherwise a registry could pass off an old release,
// signed long ago, as a new one. Files of other names are as good as the registry's word.
func (w *voucher) weigh(authority hashing.Authority, filename string) hashing.Authority {
	about := func(version string) bool {
		return strings.HasPrefix(filename, sources.ExecutablePrefix+w.provider.Type()+"_"+version+"_")
	}
	named := about(w.version.String()) || about(w.source.spellings.Of(w.provider, w.version))
	if !named || filename == w.filename && platformOf(filename) != w.platform.String() {
		return min(authority, hashing.Reported)
	}
	return authority
}

// authority verifies the signature, and decides what the checksums are worth where there is none to verify.
func (w *voucher) authority(doc *sumsDocument) (hashing.Authority, *hashing.Signer, error) {
	if len(w.keys) == 0 {
		if host := w.provider.Host(); host != sources.OpenTofuRegistry && !slices.Contains(w.source.config.UnsignedInsecure, host) {
			return hashing.Unverified, nil, fmt.Errorf("registry %s offers no signing keys: %w; its operator should publish the key that signs its checksums", host, signature.ErrUnsigned)
		}
		return hashing.Reported, nil, nil
	}
	signer, err := signature.Verify(doc.sums, doc.signature, w.keys, time.Time{})
	if err != nil && !(errors.Is(err, signature.ErrExpired) && signer != nil) {
		return hashing.Unverified, nil, err
	}
	return hashing.Signed, signer, nil // an expired signer is marked as one; the installer's policy decides
}

// checkSum compares the two places that state the package's checksum.
func (w *voucher) checkSum(sums hashing.Sums) error {
	listed, ok := sums.Lookup(w.filename)
	if !ok {
		return fmt.Errorf("%w: the SHA256SUMS document does not list the file", sources.ErrMalformed)
	}
	if listed != w.sum {
		return &hashing.MismatchError{By: hashing.BySums, Want: []hashing.Hash{listed}, Got: []hashing.Hash{w.sum}}
	}
	return nil
}
