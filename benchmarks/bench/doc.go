// Package bench builds programs x schedulers x targets and records what came of each as a
// line of JSON: how long scheduling and lowering took, what the kernels use of a device and
// what they do on the simulator. A cell runs in a process of its own with limits of time
// and memory, and is run again only when something that it is made from changes. Package
// report makes tables and plots of the lines.
//
// It knows generators by their source and schedulers by the names that Halide knows them
// by. It does not know which program or scheduler is whose, and it times no kernel: there
// is nothing to run one on.
package bench
