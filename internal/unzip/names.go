package unzip

import (
	"archive/zip"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	maxDepth   = 32  // directories above a file; bounds the work on paths
	maxElement = 255 // bytes between two slashes; no common file system takes more
)

// checkName applies the rules for one name. A trailing slash marks a directory and is no part of its path.
func checkName(name string, limit int) error {
	elements := strings.Split(strings.TrimSuffix(name, "/"), "/")
	if len(name) > limit || len(elements) > maxDepth {
		return refuse(name, ErrTooLarge, "a name of %d bytes and %d elements; at most %d bytes and %d elements are allowed", len(name), len(elements), limit, maxDepth)
	}
	if fault := textFault(name); fault != "" {
		return refuse(name, ErrUnsafeName, "%s", fault)
	}
	for _, element := range elements {
		if len(element) > maxElement {
			return refuse(name, ErrTooLarge, "an element of %d bytes, at most %d are allowed", len(element), maxElement)
		}
		if fault := elementFault(element); fault != "" {
			return refuse(name, ErrUnsafeName, "%s", fault)
		}
	}
	return nil
}

// textFault says what is wrong with the characters of a name, "" if nothing is. Unseen characters are refused
// because some file systems drop them, and because they make one name look like another.
func textFault(name string) string {
	switch {
	case !utf8.ValidString(name):
		return "not UTF-8"
	case strings.Contains(name, `\`):
		return "contains a backslash"
	case strings.Contains(name, ":"):
		return "contains a colon (a drive letter or a stream on Windows)"
	case strings.ContainsFunc(name, unseen):
		return "contains control or formatting characters"
	}
	return ""
}

func unseen(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}

// elementFault says what is wrong with one element of a path, "" if nothing is.
func elementFault(element string) string {
	switch {
	case element == "":
		return "absolute, or with an empty element"
	case element == "." || element == "..":
		return "has a " + element + " element"
	case strings.HasSuffix(element, ".") || strings.HasSuffix(element, " "):
		return "has an element ending in a dot or a space, which Windows drops"
	case isDevice(element):
		return "has an element that Windows takes for a device"
	}
	return ""
}

// isDevice recognises the names reserved by Windows, with any extension and in any case:
// https://learn.microsoft.com/windows/win32/fileio/naming-a-file#naming-conventions
func isDevice(element string) bool {
	base, _, _ := strings.Cut(element, ".")
	base = strings.ToUpper(strings.TrimRight(base, " "))
	switch base {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return true
	}
	number, ok := strings.CutPrefix(base, "COM")
	if !ok {
		number, ok = strings.CutPrefix(base, "LPT")
	}
	return ok && utf8.RuneCountInString(number) == 1 && strings.Contains("0123456789¹²³", number)
}

// paths is what has been claimed so far, by folded path.
type paths map[string]claim

type claim struct {
	path     string // as spelled
	dir      bool
	explicit bool // has an entry of its own, rather than being the parent of one
}

// checkPaths refuses entries that need the same path, or paths that some file system cannot tell apart.
func checkPaths(files []*zip.File) error {
	taken := make(paths, len(files))
	for _, f := range files {
		path := strings.TrimSuffix(f.Name, "/")
		if rival, ok := taken.add(fold(path), claim{path, isDir(f), true}); !ok {
			return refuse(f.Name, ErrDuplicate, "there is %q already", rival)
		}
	}
	return nil
}

// add claims a path and its parents, or returns the path that stands in the way.
func (p paths) add(folded string, c claim) (rival string, ok bool) {
	if i := strings.LastIndexByte(c.path, '/'); i >= 0 {
		parent := claim{path: c.path[:i], dir: true}
		if rival, ok := p.add(folded[:strings.LastIndexByte(folded, '/')], parent); !ok {
			return rival, false
		}
	}
	old, exists := p[folded]
	if exists && (old.path != c.path || !old.dir || !c.dir || old.explicit && c.explicit) {
		return old.path, false
	}
	c.explicit = c.explicit || old.explicit
	p[folded] = c
	return "", true
}

// fold maps names that differ by case or by Unicode normalisation only to one string. Slashes stay where they are.
func fold(name string) string {
	return strings.Map(foldRune, norm.NFD.String(name))
}

// foldRune returns the smallest of the characters that differ from r by case only.
func foldRune(r rune) rune {
	smallest := r
	for c := unicode.SimpleFold(r); c != r; c = unicode.SimpleFold(c) {
		smallest = min(smallest, c)
	}
	return smallest
}
