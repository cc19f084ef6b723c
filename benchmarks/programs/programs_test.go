//go:build halide

package programs

import (
	"strconv"

	"gowarp/benchmarks/harness"
	"gowarp/benchmarks/harness/suite"
)

// names are all programs here.
var names = []string{"harris", "hist", "unsharp", "bilateral_grid", "mat_mul", "max_filter", "camera_pipe",
	"iir_blur", "stencil_chain", "interpolate", "local_laplacian", "nl_means", "lens_blur", "conv_layer",
	"pyramid_blend", "blur", "heat", "canny"}

// stock is a program's generator with its own defaults.
func stock(name string) harness.Generator {
	return harness.Generator{Source: "benchmarks/programs/" + name + "/" + name + ".cc", Name: name}
}

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
