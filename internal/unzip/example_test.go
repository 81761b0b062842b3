package unzip_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/purveyor-dev/purveyor/internal/unzip"
)

func ExampleExtract() {
	archive := rawZip(file("LICENSE.txt", "free"), file("terraform-provider-null_v3.2.1", "ELF"))

	// Without a directory the archive is checked and hashed, and nothing is written.
	report, err := unzip.Extract(context.Background(), bytes.NewReader(archive), int64(len(archive)), "", unzip.Limits{})
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range report.Files {
		fmt.Printf("%s %d %x…\n", f.Name, f.Size, f.SHA256[:4])
	}
	// Output:
	// LICENSE.txt 4 ad95d5fa…
	// terraform-provider-null_v3.2.1 3 706abe3c…
}

func ExampleError() {
	archive := rawZip(file("../../.bashrc", "curl …"))
	_, err := unzip.Extract(context.Background(), bytes.NewReader(archive), int64(len(archive)), "", unzip.Limits{})
	fmt.Println(errors.Is(err, unzip.ErrUnsafeName))
	fmt.Println(err)
	// Output:
	// true
	// cannot extract "../../.bashrc": unsafe name: has a .. element
}
