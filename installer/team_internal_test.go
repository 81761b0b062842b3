package installer

import (
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	"golang.org/x/sync/semaphore"

	"github.com/purveyor-dev/purveyor/internal/spool"
)

// More connections help only where a processor waits for the bytes of this archive.
func TestStarving(t *testing.T) {
	t.Parallel()
	file, err := os.Create(filepath.Join(t.TempDir(), "spool"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	synctest.Test(t, func(t *testing.T) {
		turns := semaphore.NewWeighted(1)
		s := spool.New(file, 100)
		f := &filler{transfer: &transfer{job: &job{run: &run{unpacks: turns}}, spool: s}}
		if f.starving() {
			t.Error("nobody waits")
		}
		go func() { _ = s.Await(0, 100) }()
		synctest.Wait()
		if !f.starving() {
			t.Error("somebody waits, and no processor is busy")
		}
		turns.TryAcquire(1)
		if f.starving() {
			t.Error("the processors are busy with other archives")
		}
		s.Fail(os.ErrClosed)
	})
}
