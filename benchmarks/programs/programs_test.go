//go:build halide

package programs

import (
	"strconv"

	"gowarp/benchmarks/harness/suite"
)

// No size is a multiple of a power of two of tiles but the first; the last is smaller
// than any tile.
var sizes = [][2]int{{512, 384}, {451, 300}, {131, 77}, {33, 9}, {7, 5}}

// images are the sizes of Sioutas et al. 2020, section 5, but for the usual one, 1536x2560,
// which the generators' estimates name.
var images = []suite.Scale{scale("width", 192, "height", 320), scale("width", 3840, "height", 2160)}

// scale is a size, and the GeneratorParams that ask for its width and its height.
func scale(width string, w int, height string, h int) suite.Scale {
	return suite.Scale{Size: [2]int{w, h}, Params: map[string]string{width: strconv.Itoa(w), height: strconv.Itoa(h)}}
}
