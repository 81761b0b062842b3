package ocilayout

import (
	"fmt"
	"strings"
	"unicode"
)

// maxShown is how many characters of a text from outside get into a message.
const maxShown = 200

// shown makes a text from outside fit for a message: in one line, not too long.
func shown(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '?'
		}
		return r
	}, fmt.Sprintf("%.*s", maxShown, text))
}
