package main

import (
	"archive/zip"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
)

// testZip makes an archive with one compressed file.
func testZip(t *testing.T, name, content string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), archiveFile)
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := zip.NewWriter(f)
	entry, err := w.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := entry.Write([]byte(content)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestBaselines(t *testing.T) { // not parallel: it changes the working directory
	server := httptest.NewServer(http.FileServer(http.Dir(filepath.Dir(testZip(t, "provider", "content")))))
	defer server.Close()
	t.Chdir(t.TempDir())
	if err := download(t.Context(), []string{server.URL + "/" + archiveFile, "copy.zip"}); err != nil {
		t.Fatal(err)
	}
	if err := inflate([]string{"copy.zip"}); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join("inflated", "provider")); string(got) != "content" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	for name, err := range map[string]error{
		"inflated again":        inflate([]string{"copy.zip"}),
		"inflated nothing":      inflate([]string{"missing.zip"}),
		"inflated too much":     inflate([]string{"copy.zip", "copy.zip"}),
		"downloaded nothing":    download(t.Context(), []string{server.URL + "/missing", "missing"}),
		"downloaded to nowhere": download(t.Context(), []string{server.URL + "/" + archiveFile}),
	} {
		if err == nil {
			t.Errorf("%s without an error", name)
		}
	}
}

func TestRegistryNeedsAnOffer(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{nil, {"no JSON"}, {"{}", "{}"}} {
		if err := serve(args, nil, nil); err == nil {
			t.Errorf("%q is accepted", args)
		}
	}
}
