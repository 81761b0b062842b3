package direct

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/hashing/signature"
	"github.com/purveyor-dev/purveyor/internal/web"
	"github.com/purveyor-dev/purveyor/sources"
)

// voucher finds out who vouches for one package: it fetches the checksums and their signature and compares them with
// what the package document says.
type voucher struct {
	source    *Source
	provider  sources.Provider
	platform  sources.Platform
	filename  string
	sum       hashing.Hash // zh: of the package, as the package document states it
	key       sumsKey
	keys      []string // armored signing keys
	published map[sources.Platform][]hashing.Hash
}

// sumsKey identifies a checksum document and its signature: the packages of a version share them.
type sumsKey struct{ sums, signature string }

// sumsDocument is the content of both.
type sumsDocument struct{ sums, signature []byte }

func newVoucher(s *Source, document *url.URL, answer *packageDocument, p sources.Provider, on sources.Platform) (*voucher, error) {
	if answer.Filename == "" {
		return nil, errors.New("filename is missing")
	}
	sum, err := parseSum(answer.Sum)
	if err != nil {
		return nil, err
	}
	w := &voucher{source: s, provider: p, platform: on, filename: answer.Filename, sum: sum}
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

func parsePackages(members map[string]*packagesMember) (map[sources.Platform][]hashing.Hash, error) {
	published := make(map[sources.Platform][]hashing.Hash, len(members))
	for name, member := range members {
		on, err := sources.ParsePlatform(name)
		if err != nil {
			return nil, fmt.Errorf("packages: %w", err)
		}
		if member == nil {
			return nil, fmt.Errorf("packages: %s is null", name)
		}
		for _, text := range member.Hashes {
			hash, err := hashing.ParseHash(text)
			if err != nil {
				return nil, fmt.Errorf("packages: %s: %w", name, err)
			}
			published[on] = append(published[on], hash)
		}
	}
	return published, nil
}

// claims fetches and checks the documents. It implements the Claims field of [sources.Package].
func (w *voucher) claims(ctx context.Context) (hashing.Claims, error) {
	claims, err := w.examine(ctx)
	if err != nil {
		return hashing.Claims{}, fmt.Errorf("checksums of %.*q: %w", maxShown, w.filename, err)
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
	claims := hashing.Claims{
		Package: []hashing.Claim{{Hash: w.sum, Authority: authority, Platform: w.platform.String()}},
		Signer:  signer,
	}
	for _, sum := range sums {
		if sum.Filename != w.filename {
			claims.Others = append(claims.Others, hashing.Claim{Hash: sum.Hash, Authority: authority, Platform: platformOf(sum.Filename)})
		}
	}
	return claims, w.addPublished(&claims, sums)
}

// authority verifies the signature, and decides what the checksums are worth where there is none to verify.
func (w *voucher) authority(doc *sumsDocument) (hashing.Authority, *hashing.Signer, error) {
	if len(w.keys) == 0 {
		if w.provider.Host() != w.source.config.DefaultRegistry {
			return hashing.Unverified, nil, fmt.Errorf("registry %s offers no signing keys: %w", w.provider.Host(), signature.ErrUnsigned)
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
		return &hashing.MismatchError{By: "SHA256SUMS document", Want: []hashing.Hash{listed}, Got: []hashing.Hash{w.sum}}
	}
	return nil
}

// addPublished adds the hashes of the packages member, for those platforms whose archive's checksum is among the sums.
func (w *voucher) addPublished(claims *hashing.Claims, sums hashing.Sums) error {
	listed := make(map[hashing.Hash]bool)
	for _, sum := range sums {
		listed[sum.Hash] = true
	}
	for on, hashes := range w.published {
		bound := false
		for _, hash := range hashes {
			if hash.Scheme() != hashing.SchemeZH {
				continue
			}
			if !listed[hash] || on == w.platform && hash != w.sum {
				return fmt.Errorf("%w: packages: %s of %s contradicts the SHA256SUMS document", sources.ErrMalformed, hash, on)
			}
			bound = true
		}
		if !bound {
			continue // nothing ties these hashes to what the sums say
		}
		w.addPlatform(claims, on, hashes)
	}
	return nil
}

func (w *voucher) addPlatform(claims *hashing.Claims, on sources.Platform, hashes []hashing.Hash) {
	for _, hash := range hashes {
		claim := hashing.Claim{Hash: hash, Authority: hashing.Reported, Platform: on.String()}
		switch {
		case hash.Scheme() == hashing.SchemeZH: // already claimed, by the sums
		case on == w.platform:
			claims.Package = append(claims.Package, claim)
		default:
			claims.Others = append(claims.Others, claim)
		}
	}
}

// platformOf reads the platform off a package's usual file name; empty if the name is of another kind.
func platformOf(filename string) string {
	parts := strings.Split(strings.TrimSuffix(filename, ".zip"), "_")
	if !strings.HasSuffix(filename, ".zip") || len(parts) < 3 {
		return ""
	}
	on, err := sources.ParsePlatform(strings.Join(parts[len(parts)-2:], "_"))
	if err != nil {
		return ""
	}
	return on.String()
}

// fetchSums fetches the checksums and their signature side by side, without credentials.
func (s *Source) fetchSums(ctx context.Context, key sumsKey) (*sumsDocument, error) {
	var doc sumsDocument
	group, ctx := errgroup.WithContext(ctx)
	fetch := func(location string, limit int64, into *[]byte) {
		if location == "" {
			return
		}
		group.Go(func() error {
			body, err := s.fetchPlain(ctx, location, limit)
			*into = body
			return err
		})
	}
	fetch(key.sums, MaxSums, &doc.sums)
	fetch(key.signature, MaxSignature, &doc.signature)
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return &doc, nil
}

func (s *Source) fetchPlain(ctx context.Context, location string, limit int64) ([]byte, error) {
	u, err := url.Parse(location)
	if err != nil {
		return nil, err
	}
	doc, err := s.web.Get(ctx, web.Get{URL: u, Limit: limit})
	if err != nil {
		return nil, err
	}
	return doc.Body, nil
}
