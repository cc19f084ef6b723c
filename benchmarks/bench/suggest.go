package bench

import (
	"fmt"

	"github.com/xrash/smetrics"
)

// nearest is ` (did you mean "x"?)` for the word that was probably meant, if one is near.
func nearest(word string, words []string) string {
	best, dist := "", max(2, len(word)/2)
	for _, w := range words {
		if d := smetrics.WagnerFischer(word, w, 1, 1, 1); d < dist {
			best, dist = w, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %q?)", best)
}
