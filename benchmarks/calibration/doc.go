// Package calibration makes what a cost model is calibrated and judged by: schedules of a
// program at random over all that gowarp can make, each with what the costers see of it, what
// they predict, and what the simulator counts; and the report of how predictions and counts,
// or times on a GPU, rank alike.
//
// It knows costers as functions from a schedule to a number. It does not know what the number
// means, and it changes no constant of any.
package calibration
