package filelock_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/purveyor-dev/purveyor/internal/filelock"
)

// patience is how long a test waits for what must happen, on a busy machine.
const patience = 30 * time.Second

// pathVariable tells a child process, which is this test binary running one helper test, which file to lock.
const pathVariable = "FILELOCK_TEST_PATH"

// child is another process.
type child struct {
	cmd *exec.Cmd
	in  io.Closer
	out *bufio.Reader
}

// start runs the helper test of that name in a child process.
func start(t *testing.T, helper, path string) *child {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+helper+"$", "-test.count=1")
	cmd.Env = append(os.Environ(), pathVariable+"="+path)
	in, inErr := cmd.StdinPipe()
	out, outErr := cmd.StdoutPipe()
	if err := errors.Join(inErr, outErr, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	return &child{cmd, in, bufio.NewReader(out)}
}

// expect reads lines of the child until one is want.
func (c *child) expect(t *testing.T, want string) {
	t.Helper()
	for {
		line, err := c.out.ReadString('\n')
		if strings.TrimSpace(line) == want {
			return
		}
		if err != nil {
			t.Fatalf("the child ended without saying %q: %v", want, err)
		}
	}
}

// finish lets the child end, and waits for it.
func (c *child) finish(t *testing.T) {
	t.Helper()
	c.in.Close()
	io.Copy(io.Discard, c.out)
	if err := c.cmd.Wait(); err != nil {
		t.Errorf("child: %v", err)
	}
}

// childPath is the file that a helper test is to lock; without one it is not a child and is skipped.
func childPath(t *testing.T) string {
	path := os.Getenv(pathVariable)
	if path == "" {
		t.Skip("runs in child processes only")
	}
	return path
}

// TestHelperHold holds a lock until its input ends.
func TestHelperHold(t *testing.T) {
	held, err := filelock.Lock(t.Context(), childPath(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println("\nlocked")
	io.Copy(io.Discard, os.Stdin)
	if err := held.Unlock(); err != nil {
		t.Error(err)
	}
}

// TestHelperTry says whether the lock is free.
func TestHelperTry(t *testing.T) {
	held, ok, err := filelock.TryLock(childPath(t))
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("\nfree %v\n", ok)
	if ok {
		held.Unlock()
	}
}

// TestHelperCount counts under the lock.
func TestHelperCount(t *testing.T) {
	countUp(t, childPath(t), 20, false)
}

// countUp increments the number in a file beside path, in a way that loses counts unless the lock excludes others.
func countUp(t *testing.T, path string, times int, remove bool) {
	for range times {
		held, err := filelock.Lock(t.Context(), path, nil)
		if err != nil {
			t.Error(err)
			return
		}
		n := counted(t, path)
		runtime.Gosched()
		if err := os.WriteFile(path+".count", []byte(strconv.Itoa(n+1)), 0o600); err != nil {
			t.Error(err)
		}
		if remove {
			os.Remove(path)
		}
		if err := held.Unlock(); err != nil {
			t.Error(err)
		}
	}
}

func counted(t *testing.T, path string) int {
	t.Helper()
	b, err := os.ReadFile(path + ".count")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	n, _ := strconv.Atoi(string(b))
	return n
}

// mustLock locks within the patience.
func mustLock(t *testing.T, path string) *filelock.Held {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	held, err := filelock.Lock(ctx, path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return held
}

func mustUnlock(t *testing.T, held *filelock.Held) {
	t.Helper()
	if err := held.Unlock(); err != nil {
		t.Error(err)
	}
}

// isFree reports whether path can be locked from here.
func isFree(t *testing.T, path string) bool {
	t.Helper()
	held, ok, err := filelock.TryLock(path)
	if err != nil {
		t.Fatal(err)
	}
	if ok {
		mustUnlock(t, held)
	}
	return ok
}

func TestLockMakesWhatIsMissingAndLeavesTheFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "host", "type", "linux_amd64.lock")
	mustUnlock(t, mustLock(t, path))
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() != 0 || runtime.GOOS != "windows" && info.Mode()&^0o644 != 0 {
		t.Errorf("%d bytes, mode %v", info.Size(), info.Mode())
	}
}

func TestHandlesOfOneProcessExcludeEachOther(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	held := mustLock(t, path)
	for range 3 { // an attempt that fails does not free the lock either
		if isFree(t, path) {
			t.Fatal("locked twice")
		}
	}
	mustUnlock(t, held)
	if !isFree(t, path) {
		t.Error("still locked")
	}
}

func TestOtherFilesAreNotLocked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	defer mustUnlock(t, mustLock(t, filepath.Join(dir, "a")))
	if !isFree(t, filepath.Join(dir, "b")) {
		t.Error("b is locked with a")
	}
}

func TestGoroutinesExcludeEachOther(t *testing.T) {
	t.Parallel()
	for _, remove := range []bool{false, true} { // true: others delete lock files, as people do
		path := filepath.Join(t.TempDir(), "lock")
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() { countUp(t, path, 20, remove) })
		}
		wg.Wait()
		if n := counted(t, path); n != 8*20 {
			t.Errorf("remove %v: counted %d", remove, n)
		}
	}
}

func TestProcessesExcludeEachOther(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	var children []*child
	for range 3 {
		children = append(children, start(t, "TestHelperCount", path))
	}
	countUp(t, path, 20, false)
	for _, c := range children {
		c.finish(t)
	}
	if n := counted(t, path); n != 4*20 {
		t.Errorf("counted %d", n)
	}
}

func TestALockOfAnotherProcessIsSeen(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	c := start(t, "TestHelperHold", path)
	c.expect(t, "locked")
	if isFree(t, path) {
		t.Error("locked by two processes")
	}
	c.finish(t)
	if !isFree(t, path) {
		t.Error("still locked")
	}
}

func TestAnotherProcessSeesOurLock(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	held := mustLock(t, path)
	c := start(t, "TestHelperTry", path)
	c.expect(t, "free false")
	c.finish(t)
	mustUnlock(t, held)
	c = start(t, "TestHelperTry", path)
	c.expect(t, "free true")
	c.finish(t)
}

func TestTheLockOfAKilledProcessIsFree(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	c := start(t, "TestHelperHold", path)
	c.expect(t, "locked")
	if err := c.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	c.cmd.Wait()
	mustUnlock(t, mustLock(t, path))
}

func TestWaitingIsToldOnceAndEnds(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	first := mustLock(t, path)
	told := make(chan struct{}, 10)
	locked := make(chan error, 1)
	go func() {
		second, err := filelock.Lock(t.Context(), path, func() { told <- struct{}{} })
		if err == nil {
			err = second.Unlock()
		}
		locked <- err
	}()
	<-told
	time.Sleep(50 * time.Millisecond) // a few tries
	mustUnlock(t, first)
	if err := <-locked; err != nil || len(told) != 0 {
		t.Errorf("got %v, told %d times more", err, len(told))
	}
	waited := func() { t.Error("a free lock is not waited for") }
	if third, err := filelock.Lock(t.Context(), path, waited); err != nil {
		t.Error(err)
	} else {
		mustUnlock(t, third)
	}
}

func TestCancelEndsWaiting(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	held := mustLock(t, path)
	ctx, cancel := context.WithCancel(t.Context())
	var cancelled time.Time
	_, err := filelock.Lock(ctx, path, func() {
		time.AfterFunc(300*time.Millisecond, func() { cancelled = time.Now(); cancel() }) // pauses are long by then
	})
	if late := time.Since(cancelled); late > 5*time.Second {
		t.Errorf("ended %v after cancel", late)
	}
	var e *filelock.Error
	if !errors.As(err, &e) || e.Path != path || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	mustUnlock(t, held)
	if _, err := filelock.Lock(ctx, path, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a free lock after cancel: %v", err)
	}
	if !isFree(t, path) {
		t.Error("the lock was taken nevertheless")
	}
}

func TestUnlockTwice(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lock")
	first := mustLock(t, path)
	mustUnlock(t, first)
	second := mustLock(t, path)
	defer mustUnlock(t, second)
	var e *filelock.Error
	if err := first.Unlock(); !errors.As(err, &e) || !errors.Is(err, os.ErrClosed) {
		t.Errorf("got %v", err)
	}
	if isFree(t, path) {
		t.Error("freed the lock of another holder")
	}
}

func TestWhatCannotBeLocked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{"directory": dir, "below a file": filepath.Join(dir, "file", "lock")} {
		_, err := filelock.Lock(t.Context(), path, nil)
		if e := (*filelock.Error)(nil); !errors.As(err, &e) || e.Path != path {
			t.Errorf("%s: %v", name, err)
		}
	}
}
