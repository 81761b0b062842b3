package mirrorjson

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/internal/signed"
)

// Statement is the member "origin_statement" of VERSION.json: where the origin's signed checksums of the version are,
// relative to the document. Package fsmirror specifies it.
type Statement struct {
	Sums      string   `json:"shasums_url"`
	Signature string   `json:"shasums_signature_url"`
	Keys      []string `json:"signing_keys_urls"` // ASCII-armored, each in a file of its own
}

// Check says what is wrong with the member.
func (s *Statement) Check() error {
	switch {
	case s.Sums == "":
		return fmt.Errorf("%s has no shasums_url", statementMember)
	case s.Signature == "":
		return fmt.Errorf("%s has no shasums_signature_url", statementMember)
	case len(s.Keys) == 0 || len(s.Keys) > signed.MaxKeys:
		return fmt.Errorf("%s has %d signing_keys_urls; there must be 1 to %d", statementMember, len(s.Keys), signed.MaxKeys)
	}
	return nil
}

// File is a file in a mirror.
type File struct {
	Name string
	Data []byte
}

// The ends of the names of a statement's files.
const (
	sumsSuffix      = "_SHA256SUMS"
	signatureSuffix = ".sig"
	keySuffix       = ".asc"
)

// StatementFiles returns the files of a statement about a version, and what refers to them. Whoever writes them writes the
// checksums last: where these are, the others are.
func StatementFiles(p sources.Provider, v sources.Version, statement *hashing.Statement) ([]File, *Statement) {
	sums := sources.ExecutablePrefix + p.Type() + "_" + v.String() + "_" + identify(statement) + sumsSuffix
	refers := &Statement{Sums: sums, Signature: SignatureName(sums)}
	files := []File{{refers.Signature, statement.Signature}}
	for i, key := range statement.Keys {
		name := KeyName(sums, i)
		refers.Keys = append(refers.Keys, name)
		files = append(files, File{name, []byte(key)})
	}
	return append(files, File{sums, statement.Sums}), refers
}

// SignatureName returns the name of the signature over a file of checksums.
func SignatureName(sums string) string { return sums + signatureSuffix }

// KeyName returns the name of a statement's key, the first of which has the index 0.
func KeyName(sums string, index int) string {
	return fmt.Sprintf("%s.key%d%s", sums, index+1, keySuffix)
}

// identify returns 16 hexadecimal digits that depend on every byte of a statement, and on where its parts end.
func identify(statement *hashing.Statement) string {
	all := sha256.New()
	for _, part := range append([]string{string(statement.Sums), string(statement.Signature)}, statement.Keys...) {
		sum := sha256.Sum256([]byte(part))
		all.Write(sum[:])
	}
	return hex.EncodeToString(all.Sum(nil)[:8])
}

// ParseStatementName understands the name of a file of a statement about a version of a provider: sums is the name of the
// file of checksums that it belongs to, which may be itself. The version may be spelled in any way.
func ParseStatementName(name string, p sources.Provider) (v sources.Version, sums string, ok bool) {
	stem, end, found := strings.Cut(name, sumsSuffix)
	if !found || end != "" && end != signatureSuffix && !isKeySuffix(end) {
		return sources.Version{}, "", false
	}
	rest, ok := strings.CutPrefix(stem, sources.ExecutablePrefix+p.Type()+"_")
	if !ok {
		return sources.Version{}, "", false
	}
	spelling, id, _ := strings.Cut(rest, "_")
	if id == "" || strings.Contains(id, "_") {
		return sources.Version{}, "", false
	}
	v, err := sources.ParseVersion(spelling)
	return v, stem + sumsSuffix, err == nil
}

func isKeySuffix(end string) bool {
	number, ok := strings.CutPrefix(strings.TrimSuffix(end, keySuffix), ".key")
	n, err := strconv.Atoi(number)
	return ok && err == nil && 1 <= n && n <= signed.MaxKeys && KeyName("", n-1) == end
}
