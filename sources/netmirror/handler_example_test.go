package netmirror_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"

	"github.com/purveyor-dev/purveyor/installer"
	"github.com/purveyor-dev/purveyor/sources"
	"github.com/purveyor-dev/purveyor/sources/direct"
	"github.com/purveyor-dev/purveyor/sources/netmirror"
	"github.com/purveyor-dev/purveyor/sources/registrytest"
)

// A mirror before a registry: what clients ask for is fetched once, verified, kept, and served.
func ExampleNewHandler() {
	registry, err := registrytest.Start(registrytest.Config{Releases: []registrytest.Release{
		{Provider: "acme/rocket", Version: "1.5.2", Platforms: []string{"linux_amd64"}},
	}})
	if err != nil {
		log.Fatal(err)
	}
	defer registry.Close()
	store, err := os.MkdirTemp("", "mirror")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(store)

	source := direct.New(direct.Config{Client: registry.Client()})
	in := &installer.Installer{Source: source} // its Policy says what the mirror accepts
	mirror, err := netmirror.NewHandler(netmirror.HandlerConfig{
		Source: source,
		Store:  store,
		Fetch: func(ctx context.Context, p sources.Provider, v sources.Version, on sources.Platform, path string) (sources.Release, error) {
			archive, err := in.Fetch(ctx, p, v, on, path)
			if err != nil {
				return sources.Release{}, err
			}
			archives := []sources.Archive{archive.Publishable()}
			return sources.Release{Provider: p, Version: v, Archives: archives, Statement: archive.Statement}, nil
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	server := httptest.NewTLSServer(http.StripPrefix("/providers", mirror))
	defer server.Close()

	for range 3 {
		res, err := server.Client().Get(server.URL + "/providers/registry.example.com/acme/rocket/terraform-provider-rocket_1.5.2_linux_amd64.zip")
		if err != nil {
			log.Fatal(err)
		}
		_, err = io.Copy(io.Discard, res.Body)
		res.Body.Close()
		fmt.Println(res.Status, err)
	}
	fmt.Println("downloads:", registry.Count(registrytest.KindArchive))
	// Output:
	// 200 OK <nil>
	// 200 OK <nil>
	// 200 OK <nil>
	// downloads: 1
}

// A mirror for those who have a token. Whoever it is sends it with requests for documents, whose links to archives are good
// for a while without one.
func ExampleBearerTokens() {
	store, err := os.MkdirTemp("", "mirror")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(store)
	mirror, err := netmirror.NewHandler(netmirror.HandlerConfig{
		Store:     store, // without a Source, what is there is served
		Authorize: netmirror.BearerTokens("this year's token", "next year's token"),
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, token := range []string{"", "a guess", "next year's token"} {
		request := httptest.NewRequest(http.MethodGet, "/registry.example.com/acme/rocket/index.json", nil)
		if token != "" {
			request.Header.Set("Authorization", "Bearer "+token)
		}
		answer := httptest.NewRecorder()
		mirror.ServeHTTP(answer, request)
		fmt.Println(answer.Code, answer.Header().Get("WWW-Authenticate"))
	}
	// Output:
	// 401 Bearer realm="provider mirror"
	// 401 Bearer realm="provider mirror"
	// 404
}
