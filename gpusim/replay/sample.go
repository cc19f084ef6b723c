package replay

// A stratum is blocks of a grid that lie alike: at its first edge, its last, or between, in each dimension. Guards, clamps and whole groups of points make
// such blocks run alike, whatever the size of the grid.
type stratum struct {
	from, size [3]int // a box of blocks
	grid       [3]int
}

// strata takes a grid apart; the one between all edges, or what is nearest to it, first.
func strata(grid [3]int) []stratum {
	var parts [3][][2]int // where each begins, and how long it is
	for d, n := range grid {
		switch {
		case n > 2:
			parts[d] = [][2]int{{1, n - 2}, {0, 1}, {n - 1, 1}}
		case n == 2:
			parts[d] = [][2]int{{0, 1}, {1, 1}}
		default:
			parts[d] = [][2]int{{0, 1}}
		}
	}
	var out []stratum
	for _, z := range parts[2] {
		for _, y := range parts[1] {
			for _, x := range parts[0] {
				out = append(out, stratum{from: [3]int{x[0], y[0], z[0]}, size: [3]int{x[1], y[1], z[1]}, grid: grid})
			}
		}
	}
	return out
}

func (s *stratum) blocks() int { return s.size[0] * s.size[1] * s.size[2] }

// block is the number in the grid of one of its blocks.
func (s *stratum) block(n int) int {
	x, y, z := n%s.size[0], n/s.size[0]%s.size[1], n/(s.size[0]*s.size[1])
	return ((s.from[2]+z)*s.grid[1]+s.from[1]+y)*s.grid[0] + s.from[0] + x
}

// sample is n of its blocks, all different and scattered over it: steps of the golden section meet neither a row nor a column again and again.
func (s *stratum) sample(n int) []int {
	total := s.blocks()
	n = min(n, total)
	step := max(1, int(float64(total)*0.6180339887498949))
	for divisor(step, total) != 1 {
		step++
	}
	out := make([]int, n)
	for i, at := 0, total/2; i < n; i, at = i+1, (at+step)%total {
		out[i] = s.block(at)
	}
	return out
}

// divisor is the greatest that both have.
func divisor(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// share is how many blocks of each stratum run if about most are to in all: one at least, and of the rest as many as it has of all blocks.
func share(all []stratum, most int) []int {
	total := 0
	for i := range all {
		total += all[i].blocks()
	}
	out := make([]int, len(all))
	rest := max(0, most-len(all))
	for i := range all {
		n := all[i].blocks()
		out[i] = min(n, 1+int(int64(rest)*int64(n)/int64(max(total, 1))))
		if most >= total {
			out[i] = n
		}
	}
	return out
}
