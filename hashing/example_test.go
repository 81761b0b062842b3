package hashing_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/purveyor-dev/purveyor/hashing"
)

func ExampleDir() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "terraform-provider-example"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		fmt.Println(err)
		return
	}
	h, err := hashing.Dir(context.Background(), dir)
	fmt.Println(h, err)
	// Output: h1:JEkGj+oZbCPhlGFZ8rbrQI73xXtM6QlYssPXPBKVyqw= <nil>
}

func ExampleArchive() {
	h, err := hashing.Archive(context.Background(), bytes.NewReader(nil))
	fmt.Println(h, err)
	// Output: zh:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855 <nil>
}

func ExampleZip() {
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	for _, name := range []string{"docs/", "docs/empty"} {
		if _, err := w.Create(name); err != nil {
			fmt.Println(err)
			return
		}
	}
	if err := w.Close(); err != nil {
		fmt.Println(err)
		return
	}
	tree, entries, err := hashing.Zip(context.Background(), bytes.NewReader(archive.Bytes()), int64(archive.Len()))
	fmt.Println(tree)
	fmt.Println(entries, err)
	// Output:
	// h1:CGEQbFCYbznDqydtSMlBAkHVnjVDeYHoH50JdPBqiPQ=
	// h1:m5TWZEgXu+JbfyWFkCTgQy5YlfA6T41gPrFRMgAL2mA= <nil>
}

func ExampleParseHash() {
	h, err := hashing.ParseHash("zh:E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855")
	fmt.Println(h, err)
	_, err = hashing.ParseHash("zh:e3b0")
	fmt.Println(err)
	// Output:
	// zh:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855 <nil>
	// invalid hash "zh:e3b0": the value of a zh hash must be 64 hexadecimal digits
}

func ExampleParseSums() {
	doc := `e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  example_1.0.0_linux_amd64.zip
01ba4719c80b6fe911b091a7c05124b64eeece964e09c058ef8f9805daca546b *example_1.0.0_darwin_arm64.zip
`
	sums, err := hashing.ParseSums([]byte(doc))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(sums.Lookup("example_1.0.0_linux_amd64.zip"))
	// Output: zh:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855 true
}

func ExampleJudge() {
	came := hashing.Computed{
		Tree:    "h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
		Archive: "zh:8739c76e681f900923b900c9df0ef75cf421d39cabb54650c4b9ad19b6a76d85",
	}
	reported := hashing.Claims{Package: []hashing.Claim{{Hash: came.Archive, Authority: hashing.Reported}}}

	proof, err := hashing.Judge(came, nil, reported)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(proof.Authority)
	for _, h := range proof.Hashes {
		fmt.Println(h)
	}

	locked := []hashing.Hash{"zh:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}
	_, err = hashing.Judge(came, locked, reported)
	var mismatch *hashing.MismatchError
	fmt.Println(errors.As(err, &mismatch), mismatch.By)
	// Output:
	// reported
	// h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=
	// zh:8739c76e681f900923b900c9df0ef75cf421d39cabb54650c4b9ad19b6a76d85
	// true dependency lock file
}

func ExampleContents() {
	var contents hashing.Contents // of an unzipper that hashes while it writes; here without any file
	if err := contents.AddDirectory("docs/"); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(contents.Tree())
	fmt.Println(contents.Tree() == contents.Entries())
	// Output:
	// h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=
	// false
}
