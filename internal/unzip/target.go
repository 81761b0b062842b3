package unzip

import (
	"io"
	"os"
	"path"
	"path/filepath"
)

// target is where files go. All of it goes through an os.Root, so that no link, whoever put it there, leads outside.
type target struct {
	root *os.Root // nil: nothing is written
	made map[string]bool
}

func openTarget(dir string) (*target, error) {
	if dir == "" {
		return &target{}, nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &target{root: root, made: map[string]bool{".": true}}, nil
}

// Close ends the use of the directory.
func (t *target) Close() error {
	if t.root == nil {
		return nil
	}
	return t.root.Close()
}

// mkdir makes a directory and its parents, each once.
func (t *target) mkdir(dir string) error {
	if t.root == nil || t.made[dir] {
		return nil
	}
	t.made[dir] = true
	return t.root.MkdirAll(filepath.FromSlash(dir), 0o755)
}

// create makes a new file, and the directories above it.
func (t *target) create(name string) (io.WriteCloser, error) {
	if t.root == nil {
		return nowhere{}, nil
	}
	if err := t.mkdir(path.Dir(name)); err != nil {
		return nil, err
	}
	return t.root.OpenFile(filepath.FromSlash(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
}

// nowhere takes bytes and forgets them.
type nowhere struct{}

// Write pretends.
func (nowhere) Write(p []byte) (int, error) { return len(p), nil }

// Close does nothing.
func (nowhere) Close() error { return nil }

var (
	_ io.Closer      = (*target)(nil)
	_ io.WriteCloser = nowhere{}
)
