package main

// published is what Jangda and Guha 2020 print of a program, on a GTX 1080 Ti.
type published struct {
	program string // ours
	title   string // theirs, in short
	// Table 2.
	stages int
	size   string
	fusion float64 // seconds
	// Table 4, milliseconds.
	halide, polymage float64
	// Table 5, per cent, of hybrid tiles over tiles of warps in shared memory.
	fewerLoads, moreOccupancy float64
}

// paper are tables 2, 4 and 5.
var paper = []published{
	{"unsharp", "UM", 4, "4256x2832x3", .05, 1.50, 1.00, 2.51, 0},
	{"harris", "HC", 11, "4256x2832", .15, 1.80, .80, 20.0, 9.10},
	{"bilateral_grid", "BG", 7, "2560x1536", .02, .40, .32, 4.50, 0},
	{"interpolate", "MI", 49, "2560x1536x3", 10, 1.65, 1.26, 5.30, 0},
	{"camera_pipe", "CP", 32, "2592x1968", 17, 1.90, 1.04, 5.21, 1.70},
	{"pyramid_blend", "PB", 44, "3840x2160x3", 28, 5.80, 2.90, 9.12, -5.40},
}

// Geometric means that section 7.2.1 states of figure 9, whose bars are not printed as numbers: tiles of warps in shared memory over the schedules
// by hand, and hybrid tiles over those.
const (
	sharedOverHand   = 1.32
	hybridOverShared = 1.25
)
