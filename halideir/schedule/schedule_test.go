package schedule

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"gowarp/halideir"
	"gowarp/internal/golden"
	"gowarp/internal/irtest"
)

var samples = []struct {
	name string
	make func() (*Schedule, *halideir.Pipeline)
}{{"harris", harrisSchedule}, {"equalise", equaliseSchedule}}

func TestGolden(t *testing.T) {
	for _, sample := range samples {
		t.Run(sample.name, func(t *testing.T) {
			s, p := sample.make()
			if err := s.Check(p); err != nil {
				t.Fatal(err)
			}
			var tree, table bytes.Buffer
			if err := s.Tree(&tree, p); err != nil {
				t.Fatal(err)
			}
			if err := s.Table(&table); err != nil {
				t.Fatal(err)
			}
			golden.Compare(t, "testdata/"+sample.name+".tree", tree.Bytes())
			golden.Compare(t, "testdata/"+sample.name+".table", table.Bytes())
			golden.Compare(t, "testdata/"+sample.name+".json", s.JSON())
			golden.Compare(t, "testdata/"+sample.name+".cpp", []byte(s.CPlusPlus(p)))
			python, err := s.Python(p)
			if err != nil {
				t.Fatal(err)
			}
			golden.Compare(t, "testdata/"+sample.name+".py", []byte(python))
		})
	}
}

func TestJSONRoundTrip(t *testing.T) {
	for _, sample := range samples {
		s, p := sample.make()
		s.Kernels = append(s.Kernels, Kernel{Func: 0, Host: true, Note: "1 < 2 & small", Name: "h", Cost: Cost{"x", math.Inf(1)}})
		back, err := Decode(s.JSON())
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(back.JSON(), s.JSON()) {
			t.Errorf("%s: %s", sample.name, cmp.Diff(string(s.JSON()), string(back.JSON())))
		}
		if d := cmp.Diff(s.Directives, back.Directives); d != "" {
			t.Errorf("%s: directives:\n%s", sample.name, d)
		}
		if back.CPlusPlus(p) != s.CPlusPlus(p) {
			t.Errorf("%s: other C++ after a round trip", sample.name)
		}
	}
}

// TestDecodeRefuses changes one place of a good document: Decode refuses it,
// and so does the schema.
func TestDecodeRefuses(t *testing.T) {
	rules, err := jsonschema.NewCompiler().Compile("../schedule.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	validate := func(doc string) error {
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(doc))
		if err != nil {
			return err
		}
		return rules.Validate(v)
	}
	for _, sample := range samples {
		s, _ := sample.make()
		if err := validate(string(s.JSON())); err != nil {
			t.Errorf("%s: %v", sample.name, err)
		}
	}
	s, _ := harrisSchedule()
	good := string(s.JSON())
	for _, c := range []struct {
		name, old, new, want string
		beyondSchema         bool // says something of which a schema cannot speak
	}{
		{"pipeline", FormatName, "gowarp-pipeline", `its format is "gowarp-pipeline", not that of a schedule`, false},
		{"version", `"version": 1`, `"version": 2`, "reads version 1", false},
		{"no format", `"format"`, `"forms"`, `has no "format"`, false},
		{"unknown directive", `"do":"split"`, `"do":"splat"`, `directives[1] (harris.splat(x, x_o, x_i, 32, guard_with_if)): there is no directive "splat"`, false},
		{"unknown key", `"do":"split"`, `"do":"split","when":1`, "unknown field", false},
		{"factor", `"n":32`, `"n":0`, "n is 0", false},
		{"huge factor", `"n":32`, `"n":1e30`, "directives.n is the number 1e30 where a whole number belongs", false},
		{"fractional factor", `"n":32`, `"n":1.5`, "directives.n is the number 1.5 where a whole number belongs", false},
		{"tail", "guard_with_if", "hope", `the tail "hope"`, false},
		{"memory", `"memory":"gpu_shared"`, `"memory":"ram"`, `"ram"`, false},
		{"negative func", `"func":9`, `"func":-1`, "there is no Func -1", false},
		{"negative size", `"registers":`, `"registers":-`, "kernels[0] (harris): a size of -", false},
		{"vars", `["x","x_o","x_i"]`, `["x","x_o"]`, "2 vars, want 3", false},
		{"twice", `["x","x_o","x_i"]`, `["x","x_o","x_o"]`, "x_o", true},
		{"truncated", "]\n}", "", "no JSON object: it is empty, or cut short", false},
		{"more", "]\n}", "]\n} {}", "no JSON object: invalid character", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc := strings.Replace(good, c.old, c.new, 1)
			_, err := Decode([]byte(doc))
			if doc == good {
				t.Fatal("the document was not changed")
			}
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
			if !c.beyondSchema && validate(doc) == nil {
				t.Error("the schema lets it pass")
			}
		})
	}
}

func TestCheckRefuses(t *testing.T) {
	level := func(s *script, where, loop string) *Level {
		return &Level{Func: s.id(where), Name: where, Var: loop}
	}
	for _, c := range []struct {
		name string
		more func(s *script)
		want string
	}{
		{"no such loop", func(s *script) { s.split("gray", 0, 4, "z", "z_o", "z_i") }, `gray.split(z, z_o, z_i, 4, guard_with_if): the stage has no loop "z"; it has x, y`},
		{"split away", func(s *script) { s.do(Unroll, "harris", 0, "x") }, `no loop "x"; it has x_i, y_i, x_o, y_o`},
		{"not fresh", func(s *script) { s.split("gray", 0, 4, "x", "x_o", "y") }, "already"},
		{"marked", func(s *script) { s.do(Vectorize, "harris", 0, "x_i") }, "x_i is a gpu_thread loop already"},
		{"no such stage", func(s *script) { s.do(Unroll, "gray", 1, "x") }, "gray has 1 stages"},
		{"at a missing loop", func(s *script) { s.at("gray", "harris", "x") }, `harris has no loop "x"`},
		{"at an inlined Func", func(s *script) { s.at("Ixx", "Sxx", "x") }, "Sxx is inlined"},
		{"needed elsewhere", func(s *script) { s.root("Sxy"); s.at("Ix", "Sxy", "x") }, "needs it too"},
		{"producer at root", func(s *script) { s.root("Sxx") }, "Sxx needs it too"},
		{"inside itself", func(s *script) { s.at("gray", "gray", "x") }, "inside itself"},
		{"output inlined", func(s *script) { s.do(ComputeInline, "harris", 0) }, "an output"},
		{"store inside", func(s *script) {
			s.add(Directive{Do: StoreAt, At: level(s, "harris", "x_i")}, "gray", 0)
		}, "not inside that loop"},
		{"no argument", func(s *script) {
			s.add(Directive{Do: BoundStorage, Vars: []string{"x_o"}, N: 4}, "gray", 0)
		}, "x_o is no argument of gray"},
		{"no special case", func(s *script) {
			s.add(Directive{Do: Unroll, Vars: []string{"x_i"}, Special: true}, "harris", 0)
		}, "harris[special].unroll(x_i): harris has no special case"},
		{"special case of what is no output", func(s *script) {
			s.add(Directive{Do: Specialize, Vars: []string{"x"}, Multiples: []int64{4}}, "gray", 0)
		}, "only the extents of an output"},
		{"level missing in the special case", func(s *script) {
			s.add(Directive{Do: Specialize, Vars: []string{"x", "y"}, Multiples: []int64{4, 2}}, "harris", 0)
			s.add(Directive{Do: Serial, Vars: []string{"x_o"}, Special: true}, "harris", 0)
			s.add(Directive{Do: Split, Vars: []string{"x_o", "x_a", "x_b"}, N: 2, Special: true}, "harris", 0)
		}, `harris has no loop "x_o"`},
		{"multiples without vars", func(s *script) {
			s.add(Directive{Do: Specialize, Vars: []string{"x", "y"}, Multiples: []int64{4}}, "harris", 0)
		}, "it has 1 multiples for 2 vars"},
		{"no Func", func(s *script) { s.root("grey") }, "there is no Func 10"},
		{"another pipeline", func(s *script) { s.ds = append(s.ds, Directive{Do: ComputeRoot, Func: 0, Name: "f"}) }, "another pipeline's"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, p := harrisSchedule()
			b := &script{p: p, ds: s.Directives}
			c.more(b)
			s.Directives = b.ds
			if err := s.Check(p); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
			if err := s.Tree(&bytes.Buffer{}, p); err == nil {
				t.Error("Tree printed it")
			}
			s.CPlusPlus(p)
			if _, err := s.Python(p); err == nil {
				t.Error("Python wrote it")
			}
		})
	}
}

// TestTreeSizes: a Func at root whose consumer is computed a tile at a time is
// still computed whole.
func TestTreeSizes(t *testing.T) {
	p := irtest.Chain(3, 100, 64)
	s := &script{p: p}
	s.root("f0")
	s.split("f0", 0, 16, "x", "x_o", "x_i")
	s.do(GPUBlocks, "f0", 0, "x_o", "y")
	s.do(GPUThreads, "f0", 0, "x_i")
	s.do(Reorder, "f0", 0, "x_i", "x_o", "y")
	s.root("f2")
	s.split("f2", 0, 10, "x", "x_o", "x_i")
	s.at("f1", "f2", "x_o")
	var b bytes.Buffer
	if err := (&Schedule{Directives: s.ds}).Tree(&b, p); err != nil {
		t.Fatal(err)
	}
	// The output is 94 wide from 0; f1 from -1 to 94, f0 from -2 to 95.
	for _, want := range []string{"gpu_block x_o: 7\n", "gpu_block y: 64\n", "for y: 64, x_o: 10\n", "produce f1 12x1 (48 B)\n", "for y: 1, x: 12\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

// TestScansInPrint: that warps, or several threads, run through a scan is said of its loop, in the words before what Halide's calls say, and between schedules.
func TestScansInPrint(t *testing.T) {
	s, p := equaliseSchedule()
	cdf := s.Directives[9].Func
	for _, c := range []struct {
		d          Directive
		tree, said string
	}{
		{Directive{Do: ScanLanes}, "for s.x: 255, by the lanes of a warp\n", "runs through in order: cdf.update(0)"},
		{Directive{Do: ScanChunks, N: 8}, "for s.x: 255, by 8 threads, 12 each at a time\n", "a chunk each: cdf.update(0) by 8"},
	} {
		c.d.Func, c.d.Name, c.d.Stage = cdf, "cdf", 1
		together := *s
		together.Directives = append(slices.Clone(s.Directives), c.d)
		var tree bytes.Buffer
		if err := together.Tree(&tree, p); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(tree.String(), c.tree) {
			t.Errorf("no %q in\n%s", c.tree, tree.String())
		}
		if said := strings.Join(beyondSource(together.Directives), "\n"); !strings.Contains(said, c.said) {
			t.Errorf("not said before the calls:\n%s", said)
		}
		c.d.Stage = 7
		if err := (&Schedule{Directives: []Directive{c.d}}).Check(p); err == nil || !strings.Contains(err.Error(), "stages") {
			t.Errorf("of a stage that there is not: %v", err)
		}
	}
	for _, n := range []int64{1, MaxChunks + 1} {
		if err := (&Schedule{Directives: []Directive{{Do: ScanChunks, Func: cdf, Name: "cdf", Stage: 1, N: n}}}).Check(p); err == nil || !strings.Contains(err.Error(), "2..32") {
			t.Errorf("by %d threads: %v", n, err)
		}
	}
}

func TestOrderOfReductions(t *testing.T) {
	s, p := equaliseSchedule()
	cdf, hist := s.Directives[9].Func, s.Directives[0].Func
	try := func(d Directive) error {
		return (&Schedule{Directives: []Directive{d}}).Check(p)
	}
	if err := try(Directive{Do: GPUThreads, Func: cdf, Name: "cdf", Stage: 1, Vars: []string{"s.x"}}); err == nil || !strings.Contains(err.Error(), "must run in order") {
		t.Errorf("a scan on threads: %v", err)
	}
	if err := try(Directive{Do: Reorder, Func: hist, Name: "hist", Stage: 1, Vars: []string{"r.y", "r.x"}}); err != nil {
		t.Errorf("a histogram in another order: %v", err)
	}
	p.Funcs[hist].Stages[1].Associative = false
	if err := try(Directive{Do: Reorder, Func: hist, Name: "hist", Stage: 1, Vars: []string{"r.y", "r.x"}}); err == nil || !strings.Contains(err.Error(), "associative") {
		t.Errorf("an update that is not associative in another order: %v", err)
	}
}

func FuzzDecode(f *testing.F) {
	var pipelines []*halideir.Pipeline
	for _, sample := range samples {
		s, p := sample.make()
		f.Add(s.JSON())
		pipelines = append(pipelines, p)
	}
	f.Add([]byte(`{"format":"gowarp-schedule","version":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Decode(data)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "schedule: ") {
				t.Errorf("the error does not say where it comes from: %v", err)
			}
			return
		}
		if _, err := Decode(s.JSON()); err != nil {
			t.Errorf("written, it is not read again: %v", err)
		}
		if err := s.Table(&bytes.Buffer{}); err != nil {
			t.Error(err)
		}
		for _, p := range pipelines {
			ok := s.Check(p) == nil
			if err := s.Tree(&bytes.Buffer{}, p); ok && err != nil {
				t.Error(err)
			}
			s.CPlusPlus(p)
			if _, err := s.Python(p); ok != (err == nil) {
				t.Errorf("checked: %v, as Python: %v", ok, err)
			}
			Diff(s, s)
		}
	})
}
