package autoscheduler

import (
	"bytes"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gowarp/internal/golden"
	"gowarp/internal/irtest"
)

// TestDumpGolden: the state after every pass, of pipelines with fused members, inlined Funcs,
// updates, tuples, extern stages and Funcs on the host.
func TestDumpGolden(t *testing.T) {
	prm, err := ParseParams(map[string]string{"mode": "autogpu", "gpu": "rtx2080ti"})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"harris", "hist", "features"} {
		p := load(t, "../halideir/testdata/"+name+".json")
		var b bytes.Buffer
		if err := Dump(&b, p, prm, DumpAll); err != nil {
			t.Fatal(err)
		}
		golden.Compare(t, filepath.Join("testdata", "golden", name+".dump.txt"), b.Bytes())
	}
}

// TestDumpPasses: every pass has a dump of its own, which says something, and all is the passes
// one after the other.
func TestDumpPasses(t *testing.T) {
	p := load(t, "testdata/hist.json")
	var all, each bytes.Buffer
	if err := Dump(&all, p, DefaultParams(), DumpAll); err != nil {
		t.Fatal(err)
	}
	for _, name := range PassNames(DefaultParams()) {
		if dumps[name] == nil {
			t.Fatalf("pass %s has no dump; add one to dumps", name)
		}
		var b bytes.Buffer
		if err := Dump(&b, p, DefaultParams(), name); err != nil {
			t.Fatal(err)
		}
		if strings.Count(b.String(), "\n") < 2 || !strings.HasPrefix(b.String(), "== after "+name+" ==\n") {
			t.Errorf("%s prints %q", name, b.String())
		}
		each.Write(b.Bytes())
	}
	if d := cmp.Diff(all.String(), each.String()); d != "" {
		t.Errorf("all passes, and one after the other:\n%s", d)
	}
	replay := DefaultParams()
	replay.Schedule, _ = saved(t, t.TempDir(), p, nil)
	for name := range dumps {
		if !slices.Contains(slices.Concat(PassNames(DefaultParams()), PassNames(replay)), name) {
			t.Errorf("there is a dump, but no pass %s", name)
		}
	}
	each.Reset()
	if err := Dump(&each, p, replay, DumpAll); err != nil {
		t.Fatal(err)
	}
	_, decided, _ := strings.Cut(all.String(), "== after emit ==\n")
	_, replayed, _ := strings.Cut(each.String(), "== after replay ==\n")
	if d := cmp.Diff(decided, replayed); d != "" || decided == "" {
		t.Errorf("the directives as decided, and replayed:\n%s", d)
	}
	if err := Dump(&each, p, replay, "tile"); err == nil || !strings.Contains(err.Error(), "the passes are check, factor, analyse, replay, all") {
		t.Errorf("a pass that does not run: %v", err)
	}
	if _, err := Run(p, replay); !errors.Is(err, ErrReplayed) {
		t.Errorf("reasons for a replay: %v", err)
	}
	if err := Dump(&all, p, DefaultParams(), "groups"); err == nil || !strings.Contains(err.Error(), `there is no pass "groups" (did you mean "group"?); the passes are check, `) {
		t.Errorf("an unknown pass: %v", err)
	}
}

// TestDumpBeforeAFailure: the passes before the one that fails are printed.
func TestDumpBeforeAFailure(t *testing.T) {
	b := irtest.New()
	k := b.Scalar("k", irtest.I32, nil)
	in := b.Input("in", irtest.F32, 640, 480)
	g := b.Func("g", []string{"x"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return in.At(v[0], 0).Mul(2.0) })
	out := b.Func("out", []string{"x"}, irtest.F32, func(v []irtest.Expr) irtest.Expr { return g.At(v[0].Add(k)) })
	b.Output(out, 640)
	var text bytes.Buffer
	err := Dump(&text, b.Build(), DefaultParams(), DumpAll)
	if err == nil || !strings.Contains(err.Error(), "k, which has no estimate") {
		t.Errorf("error %v", err)
	}
	if !strings.HasPrefix(text.String(), "== after check ==\n") || strings.Contains(text.String(), "after analyse") {
		t.Errorf("printed %q", text.String())
	}
}

// TestReasonsChangeNothing: what Run notes on the way does not change what is decided.
func TestReasonsChangeNothing(t *testing.T) {
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no pipelines", err)
	}
	for _, file := range files {
		p := load(t, file)
		s, err := Schedule(p, DefaultParams())
		if err != nil {
			t.Fatal(err)
		}
		r, err := Run(p, DefaultParams())
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(s.JSON(), r.Schedule.JSON()) {
			t.Errorf("%s: Run schedules otherwise than Schedule", file)
		}
		for i, f := range r.Found {
			if len(f.Looks) != len(f.Layout.Kernels) {
				t.Errorf("%s: group %d has %d kernels and %d looks", file, i, len(f.Layout.Kernels), len(f.Looks))
			}
		}
	}
}
