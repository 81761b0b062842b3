package gogetter

import (
	"net/url"
	"slices"
	"strings"

	"github.com/purveyor-dev/purveyor/sources/internal/remote"
)

// harmless are the parameters that say nothing secret.
var harmless = map[string]bool{"ref": true, "depth": true, "region": true, "aws_profile": true}

// secretsOf returns what no message may show, in each spelling that it may occur in.
func secretsOf(u *url.URL) []string {
	var secrets []string
	add := func(text string) {
		if text != "" {
			secrets = append(secrets, text, url.QueryEscape(text), url.PathEscape(text))
		}
	}
	if password, ok := u.User.Password(); ok {
		add(password)
		add(u.User.String())
	} else if u.Scheme == "https" {
		add(u.User.Username()) // a token, as git servers take it
	}
	for name, values := range u.Query() {
		for _, value := range values {
			if !harmless[name] {
				add(value)
			}
		}
	}
	if len(secrets) > 0 && u.RawQuery != "" {
		secrets = append(secrets, u.RawQuery)
	}
	return secrets
}

// withoutSecrets cuts an address that could not be understood where secrets may begin.
func withoutSecrets(text string) string {
	text, _, cut := strings.Cut(text, "?")
	if i := strings.LastIndex(text, "@"); i >= 0 {
		text, cut = text[i:], true
	}
	if cut {
		return text + "…"
	}
	return text
}

// redact makes a message fit to be shown: without the address's secrets, in one line, not too long.
func (a *address) redact(text string) string {
	secrets := slices.SortedFunc(slices.Values(a.secret), func(x, y string) int { return len(y) - len(x) })
	for _, secret := range secrets {
		text = strings.ReplaceAll(text, secret, "(redacted)")
	}
	return strings.Join(remote.Warnings([]string{text}), "")
}
