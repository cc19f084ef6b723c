//go:build halide

package bridge

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gowarp/halideir"
)

// found is a pipeline that can be asked by the names of the generator.
type found struct {
	*testing.T
	p *halideir.Pipeline
}

func (f found) fn(name string) *halideir.Func {
	f.Helper()
	for i := range f.p.Funcs {
		if f.p.Funcs[i].Name == name || strings.HasPrefix(f.p.Funcs[i].Name, name+"$") {
			return &f.p.Funcs[i]
		}
	}
	f.Fatalf("there is no Func %s", name)
	return nil
}

func (f found) input(name string) *halideir.Input {
	f.Helper()
	for i := range f.p.Inputs {
		if f.p.Inputs[i].Name == name {
			return &f.p.Inputs[i]
		}
	}
	f.Fatalf("there is no input %s", name)
	return nil
}

func (f found) constant(id halideir.NodeID) any {
	f.Helper()
	if id == halideir.NoNode {
		return nil
	}
	switch n := f.p.Nodes[id]; n.Op {
	case halideir.OpInt:
		return int(n.Int)
	case halideir.OpFloat:
		return n.Float
	default:
		f.Fatalf("node %d is no number but %v", id, n.Op)
		return nil
	}
}

// reached visits every node below roots once.
func (f found) reached(roots []halideir.NodeID, visit func(*halideir.Node)) {
	seen := map[halideir.NodeID]bool{}
	for todo := append([]halideir.NodeID(nil), roots...); len(todo) > 0; {
		id := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !seen[id] {
			seen[id] = true
			visit(&f.p.Nodes[id])
			todo = append(todo, f.p.Nodes[id].Args...)
		}
	}
}

func (f found) calls(name string, stage int) map[string]bool {
	called := map[string]bool{}
	s := f.fn(name).Stages[stage]
	f.reached(append(append([]halideir.NodeID(nil), s.Args...), s.Values...), func(n *halideir.Node) {
		if n.Op == halideir.OpCall && n.Call == halideir.CallHalide {
			base, _, _ := strings.Cut(f.p.Funcs[n.Func].Name, "$")
			called[base] = true
		}
	})
	return called
}

func features(t *testing.T) found { return found{t, decoded(t, dumpOf(t, "features"))} }

// Facts that follow from features.cc alone.
func TestEveryKindOfNodeAndVariable(t *testing.T) {
	f := features(t)
	ops := map[halideir.Op]bool{}
	kinds := map[halideir.VarKind]bool{}
	calls := map[halideir.CallType]bool{}
	for _, n := range f.p.Nodes {
		ops[n.Op] = true
		if n.Op == halideir.OpVar {
			kinds[n.Kind] = true
		}
		if n.Op == halideir.OpCall {
			calls[n.Call] = true
		}
	}
	for op := halideir.OpInt; op < halideir.OpLoad; op++ { // definitions hold no loads
		if !ops[op] {
			t.Errorf("no node is a %v", op)
		}
	}
	for k := halideir.VarDim; k <= halideir.VarHi; k++ {
		if !kinds[k] && k != halideir.VarOutput { // which TestHoldReads has
			t.Errorf("no variable is of kind %v", k)
		}
	}
	if kinds[halideir.VarFree] {
		t.Error("a variable was not recognised")
	}
	for _, c := range []halideir.CallType{halideir.CallHalide, halideir.CallImage, halideir.CallIntrinsic, halideir.CallPureIntrinsic, halideir.CallExtern, halideir.CallPureExtern} {
		if !calls[c] {
			t.Errorf("no call is of kind %v", c)
		}
	}
}

func TestNumbersAndStringsSurvive(t *testing.T) {
	f := features(t)
	floats := map[uint64]bool{}
	ints := map[int64]bool{}
	uints := map[uint64]bool{}
	strs := map[string]bool{}
	for _, n := range f.p.Nodes {
		switch n.Op {
		case halideir.OpFloat:
			floats[math.Float64bits(n.Float)] = true
		case halideir.OpInt:
			ints[n.Int] = true
		case halideir.OpUint:
			uints[uint64(n.Int)] = true
		case halideir.OpString:
			strs[n.Name] = true
		}
	}
	nan := false
	for b := range floats {
		nan = nan || math.IsNaN(math.Float64frombits(b))
	}
	for _, v := range []float64{math.Inf(1), math.Inf(-1), math.Copysign(0, -1), float64(float32(1e-45)), float64(float32(0.1))} {
		if !floats[math.Float64bits(v)] {
			t.Errorf("the float %v is missing", v)
		}
	}
	if !nan {
		t.Error("the NaN is missing")
	}
	if !ints[-9007199254740993] { // no float64 holds it
		t.Error("the integer -9007199254740993 is missing")
	}
	if !uints[math.MaxUint64] {
		t.Error("the integer 2^64-1 is missing")
	}
	if want := " saw \"it\"\n\ttwice "; !strs[want] { // print_when puts the blanks
		t.Errorf("the string %q is missing from %v", want, strs)
	}
}

func TestFuncsAndStages(t *testing.T) {
	f := features(t)
	var outputs []string
	for _, id := range f.p.Outputs {
		outputs = append(outputs, f.p.Funcs[id].Name)
	}
	if diff := cmp.Diff([]string{"smooth", "histogram", "pair"}, outputs); diff != "" {
		t.Error(diff)
	}
	if n := len(f.fn("pair").Types); n != 2 {
		t.Errorf("pair has %d components", n)
	}
	if ty := f.fn("pair").Types[1]; ty.Code != halideir.Float || ty.Bits != 16 {
		t.Errorf("pair's second component is %v", ty)
	}
	if len(f.fn("scan").Stages) != 3 || len(f.fn("best").Stages) != 2 {
		t.Error("updates are missing")
	}

	sum := f.fn("sum__clone_in_base").Stages[1]
	if sum.Predicate == halideir.NoNode || f.fn("best").Stages[1].Predicate != halideir.NoNode {
		t.Error("where() belongs to sum_ alone")
	}
	if !sum.Associative || !sum.Commutative || f.fn("scan").Stages[1].Associative {
		t.Error("a sum is associative and commutative, a scan is not")
	}
	if got := []any{f.constant(sum.RVars[0].Min), f.constant(sum.RVars[0].Extent)}; !cmp.Equal(got, []any{-2, 5}) {
		t.Errorf("r.x runs from %v over %v", got[0], got[1])
	}
	var loops []string
	for _, l := range sum.Loops {
		loops = append(loops, l.Label+" "+string(l.Kind))
	}
	if diff := cmp.Diff([]string{"r.x impure_rvar", "r.y impure_rvar", "x pure", "y pure"}, loops); diff != "" {
		t.Error(diff)
	}
	// x is replaced by s in the scan, and data say where the histogram counts.
	if s := f.fn("scan").Stages[1]; len(s.Loops) != 2 || s.Loops[1].Label != "y" {
		t.Errorf("the scan's loops are %v", s.Loops)
	}
	if s := f.fn("histogram").Stages[1]; len(s.Loops) != 2 || s.Loops[0].RVar != 0 || s.Loops[1].RVar != 1 {
		t.Errorf("the histogram's loops are %v", s.Loops)
	}
	for i := range f.p.Funcs {
		if s := f.p.Funcs[i].Scheduled; len(s) > 0 {
			t.Errorf("%s is said to be scheduled: %v", f.p.Funcs[i].Name, s)
		}
	}
}

func TestCallsGoToWrappers(t *testing.T) {
	f := features(t)
	if got := f.calls("base", 0); !cmp.Equal(got, map[string]bool{"scan": true, "sum__clone_in_base": true}) {
		t.Errorf("base calls %v, want scan and the clone of sum_", got)
	}
	for _, c := range []struct{ caller, callee string }{
		{"left", "base_in_left"}, {"right", "base_global_wrapper"}, {"base_in_left", "base"}, {"base_global_wrapper", "base"},
	} {
		if got := f.calls(c.caller, 0); !cmp.Equal(got, map[string]bool{c.callee: true}) {
			t.Errorf("%s calls %v, want %s", c.caller, got, c.callee)
		}
	}
	want := []halideir.Wrapper{
		{In: -1, Wrapper: f.fn("base_global_wrapper").ID},
		{In: f.fn("left").ID, Wrapper: f.fn("base_in_left").ID},
	}
	if diff := cmp.Diff(want, f.fn("base").Wrappers); diff != "" {
		t.Error(diff)
	}
	// Pipeline::get_func cannot reach a wrapper.
	if i := f.fn("base_in_left").PipelineIndex; i != -1 {
		t.Errorf("a wrapper has index %d", i)
	}
	seen := map[int]bool{}
	for i := range f.p.Funcs {
		if k := f.p.Funcs[i].PipelineIndex; k >= 0 && seen[k] {
			t.Errorf("two Funcs have index %d", k)
		} else {
			seen[k] = true
		}
	}
}

func TestExternStage(t *testing.T) {
	f := features(t)
	e := f.fn("outside").Extern
	if e == nil || e.Name != "features_extern" || e.Mangling != "c" || len(e.Args) != 4 {
		t.Fatalf("the extern definition is %+v", e)
	}
	if e.Args[0].Func != f.fn("left").ID || e.Args[1].Input != f.input("image").ID || e.Args[2].Expr == halideir.NoNode || e.Args[3].Input != f.input("table").ID {
		t.Errorf("its arguments are %+v", e.Args)
	}
	edges := 0
	for _, edge := range f.p.Edges {
		if edge.Consumer == f.fn("outside").ID {
			edges++
			if len(edge.Box) != 0 {
				t.Errorf("an extern stage needs all of its input, not %v", edge.Box)
			}
		}
	}
	if edges != 3 {
		t.Errorf("the extern stage has %d producers, want left, image and table", edges)
	}
}

func TestInputsAndPromises(t *testing.T) {
	f := features(t)
	dims := func(name string) (all [][]any) {
		for _, d := range f.input(name).Dims {
			row := []any{f.constant(d.Min), f.constant(d.Extent), f.constant(d.Stride), nil, nil}
			if d.MinEstimate != nil {
				row[3] = int(*d.MinEstimate)
			}
			if d.ExtentEstimate != nil {
				row[4] = int(*d.ExtentEstimate)
			}
			all = append(all, row)
		}
		return all
	}
	want := map[string][][]any{ // min, extent, stride, estimates of min and extent
		"image":  {{nil, nil, 1, 0, 64}, {nil, nil, nil, 0, 48}},
		"planes": {{nil, nil, 3, 0, 64}, {nil, nil, nil, 0, 48}, {0, 3, 1, 0, 3}},
		"table":  {{-1, 4, 1, nil, nil}, {2, 3, 4, nil, nil}},
	}
	for name, rows := range want {
		if diff := cmp.Diff(rows, dims(name)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if a := f.input("image").HostAlignment; a != 64 {
		t.Errorf("image is aligned to %d bytes", a)
	}
	if k := f.input("table").Kind; k != halideir.InputConstant {
		t.Errorf("table is a %s", k)
	}
	gain := f.input("gain")
	if got, want := []any{f.constant(gain.Estimate), f.constant(gain.Min), f.constant(gain.Max), f.constant(gain.Value)}, []any{.75, 0.0, 2.0, .5}; !cmp.Equal(got, want) {
		t.Errorf("gain: estimate, min, max, value are %v, want %v", got, want)
	}
	if c := f.input("context"); c.Type.Code != halideir.Handle || c.Value != halideir.NoNode {
		t.Errorf("context is %+v", c)
	}

	left := f.fn("left").Bounds
	if len(left) != 2 || left[0].Var != "y" || f.constant(left[0].Extent) != 48 || left[1].Var != "x" || f.constant(left[1].Modulus) != 8 || f.constant(left[1].Remainder) != 1 {
		t.Errorf("left's bounds are %+v", left)
	}
	// The output's buffer is constrained, not its Func.
	if b := f.fn("histogram").Bounds; len(b) != 1 || f.constant(b[0].Min) != 0 || f.constant(b[0].Extent) != 256 {
		t.Errorf("histogram's bounds are %+v", b)
	}
	if diff := cmp.Diff([]halideir.Estimate{{Var: "x", Min: 0, Extent: 64}, {Var: "y", Min: 0, Extent: 48}}, f.fn("smooth").Estimates); diff != "" {
		t.Error(diff)
	}
}
