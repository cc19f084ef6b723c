package profile_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gowarp/autoscheduler"
	"gowarp/autoscheduler/profile"
	"gowarp/halideir"
	"gowarp/internal/irtest"
)

// chain is out(x, y) = g(x, y) + g(x+1, y) with g(x, y) = in(x, y) * by + 1.
func chain(by float64, width int64) *halideir.Pipeline {
	b := irtest.New()
	in := b.Input("in", irtest.F32, width+1, 1024)
	g := b.Func("g", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
		s := in.At(v[0], v[1]).Mul(by).Add(1.0)
		return s.Mul(s).Add(s).Mul(s)
	})
	out := b.Func("out", []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
		sum := g.At(v[0], v[1])
		for i := range 6 {
			sum = sum.Add(g.At(v[0].Add(i+1), v[1]).Mul(g.At(v[0], v[1].Add(i))))
		}
		return sum
	})
	b.Output(out, width, 1024)
	return b.Build()
}

func made(p *halideir.Pipeline, gpu string) *profile.Profile {
	return &profile.Profile{
		Format: profile.FormatName, Version: profile.Version, Pipeline: "chain", Digest: profile.Digest(p), Device: gpu,
		Stages: []profile.Stage{{Func: "g", Registers: 100, Cycles: 5000}, {Func: "out", Registers: 77, Cycles: 7000.25}},
	}
}

// TestDigest: the same pipeline has the same digest under other names, for other targets and at other sizes; one that computes
// something else has not.
func TestDigest(t *testing.T) {
	want := profile.Digest(chain(2, 1024))
	renamed := chain(2, 1024)
	for i := range renamed.Funcs {
		renamed.Funcs[i].Name += "$7"
	}
	renamed.SetLabels()
	renamed.Target.String, renamed.Target.CUDACapability = "x86-64-linux-cuda-cuda_capability_61", 61
	if got := profile.Digest(renamed); got != want {
		t.Errorf("renamed: %s, want %s", got, want)
	}
	if got := profile.Digest(chain(2, 2048)); got != want {
		t.Errorf("at another size: %s, want %s", got, want)
	}
	if profile.Digest(chain(3, 1024)) == want {
		t.Error("another factor has the same digest")
	}
}

func write(t *testing.T, data []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "p.json")
	if err := os.WriteFile(file, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestTaken: what is read is what was written, and Algorithm 2 prices by it.
func TestTaken(t *testing.T) {
	p := chain(2, 1024)
	data, err := made(p, "gtx1080ti").Encode()
	if err != nil {
		t.Fatal(err)
	}
	read, err := profile.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := read.Encode(); err != nil || !bytes.Equal(again, data) {
		t.Errorf("%v: %s, want %s", err, again, data)
	}
	price := func(kv map[string]string) map[string]float64 {
		prm, err := autoscheduler.ParseParams(kv)
		if err != nil {
			t.Fatal(err)
		}
		r, err := autoscheduler.Run(p, prm)
		if err != nil {
			t.Fatal(err)
		}
		m := map[string]float64{}
		for _, f := range r.Found {
			for _, q := range f.Prices {
				for _, term := range q.Terms {
					m[term.Name] += term.Value
				}
			}
		}
		return m
	}
	kv := map[string]string{"cost": "algorithm2", "gpu": "gtx1080ti", "fusion": "none"}
	estimated := price(kv)
	kv["registers"] = write(t, data)
	profiled := price(kv)
	// At the same two kernels: 100 and 77 registers where some tens were estimated leave fewer warps, and the longer time
	// makes memory less of it.
	if profiled["idle warps"] <= estimated["idle warps"] || profiled["memory to compute"] >= estimated["memory to compute"] {
		t.Errorf("with the profile %v, without %v", profiled, estimated)
	}
}

// TestRefused: a profile of something else, damaged or missing is an error that says what to do.
func TestRefused(t *testing.T) {
	p := chain(2, 1024)
	good, err := made(p, "gtx1080ti").Encode()
	if err != nil {
		t.Fatal(err)
	}
	change := func(old, new string) []byte {
		out := strings.Replace(string(good), old, new, 1)
		if out == string(good) {
			t.Fatalf("%s is not there", old)
		}
		return []byte(out)
	}
	other, err := made(chain(3, 1024), "gtx1080ti").Encode()
	if err != nil {
		t.Fatal(err)
	}
	short := made(p, "gtx1080ti")
	short.Stages = short.Stages[1:]
	less, err := short.Encode()
	if err != nil {
		t.Fatal(err)
	}
	short.Estimated = []string{"g.s0"}
	known, err := short.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if prm, err := autoscheduler.ParseParams(map[string]string{"mode": "polymage", "gpu": "gtx1080ti", "registers": write(t, known)}); err != nil {
		t.Fatal(err)
	} else if _, err := autoscheduler.Schedule(p, prm); err != nil {
		t.Errorf("a stage that is known to be estimated: %v", err)
	}
	for name, c := range map[string]struct {
		data []byte
		want string
	}{
		"another pipeline": {other, "it is of another pipeline: chain"},
		"another device":   {change("gtx1080ti", "v100"), "it was made for v100, the schedule is for gtx1080ti"},
		"another format":   {change("gowarp-profile", "gowarp-schedule"), `its format is "gowarp-schedule"`},
		"another version":  {change(`"version": 2`, `"version": 9`), "it is of version 9"},
		"cut off":          {good[:len(good)/2], "it is no profile"},
		"more behind":      {append(bytes.Clone(good), "{}"...), "more behind its end"},
		"not JSON":         {[]byte("registers"), "it is no profile"},
		"no stages":        {[]byte(`{"format":"gowarp-profile","version":2}`), "it has no stages"},
		"registers":        {change(`"registers": 100`, `"registers": 1000`), "is damaged"},
		"negative time":    {change(`"cycles": 5000`, `"cycles": -1`), "is damaged"},
		"not a number":     {change(`"cycles": 5000`, `"cycles": "NaN"`), "a string stands where its stages.cycles belongs"},
		"no time":          {change(`"cycles": 5000`, `"cycles": 0`), "is damaged"},
		"time left out":    {change(",\n      \"cycles\": 5000\n", "\n"), "is damaged"},
		"a stage twice":    {change(`"func": "g"`, `"func": "out"`), "it has out.s0 twice"},
		"a stage less":     {less, "it says nothing of g.s0"},
		"unknown stage":    {change(`"func": "g"`, `"func": "h"`), "which this pipeline has not"},
	} {
		prm, err := autoscheduler.ParseParams(map[string]string{"mode": "polymage", "gpu": "gtx1080ti", "registers": write(t, c.data)})
		if err != nil {
			t.Fatal(err)
		}
		if _, err = autoscheduler.Schedule(p, prm); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "autoscheduler: registers=") || !strings.Contains(err.Error(), "gowarp profile") {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	prm, err := autoscheduler.ParseParams(map[string]string{"mode": "polymage", "registers": "nothing.json"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := autoscheduler.Schedule(p, prm); err == nil || !strings.Contains(err.Error(), "nothing.json: no such file") {
		t.Errorf("a missing file: %v", err)
	}
	for _, cost := range []string{"listing1", "algorithm2-fitted"} {
		if _, err := autoscheduler.ParseParams(map[string]string{"cost": cost, "registers": "p.json"}); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("cost=%s takes no notice of it", cost)) {
			t.Errorf("%s: %v", cost, err)
		}
	}
}
