package registrytest

import (
	"crypto/rand"
	"crypto/sha256"
	"hash"
	"io"
	"os"
	"sync"
)

// uploadList is the uploads that have begun.
type uploadList struct {
	bulk *bulkStore

	mu   sync.Mutex
	list map[string]*upload
}

// upload is a blob that has not arrived in full. It grows on disk, not in memory.
type upload struct {
	repository, id, state string

	mu   sync.Mutex // held by the request that works on the upload
	path string
	size int64
	sum  hash.Hash
	over bool // finished or given up, by a request that others may have waited for
}

func (l *uploadList) begin(repository string) (*upload, error) {
	f, err := l.bulk.create()
	if err != nil {
		return nil, err
	}
	u := &upload{repository: repository, id: rand.Text(), state: rand.Text(), path: f.Name(), sum: sha256.New()}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.list == nil {
		l.list = map[string]*upload{}
	}
	l.list[u.id] = u
	return u, f.Close()
}

func (l *uploadList) find(repository, id string) *upload {
	l.mu.Lock()
	defer l.mu.Unlock()
	if u := l.list[id]; u != nil && u.repository == repository {
		return u
	}
	return nil
}

// end forgets an upload, so that no other request goes on with it.
func (l *uploadList) end(u *upload) {
	u.over = true
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.list, u.id)
}

// add appends what r returns. What came before an error, or before the request was broken off, stays.
func (u *upload) add(r io.Reader) error {
	f, err := os.OpenFile(u.path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(uploadWriter{u, f}, r)
	return err
}

type uploadWriter struct {
	*upload
	file *os.File
}

var _ io.Writer = uploadWriter{}

// Write implements [io.Writer].
func (w uploadWriter) Write(p []byte) (int, error) {
	n, err := w.file.Write(p)
	w.sum.Write(p[:n]) // never fails
	w.size += int64(n)
	return n, err
}

// done returns the blob.
func (u *upload) done() *file {
	var sum [sha256.Size]byte
	u.sum.Sum(sum[:0])
	return newFile("", u.size, sum, func() (readSeekCloser, error) { return os.Open(u.path) })
}

// discard removes what has arrived.
func (u *upload) discard() { _ = os.Remove(u.path) } // what stays goes with the temporary directory
