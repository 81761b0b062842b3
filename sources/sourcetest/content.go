package sourcetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/sources"
)

func (t *trial) content(ctx context.Context) error {
	return t.described(ctx, func(_ Package, pkg *sources.Package) error {
		switch c := pkg.Content; {
		case c.Archive == nil && c.Dir == "":
			return errors.New("neither Archive nor Dir is set")
		case c.Archive != nil && c.Dir != "":
			return errors.New("both Archive and Dir are set")
		case c.Dir != "" && !filepath.IsAbs(c.Dir):
			return fmt.Errorf("the directory %s is not absolute", c.Dir)
		}
		_, err := compute(ctx, pkg.Content)
		return err
	})
}

func (t *trial) again(ctx context.Context) error {
	return t.archives(ctx, func(archive sources.Opener) error {
		first, _, err := read(ctx, archive)
		if err != nil {
			return nil // broken in another way
		}
		second, _, err := read(ctx, archive)
		if err == nil && !bytes.Equal(first, second) {
			err = errors.New("the bytes differ")
		}
		return named("the second time", err)
	})
}

func (t *trial) size(ctx context.Context) error {
	return t.archives(ctx, func(archive sources.Opener) error {
		data, size, err := read(ctx, archive)
		if err != nil {
			return nil // broken in another way
		}
		if size != -1 && size != int64(len(data)) {
			return fmt.Errorf("it is given as %d bytes, there are %d", size, len(data))
		}
		return nil
	})
}

// archives checks the packages that are archives.
func (t *trial) archives(ctx context.Context, check func(sources.Opener) error) error {
	return t.described(ctx, func(_ Package, pkg *sources.Package) error {
		if pkg.Content.Archive == nil {
			return nil
		}
		return check(pkg.Content.Archive)
	})
}

func (t *trial) hashes(ctx context.Context) error {
	return t.described(ctx, func(p Package, pkg *sources.Package) error {
		computed, err := compute(ctx, pkg.Content)
		if err != nil {
			return nil // broken in another way
		}
		var wrong []error
		for _, hash := range p.Hashes {
			_, err := hashing.Judge(computed, []hashing.Hash{hash}, hashing.Claims{})
			wrong = append(wrong, judgement(err))
		}
		return errors.Join(wrong...)
	})
}

// judgement passes over hashes that nobody can judge: those of an archive whose content is a directory.
func judgement(err error) error {
	var unverifiable *hashing.UnverifiableError
	if errors.As(err, &unverifiable) {
		return nil
	}
	return err
}

func (t *trial) claims(ctx context.Context) error {
	return t.described(ctx, func(_ Package, pkg *sources.Package) error {
		if pkg.Claims == nil {
			return nil
		}
		claims, err := pkg.Claims(ctx)
		if err != nil {
			return err
		}
		if err := checkSigner(claims); err != nil {
			return err
		}
		computed, err := compute(ctx, pkg.Content)
		if err != nil {
			return nil // broken in another way
		}
		_, err = hashing.Judge(computed, nil, claims)
		return judgement(err)
	})
}

func checkSigner(claims hashing.Claims) error {
	for _, claim := range append(claims.Package[:len(claims.Package):len(claims.Package)], claims.Others...) {
		if claim.Authority == hashing.Signed && claims.Signer == nil {
			return fmt.Errorf("%s is claimed to be signed, by nobody", claim.Hash)
		}
	}
	return nil
}

// compute returns the hashes of a package's content.
func compute(ctx context.Context, content sources.Content) (hashing.Computed, error) {
	if content.Archive == nil {
		tree, err := hashing.Dir(ctx, content.Dir)
		return hashing.Computed{Tree: tree}, err
	}
	data, _, err := read(ctx, content.Archive)
	if err != nil {
		return hashing.Computed{}, err
	}
	archive, err := hashing.Archive(ctx, bytes.NewReader(data))
	if err != nil {
		return hashing.Computed{}, err
	}
	tree, entries, err := hashing.Zip(ctx, bytes.NewReader(data), int64(len(data)))
	return hashing.Computed{Tree: tree, Entries: entries, Archive: archive}, err
}

// read returns an archive's bytes and the size that the source says.
func read(ctx context.Context, archive sources.Opener) (data []byte, size int64, err error) {
	r, size, err := archive.Open(ctx)
	if err != nil {
		return nil, 0, err
	}
	data, err = io.ReadAll(io.LimitReader(r, MaxArchive+1))
	if err == nil && len(data) > MaxArchive {
		err = fmt.Errorf("the archive is larger than %d bytes; use a smaller one for this test", MaxArchive)
	}
	return data, size, errors.Join(err, r.Close())
}
