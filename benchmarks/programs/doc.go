// Package programs holds gowarp's own Halide generators, one a folder, each with an
// independent reference. They are stock generators: nothing in them knows of gowarp.
package programs
