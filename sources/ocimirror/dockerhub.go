package ocimirror

import "strings"

// Docker Hub has several names, and its registry is none of those that people write:
// https://github.com/distribution/reference/blob/v0.6.0/normalize.go,
// https://github.com/docker/cli/blob/v28.0.0/cli/registry/client/endpoint.go.
const (
	dockerHub         = "docker.io"
	dockerHubRegistry = "registry-1.docker.io"
	dockerHubKey      = "https://index.docker.io/v1/" // what Docker stores its credentials under
)

// registryName returns the one name of a registry, by which credentials are looked for: in lower case, without the port
// that https has anyway, and "docker.io" for Docker Hub.
func registryName(host string) string {
	host = strings.TrimSuffix(strings.ToLower(host), ":443")
	switch host {
	case "index.docker.io", dockerHubRegistry:
		return dockerHub
	}
	return host
}

// contactHost returns the host that serves a registry.
func contactHost(host string) string {
	if registryName(host) == dockerHub {
		return dockerHubRegistry
	}
	return host
}
