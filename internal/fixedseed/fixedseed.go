// Package fixedseed makes the random tests of a package that imports it draw the same
// cases on every run; -rapid.seed on the command line still decides. It is for tests only.
package fixedseed

import (
	"flag"

	_ "pgregory.net/rapid" // whose flags must exist before they are set
)

func init() {
	if err := flag.Set("rapid.seed", "20201118"); err != nil {
		panic(err)
	}
}
