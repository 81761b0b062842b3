package filelock_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/purveyor-dev/purveyor/internal/filelock"
)

func ExampleLock() {
	dir, err := os.MkdirTemp("", "filelock")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "1.0.0", "linux_amd64.lock")

	held, err := filelock.Lock(context.Background(), path, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer held.Unlock()

	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
	defer cancel()
	_, err = filelock.Lock(ctx, path, func() { fmt.Println("waiting for another holder") })
	fmt.Println(err != nil, ctx.Err())
	// Output:
	// waiting for another holder
	// true context deadline exceeded
}

func ExampleTryLock() {
	dir, err := os.MkdirTemp("", "filelock")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	held, ok, err := filelock.TryLock(filepath.Join(dir, "lock"))
	fmt.Println(ok, err)
	if ok {
		fmt.Println(held.Unlock())
	}
	// Output:
	// true <nil>
	// <nil>
}
