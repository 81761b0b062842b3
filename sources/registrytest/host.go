package registrytest

import (
	"net"
	"strings"

	"github.com/purveyor-dev/purveyor/internal/hostname"
)

// canonicalHost returns the one form, in Unicode, that all spellings of a host have in common: Punycode, any case, the
// port 443. What is no name of a host only gets lower case, since clients may be tested with anything.
func canonicalHost(host string) string {
	host = strings.ToLower(host)
	unicode, err := hostname.ToUnicode(host)
	if err != nil {
		return host
	}
	name, err := hostname.Parse(unicode)
	if err != nil {
		return host
	}
	return name.Unicode
}

// withoutPort returns hostport in lower case without its port, if it has one.
func withoutPort(hostport string) string {
	if host, _, err := net.SplitHostPort(hostport); err == nil {
		hostport = host
	}
	return strings.ToLower(hostport)
}
