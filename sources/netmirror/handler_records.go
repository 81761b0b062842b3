package netmirror

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/purveyor-dev/purveyor/internal/atomicfile"
	"github.com/purveyor-dev/purveyor/internal/plainfile"
	"github.com/purveyor-dev/purveyor/sources"
)

const maxRecord = 8 << 20 // bytes of an answer on the disk; what is longer is no answer

// records are where answers of one kind are on the disk.
type records[K comparable] struct {
	file  func(key K) (string, error)
	about func(key K) parcel // for messages
}

// record returns an answer as it is on the disk.
func (a answer[V]) record() ([]byte, error) {
	data, err := json.Marshal(a)
	if err == nil && len(data) > maxRecord {
		err = fmt.Errorf("%w: the source's answer takes %d bytes, more than the %d that are kept", sources.ErrTooLarge, len(data), maxRecord)
	}
	return data, err
}

// load reads the answer on the disk.
func (s *answers[K, V]) load(ctx context.Context, key K) answer[V] {
	var a answer[V]
	data, err := s.records.read(key)
	if err == nil {
		a.size = len(data)
		err = json.Unmarshal(data, &a)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return answer[V]{}
	case err != nil:
		s.journal.failed(ctx, msgAnswerNotRead, s.records.about(key), err)
		return answer[V]{lost: true}
	}
	return a
}

func (r records[K]) read(key K) ([]byte, error) {
	path, err := r.file(key)
	if err != nil {
		return nil, err
	}
	return plainfile.Read(path, maxRecord)
}

func (r records[K]) save(key K, record []byte) error {
	path, err := r.file(key)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return atomicfile.Write(path, record, 0o600)
}
