package installer_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"time"

	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources"
)

// exampleCache makes a cache with three packages of 1 MB that were last used 1, 40 and 90 days ago.
func exampleCache() (dir string) {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	rocket := sources.MustParseProvider("registry.example.com/acme/rocket")
	for version, days := range map[string]int{"2.0.0": 1, "1.5.2": 40, "1.4.0": 90} {
		path := filepath.Join(dir, filepath.FromSlash(sources.PackagePath(rocket, sources.MustParseVersion(version), linux)))
		used := time.Now().AddDate(0, 0, -days)
		if err := os.MkdirAll(path, 0o755); err != nil {
			log.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(path, "terraform-provider-rocket"), make([]byte, 1e6), 0o755); err != nil {
			log.Fatal(err)
		}
		if err := os.Chtimes(path, used, used); err != nil {
			log.Fatal(err)
		}
	}
	return dir
}

// List shows what a plugin cache has, and when it was last used.
func ExampleCache_List() {
	dir := exampleCache()
	defer os.RemoveAll(dir)

	list, err := (&installer.Cache{Dir: dir}).List(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	for _, e := range list {
		days := time.Since(e.Used) / (24 * time.Hour)
		fmt.Printf("%s %s %s: %d bytes, %s, used %d days ago\n", e.Provider, e.Version, e.Platform, e.Bytes, e.State, days)
	}
	// Output:
	// registry.example.com/acme/rocket 1.4.0 linux_amd64: 1000000 bytes, ready, used 90 days ago
	// registry.example.com/acme/rocket 1.5.2 linux_amd64: 1000000 bytes, ready, used 40 days ago
	// registry.example.com/acme/rocket 2.0.0 linux_amd64: 1000000 bytes, ready, used 1 days ago
}

// Prune removes what nobody has used for a month, except what a project's lock file names.
func ExampleCache_Prune() {
	dir := exampleCache()
	defer os.RemoveAll(dir)

	locks := installer.Locks{ // as lockfile.Read returns them
		sources.MustParseProvider("registry.example.com/acme/rocket"): {Version: sources.MustParseVersion("1.4.0")},
	}
	pruned, err := (&installer.Cache{Dir: dir}).Prune(context.Background(), installer.CachePrune{
		OlderThan: 30 * 24 * time.Hour,
		Keep:      []installer.Locks{locks},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, e := range pruned.Removed {
		fmt.Println("removed", e.Provider, e.Version)
	}
	fmt.Println(pruned.Bytes, "bytes freed,", pruned.Left, "left")
	// Output:
	// removed registry.example.com/acme/rocket 1.5.2
	// 1000000 bytes freed, 2000000 left
}

// Verify reads all packages. What no record and no lock file vouches for has no proof.
func ExampleCache_Verify() {
	dir := exampleCache()
	defer os.RemoveAll(dir)

	verdicts, err := (&installer.Cache{Dir: dir}).Verify(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	for _, v := range verdicts {
		switch {
		case v.Err != nil:
			fmt.Println(v.Version, "is wrong:", v.Err)
		case v.Proof == nil:
			fmt.Println(v.Version, "is what nobody vouches for")
		default:
			fmt.Println(v.Version, "is right:", v.Proof.Authority)
		}
	}
	// Output:
	// 1.4.0 is what nobody vouches for
	// 1.5.2 is what nobody vouches for
	// 2.0.0 is what nobody vouches for
}
