package bundle_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/hashing/signature"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/bundle"
	"github.com/purveyor-dev/purveyor/sources/ocimirror"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// verifyBy asks for the signatures of a signer; nil: for none.
func verifyBy(signer *registrytest.Signer) bundle.VerifyOptions {
	if signer == nil {
		return bundle.VerifyOptions{}
	}
	return bundle.VerifyOptions{Signers: []string{strings.ToLower(signer.Fingerprint()[:4]) + " " + signer.Fingerprint()[4:]}}
}

func TestVerify(t *testing.T) {
	t.Parallel()
	signer := newSigner(t)
	path := bundled(t, released(t, rocket, v1, signer, packed(t, linux, "linux"), packed(t, darwin, "darwin")))
	report, err := open(t, path).Verify(t.Context(), verifyBy(signer))
	if err != nil {
		t.Fatal(err)
	}
	if len(report.Items) != 1 || report.Items[0].Signer == nil || report.Items[0].Signer.Fingerprint != signer.Fingerprint() {
		t.Errorf("items are %+v", report.Items)
	}
	// two archives, their manifests, the index, the empty config; the checksums, the signature, the key, their manifest. Its
	// config is the empty one as well.
	if report.Blobs != 10 || report.Bytes == 0 || report.Foreign != nil || report.Unreferenced != nil || report.Unknown != nil || report.Trailing != 0 {
		t.Errorf("the report is %+v", report)
	}
}

func TestVerifyAsksForSigners(t *testing.T) {
	t.Parallel()
	signer, stranger := newSigner(t), newSigner(t)
	signedOne := released(t, rocket, v1, signer, packed(t, linux, "linux"))
	unsigned := released(t, omega, v1, nil, packed(t, linux, "linux"))
	b := open(t, bundled(t, signedOne, unsigned))
	if report, err := b.Verify(t.Context(), verifyBy(nil)); err != nil || report.Items[1].Signer != nil {
		t.Errorf("without demands: %+v, %v", report, err)
	}
	_, err := b.Verify(t.Context(), verifyBy(signer))
	var wrong *bundle.SignerError
	if !errors.As(err, &wrong) || wrong.Provider != omega || wrong.Signer != nil {
		t.Errorf("an unsigned package: %v", err)
	}
	_, err = b.Verify(t.Context(), verifyBy(stranger))
	if !errors.As(err, &wrong) || wrong.Provider != rocket || wrong.Signer.Fingerprint != signer.Fingerprint() || !strings.Contains(err.Error(), omega.String()) {
		t.Errorf("another signer: %v", err)
	}
}

// What is mistyped is said of the options, and not of a bundle that is as it should be.
func TestVerifyRefusesWhatIsNoFingerprint(t *testing.T) {
	t.Parallel()
	signer := newSigner(t)
	altered := readFile(t, bundled(t, released(t, rocket, v1, signer, packed(t, linux, "linux"))))
	for _, f := range files(t, altered) {
		if strings.HasPrefix(f.Name, "blobs/") {
			altered[bytes.Index(altered, f.data)] ^= 1 // which is not noticed, because nothing is read
		}
	}
	b := opened(t, altered)
	for _, text := range []string{"", signer.Fingerprint()[1:], signer.KeyID(), "0x" + signer.Fingerprint()} {
		report, err := b.Verify(t.Context(), bundle.VerifyOptions{Signers: []string{signer.Fingerprint(), text}})
		var wrong *sources.FieldError
		if !errors.As(err, &wrong) || wrong.Field != "VerifyOptions.Signers[1]" || errors.As(err, new(*bundle.SignerError)) || errors.As(err, new(*bundle.FileError)) || report != nil {
			t.Errorf("%q: %+v, %v", text, report, err)
		}
	}
}

func TestVerifyByNobodyAcceptsNothing(t *testing.T) {
	t.Parallel()
	b := open(t, bundled(t, released(t, rocket, v1, newSigner(t), packed(t, linux, "linux"))))
	if _, err := b.Verify(t.Context(), bundle.VerifyOptions{Signers: []string{}}); !errors.As(err, new(*bundle.SignerError)) {
		t.Errorf("the error is %v", err)
	}
}

func TestVerifyReadsEveryByte(t *testing.T) {
	t.Parallel()
	whole := readFile(t, bundled(t, released(t, rocket, v1, newSigner(t), packed(t, linux, "linux"))))
	for _, f := range files(t, whole) {
		if !strings.HasPrefix(f.Name, "blobs/") {
			continue
		}
		at := bytes.Index(whole, f.data)
		for _, i := range []int{0, len(f.data) / 2, len(f.data) - 1} {
			altered := slices.Clone(whole)
			altered[at+i] ^= 1
			_, err := opened(t, altered).Verify(t.Context(), bundle.VerifyOptions{})
			wantFileError(t, f.Name, err, bundle.ErrMismatch)
		}
	}
}

// What nobody asked for is reported, and is no error.
func TestVerifyReportsWhatIsOdd(t *testing.T) {
	t.Parallel()
	all := files(t, readFile(t, bundled(t, released(t, rocket, v1, nil, packed(t, linux, "linux")))))
	data := []byte("nobody asked for this")
	all = append(all, file(blobName(data), string(data)), file("manifest.json", "[]"))
	image := []byte(`{"schemaVersion":2,"mediaType":"` + ocispec.MediaTypeImageManifest + `","layers":[]}`)
	all = append(all, file(blobName(image), string(image)))
	for _, name := range []string{"docker.io/library/nginx:1.0.0", "1.2.3", "docker.io/library/nginx:latest"} {
		all = named(t, all, name, ocispec.MediaTypeImageManifest, image)
	}
	b := opened(t, append(archived(t, all), "\x00\x00and something after the end"...))
	report, err := b.Verify(t.Context(), bundle.VerifyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"1.2.3", "docker.io/library/nginx:1.0.0", "docker.io/library/nginx:latest"}; !slices.Equal(report.Foreign, want) {
		t.Errorf("foreign are %q", report.Foreign)
	}
	if !slices.Equal(report.Unknown, []string{"manifest.json"}) || len(report.Unreferenced) != 1 || report.Trailing == 0 || len(report.Items) != 1 {
		t.Errorf("the report is %+v", report)
	}
}

func TestVerifyFindsWhatIsMissing(t *testing.T) {
	t.Parallel()
	all := files(t, readFile(t, bundled(t, released(t, rocket, v1, newSigner(t), packed(t, linux, "linux")))))
	for i, f := range all {
		if !strings.HasPrefix(f.Name, "blobs/") {
			continue
		}
		_, err := opened(t, archived(t, slices.Delete(slices.Clone(all), i, i+1))).Verify(t.Context(), bundle.VerifyOptions{})
		wantFileError(t, "without "+f.Name, err, bundle.ErrMissing)
	}
}

// A statement that is there has to hold: it does not become something that merely was reported.
func TestVerifyRefusesBrokenStatements(t *testing.T) {
	t.Parallel()
	signer, stranger := newSigner(t), newSigner(t)
	r := released(t, rocket, v1, signer, packed(t, linux, "linux"))
	all := files(t, readFile(t, bundled(t, r)))
	changed := replaceLayer(t, all, ocimirror.MediaTypeKey, []byte(stranger.Armored()))
	b := opened(t, archived(t, changed))
	_, err := b.Verify(t.Context(), bundle.VerifyOptions{})
	var asked *sources.Error
	if !errors.Is(err, signature.ErrUnknownIssuer) || !errors.As(err, &asked) || asked.Op != "verify package" || asked.Provider != rocket || asked.Version != v1 {
		t.Errorf("another key: %v", err)
	}
	pkg, err := b.Package(t.Context(), rocket, v1, linux)
	if err != nil {
		t.Fatal(err)
	}
	if claims, err := pkg.Claims(t.Context()); err == nil {
		t.Errorf("the claims are %+v", claims)
	}
}

// Another archive, in the place of the one that is signed, with digests that are all right.
func TestVerifyRefusesAnotherArchive(t *testing.T) {
	t.Parallel()
	signer := newSigner(t)
	good := packed(t, linux, "linux")
	r := released(t, rocket, v1, signer, good)
	forged := released(t, rocket, v1, nil, packed(t, linux, "forged"))
	all := files(t, readFile(t, bundled(t, forged)))
	all = append(all, statementOf(t, all, r)...)
	_, err := opened(t, archived(t, all)).Verify(t.Context(), bundle.VerifyOptions{})
	var mismatch *hashing.MismatchError
	if !errors.As(err, &mismatch) {
		t.Errorf("the error is %v", err)
	}
}

// Where packages of a version have several signers, nobody is its signer.
func TestSeveralSigners(t *testing.T) {
	t.Parallel()
	first, second := newSigner(t), newSigner(t)
	onLinux, onDarwin := packed(t, linux, "linux"), packed(t, darwin, "darwin")
	all := files(t, readFile(t, bundled(t, released(t, rocket, v1, nil, onLinux, onDarwin))))
	all = append(all, statementOf(t, all, released(t, rocket, v1, first, onLinux))...)
	all = append(all, statementOf(t, all, released(t, rocket, v1, second, onDarwin))...)
	b := opened(t, archived(t, all))
	report, err := b.Verify(t.Context(), bundle.VerifyOptions{})
	if err != nil || len(report.Items[0].Platforms) != 2 || report.Items[0].Signer != nil {
		t.Errorf("the report is %+v, %v", report, err)
	}
	for _, one := range []*registrytest.Signer{first, second} {
		report, err := b.Verify(t.Context(), verifyBy(one))
		var wrong *bundle.SignerError
		if !errors.As(err, &wrong) || report.Items[0].Signer != nil {
			t.Errorf("the report is %+v, %v", report, err)
		}
	}
	report, err = b.Verify(t.Context(), bundle.VerifyOptions{Signers: []string{first.Fingerprint(), second.Fingerprint()}})
	if err != nil || report.Items[0].Signer != nil {
		t.Errorf("both are accepted: %+v, %v", report, err)
	}
}

// replaceLayer puts other content into the statement.
func replaceLayer(t *testing.T, all []tarFile, mediaType string, data []byte) []tarFile {
	t.Helper()
	return editStatement(t, all, func(m *ocispec.Manifest) []tarFile {
		for i, layer := range m.Layers {
			if layer.MediaType == mediaType {
				m.Layers[i].Digest, m.Layers[i].Size = digestOf(data), int64(len(data))
			}
		}
		return []tarFile{file(blobName(data), string(data))}
	})
}

// editStatement changes the manifest without a name, with a new digest.
func editStatement(t *testing.T, all []tarFile, edit func(*ocispec.Manifest) []tarFile) []tarFile {
	t.Helper()
	index := indexOf(t, all)
	last := &index.Manifests[len(index.Manifests)-1]
	var manifest ocispec.Manifest
	for _, f := range all {
		if strings.HasSuffix(f.Name, last.Digest.Encoded()) {
			if err := json.Unmarshal(f.data, &manifest); err != nil {
				t.Fatal(err)
			}
		}
	}
	more := edit(&manifest)
	data := encode(t, manifest)
	last.Digest, last.Size = digestOf(data), int64(len(data))
	return append(withIndex(t, all, index), append(more, file(blobName(data), string(data)))...)
}

// statementOf makes the files of a release's statement refer to the version in other files, and names it in their index.
func statementOf(t *testing.T, all []tarFile, r sources.Release) []tarFile {
	t.Helper()
	signed := files(t, readFile(t, bundled(t, r)))
	version := indexOf(t, all).Manifests[0]
	version.Annotations, version.ArtifactType = nil, ""
	var added []tarFile
	signed = editStatement(t, signed, func(m *ocispec.Manifest) []tarFile { m.Subject = &version; return nil })
	statement := indexOf(t, signed).Manifests[1]
	have := map[string]bool{}
	for _, f := range all {
		have[f.Name] = true
	}
	for _, f := range signed {
		if strings.HasPrefix(f.Name, "blobs/") && !have[f.Name] {
			added = append(added, f)
		}
	}
	index := indexOf(t, all)
	index.Manifests = append(index.Manifests, statement)
	copy(all, withIndex(t, all, index))
	return added
}
