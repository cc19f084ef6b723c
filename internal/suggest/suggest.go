// Package suggest finds the word that was probably meant.
package suggest

import (
	"fmt"
	"strings"

	"github.com/xrash/smetrics"
)

// Nearest is ` (did you mean "x"?)` for the one of words that is nearest to a word, if one is
// within two typing errors, of a short word within fewer, and any of capitals; else "".
func Nearest(word string, words []string) string {
	best, dist := "", min(3, (len(word)+1)/2)
	for _, w := range words {
		if d := smetrics.WagnerFischer(strings.ToLower(word), strings.ToLower(w), 1, 1, 1); d < dist {
			best, dist = w, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %q?)", best)
}
