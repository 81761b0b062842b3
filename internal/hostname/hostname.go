// Package hostname normalises host names and the labels of provider source addresses.
//
// Names are written by people in any case, width and composition; they are compared, used as directory names and
// sent to servers. The mapping is the Lookup profile of IDNA (RFC 5891, UTS 46, non-transitional: ß stays ß), so that
// two spellings of one name have one normal form. The normal form is stable: normalising it changes nothing.
//
// A host is written as people read it: names in their Punycode form ("xn--…") are refused in any case or width, as
// https://opentofu.org/docs/internals/remote-service-discovery/ prescribes. A port follows a colon; 443 is no port.
package hostname

import (
	"strconv"
	"strings"

	"golang.org/x/net/idna"
)

// Name is a normalised host name in its two spellings, each with ":port" if the port is not 443. Each determines the
// other, so names compare with ==.
type Name struct {
	ASCII   string // Punycode, for requests
	Unicode string // for people, paths and lock files
}

// Error says why a text is not a name.
type Error struct {
	Reason     string // continues a sentence: "it has an empty label"
	Suggestion string // what was probably meant; "" when that is unknown
}

func (e *Error) Error() string {
	if e.Suggestion == "" {
		return e.Reason
	}
	return e.Reason + "; did you mean " + strconv.Quote(e.Suggestion) + "?"
}

// DefaultPort is the port of hosts that are written without one: that of https.
const DefaultPort = 443

// Parse normalises "host" or "host:port". The error is an [*Error].
func Parse(s string) (Name, error) {
	if strings.ContainsAny(s, "/?#@") {
		return Name{}, &Error{"a host name is wanted, not a URL or a path", hostInURL(s)}
	}
	if strings.HasPrefix(s, "[") || strings.Count(s, ":") > 1 {
		return Name{}, &Error{Reason: "IPv6 addresses are not host names"}
	}
	host, portText, hasPort := strings.Cut(s, ":")
	name, err := parseHost(host)
	if err != nil || !hasPort {
		return name, err
	}
	port, err := strconv.ParseUint(portText, 10, 16)
	if err != nil || port == 0 {
		return Name{}, &Error{Reason: "the port must be a number from 1 to 65535"}
	}
	return name.withPort(port), nil
}

func (n Name) withPort(port uint64) Name {
	if port == DefaultPort {
		return n
	}
	suffix := ":" + strconv.FormatUint(port, 10)
	return Name{ASCII: n.ASCII + suffix, Unicode: n.Unicode + suffix}
}

func parseHost(s string) (Name, error) {
	if s == "" {
		return Name{}, &Error{Reason: "the host name is empty"}
	}
	if unicode, punycode := fromPunycode(s); punycode {
		return Name{}, &Error{"international names are written as people read them, not in Punycode", unicode}
	}
	name, err := normalise(s)
	if err != nil {
		return Name{}, &Error{Reason: "host names consist of letters, digits, inner dashes, and dots between them"}
	}
	// A final dot is allowed, and makes another name.
	for label := range strings.SplitSeq(strings.TrimSuffix(name.Unicode, "."), ".") {
		if label == "" {
			return Name{}, &Error{Reason: "there is nothing between two dots"}
		}
	}
	return name, nil
}

// normalise maps a name to its normal form. It refuses the rare names whose forms do not map to each other and back.
func normalise(s string) (Name, error) {
	unicode, err := idna.Lookup.ToUnicode(s)
	if err != nil {
		return Name{}, err
	}
	ascii, err := idna.Lookup.ToASCII(unicode)
	if err != nil {
		return Name{}, err
	}
	if again, err := idna.Lookup.ToUnicode(ascii); err != nil || again != unicode {
		return Name{}, &Error{Reason: "the name has no stable form"}
	}
	return Name{ASCII: ascii, Unicode: unicode}, nil
}

// dots are the characters that IDNA maps to the dot between labels (UTS 46, section 4).
const dots = ".。．｡"

// fromPunycode reports whether a label of the host is in Punycode, however it is disguised, and if so how the host
// is written instead ("" when the Punycode is invalid).
func fromPunycode(host string) (unicode string, punycode bool) {
	isDot := func(r rune) bool { return strings.ContainsRune(dots, r) }
	for _, label := range strings.FieldsFunc(host, isDot) {
		punycode = punycode || strings.HasPrefix(mapped(label), "xn--")
	}
	if !punycode {
		return "", false
	}
	name, err := normalise(host)
	if err != nil {
		return "", true
	}
	return name.Unicode, true
}

// mapped returns a label as IDNA maps it, valid or not, without decoding Punycode: a letter in front prevents that.
func mapped(label string) string {
	const guard = "a"
	result, _ := idna.Lookup.ToUnicode(guard + label)
	return strings.TrimPrefix(result, guard)
}

// hostInURL returns the host that a URL or path begins with, or "" when it is not one.
func hostInURL(s string) string {
	if _, rest, ok := strings.Cut(s, "//"); ok {
		s = rest
	}
	s, _, _ = strings.Cut(s, "/")
	if strings.ContainsAny(s, "?#@") {
		return ""
	}
	name, err := Parse(s)
	if err != nil {
		return ""
	}
	return name.Unicode
}

// ToUnicode returns "host" or "host:port", taken from a URL, as people write it: Punycode is decoded. Whether the
// result is a name is for [Parse] to say. The error is an [*Error].
func ToUnicode(hostPort string) (string, error) {
	host, port, hasPort := strings.Cut(hostPort, ":")
	unicode, err := idna.Lookup.ToUnicode(host)
	if err != nil {
		return "", &Error{Reason: "the host in the URL is not a valid name"}
	}
	if hasPort {
		unicode += ":" + port
	}
	return unicode, nil
}
