package gogetter_test

import (
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/gogetter"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

func TestAddresses(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"s3::https://s3.eu-central-1.amazonaws.com/bucket/providers":                "s3::https://s3-eu-central-1.amazonaws.com/bucket/providers",
		"s3::https://s3-eu-central-1.amazonaws.com/bucket/providers":                "s3::https://s3-eu-central-1.amazonaws.com/bucket/providers",
		"bucket.s3.eu-central-1.amazonaws.com/providers":                            "s3::https://s3-eu-central-1.amazonaws.com/bucket/providers",
		"https://static.example.com":                                                "https://static.example.com/",
		"s3::https://bucket.s3.eu-central-1.amazonaws.com/":                         "s3::https://bucket.s3.eu-central-1.amazonaws.com/",
		"s3::https://minio.example.com/bucket?aws_access_key_secret=s3cr3t":         "s3::https://minio.example.com/bucket?…",
		"s3::https://minio.example.com/bucket//providers/":                          "s3::https://minio.example.com/bucket/providers",
		"s3::http://127.0.0.1:9000/bucket":                                          "s3::http://127.0.0.1:9000/bucket",
		"gcs::https://www.googleapis.com/storage/v1/bucket/providers":               "gcs::https://www.googleapis.com/storage/v1/bucket/providers",
		"www.googleapis.com/storage/v1/bucket/providers":                            "gcs::https://www.googleapis.com/storage/v1/bucket/providers",
		"https://me:s3cr3t@static.example.com/providers?sig=s3cr3t":                 "https://static.example.com/providers?…",
		"http://localhost:8080/providers":                                           "http://localhost:8080/providers",
		"git::https://me:s3cr3t@git.example.com/x.git//a/b?ref=v1&sshkey=s3cr3t":    "git::https://git.example.com/x.git//a/b at v1",
		"git::ssh://git@git.example.com:2222/x.git":                                 "git::ssh://git.example.com:2222/x.git",
		"git@git.example.com:acme/x.git//providers?ref=release/1.0":                 "git::ssh://git.example.com/acme/x.git//providers at release/1.0",
		"github.com/acme/mirror//providers":                                         "git::https://github.com/acme/mirror.git//providers",
		"gitlab.com/acme/mirror":                                                    "git::https://gitlab.com/acme/mirror.git",
		"git::file:///srv/x.git":                                                    "git::file:///srv/x.git",
		"file:///srv/providers":                                                     "file:///srv/providers",
		"file:///srv//providers":                                                    "file:///srv//providers",
		"git::https://git.example.com/x.git?ref=0123456789abcdef0123456789abcdef01": "git::https://git.example.com/x.git at 0123456789abcdef0123456789abcdef01",
	} {
		source, err := gogetter.New(gogetter.Config{Address: address})
		if err != nil {
			t.Errorf("%s: %v", address, err)
		} else if got := source.String(); got != "go-getter mirror "+want {
			t.Errorf("%s: name is %q, want %q", address, got, want)
		}
	}
}

func TestRefusedAddresses(t *testing.T) {
	t.Parallel()
	for address, says := range map[string]string{
		"":                                                        "not the full address",
		"providers":                                               "absolute",
		"./providers":                                             "absolute",
		"hg::https://hg.example.com/x":                            `no mirror of kind "hg"`,
		"ftp://ftp.example.com/x":                                 `no mirror of kind "ftp"`,
		"oci::https://x.example.com/x":                            `no mirror of kind "oci"`,
		"http://static.example.com/providers":                     "use https",
		"s3::http://minio.example.com/bucket":                     "use https",
		"git::http://git.example.com/x.git":                       "use https",
		"git::git://git.example.com/x.git":                        "use https",
		"git::ext::sh -c evil":                                    "not the scheme",
		"git::gopher://x.example.com/x":                           "not the scheme",
		"s3::file:///bucket/x":                                    "not the scheme",
		"https:///providers":                                      "names no host",
		"s3::https://minio.example.com":                           "bucket is missing",
		"s3::https://me:s3cr3t@minio.example.com/b":               "not a user name",
		"gcs::https://storage.example.com/v1/bucket/x":            "googleapis.com",
		"https://x.example.com/p?archive=zip":                     `parameter "archive"`,
		"https://x.example.com/p?archive=false":                   `parameter "archive"`,
		"https://x.example.com/p?checksum=md5:s3cr3t":             `parameter "checksum"`,
		"https://x.example.com/p?filename=../../x":                `parameter "filename"`,
		"s3::https://minio.example.com/b/x?version=1":             `parameter "version"`,
		"https://x.example.com/p#1":                               "fragment",
		"git::https://git.example.com/x.git//../../y":             "leads out",
		"git::https://git.example.com/x.git//a\\..\\y":            "leads out",
		"git::https://x.example.com/x?ref=--upload-pack=evil":     "parameter ref",
		"git::https://x.example.com/x?ref=a..b":                   "parameter ref",
		"git::https://x.example.com/x?ref=%2Brefs/heads/*:refs/x": "parameter ref",
		"git::https://x.example.com/x?ref=a%20b":                  "parameter ref",
		"git::file://srv/x.git":                                   "three slashes",
		"file://srv/providers":                                    "is a path",
		"file:///srv/providers?x=s3cr3t":                          "is a path",
		"https://me:s3cr3t@x.example.com/%zz?sig=s3cr3t":          "not the full address",
		"https://me:s3cr3t@x.exam ple.com/?sig=s3cr3t":            "not the full address",
	} {
		_, err := gogetter.New(gogetter.Config{Address: address})
		var refused *gogetter.AddressError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "s3cr3t") {
			t.Errorf("%s: error is %v, want an AddressError that says %q", address, err, says)
		}
	}
}

func TestPlainHTTPOnRequest(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"http://static.example.com/p", "s3::http://minio.example.com/b", "git::git://git.example.com/x.git"} {
		if _, err := gogetter.New(gogetter.Config{Address: address, PlainHTTPInsecure: true}); err != nil {
			t.Error(err)
		}
	}
}

func TestADirectoryThatIsNotThere(t *testing.T) {
	t.Parallel()
	source := open(t, gogetter.Config{Address: filepath.Join(t.TempDir(), "nowhere")})
	listing, err := source.Versions(t.Context(), rocket)
	if !errors.Is(err, sources.ErrNotFound) || len(listing.Warnings) != 1 {
		t.Errorf("listing is %+v, error is %v; want absence with a warning", listing, err)
	}
}

func TestAnSSHKeyInTheAddress(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("not tested: a shell script stands in for ssh")
	}
	r := newRepo(t, mirrorDir(t, registrytest.Packed))
	dir := t.TempDir()
	ssh, log := filepath.Join(dir, "ssh"), filepath.Join(dir, "log")
	// The last argument is what would run on the other machine.
	script := "#!/bin/sh\necho \"$@\" >> '" + log + "'\ncat \"$2\" >> '" + log + "'\nfor last; do :; done\neval \"$last\"\n"
	if err := os.WriteFile(ssh, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	parent := t.TempDir()
	source := open(t, gogetter.Config{
		Address: "git::ssh://git@git.example.com" + string(r) + "//providers?sshkey=" + base64.URLEncoding.EncodeToString([]byte("the key")),
		Environ: append(gitEnv(), "GIT_SSH_COMMAND="+ssh, "GIT_SSH_VARIANT=ssh"),
		Dir:     parent,
	})
	listed(t, source)
	text, err := os.ReadFile(log)
	if err != nil || !strings.Contains(string(text), "the key") || !strings.Contains(string(text), "-o IdentitiesOnly=yes") {
		t.Errorf("ssh was called like this: %s, %v", text, err)
	}
	if keys := below(t, parent, "repository-*/key"); len(keys) != 0 {
		t.Errorf("the key is still there: %v", keys)
	}
}

func FuzzNew(f *testing.F) {
	for _, address := range []string{
		"s3::https://s3.eu-central-1.amazonaws.com/bucket/providers?aws_access_key_secret=s3cr3t",
		"git@git.example.com:acme/x.git//providers?ref=release/1.0&sshkey=s3cr3t",
		"https://me:s3cr3t@static.example.com/providers?sig=s3cr3t",
		"github.com/acme/mirror//providers", "git::ext::sh -c s3cr3t", "file:///srv//providers", "gcs::https://www.googleapis.com/storage/v1/b",
		"https://x//..?ref=--s3cr3t", "::", "s3::", "@:?", "//", "https://me:s3cr3t@%zz",
	} {
		f.Add(address)
	}
	f.Fuzz(func(t *testing.T, address string) {
		source, err := gogetter.New(gogetter.Config{Address: address})
		var refused *gogetter.AddressError
		if err != nil && !errors.As(err, &refused) {
			t.Errorf("error is %T", err)
		}
		if err == nil && strings.ContainsAny(source.String(), "?@") && !strings.Contains(source.String(), "?…") &&
			!strings.Contains(strings.SplitN(address, "?", 2)[0], "@") {
			t.Errorf("%q is called %q", address, source)
		}
	})
}
