package explain

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"gowarp/autoscheduler"
	"gowarp/autoscheduler/coster"
	"gowarp/halideir"
	"gowarp/internal/golden"
	"gowarp/internal/irtest"
)

func report(t *testing.T, p *halideir.Pipeline, kv map[string]string) (*Report, *autoscheduler.Result) {
	t.Helper()
	prm, err := autoscheduler.ParseParams(kv)
	if err != nil {
		t.Fatal(err)
	}
	r, err := autoscheduler.Run(p, prm)
	if err != nil {
		t.Fatal(err)
	}
	return Of(r), r
}

func exported(t *testing.T, name string) *halideir.Pipeline {
	t.Helper()
	data, err := os.ReadFile("../../halideir/testdata/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	p, err := halideir.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

var pipelines = []string{"harris", "hist", "pyramid", "profile", "labels", "features"}

// TestGolden: the texts as a user sees them.
func TestGolden(t *testing.T) {
	for _, name := range []string{"harris", "hist", "features"} { // few: every change of a cost shows here
		r, _ := report(t, exported(t, name), map[string]string{"mode": "autogpu", "gpu": "rtx2080ti"})
		var b bytes.Buffer
		if err := r.Print(&b); err != nil {
			t.Fatal(err)
		}
		golden.Compare(t, filepath.Join("testdata", name+".txt"), b.Bytes())
	}
}

// TestForm: the JSON is what the schema says, and a report with a key more is not.
func TestForm(t *testing.T) {
	rules, err := jsonschema.NewCompiler().Compile("../../halideir/explanation.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	validate := func(data []byte) error {
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		if err != nil {
			return err
		}
		return rules.Validate(v)
	}
	for _, name := range pipelines {
		for _, kv := range []map[string]string{nil, {"mode": "autogpu"}, {"mode": "autogpu", "fusion": "none"}, {"gpu": "sm_50", "shared_memory_limit_kb": "1"}, {"tiling": "warp", "cost": "issue"}, {"mode": "polymage", "gpu": "v100"}} {
			p := exported(t, name)
			if kv["mode"] == "polymage" { // whose search is over tiles of warps
				if name != "harris" {
					continue
				}
				p.Target.API, p.Target.CUDACapability = "cuda", 70
			}
			r, _ := report(t, p, kv)
			for i := -1; i < len(p.Funcs); i++ {
				one := r
				if i >= 0 {
					if one, err = r.Only(p, p.Funcs[i].Label); err != nil {
						t.Fatal(err)
					}
				}
				data, err := one.JSON()
				if err != nil {
					t.Fatal(err)
				}
				if err := validate(data); err != nil {
					t.Fatalf("%s %v: %v\n%s", name, kv, err, data)
				}
				if err := validate(bytes.Replace(data, []byte(`"why"`), []byte(`"wherefore"`), 1)); err == nil {
					t.Fatal("the schema lets another key pass")
				}
			}
		}
	}
}

// TestConsistent compares a report with the result that it speaks of.
func TestConsistent(t *testing.T) {
	for _, name := range pipelines {
		rep, r := report(t, exported(t, name), nil)
		places := map[string]int{}
		for i, f := range rep.Funcs {
			places[f.Place]++
			if f.Why == "" {
				t.Errorf("%s: %s has no reason", name, f.Func)
			}
			if f.Inlined != r.Problem.Inlined[i] || f.Inlined != (f.Place == "inlined") || f.Inlined != (f.Kernel == "") {
				t.Errorf("%s: %+v", name, f)
			}
			if c := f.Costs; c != nil && f.Inlined != (c.Again <= min(c.Global, c.Shared)) {
				t.Errorf("%s: %s is inlined %v at %+v", name, f.Func, f.Inlined, *c)
			}
		}
		kernels, members, next := 0, 0, 0
		for _, g := range rep.Groups {
			merged := 0
			for _, m := range g.Merges {
				merged += 1 + strings.Count(m.Producer, ", ") // of several in one step
				if m.Gain <= 0 || math.Abs(m.Before-m.After-m.Gain) > 1e-9*m.Before {
					t.Errorf("%s: %+v", name, m)
				}
			}
			if merged != len(g.Members) {
				t.Errorf("%s: group %s has %d members, %d were merged", name, g.Out, len(g.Members), merged)
			}
			members += len(g.Members)
			for _, k := range g.Kernels {
				kernels++
				s := r.Schedule.Kernels[next]
				next++
				if k.Bounds == nil {
					if !s.Host || k.Note == "" {
						t.Errorf("%s: kernel %s has no bounds", name, k.Name)
					}
					continue
				}
				if k.Name != s.Name || k.Cost != s.Cost.Value || k.Threads != s.Threads || k.Bounds.SharedBytes != s.SharedBytes {
					t.Errorf("%s: kernel %s is not the schedule's %s", name, k.Name, s.Name)
				}
				sum := 0.0
				for _, p := range k.Parts {
					sum += p.Value
				}
				if math.Abs(sum-k.Cost) > 1e-9*k.Cost {
					t.Errorf("%s: the parts of %s add up to %g, its cost is %g", name, k.Name, sum, k.Cost)
				}
				if u := k.RunnerUp; u != nil && u.Though == "" && k.Though == "" && u.Cost*(1+coster.Errs(coster.Time{})) < k.Cost {
					t.Errorf("%s: the runner-up of %s is better: %+v", name, k.Name, *u)
				}
				for _, m := range k.Members {
					if m.Repeats < 0.999 {
						t.Errorf("%s: %s computes %.3f of what is needed", name, m.Func, m.Repeats)
					}
				}
			}
		}
		if kernels != len(r.Schedule.Kernels) || members != places["block"]+places["warp"]+places["thread"] {
			t.Errorf("%s: %d kernels and %d members, places %v", name, kernels, members, places)
		}
	}
}

// TestRepeats: a member of a tile a warp is computed once a warp, each time with what the tile needs of it.
func TestRepeats(t *testing.T) {
	rep, r := report(t, exported(t, "harris"), map[string]string{"tiling": "warp-registers", "cost": "issue", "warp_tile": "2x4x4"})
	for i, k := range r.Found[0].Layout.Kernels {
		if k.Warp == nil {
			t.Fatalf("the kernel is %s", k.Strategy)
		}
		for j, m := range rep.Groups[0].Kernels[i].Members {
			needed := float64(r.Problem.Regions.Funcs[k.Members[j].Func].Points())
			if want := float64(m.Extents[0]*m.Extents[1]*k.Tiles()*k.Warp.Warps) / needed; math.Abs(m.Repeats-want) > 1e-9 || m.Level != "warp" || want < 1 {
				t.Errorf("%s (%s) is computed %.3f times, want %.3f", m.Func, m.Level, m.Repeats, want)
			}
		}
	}
}

// TestHost: what runs on the host says so, and why.
func TestHost(t *testing.T) {
	b := irtest.New()
	in := b.Input("in", irtest.F32, 640, 480)
	first := b.Func("first", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return in.At(v[0], v[1]).Mul(2.0).Add(1.0) })
	ext := b.Extern("ext", []string{"x", "y"}, irtest.F32, first)
	out := b.Func("out", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return ext.At(v[0], v[1]).Add(1.0) })
	b.Output(out, 640, 480)
	r, _ := report(t, b.Build(), nil)
	var text bytes.Buffer
	if err := r.Print(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"  ext  on the host: an extern stage (", "  first  on the host: the extern stage ext"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
	if r.Funcs[0].Place != "host" || r.Funcs[2].Place != "kernel" {
		t.Errorf("%+v", r.Funcs)
	}
}

// TestSaidOnce: a reason that holds for many groups is one entry, and its list is broken into
// lines.
func TestSaidOnce(t *testing.T) {
	b := irtest.New()
	in := b.Input("in", irtest.F32, 640, 480)
	last := b.Func("f0", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return in.At(v[0], v[1]).Call("sqrt_f32") })
	for i := 1; i <= 40; i++ {
		prev := last
		last = b.Func(fmt.Sprintf("f%d", i), []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return prev.At(v[0], 0).Call("sqrt_f32") })
		l := last
		l.Update([]irtest.RVar{{Name: "r$x", Extent: 3}}, func(v, r []irtest.Expr) ([]irtest.Expr, irtest.Expr) {
			return v, l.At(v[0], v[1]).Add(r[0].Cast(irtest.F32))
		})
	}
	b.Output(last, 640, 480)
	r, _ := report(t, b.Build(), nil)
	if len(r.Refusals) != 1 || len(r.Refusals[0].Pairs) != 39 { // f0 is inlined
		t.Fatalf("%+v", r.Refusals)
	}
	var text bytes.Buffer
	if err := r.Print(&text); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(text.String(), "its reader has updates"); n != 1 {
		t.Errorf("the reason stands %d times", n)
	}
	for line := range strings.Lines(text.String()) {
		if len(line) > 140 {
			t.Errorf("a line of %d characters: %s", len(line), line)
		}
	}
}

func TestOnlyUnknown(t *testing.T) {
	p := exported(t, "hist")
	r, _ := report(t, p, nil)
	if _, err := r.Only(p, "lumma"); err == nil || !strings.Contains(err.Error(), `no Func "lumma" (did you mean "luma"?); the pipeline has`) {
		t.Error(err)
	}
}
