package autoscheduler

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"gowarp/halideir"
	"gowarp/halideir/schedule"
	"gowarp/internal/irtest"
)

// saved writes the schedule of a pipeline into a file.
func saved(t rapid.TB, dir string, p *halideir.Pipeline, params map[string]string) (file string, s *schedule.Schedule) {
	t.Helper()
	prm, err := ParseParams(params)
	if err != nil {
		t.Fatal(err)
	}
	if s, err = Schedule(p, prm); err != nil {
		t.Fatal(err)
	}
	file = filepath.Join(dir, "saved.json")
	if err := os.WriteFile(file, s.JSON(), 0o666); err != nil {
		t.Fatal(err)
	}
	return file, s
}

func replayed(p *halideir.Pipeline, file string, more map[string]string) (*schedule.Schedule, error) {
	params := map[string]string{"schedule": file}
	for k, v := range more {
		params[k] = v
	}
	prm, err := ParseParams(params)
	if err != nil {
		return nil, err
	}
	return Schedule(p, prm)
}

// TestReplayGivesTheSame: byte for byte, whatever is in the pipeline, and though Halide
// counts its names differently today.
func TestReplayGivesTheSame(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "pipeline")
		draw := func(suffix string) *halideir.Pipeline {
			return rapid.Custom(func(t *rapid.T) *halideir.Pipeline {
				if rapid.Bool().Draw(t, "provable sizes") {
					return randomStencils(t, suffix)
				}
				return randomPipeline(t, suffix)
			}).Example(int(seed >> 1))
		}
		params := rapid.SampledFrom(someParams).Draw(t, "params")
		file, want := saved(t, dir, draw(""), params)
		got, err := replayed(draw("$17"), file, nil)
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want.JSON()), string(got.JSON())); d != "" {
			t.Fatal(d)
		}
	})
}

// randomStencils reads without clamps, so that members have storage of fixed sizes.
func randomStencils(t *rapid.T, suffix string) *halideir.Pipeline {
	b := irtest.New()
	in := b.Input("in", irtest.F32, 2000, 2000)
	funcs := []*irtest.Func{b.Func("fa"+suffix, []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
		return in.At(v[0].Clamp(0, 1999), v[1].Clamp(0, 1999)).Mul(in.At(v[1].Clamp(0, 1999), v[0].Clamp(0, 1999)))
	})}
	for i := range rapid.IntRange(1, 6).Draw(t, "funcs") {
		funcs = append(funcs, b.Func(fmt.Sprintf("f%c%s", 'b'+i, suffix), []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
			sum := v[0].Cast(irtest.F32)
			for range rapid.IntRange(2, 6).Draw(t, "taps") {
				from := funcs[len(funcs)-1-rapid.IntRange(0, min(1, len(funcs)-1)).Draw(t, "source")]
				at := func(e irtest.Expr) irtest.Expr { return e.Add(rapid.IntRange(-3, 3).Draw(t, "offset")) }
				sum = sum.Mul(from.At(at(v[0]), at(v[1]))).Add(1)
			}
			return sum
		}))
	}
	b.Output(funcs[len(funcs)-1], 640, 480)
	return b.Build()
}

func TestReplayOfPrograms(t *testing.T) {
	for _, name := range []string{"harris", "hist"} {
		data, err := os.ReadFile(filepath.Join("testdata", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		p, err := halideir.Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		for _, params := range someParams {
			file, want := saved(t, t.TempDir(), p, params)
			got, err := replayed(p, file, nil)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want.JSON()), string(got.JSON())); d != "" {
				t.Errorf("%s, %v: %s", name, params, d)
			}
		}
	}
}

// stencils are two stages, of which the second reads width points of the first, in each
// of its dimensions; and maybe a third that reads the second.
func stencils(first, second string, width int64, x, y string, third ...string) *halideir.Pipeline {
	b := irtest.New()
	args := []string{x, y}
	in := b.Input("in", irtest.F32, 1024, 1024)
	a := b.Func(first, args, irtest.F32, func(v []irtest.Expr) irtest.Expr {
		sum := in.At(v[0].Clamp(0, 1000), v[1].Clamp(0, 1000))
		for k := range 6 {
			sum = sum.Mul(in.At(v[0].Add(k).Clamp(0, 1000), v[1].Clamp(0, 1000))).Add(1)
		}
		return sum
	})
	c := b.Func(second, args, irtest.F32, func(v []irtest.Expr) irtest.Expr {
		sum := a.At(v[0], v[1])
		for k := int64(1); k < width; k++ {
			sum = sum.Add(a.At(v[0].Add(k), v[1])).Mul(a.At(v[0], v[1].Add(k)))
		}
		return sum
	})
	for _, name := range third {
		last := c
		c = b.Func(name, args, irtest.F32, func(v []irtest.Expr) irtest.Expr { return last.At(v[0], v[1]).Mul(2) })
	}
	b.Output(c, 640, 480)
	return b.Build()
}

// TestReplayKnowsAutomaticNames: what the user did not name has another counter in every run.
func TestReplayKnowsAutomaticNames(t *testing.T) {
	file, want := saved(t, t.TempDir(), stencils("f0", "f1", 3, "v0", "v1"), nil)
	got, err := replayed(stencils("f12", "f13", 3, "v30", "v31"), file, nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Directives) != len(want.Directives) || len(got.Directives) < 6 {
		t.Fatalf("%d directives, want %d", len(got.Directives), len(want.Directives))
	}
	text := fmt.Sprint(string(got.JSON()))
	if !strings.Contains(text, `"f12"`) || strings.Contains(text, `"f0"`) || strings.Contains(text, `"v0"`) {
		t.Errorf("names of another run:\n%s", text)
	}
}

// TestReplayRefuses names the first thing that does not fit.
func TestReplayRefuses(t *testing.T) {
	dir := t.TempDir()
	file, s := saved(t, dir, stencils("a", "b", 3, "x", "y"), map[string]string{"mode": "autogpu"})
	if !strings.Contains(string(s.JSON()), `"bound_storage"`) {
		t.Fatal("the sample fixes no storage")
	}
	n := 0
	edited := func(old, new string) string {
		data := string(s.JSON())
		if !strings.Contains(data, old) {
			t.Fatalf("no %s in\n%s", old, data)
		}
		n++
		name := filepath.Join(dir, fmt.Sprintf("edited%d.json", n))
		if err := os.WriteFile(name, []byte(strings.Replace(data, old, new, 1)), 0o666); err != nil {
			t.Fatal(err)
		}
		return name
	}
	fixed := ""
	for line := range strings.Lines(string(s.JSON())) {
		if strings.Contains(line, `"bound_storage"`) {
			fixed = strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(line), ","))
			break
		}
	}
	smaller := fixed[:strings.LastIndex(fixed, `"n":`)] + `"n":3}`
	enormous := strings.Replace(fixed[:strings.LastIndex(fixed, `"n":`)], "bound_storage", "bound_extent", 1) + `"n":1000003}`
	updated := func() *halideir.Pipeline {
		b := irtest.New()
		in := b.Input("in", irtest.F32, 1024, 1024)
		a := b.Func("a", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return in.At(v[0], v[1]) })
		a.Update([]irtest.RVar{{Name: "r$x", Extent: 3}}, func(v, r []irtest.Expr) ([]irtest.Expr, irtest.Expr) {
			return v, a.At(v[0], v[1]).Add(in.At(v[0].Add(r[0]), v[1]))
		})
		c := b.Func("b", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return a.At(v[0], v[1]) })
		b.Output(c, 64, 64)
		return b.Build()
	}
	same := stencils("a", "b", 3, "x", "y")
	for _, c := range []struct {
		name   string
		p      *halideir.Pipeline
		file   string
		params map[string]string
		words  string
	}{
		{"another Func", stencils("other", "b", 3, "x", "y"), file, nil, "its Func 0 was a, the pipeline has other there"},
		{"another dimension", stencils("a", "b", 3, "x", "z"), file, nil, "dimension 1 of a is z, the schedule was made for y"},
		{"dimensions exchanged", stencils("a", "b", 3, "y", "x"), file, nil, "dimension 0 of a is y, the schedule was made for x"},
		{"an update more", updated(), file, nil, "a has 2 stages, the schedule was made for 1"},
		{"Funcs more", stencils("a", "b", 3, "x", "y", "c"), file, nil, "the pipeline has 3 Funcs, the schedule was made for 2"},
		{"a wider stencil", stencils("a", "b", 7, "x", "y"), file, nil, "is too small: an iteration of b."},
		{"a size too small", same, edited(fixed, smaller), nil, "bound_storage(x, 3) is too small: an iteration of b."},
		{"more than a block has", same, edited(fixed, enormous), nil, "takes more than the 262144 B that a block has at most"},
		{"a larger tile", same, edited(`"vars":["x","x_o","x_i"],"n":`, `"vars":["x","x_o","x_i"],"n":9`), nil, "is too small"},
		{"a Func computed elsewhere", same, edited(`"var":"x_o"`, `"var":"y_o"`), nil, "has no fixed size"},
		{"no such directive", same, edited(`"gpu_blocks"`, `"gpu_clocks"`), nil, `there is no directive "gpu_clocks"`},
		{"no such loop", same, edited(`"vars":["x_o","y_o"]`, `"vars":["x_o","z_o"]`), nil, `b.gpu_blocks(x_o, z_o): the stage has no loop "z_o"; it has x_i, y_i, x_o, y_o`},
		{"a pipeline", same, filepath.Join("testdata", "harris.json"), nil, "a schedule"},
		{"no file", same, filepath.Join(dir, "none.json"), nil, "none.json: no such file or directory"},
		{"a folder", same, dir, nil, "is a directory"},
		{"a smaller device", same, file, map[string]string{"shared_memory_limit_kb": "1"}, "B of shared memory a block"},
	} {
		_, err := replayed(c.p, c.file, c.params)
		if err == nil || !strings.Contains(err.Error(), c.words) || !strings.HasPrefix(err.Error(), "autoscheduler: schedule="+c.file+": ") {
			t.Errorf("%s: error %v, want one with %q", c.name, err, c.words)
		}
	}
}
