package installer_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/purveyor-dev/purveyor/hashing"
	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/direct"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// exampleRegistry stands in for a real one, so that the examples run without a network.
func exampleRegistry() (*registrytest.Server, sources.Source) {
	srv, err := registrytest.Start(registrytest.Config{Releases: []registrytest.Release{
		{Provider: "acme/rocket", Version: "1.4.0", Platforms: []string{"linux_amd64", "darwin_arm64"}},
		{Provider: "acme/rocket", Version: "1.5.2", Platforms: []string{"linux_amd64", "darwin_arm64"}},
		{Provider: "acme/rocket", Version: "2.0.0", Platforms: []string{"linux_amd64", "darwin_arm64"}},
	}})
	if err != nil {
		log.Fatal(err)
	}
	return srv, direct.New(direct.Config{Client: srv.Client()})
}

var linux = sources.Platform{OS: "linux", Arch: "amd64"}

// Resolve answers "which version" and fetches no package.
func ExampleInstaller_Resolve() {
	srv, source := exampleRegistry()
	defer srv.Close()

	in := &installer.Installer{Source: source}
	rocket := sources.MustParseProvider("registry.example.com/acme/rocket")
	resolution, err := in.Resolve(context.Background(), installer.Request{
		Requirements: installer.Requirements{rocket: sources.MustParseConstraints("~> 1.4")},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range resolution.Selections {
		fmt.Printf("%s %s, newest of %d that meet %q\n", s.Provider, s.Version, s.Matching, s.Constraints)
	}
	// Output:
	// registry.example.com/acme/rocket 1.5.2, newest of 2 that meet "~> 1.4"
}

// Install brings packages through a shared cache; with the lock entries of the first time, the second needs no request.
func ExampleInstaller_Install() {
	srv, source := exampleRegistry()
	defer srv.Close()
	home, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(home)

	in := &installer.Installer{
		Source:   source,
		Dir:      filepath.Join(home, "project", ".terraform", "providers"),
		CacheDir: filepath.Join(home, "cache"),
		Platform: linux,
	}
	request := installer.Request{Requirements: installer.Requirements{
		sources.MustParseProvider("registry.example.com/acme/rocket"): sources.MustParseConstraints("1.4.0"),
	}}
	result, err := in.Install(context.Background(), request)
	if err != nil {
		log.Fatal(err)
	}
	for _, pkg := range result.Packages {
		fmt.Println(filepath.Base(pkg.Executable), "is", pkg.Proof.Authority)
	}

	srv.ResetRequests()
	request.Locks = result.Locks
	if _, err := in.Install(context.Background(), request); err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(srv.Requests()), "requests the second time")
	// Output:
	// terraform-provider-rocket_v1.4.0 is signed
	// 0 requests the second time
}

// Lock records the hashes of several platforms. The registry's signed checksums have them: nothing is downloaded.
func ExampleInstaller_Lock() {
	srv, source := exampleRegistry()
	defer srv.Close()

	in := &installer.Installer{Source: source}
	rocket := sources.MustParseProvider("registry.example.com/acme/rocket")
	locks, err := in.Lock(context.Background(),
		installer.Request{Requirements: installer.Requirements{rocket: {}}},
		[]sources.Platform{linux, {OS: "darwin", Arch: "arm64"}})
	if err != nil {
		log.Fatal(err)
	}
	for _, hash := range locks[rocket].Hashes {
		fmt.Println(locks[rocket].Version, hash.Scheme())
	}
	fmt.Println(srv.Count(registrytest.KindArchive), "archives")
	// Output:
	// 2.0.0 zh
	// 2.0.0 zh
	// 0 archives
}

// Get is for those who need one provider and nothing else.
func ExampleInstaller_Get() {
	srv, source := exampleRegistry()
	defer srv.Close()
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	in := &installer.Installer{Source: source, Dir: dir, Platform: linux}
	pkg, err := in.Get(context.Background(), "registry.example.com/acme/rocket", "< 2.0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(pkg.Version, filepath.Base(pkg.Executable))
	// Output:
	// 1.5.2 terraform-provider-rocket_v1.5.2
}

// A Policy that pins signers refuses packages signed by anybody else, before anything is installed.
func ExamplePolicy() {
	srv, source := exampleRegistry()
	defer srv.Close()
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	in := &installer.Installer{
		Source:   source,
		Dir:      dir,
		Platform: linux,
		Policy:   installer.Policy{Signers: []string{"34365D9472D7468F 34365D9472D7468F 34365D94"}},
	}
	_, err = in.Get(context.Background(), "registry.example.com/acme/rocket", "")
	var policy *installer.PolicyError
	fmt.Println(errors.As(err, &policy), policy.Rule)
	// Output:
	// true Signers
}

// Errors say for each provider what went wrong, and errors.As finds the details.
func ExampleError() {
	srv, source := exampleRegistry()
	defer srv.Close()

	in := &installer.Installer{Source: source}
	_, err := in.Resolve(context.Background(), installer.Request{Requirements: installer.Requirements{
		sources.MustParseProvider("registry.example.com/acme/rocket"): sources.MustParseConstraints("~> 3.0"),
	}})
	var none *installer.NoMatchError
	if errors.As(err, &none) {
		fmt.Println("there are", none.Available)
	}
	var mismatch *hashing.MismatchError
	fmt.Println(errors.As(err, &mismatch))
	// Output:
	// there are [1.4.0 1.5.2 2.0.0]
	// false
}

// Notify follows an installation while it happens.
func ExampleEvent() {
	srv, source := exampleRegistry()
	defer srv.Close()
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	in := &installer.Installer{
		Source:   source,
		Dir:      dir,
		Platform: linux,
		Notify: func(e installer.Event) {
			switch e.Kind {
			case installer.EventProgress: // there can be any number of these
			case installer.EventVerified:
				fmt.Println(e.Kind, e.Proof.Authority)
			default:
				fmt.Println(e.Kind)
			}
		},
	}
	if _, err := in.Get(context.Background(), "registry.example.com/acme/rocket", ""); err != nil {
		log.Fatal(err)
	}
	// Output:
	// resolving
	// resolved
	// fetching
	// unpacking
	// verified signed
	// installed
}

// Fetch brings a verified archive for a mirror. Nobody but the caller holds it to the hashes of a lock file.
func ExampleInstaller_Fetch() {
	srv, source := exampleRegistry()
	defer srv.Close()
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	in := &installer.Installer{Source: source}
	rocket := sources.MustParseProvider("registry.example.com/acme/rocket")
	locks, err := in.Lock(context.Background(), installer.Request{Requirements: installer.Requirements{rocket: {}}}, []sources.Platform{linux})
	if err != nil {
		log.Fatal(err)
	}
	version := locks[rocket].Version
	archive, err := in.Fetch(context.Background(), rocket, version, linux, filepath.Join(dir, sources.ArchiveName(rocket, version, linux)))
	if err != nil {
		log.Fatal(err)
	}
	proof, err := hashing.Judge(archive.Proof.Computed, locks[rocket].Hashes, hashing.Claims{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(filepath.Base(archive.Path), archive.Proof.Authority, proof.Locked)
	// Output:
	// terraform-provider-rocket_2.0.0_linux_amd64.zip signed true
}
