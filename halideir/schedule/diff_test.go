package schedule

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// TestDiffOneChange changes one thing of a schedule; the difference names that thing and
// nothing else.
func TestDiffOneChange(t *testing.T) {
	directive := func(s *Schedule, do Do, name string) *Directive {
		for i := range s.Directives {
			if d := &s.Directives[i]; d.Do == do && d.Name == name {
				return d
			}
		}
		t.Fatalf("no %s of %s", do, name)
		return nil
	}
	for _, c := range []struct {
		name   string
		change func(s *Schedule)
		made   []Change
		funcs  []FuncChange
	}{
		{"nothing", func(*Schedule) {}, nil, nil},
		{"device", func(s *Schedule) { s.Device = "h200" }, []Change{{"device", "sm_75", "h200"}}, nil},
		{"a parameter more", func(s *Schedule) {
			s.Parameters = map[string]string{"gpu": "sm_75", "mode": "autogpu", "fusion": "none"}
		},
			[]Change{{"parameter fusion", "", "none"}}, nil},
		{"tile", func(s *Schedule) { directive(s, Split, "harris").N = 64 }, nil,
			[]FuncChange{{"harris", []Change{{"split of x", "by 32 into x_o, x_i, guard_with_if", "by 64 into x_o, x_i, guard_with_if"}}}}},
		{"compute level", func(s *Schedule) {
			*directive(s, ComputeAt, "gray") = Directive{Do: ComputeRoot, Func: 0, Name: "gray"}
		}, nil,
			[]FuncChange{{"gray", []Change{{"computed", "at harris.x_o", "at root"}}}}},
		{"storage", func(s *Schedule) { directive(s, StoreIn, "Ix").Memory = MemoryHeap }, nil,
			[]FuncChange{{"Ix", []Change{{"stored in", "gpu_shared", "heap"}}}}},
		{"a bound less", func(s *Schedule) { s.Directives = s.Directives[:len(s.Directives)-1] }, nil,
			[]FuncChange{{"gray", []Change{{"bound_storage x", "36", ""}}}}},
		{"members", func(s *Schedule) { s.Kernels[0].Members = s.Kernels[0].Members[:2] }, nil,
			[]FuncChange{{"Iy", []Change{{"member", "of harris in its block, 34x18, 2,448 B", ""}}}}},
		{"inlined", func(s *Schedule) { s.Kernels[0].Inlined = s.Kernels[0].Inlined[1:] }, nil,
			[]FuncChange{{"Ixx", []Change{{"computed", "inlined in harris", ""}}}}},
		{"launch", func(s *Schedule) { s.Kernels[0].Threads = [3]int64{32, 16, 1}; s.Kernels[0].SharedBytes = 0 }, nil,
			[]FuncChange{{"harris", []Change{{"kernel threads", "36x20x1", "32x16x1"}, {"kernel shared memory", "7,776 B", "0 B"}}}}},
		{"order", func(s *Schedule) { d := s.Directives; d[6], d[9] = d[9], d[6] },
			[]Change{{"directives", "in this order", "in another, or of Funcs with other ids"}}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, _ := harrisSchedule()
			b, _ := harrisSchedule()
			c.change(b)
			want := &Difference{Format: DiffFormatName, Version: Version, Equal: c.made == nil && c.funcs == nil, Made: c.made, Funcs: c.funcs}
			if want.Made == nil {
				want.Made = []Change{}
			}
			if want.Funcs == nil {
				want.Funcs = []FuncChange{}
			}
			got := Diff(a, b)
			want.SameDirectives = got.SameDirectives
			if d := cmp.Diff(want, got); d != "" {
				t.Error(d)
			}
			if same := cmp.Equal(a.Directives, b.Directives); same != got.SameDirectives {
				t.Errorf("same directives: %v, want %v", got.SameDirectives, same)
			}
			var text bytes.Buffer
			if err := got.Print(&text, "a.json", "b.json"); err != nil {
				t.Fatal(err)
			}
			if (text.Len() == 0) != got.Equal {
				t.Errorf("equal %v, text %q", got.Equal, text.String())
			}
			if back := Diff(b, a); back.Equal != got.Equal || len(back.Funcs) != len(got.Funcs) {
				t.Errorf("the other way round: %s", back.JSON())
			}
		})
	}
}

// TestDiffForm: what is written is what the schema says.
func TestDiffForm(t *testing.T) {
	rules, err := jsonschema.NewCompiler().Compile("../diff.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	h, _ := harrisSchedule()
	e, _ := equaliseSchedule()
	for _, d := range []*Difference{Diff(h, h), Diff(h, e), Diff(e, h), Diff(&Schedule{}, h)} {
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(d.JSON()))
		if err != nil {
			t.Fatal(err)
		}
		if err := rules.Validate(v); err != nil {
			t.Errorf("%v\n%s", err, d.JSON())
		}
	}
	wrong := strings.Replace(string(Diff(h, e).JSON()), `"what"`, `"wat"`, 1)
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(wrong))
	if err != nil {
		t.Fatal(err)
	}
	if rules.Validate(v) == nil {
		t.Error("the schema lets another key pass")
	}
}
