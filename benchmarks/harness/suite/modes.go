package suite

import (
	"crypto/sha256"
	"fmt"
	"hash/fnv"
	"maps"
	"os"
	"strings"
	"testing"

	"gowarp/autoscheduler"
	"gowarp/benchmarks/harness"
	"gowarp/benchmarks/harness/rows"
)

// mode is a way of gowarp's other than the default.
type mode struct {
	name   string // of the subtest, and so of its folder: generators take no = in a value
	params map[string]string
	lanes  bool // needs CUDA
}

var modes = []mode{
	{"autogpu", map[string]string{"mode": "autogpu"}, false},
	{"autogpu-fusion-none", map[string]string{"mode": "autogpu", "fusion": "none"}, false},
	{"autogpu-fusion-overlap", map[string]string{"mode": "autogpu", "fusion": "overlap"}, false},
	{"autogpu-fusion-auto", map[string]string{"mode": "autogpu", "fusion": "auto"}, false},
	{"autogpu-cost-listing1-prose", map[string]string{"mode": "autogpu", "cost": "listing1-prose"}, false},
	{"autogpu-tiling-block-window", map[string]string{"mode": "autogpu", "tiling": "block-window"}, false},
	{"tiling-block-window", map[string]string{"tiling": "block-window"}, false},
	{"tiling-warp-registers", map[string]string{"tiling": "warp-registers"}, true},
	{"cost-issue", map[string]string{"cost": "issue"}, false},
	{"polymage", map[string]string{"mode": "polymage"}, false},
}

// hasTurn reports whether a program tries its ith mode without AllEnv: of the two that are half of all apart, one. The
// 14 is a number with which each mode has one to five of the programs that there are.
func hasTurn(drawn, i int) bool {
	half := len(modes) / 2
	return (drawn+i)%half == 0 && ((drawn+i)/half+drawn/14)%2 == 0
}

// modeSizes are those at which modes run: of whole tiles, of none, and smaller than a tile.
func (p Program) modeSizes() [][2]int {
	size := p.Simulated
	if size == [2]int{} {
		size = [2]int{163, 75}
	}
	whole := size
	for d, n := range size {
		if n >= 16 {
			whole[d] = n / 16 * 16
		}
	}
	sizes := [][2]int{whole, size}
	if n := len(p.Sizes); n > 0 {
		sizes = append(sizes, p.Sizes[n-1])
	}
	return sizes
}

// drawn is a number by the program's name: of what not every program tries, it says which is this one's.
func (p Program) drawn() int {
	h := fnv.New32a()
	h.Write([]byte(p.Generator.Name))
	return int(h.Sum32() % 1000)
}

// one is what is drawn of a list for the program, if there is anything in it.
func one[T any](p Program, list []T) []T {
	if len(list) == 0 {
		return nil
	}
	return list[p.drawn()%len(list):][:1]
}

// modes tries the program in gowarp's other modes: ptxas accepts the kernels at the estimated
// size and every GPU can launch them, on the simulator and on OpenCL the result is the
// CPU's, with no finding. Without AllEnv one mode has one of these at one size, drawn
// by the program's name, so that over the programs all have their turn; with it each mode has every
// capability, each with a size of its own. What two modes schedule alike, to the same code, is tried once.
func (p Program) modes(t *testing.T, tree *harness.Tree) {
	all := wantsAll()
	_, root := p.emit(t, tree, harness.EmitOptions{Target: "host", Scheduler: p.plain()})
	drawn := p.drawn()
	tried := map[string]string{} // the mode that had this schedule and code first
	for i, m := range modes {
		turn := drawn + i
		if !all && !hasTurn(drawn, i) {
			continue
		}
		t.Run(m.name, func(t *testing.T) {
			at := p
			at.mode, at.unrecorded = m.params, true
			own := harness.EmitOptions{Scheduler: at.scheduler(nil)}
			if tiled(m.params) {
				at.code(t, tree, tabulated)
				at.source(t, tree)
			}
			if all {
				for c, sm := range capabilities {
					t.Run(fmt.Sprintf("sm_%d", sm), func(t *testing.T) {
						code := at.code(t, tree, sm)
						if first, ok := tried[code]; ok {
							t.Skipf("the same code as of %s", first)
						}
						tried[code] = m.name
						at.cuda(t, tree, sm)
						sizes := p.modeSizes()
						at.simulateOn(t, tree, root, m.name, own, right, sizes[(turn+c)%len(sizes)], []int{sm}, rows.Simulated)
					})
				}
				if !m.lanes {
					t.Run("opencl", func(t *testing.T) { at.opencl(t, tree) })
				}
				return
			}
			sizes := p.modeSizes()
			turn = drawn / len(modes)
			size := sizes[turn/4%len(sizes)]
			if turn%4 == len(capabilities) && !m.lanes {
				at.Sizes = [][2]int{size}
				at.opencl(t, tree)
				return
			}
			at.Sizes = nil
			sm := capabilities[turn%len(capabilities)]
			at.cuda(t, tree, sm)
			at.simulateOn(t, tree, root, m.name, own, right, size, []int{sm}, rows.Simulated)
		})
	}
}

// notAsAsked is how gowarp refuses a tiling that was asked for by name and is none of the pipeline's.
const notAsAsked = "no kernel of this pipeline is done so"

// code is a digest of the lowered pipeline and its device code for a capability. Programs that have no kernel for the
// mode's tiling skip it.
func (p Program) code(t *testing.T, tree *harness.Tree, sm int) string {
	t.Helper()
	e, err := tree.Emit(p.Generator, harness.EmitOptions{Target: cudaTarget(sm), Scheduler: p.scheduler(nil)})
	switch {
	case err != nil && p.mode["tiling"] != "" && strings.Contains(err.Error(), notAsAsked):
		t.Skip(err)
	case err != nil:
		t.Fatal(err)
	}
	h := sha256.New()
	for _, ext := range []string{"stmt", "device_code"} {
		data, err := os.ReadFile(e.File(ext))
		if err != nil {
			t.Fatal(err)
		}
		h.Write(data)
	}
	return string(h.Sum(nil))
}

func cudaTarget(sm int) string { return fmt.Sprintf("host-cuda-cuda_capability_%d", sm) }

// tiled reports whether a mode lays its tiles out in ways of their own, whose kernels may
// exist twice: for whole points and for what is left.
func tiled(mode map[string]string) bool {
	p, err := autoscheduler.ParseParams(mode)
	return err == nil && p.Tiling != "block"
}

// with is a set of parameters with more of them.
func with(params, more map[string]string) map[string]string {
	out := maps.Clone(params)
	if out == nil {
		out = map[string]string{}
	}
	maps.Copy(out, more)
	return out
}
