package main

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/flate"
)

const (
	archiveFile = "archive.zip" // in the module's directory
	bufferSize  = 256 << 10     // bytes: what the library has, too
)

// download is the process that gets a URL and writes it to a file.
func download(ctx context.Context, args []string) error {
	if len(args) != 2 {
		return errors.New("download takes a URL and the name of a file")
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, args[0], nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", args[0], response.Status)
	}
	return write(args[1], response.Body)
}

// inflate is the process that unpacks an archive into a new directory.
func inflate(args []string) error {
	if len(args) != 1 {
		return errors.New("inflate takes the name of an archive")
	}
	archive, err := zip.OpenReader(args[0])
	if err != nil {
		return err
	}
	defer archive.Close()
	archive.RegisterDecompressor(zip.Deflate, flate.NewReader)
	if err := os.Mkdir("inflated", 0o755); err != nil {
		return err
	}
	for _, f := range archive.File {
		content, err := f.Open()
		if err != nil {
			return err
		}
		if err := errors.Join(write(filepath.Join("inflated", filepath.Base(f.Name)), content), content.Close()); err != nil {
			return err
		}
	}
	return nil
}

// write makes a file of what from returns.
func write(name string, from io.Reader) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	to := struct{ io.Writer }{f} // of which nothing but Write can be used, so that the buffer is
	_, err = io.CopyBuffer(to, struct{ io.Reader }{from}, make([]byte, bufferSize))
	return errors.Join(err, f.Close())
}
