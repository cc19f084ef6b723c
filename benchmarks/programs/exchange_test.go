//go:build halide

package programs

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gowarp/autoscheduler"
	"gowarp/benchmarks/harness"
	"gowarp/gpusim/libcuda/simulator"
	"gowarp/halideir"
	"gowarp/internal/plan"
	"gowarp/internal/ptxas"
)

// A tap reads a stage, by its number, at an offset.
type tap struct {
	from, dx, dy int
	weight       uint32
}

// A dag is stages of weighted sums of 32-bit integers, each of those before it. The first is the image, the last the output.
// A value tells which point of which stage it is: an image of random numbers hardly ever gives one twice.
type dag [][]tap

func (d dag) name(stage int) string {
	if stage == 0 {
		return "in"
	}
	return string(rune('a' + stage - 1))
}

// String is the parameter of testdata/exchange.cc.
func (d dag) String() string {
	var stages []string
	for i := 1; i < len(d); i++ {
		words := []string{d.name(i)}
		for _, t := range d[i] {
			words = append(words, fmt.Sprintf("%s,%d,%d,%d", d.name(t.from), t.dx, t.dy, t.weight))
		}
		stages = append(stages, strings.Join(words, ":"))
	}
	return strings.Join(stages, ";")
}

// randomDAG draws one of some stages, with offsets to reach.
func randomDAG(seed uint64, stages, reach int) dag {
	r := rand.New(rand.NewPCG(seed, 0))
	d := dag{nil}
	for i := 1; i <= stages; i++ {
		var taps []tap
		seen := map[[3]int]bool{}
		for len(taps) < 3+r.IntN(3) {
			t := tap{from: i - 1, dx: r.IntN(2*reach+1) - reach, dy: (r.IntN(3) - 1) * r.IntN(2), weight: 2*r.Uint32N(1000) + 3}
			if i > 1 && len(taps) > 0 && r.IntN(3) == 0 {
				t.from = i - 2
			}
			if at := [3]int{t.from, t.dx, t.dy}; !seen[at] {
				seen[at] = true
				taps = append(taps, t)
			}
		}
		d = append(d, taps)
	}
	return d
}

type place struct{ stage, x, y int }

// evaluate computes a dag over an image: every stage at every point of a rectangle around it.
func (d dag) evaluate(image *harness.Array, width, height, around int) map[place]uint32 {
	values := map[place]uint32{}
	for stage := range d {
		// Each stage reads beyond its own rectangle: the first one's is the largest.
		rim := around * (len(d) - stage)
		for y := -rim; y < height+rim; y++ {
			for x := -rim; x < width+rim; x++ {
				v := uint32(0)
				if stage == 0 {
					v = uint32(image.Int(min(max(y, 0), height-1)*width + min(max(x, 0), width-1)))
				}
				for _, t := range d[stage] {
					v += values[place{t.from, x + t.dx, y + t.dy}] * t.weight
				}
				values[place{stage, x, y}] = v
			}
		}
	}
	return values
}

// exchange is what a shuffle gets: from so many lanes further the register of one point of a row of a stage.
type exchange struct{ stage, lanes, point, row int }

// exchanges are those of a kernel by brute force, and for each the lanes that need it. Where a point of a stage lies in a tile follows
// from nothing but what its readers need: the first element that they do is the first of lane 0.
type exchanges struct {
	d      dag
	k      *plan.Kernel
	member map[int]*plan.Member // by stage; the output's is nil
	lo, hi map[int][2]int       // of what a tile needs, from the origin of the tile on
	all    map[exchange]uint32  // the lanes that need each
}

func newExchanges(d dag, p *halideir.Pipeline, k *plan.Kernel) (*exchanges, error) {
	last := len(d) - 1
	e := &exchanges{d: d, k: k, member: map[int]*plan.Member{last: nil}, lo: map[int][2]int{}, hi: map[int][2]int{}, all: map[exchange]uint32{}}
	for i := range k.Members {
		m := &k.Members[i]
		stage := slices.IndexFunc(d, func([]tap) bool { return true })
		for stage < len(d) && d.name(stage) != p.Funcs[m.Func].Label {
			stage++
		}
		if stage == len(d) {
			return nil, fmt.Errorf("%s, a member, is no stage", p.Funcs[m.Func].Label)
		}
		e.member[stage] = m
	}
	e.hi[last] = [2]int{int(k.Warp.Width) - 1, int(k.Warp.Rows) - 1}
	e.lo[last] = [2]int{}
	for s := last; s > 0; s-- {
		for _, t := range d[s] {
			lo, hi := [2]int{e.lo[s][0] + t.dx, e.lo[s][1] + t.dy}, [2]int{e.hi[s][0] + t.dx, e.hi[s][1] + t.dy}
			if old, ok := e.lo[t.from]; ok {
				for i := range lo {
					lo[i], hi[i] = min(lo[i], old[i]), max(hi[i], e.hi[t.from][i])
				}
			}
			e.lo[t.from], e.hi[t.from] = lo, hi
		}
	}
	for s := range e.member {
		if err := e.of(s); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// reads are the members that a stage reads, through what is computed where it is read.
func (e *exchanges) reads(stage, dx, dy int, f func(t tap)) {
	for _, t := range e.d[stage] {
		t.dx, t.dy = t.dx+dx, t.dy+dy
		if _, stored := e.member[t.from]; stored {
			f(t)
		} else {
			e.reads(t.from, t.dx, t.dy, f)
		}
	}
}

// of adds the exchanges that one stage needs.
func (e *exchanges) of(stage int) (err error) {
	points := int(e.k.Warp.Points)
	for y := e.lo[stage][1]; y <= e.hi[stage][1]; y++ {
		for x := e.lo[stage][0]; x <= e.hi[stage][0]; x++ {
			lane, _ := holder(x-e.lo[stage][0], points)
			e.reads(stage, 0, 0, func(t tap) {
				from, point := holder(x+t.dx-e.lo[t.from][0], points)
				if from < 0 || from >= plan.WarpLanes {
					err = fmt.Errorf("%s at %d,%d reads %s, which no lane holds there", e.d.name(stage), x, y, e.d.name(t.from))
					return
				}
				row := y + t.dy - e.lo[t.from][1]
				m := e.member[t.from]
				// Demoted are the first rows, and of a row the first points.
				if from != lane && int64(row*points+point) >= m.Demoted {
					e.all[exchange{t.from, from - lane, point, row}] |= 1 << lane
				}
			})
		}
	}
	return err
}

// holder is the lane, and its point, that hold an element of a row: by going through all of them.
func holder(element, points int) (lane, point int) {
	for lane := range plan.WarpLanes {
		for point := range points {
			if element == lane*points+point {
				return lane, point
			}
		}
	}
	return -1, -1
}

// check compares what was traced with what must be: every shuffle gets the register of one point of a row of a stage from the lane that
// holds it, in all lanes that need it, and there is one for everything that another lane holds.
func (e *exchanges) check(trace []simulator.ShuffleLine, values map[place]uint32, width, height int) (faults []string, seen map[exchange]bool) {
	points := map[uint32]place{}
	for at, v := range values {
		if _, twice := points[v]; twice {
			at.stage = -1
		}
		points[v] = at
	}
	seen = map[exchange]bool{}
	meaning, whole := map[int]exchange{}, map[int]bool{}
	registers := map[string]exchange{} // what a register holds, as far as its lanes go
	fault := func(s *simulator.ShuffleLine, format string, args ...any) {
		faults = append(faults, fmt.Sprintf("line %d, block %v, warp %d: %s", s.Line, s.Block, s.Warp, fmt.Sprintf(format, args...)))
	}
	corner := func(s *simulator.ShuffleLine) (x0, y0 int) {
		return s.Block[0] * int(e.k.Warp.Width), s.Block[1]*int(e.k.Warp.Rows*e.k.Warp.Warps) + s.Warp*int(e.k.Warp.Rows)
	}
	// What a lane gets is this, if it is anything.
	gets := func(s *simulator.ShuffleLine, lane int) (exchange, bool) {
		x0, y0 := corner(s)
		from := s.From[lane]
		if s.Lanes>>lane&1 == 0 || s.Undefined>>from&1 != 0 {
			return exchange{}, false
		}
		at, ok := points[s.Values[from]]
		if !ok || at.stage < 0 {
			return exchange{}, false
		}
		element := at.x - x0 - e.lo[at.stage][0]
		return exchange{at.stage, from - lane, element - from*int(e.k.Warp.Points), at.y - y0 - e.lo[at.stage][1]}, true
	}
	for i := range trace {
		s := &trace[i]
		x0, y0 := corner(s)
		// Only tiles of which all that they need lies within the image: beyond its edge values repeat.
		if x0+e.lo[0][0] < 0 || y0+e.lo[0][1] < 0 || x0+e.hi[0][0] >= width || y0+e.hi[0][1] >= height {
			continue
		}
		gets := func(lane int) (exchange, bool) { return gets(s, lane) }
		got, ok := gets(0)
		if !ok {
			fault(s, "lane 0 gets no point of any stage from lane %d", s.From[0])
			continue
		}
		lanes, ok := e.all[got]
		if !ok {
			fault(s, "it gets %+v, which nothing needs", got)
			continue
		}
		for lane := range plan.WarpLanes {
			if lanes>>lane&1 == 0 {
				continue
			}
			if other, ok := gets(lane); !ok || other != got {
				fault(s, "lane %d gets %+v (%t) from lane %d, lane 0 gets %+v", lane, other, ok, s.From[lane], got)
			}
		}
		held := got
		held.lanes = 0
		if old, ok := registers[s.Register]; ok && old != held {
			fault(s, "register %s holds %+v, elsewhere %+v", s.Register, held, old)
		}
		if old, ok := meaning[s.Line]; ok && old != got {
			fault(s, "it gets %+v, elsewhere %+v", got, old)
		}
		meaning[s.Line], registers[s.Register], seen[got], whole[s.Line] = got, held, true, true
	}
	// The code of tiles at an edge is its own: of its shuffles those lanes tell whose values stand in the image once: its first and last columns are repeated beyond it.
	inner := maps.Clone(whole)
	for i := range trace {
		s := &trace[i]
		if inner[s.Line] {
			continue
		}
		x0, _ := corner(s)
		got, ok := gets(s, 0)
		lanes := e.all[got]
		if !ok || lanes == 0 {
			continue // a row beyond the image; another warp has to tell
		}
		for lane := range plan.WarpLanes {
			x := x0 + e.lo[got.stage][0] + (lane+got.lanes)*int(e.k.Warp.Points) + got.point
			if other, ok := gets(s, lane); lanes>>lane&1 != 0 && x > 0 && x < width-1 && (!ok || other != got) {
				fault(s, "at the edge lane %d gets %+v (%t), lane 0 gets %+v", lane, other, ok, got)
			}
		}
		whole[s.Line] = true
	}
	for i := range trace {
		if !whole[trace[i].Line] && len(faults) == 0 {
			fault(&trace[i], "no warp within the image ran it")
		}
	}
	for _, want := range slices.SortedFunc(maps.Keys(e.all), func(a, b exchange) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) }) {
		if !seen[want] {
			faults = append(faults, fmt.Sprintf("nothing gets %+v", want))
		}
	}
	return faults, seen
}

// TestShuffles: for every shuffle of the PTX, the lane that it takes from and the register that it takes are those that a search through
// all lanes and points finds, for what the stages need of each other; none is missing and none is more. What a register holds is known by its
// value. Hybrids exchange what is left in registers, and of tiles in shared memory no lane asks another.
func TestShuffles(t *testing.T) {
	cases := []struct {
		d                   dag
		points, rows, warps int
		fraction            string
		sm                  int
	}{
		{randomDAG(1, 2, 2), 1, 3, 2, "1", 75},
		{randomDAG(2, 3, 2), 2, 3, 2, "1", 86},
		{randomDAG(3, 2, 4), 4, 2, 1, "1", 50},
		{randomDAG(4, 4, 1), 1, 3, 2, "0.5", 86},
		{randomDAG(1, 4, 2), 2, 3, 2, "0.75", 75},
		{randomDAG(2, 3, 3), 4, 1, 1, "0.3", 86},
		{randomDAG(1, 3, 3), 2, 3, 2, "0", 86},
	}
	for i, c := range cases {
		t.Run(fmt.Sprintf("%d-%dx%dx%d-%s", i, c.points, c.rows, c.warps, c.fraction), func(t *testing.T) {
			t.Parallel()
			tree, err := harness.Find()
			if err != nil {
				t.Fatal(err)
			}
			params := map[string]string{"tiling": "warp-hybrid", "frac_reg": c.fraction, "cost": "issue", "max_registers": "255", "warp_tile": fmt.Sprintf("%dx%dx%d", c.points, c.rows, c.warps)}
			g := harness.Generator{Source: "benchmarks/programs/testdata/exchange.cc", Name: "exchange", Params: map[string]string{"stages": c.d.String()}}
			target := fmt.Sprintf("host-cuda-cuda_capability_%d", c.sm)
			p, k := planOf(t, tree, g, target, params)
			e, err := newExchanges(c.d, p, k)
			if err != nil {
				t.Fatal(err)
			}
			if len(e.all) == 0 != (c.fraction == "0") {
				t.Fatalf("%d exchanges are needed", len(e.all))
			}

			width, height := 3*int(k.Warp.Width)+5, 3*int(k.Warp.Rows*k.Warp.Warps)+10
			r := rand.New(rand.NewPCG(uint64(i), 1))
			image := harness.NewArray(harness.U32, width, height)
			for i := range width * height {
				binary.LittleEndian.PutUint32(image.Data[4*i:], r.Uint32())
			}
			values := c.d.evaluate(image, width, height, 5)
			emission, err := tree.Emit(g, harness.EmitOptions{Target: target, Scheduler: harness.Gowarp(params)})
			if err != nil {
				t.Fatal(err)
			}
			program, err := tree.Link(emission)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(t.TempDir(), "shuffles.jsonl")
			s, err := program.SimulateWith(harness.Args{"input": image}, map[string][]int{"output": {width, height}}, harness.SimulateOptions{Capability: c.sm, Shuffles: file})
			if err != nil || s.Failure != nil || s.Report == nil {
				t.Fatalf("%v, %+v", err, s)
			}
			for _, f := range s.Report.Findings {
				if !f.Kind.Note() {
					t.Error(f)
				}
			}
			for y := range height {
				for x := range width {
					if got, want := uint32(s.Results["output"].Int(y*width+x)), values[place{len(c.d) - 1, x, y}]; got != want {
						t.Fatalf("output at %d,%d is %v, want %v", x, y, got, want)
					}
				}
			}
			trace := traceOf(t, file)
			if lines, n := distinctLines(trace), shufflesIn(t, emission, s.Report); len(lines) != n {
				t.Errorf("%d shuffles are in the PTX of what ran, %d were traced", n, len(lines))
			}
			faults, seen := e.check(trace, values, width, height)
			for _, f := range faults[:min(len(faults), 10)] {
				t.Error(f)
			}
			t.Logf("%d stages, %d members, %d shuffles traced of %d instructions, %d exchanges", len(c.d), len(k.Members), len(trace), len(distinctLines(trace)), len(seen))
			if len(trace) > 0 {
				e.mustFind(t, trace, values, width, height)
			}
		})
	}
}

// mustFind breaks what was traced in each way that matters, and wants it found.
func (e *exchanges) mustFind(t *testing.T, trace []simulator.ShuffleLine, values map[place]uint32, width, height int) {
	t.Helper()
	// Blocks are traced in any order.
	line := slices.MinFunc(trace, func(a, b simulator.ShuffleLine) int { return a.Line - b.Line }).Line
	for name, breaks := range map[string]func(s *simulator.ShuffleLine){
		// One lane further may be another exchange that is needed.
		"half a warp further": func(s *simulator.ShuffleLine) {
			for lane := range s.From {
				s.From[lane] = (s.From[lane] + plan.WarpLanes/2) % plan.WarpLanes
			}
		},
		"one lane of them": func(s *simulator.ShuffleLine) { s.From[3] = (s.From[3] + 1) % plan.WarpLanes },
		"another register": func(s *simulator.ShuffleLine) {
			for lane := range s.Values {
				s.Values[lane] = ^s.Values[lane]
			}
		},
		"the register of another lane": func(s *simulator.ShuffleLine) {
			first := s.Values[0]
			copy(s.Values[:], s.Values[1:])
			s.Values[plan.WarpLanes-1] = first
		},
	} {
		broken := slices.Clone(trace)
		for i := range broken {
			if broken[i].Line == line {
				breaks(&broken[i])
			}
		}
		if faults, _ := e.check(broken, values, width, height); len(faults) == 0 {
			t.Errorf("%s of line %d is not found", name, line)
		}
	}
	// One shuffle that is not there: unless another gets the same.
	left := slices.DeleteFunc(slices.Clone(trace), func(s simulator.ShuffleLine) bool { return s.Line != line })
	if faults, _ := e.check(left, values, width, height); len(e.all) > 1 && len(faults) == 0 {
		t.Error("that all other shuffles are gone is not found")
	}
}

// planOf schedules a generator's pipeline and returns its one kernel, a tile a warp.
func planOf(t *testing.T, tree *harness.Tree, g harness.Generator, target string, params map[string]string) (*halideir.Pipeline, *plan.Kernel) {
	t.Helper()
	// Stencils without updates are the same pipeline with any parameters; the quickest will do.
	p, _, err := tree.Export(g, harness.EmitOptions{Target: target, Scheduler: harness.Gowarp(map[string]string{"mode": "autogpu", "check": "0"})})
	if err != nil {
		t.Fatal(err)
	}
	prm, err := autoscheduler.ParseParams(params)
	if err != nil {
		t.Fatal(err)
	}
	r, err := autoscheduler.Run(p, prm)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Found) != 1 || len(r.Found[0].Layout.Kernels) != 1 || r.Found[0].Layout.Kernels[0].Warp == nil {
		t.Fatalf("%d groups; this is for one kernel of a tile a warp", len(r.Found))
	}
	return p, r.Found[0].Layout.Kernels[0]
}

func traceOf(t *testing.T, file string) []simulator.ShuffleLine {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []simulator.ShuffleLine
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		var s simulator.ShuffleLine
		if err := json.Unmarshal(in.Bytes(), &s); err != nil {
			t.Fatal(err)
		}
		all = append(all, s)
	}
	return all
}

func distinctLines(trace []simulator.ShuffleLine) map[int]bool {
	lines := map[int]bool{}
	for i := range trace {
		lines[trace[i].Line] = true
	}
	return lines
}

// shufflesIn counts the shuffles in the PTX of the kernels that ran: with vectors a kernel stands twice, and the host launches one of the two.
func shufflesIn(t *testing.T, e *harness.Emission, report *simulator.Report) int {
	t.Helper()
	code, err := e.PTX()
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for name, body := range ptxas.Bodies(code) {
		for _, k := range report.Kernels {
			if k.Name == name && slices.ContainsFunc(k.Shapes, func(s simulator.Shape) bool { return s.Launches > 0 }) {
				n += strings.Count(body, "shfl.")
			}
		}
	}
	return n
}
