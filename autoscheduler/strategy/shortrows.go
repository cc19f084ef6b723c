package strategy

import "gowarp/internal/plan"

// Short rows leave lanes of the usual widths idle: of 100 columns with four points a thread seven of 32, of 7 columns 25. Such a row is a block's width as it is, and as many rows of threads as fill whole warps are its height.

// maxRow is the most threads of such a row. Beyond it fewer lanes are idle, and a width that fits one size of an image does no better at others
// (interpolate, whose levels had rows of up to 99 threads, issued .6 % more at half the size).
const maxRow = plan.WarpLanes

// idleShare is how much of the lanes may be idle before a row has a width of its own.
const idleShare = 0.1

// rowOfThreads is how many threads with so many points cover a row of that extent; 0 where a usual width does about as well.
func rowOfThreads(extent, points int64) int64 {
	threads := ceilDiv(extent, points)
	if threads > maxRow || extent < points {
		return 0
	}
	if whole := ceilDiv(threads, plan.WarpLanes) * plan.WarpLanes; float64(whole-threads) < idleShare*float64(whole) {
		return 0
	}
	return threads
}

// fullWarps is how many rows of so many threads fill one to four warps, or eight, best.
func fullWarps(row int64) []int64 {
	var out []int64
	for _, warps := range []int64{1, 2, 3, 4, 8} {
		rows := warps * plan.WarpLanes / row
		if rows >= 1 && (len(out) == 0 || out[len(out)-1] != rows) {
			out = append(out, rows)
		}
	}
	return out
}
