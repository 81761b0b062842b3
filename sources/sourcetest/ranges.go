package sourcetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"golang.org/x/sync/errgroup"

	"github.com/purveyor-dev/purveyor/sources"
)

func (t *trial) ranges(ctx context.Context) error {
	return t.archives(ctx, func(archive sources.Opener) (err error) {
		whole, _, err := read(ctx, archive)
		if err != nil {
			return nil // broken in another way
		}
		r, _, err := archive.Open(ctx)
		if err != nil {
			return named("the third time", err)
		}
		ranges, ok := r.(sources.RangeOpener)
		if ok {
			err = compareRanges(ctx, ranges, whole)
		}
		if err = errors.Join(err, r.Close()); err != nil || !ok {
			return err
		}
		return named("after the whole was closed", compareRanges(ctx, ranges, whole))
	})
}

// compareRanges reads several parts at a time.
func compareRanges(ctx context.Context, ranges sources.RangeOpener, whole []byte) error {
	size := int64(len(whole))
	group, ctx := errgroup.WithContext(ctx)
	for _, part := range [][2]int64{{0, size}, {0, 1}, {size - 1, size}, {size / 3, size / 2}} {
		group.Go(func() error {
			got, err := readRange(ctx, ranges, part[0], part[1]-part[0])
			if err == nil && !bytes.Equal(got, whole[part[0]:part[1]]) {
				err = errors.New("the bytes differ")
			}
			return named(fmt.Sprintf("bytes %d to %d", part[0], part[1]), err)
		})
	}
	return group.Wait()
}

// readRange returns the bytes of a range, and one more if there is more than there should be.
func readRange(ctx context.Context, ranges sources.RangeOpener, offset, length int64) ([]byte, error) {
	r, err := ranges.OpenRange(ctx, offset, length)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(r, length+1))
	return data, errors.Join(err, r.Close())
}
