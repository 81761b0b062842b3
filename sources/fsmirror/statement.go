package fsmirror

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/internal/plainfile"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/internal/mirrorjson"
	"github.com/purveyor-dev/purveyor/sources/internal/signed"
)

// MaxStatements is how many statements about one version are read.
const MaxStatements = 8

// statementsIn returns the paths of the checksums of the statements about a version that are in a directory, sorted.
func statementsIn(dir string, p sources.Provider, v sources.Version) ([]string, error) {
	entries, err := readDir(dir)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, entry := range entries {
		about, sums, ok := mirrorjson.ParseStatementName(entry.Name(), p)
		if ok && about == v && sums == entry.Name() {
			found = append(found, filepath.Join(dir, sums))
		}
	}
	slices.Sort(found)
	if len(found) > MaxStatements {
		return nil, fmt.Errorf("%w: there are more than %d statements about version %s in %s", sources.ErrTooLarge, MaxStatements, v, dir)
	}
	return found, nil
}

// readStatement reads the files of a statement.
func readStatement(sums string) (*hashing.Statement, error) {
	text, err := plainfile.Read(sums, signed.MaxSums)
	if err != nil {
		return nil, err
	}
	signature, err := plainfile.Read(mirrorjson.SignatureName(sums), signed.MaxSignature)
	if err != nil {
		return nil, err
	}
	statement := &hashing.Statement{Sums: text, Signature: signature}
	for i := range signed.MaxKeys {
		key, err := plainfile.Read(mirrorjson.KeyName(sums, i), signed.MaxKey)
		if errors.Is(err, fs.ErrNotExist) && i > 0 {
			break
		}
		if err != nil {
			return nil, err
		}
		statement.Keys = append(statement.Keys, string(key))
	}
	return statement, nil
}

// vouched returns what the statements about a package claim. Of several, one that holds is enough: the others were replaced,
// and are there for those who have read an older index. One that has not expired comes first. That none holds is an
// error, never a reason to do without.
func vouched(ctx context.Context, statements []string, release signed.Release) (hashing.Claims, error) {
	var failures []error
	var expired *hashing.Claims
	for _, path := range statements {
		if err := ctx.Err(); err != nil {
			return hashing.Claims{}, err
		}
		claims, err := vouchedBy(path, release)
		switch {
		case err != nil:
			failures = append(failures, err)
		case claims.Signer.ExpiredAt.IsZero():
			return claims, nil
		case expired == nil:
			expired = &claims
		}
	}
	if expired != nil {
		return *expired, nil
	}
	return hashing.Claims{}, errors.Join(failures...)
}

func vouchedBy(path string, release signed.Release) (hashing.Claims, error) {
	statement, err := readStatement(path)
	if err != nil {
		return hashing.Claims{}, fmt.Errorf("cannot read the origin's signed checksums: %w", err)
	}
	claims, err := signed.Carried(statement, release)
	if err != nil {
		return hashing.Claims{}, fmt.Errorf("%s: %w", path, err)
	}
	return claims, nil
}
