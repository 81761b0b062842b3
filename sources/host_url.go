package sources

import (
	"net/url"

	"github.com/purveyor-dev/purveyor/internal/hostname"
)

// HostOfURL returns the host and port of an https URL as a [Host], for looking up its credentials. Unlike in
// source addresses, the host may be in its ASCII (punycode) form. The error is a [*HostError]; IPv6 addresses are no
// hosts in this sense. The scheme is not looked at.
func HostOfURL(u *url.URL) (Host, error) {
	unicode, err := hostname.ToUnicode(u.Host)
	if err != nil {
		return Host{}, &HostError{Input: u.Host, Reason: err.Error()}
	}
	return ParseHost(unicode)
}
