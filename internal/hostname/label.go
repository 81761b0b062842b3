package hostname

import (
	"strings"
)

// Label normalises a namespace or type of a provider source address: one label of letters, digits and single inner
// dashes. The rules hold for the text as IDNA maps it, so no disguised dot or dash gets into a path. The error is an
// [*Error].
func Label(s string) (string, error) {
	if s == "" {
		return "", &Error{Reason: "it is empty"}
	}
	switch plain := mapped(s); {
	case strings.Contains(plain, "."):
		return "", &Error{Reason: "dots are not allowed"}
	case strings.Contains(plain, "--"):
		return "", &Error{Reason: "two dashes in a row are not allowed"}
	case strings.HasPrefix(plain, "-") || strings.HasSuffix(plain, "-"):
		return "", &Error{Reason: "a dash at the beginning or end is not allowed"}
	}
	name, err := normalise(s)
	if err != nil || name.Unicode == "" || strings.Contains(name.Unicode, ".") {
		return "", &Error{Reason: "only letters, digits and dashes are allowed"}
	}
	return name.Unicode, nil
}
