package main

// published is what Jangda and Guha 2020 print of a program.
type published struct {
	program string // ours
	title   string // theirs, in short
	// Table 2.
	stages int
	size   string
	fusion float64 // seconds
	on     map[string]measured
}

// measured is what they print of it on a GPU.
type measured struct {
	// Table 4, milliseconds.
	halide, polymage float64
	// Table 5, per cent, of hybrid tiles over tiles of warps in shared memory.
	fewerLoads, moreOccupancy float64
}

// paper are tables 2, 4 and 5.
var paper = []published{
	{"unsharp", "UM", 4, "4256x2832x3", .05, map[string]measured{"gtx1080ti": {1.50, 1.00, 2.51, 0}, "v100": {.45, .39, 3.10, 0}}},
	{"harris", "HC", 11, "4256x2832", .15, map[string]measured{"gtx1080ti": {1.80, .80, 20.0, 9.10}, "v100": {.45, .29, 31.2, 0}}},
	{"bilateral_grid", "BG", 7, "2560x1536", .02, map[string]measured{"gtx1080ti": {.40, .32, 4.50, 0}, "v100": {.20, .20, 3.60, 0}}},
	{"interpolate", "MI", 49, "2560x1536x3", 10, map[string]measured{"gtx1080ti": {1.65, 1.26, 5.30, 0}, "v100": {.60, .54, 13.2, 10.0}}},
	{"camera_pipe", "CP", 32, "2592x1968", 17, map[string]measured{"gtx1080ti": {1.90, 1.04, 5.21, 1.70}, "v100": {.36, .30, 0, 16.6}}},
	{"pyramid_blend", "PB", 44, "3840x2160x3", 28, map[string]measured{"gtx1080ti": {5.80, 2.90, 9.12, -5.40}, "v100": {2.90, 1.30, 7.40, 13.8}}},
}

// stated are geometric means of a GPU that the text states: of table 4, of figure 9, whose bars are not printed as numbers (hybrid tiles over tiles of warps in
// shared memory), and over PolyMage's autotuner (section 7.2.2).
type stated struct {
	gpu, title                            string
	overHalide, overShared, overAutotuner float64
}

var gpus = []stated{
	{"gtx1080ti", "GTX 1080 Ti", 1.65, 1.25, 4.5},
	{"v100", "Tesla V100", 1.33, 1.28, 3.3},
}
