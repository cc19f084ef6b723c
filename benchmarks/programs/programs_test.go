//go:build halide

package programs

// No size is a multiple of a power of two of tiles but the first; the last is smaller
// than any tile.
var sizes = [][2]int{{512, 384}, {451, 300}, {131, 77}, {33, 9}, {7, 5}}
