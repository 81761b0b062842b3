package ocimirror

import (
	"context"
	"errors"
	"fmt"
	"slices"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/internal/web"
	"github.com/purveyor-dev/purveyor/sources/internal/signed"
)

// ArtifactTypeStatement is the type of the artifact with the origin's signed checksums of a version. Its manifest's
// subject is the version's index.
const ArtifactTypeStatement = "application/vnd.purveyor.provider.statement.v1"

// The media types of a statement's layers. Layers of other types have no meaning.
const (
	MediaTypeSums      = "text/plain"                // the SHA256SUMS document: one
	MediaTypeSignature = "application/pgp-signature" // the detached OpenPGP signature over it: one
	MediaTypeKey       = "application/pgp-keys"      // an ASCII-armored public key: one or more, in the registry's order
)

// statementClaims returns what the statements that refer to an index claim about a package; found is false where there
// are none. Of several, one that holds for the package is enough: whoever may add one may also replace the package. That
// none holds is an error, never a reason to believe the registry instead.
func (r *repository) statementClaims(ctx context.Context, index ocispec.Descriptor, release signed.Release) (claims hashing.Claims, found bool, err error) {
	statements, _, err := r.referrers(ctx, index.Digest)
	if err != nil {
		return hashing.Claims{}, false, err
	}
	var failures []error
	for _, descriptor := range statements {
		claims, err := r.claimsOf(ctx, index, descriptor, release)
		if err == nil {
			return claims, true, nil
		}
		failures = append(failures, err)
	}
	return hashing.Claims{}, len(statements) > 0, errors.Join(failures...)
}

func (r *repository) claimsOf(ctx context.Context, index, descriptor ocispec.Descriptor, release signed.Release) (hashing.Claims, error) {
	m, err := r.statementManifest(ctx, index, descriptor)
	if err != nil {
		return hashing.Claims{}, err
	}
	statement, err := r.statement(ctx, r.String()+"@"+string(descriptor.Digest), m)
	if err != nil {
		return hashing.Claims{}, err
	}
	return signed.Carried(statement, release)
}

// statementManifest fetches the manifest of a statement, which must be about the index.
func (r *repository) statementManifest(ctx context.Context, index, d ocispec.Descriptor) (*ocispec.Manifest, error) {
	m, err := r.described(ctx, d)
	if err != nil {
		return nil, err
	}
	if err := m.check(ocispec.MediaTypeImageManifest, ArtifactTypeStatement); err != nil {
		return nil, err
	}
	var document statementDocument
	if err := m.decode(&document); err != nil {
		return nil, err
	}
	manifest := document.Manifest
	manifest.Layers = document.Layers
	if manifest.Subject == nil || manifest.Subject.Digest != index.Digest {
		return nil, &ArtifactError{m.artifact, "the statement is about another artifact than " + index.Digest.String()}
	}
	return &manifest, nil
}

// statementDocument is the JSON of a statement's manifest.
type statementDocument struct {
	ocispec.Manifest
	Layers list[ocispec.Descriptor] `json:"layers"` // bounded, in place of the manifest's
}

// statement fetches what a statement consists of.
func (r *repository) statement(ctx context.Context, artifact string, manifest *ocispec.Manifest) (*hashing.Statement, error) {
	sums, err := r.layers(ctx, artifact, manifest, MediaTypeSums, 1, signed.MaxSums)
	if err != nil {
		return nil, err
	}
	signatures, err := r.layers(ctx, artifact, manifest, MediaTypeSignature, 1, signed.MaxSignature)
	if err != nil {
		return nil, err
	}
	keys, err := r.layers(ctx, artifact, manifest, MediaTypeKey, signed.MaxKeys, signed.MaxKey)
	if err != nil {
		return nil, err
	}
	statement := &hashing.Statement{Sums: sums[0], Signature: signatures[0]}
	for _, key := range keys {
		statement.Keys = append(statement.Keys, string(key))
	}
	return statement, nil
}

// layers fetches the layers of one media type: at least one, at most so many, each of at most limit bytes.
func (r *repository) layers(ctx context.Context, artifact string, manifest *ocispec.Manifest, mediaType string, most int, limit int64) ([][]byte, error) {
	layers := slices.DeleteFunc(slices.Clone(manifest.Layers), func(d ocispec.Descriptor) bool { return d.MediaType != mediaType })
	if len(layers) == 0 || len(layers) > most {
		return nil, &ArtifactError{artifact, fmt.Sprintf("a statement has 1 to %d layers of media type %s, and this one has %d", most, mediaType, len(layers))}
	}
	var all [][]byte
	for _, layer := range layers {
		data, err := r.layer(ctx, layer, limit)
		if err != nil {
			return nil, err
		}
		all = append(all, data)
	}
	return all, nil
}

// layer fetches a small layer.
func (r *repository) layer(ctx context.Context, d ocispec.Descriptor, limit int64) ([]byte, error) {
	if err := checkDescriptor(r.String(), d); err != nil {
		return nil, err
	}
	artifact := r.String() + "@" + string(d.Digest)
	if d.Size > limit {
		return nil, &ArtifactError{artifact, fmt.Sprintf("the layer has %d bytes, and the limit is %d", d.Size, limit)}
	}
	doc, err := r.web.Get(ctx, web.Get{URL: r.at("blobs", string(d.Digest)), Limit: d.Size})
	if err != nil {
		return nil, err
	}
	if int64(len(doc.Body)) != d.Size || d.Digest.Algorithm().FromBytes(doc.Body) != d.Digest {
		return nil, &ArtifactError{artifact, "the registry answers with other bytes than those with this digest"}
	}
	return doc.Body, nil
}
