package halideir_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"gowarp/halideir"
	"gowarp/halideir/access"
	"gowarp/internal/golden"
)

// dumps are pipelines as the bridge wrote them.
func dumps(t testing.TB) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no testdata/*.json: %v", err)
	}
	docs := map[string][]byte{}
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		docs[strings.TrimSuffix(filepath.Base(f), ".json")] = data
	}
	return docs
}

func TestPrintGolden(t *testing.T) {
	for name, data := range dumps(t) {
		t.Run(name, func(t *testing.T) {
			p, err := halideir.Decode(data)
			if err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			if err := p.Print(&b); err != nil {
				t.Fatal(err)
			}
			golden.Compare(t, filepath.Join("testdata", name+".txt"), b.Bytes())
		})
	}
}

func schema(t *testing.T, file string) *jsonschema.Schema {
	t.Helper()
	s, err := jsonschema.NewCompiler().Compile(file)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func validate(t *testing.T, s *jsonschema.Schema, data []byte) error {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(doc)
}

func TestSchema(t *testing.T) {
	s := schema(t, "pipeline.schema.json")
	for name, data := range dumps(t) {
		if err := validate(t, s, data); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestDamaged changes one place of a real dump: the schema and Decode both
// refuse it, and Decode says where.
func TestDamaged(t *testing.T) {
	s := schema(t, "pipeline.schema.json")
	harris := string(dumps(t)["harris"])
	for _, c := range []struct{ name, old, new, want string }{
		{"version", `"version":1`, `"version":2`, "version: this gowarp reads version 1 of the form, the document has 2"},
		{"no version", `"version":1`, `"versions":1`, "the document has nothing"},
		{"format", "gowarp-pipeline", "gowarp-schedule", "its format is \"gowarp-schedule\", not that of a pipeline"},
		{"no format", `"format"`, `"formats"`, `has no "format"`},
		{"format a number", `"gowarp-pipeline"`, `1`, "format: want"},
		{"op", `"op":"mul"`, `"op":"frobnicate"`, `unknown op "frobnicate", used by Func`},
		{"op missing", `"op":"mul",`, ``, `no "op"`},
		{"type", `"t":"float32"`, `"t":"float33"`, `"float33" is not a type`},
		{"type missing", `"op":"mul","t":"float32"`, `"op":"mul"`, `no "t"`},
		{"id huge", `"outputs":[`, `"outputs":[99999999999999999999,`, "outputs[0]: 99999999999999999999 is not an integer of 64 bits"},
		{"id negative", `"outputs":[`, `"outputs":[-1,`, "outputs[0]: -1 is not in 0.."},
		{"id fractional", `"outputs":[`, `"outputs":[1.5,`, "outputs[0]: 1.5 is not an integer"},
		{"funcs an object", `"funcs":[`, `"funcs":{"x":[`, ""},
		{"kind of loop", `"kind":"pure"}`, `"kind":"purple"}`, `loops[0].kind: "purple" is not one of pure, pure_rvar, impure_rvar`},
		{"kind of var", `"kind":"dim"`, `"kind":"dam"`, `.kind: "dam" is not one of`},
		{"kind of input", `"kind":"buffer"`, `"kind":"bluffer"`, `inputs[0].kind: "bluffer"`},
		{"box", `"box":[[`, `"box":[[1,`, "want [lo, hi], have 3 elements"},
		{"checked an object", `"outputs":[`, `"checked":{},"outputs":[`, "checked: want an array"},
		{"digest a number", `"outputs":[`, `"checked":[{"schedule":1,"faults":[]}],"outputs":[`, "checked[0].schedule: want a string, have 1"},
		{"kind of fault", `"outputs":[`, `"checked":[{"schedule":"","faults":[{"func":0,"kind":"wrong"}]}],"outputs":[`, `checked[0].faults[0].kind: "wrong" is not one of`},
		{"fault of no Func", `"outputs":[`, `"checked":[{"schedule":"","faults":[{"func":-2,"kind":"torn"}]}],"outputs":[`, "checked[0].faults[0].func: -2 is not in 0.."},
		{"name a number", `"name":"input"`, `"name":1`, "inputs[0].name: want a string, have 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc := strings.Replace(harris, c.old, c.new, 1)
			if doc == harris {
				t.Fatal("the document was not changed")
			}
			_, err := halideir.Decode([]byte(doc))
			if err == nil || !strings.HasPrefix(err.Error(), "halideir: ") || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
			if json.Valid([]byte(doc)) {
				if err := validate(t, s, []byte(doc)); err == nil {
					t.Error("the schema lets it pass")
				}
			}
		})
	}
}

func TestNotAPipeline(t *testing.T) {
	harris := dumps(t)["harris"]
	for name, c := range map[string]struct {
		doc  []byte
		want string
	}{
		"empty":     {nil, "empty"},
		"text":      {[]byte("hello"), "not JSON"},
		"truncated": {harris[:len(harris)/2], "cut short"},
		"array":     {[]byte("[1,2]"), "an array, not a pipeline"},
		"number":    {[]byte("17"), "17, not a pipeline"},
		"foreign":   {[]byte(`{"name":"leftpad","version":"1.0.0"}`), `has no "format"`},
		"deep":      {bytes.Repeat([]byte("["), 50_000_000), "nested"},
		"no funcs":  {[]byte(`{"format":"gowarp-pipeline","version":1}`), "outputs: the pipeline has none"},
		"trailing":  {append(bytes.Clone(harris), "{}"...), "not JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := halideir.Decode(c.doc); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

// BenchmarkDecode shows the share of scheduling time that reading takes:
// everything may take 100 ms.
func BenchmarkDecode(b *testing.B) {
	data := dumps(b)["harris"]
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := halideir.Decode(data); err != nil {
			b.Fatal(err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, data := range dumps(f) {
		f.Add(data)
	}
	for _, s := range []string{"", "{}", `{"format":"gowarp-pipeline","version":1}`, "[[[[", `{"format":"gowarp-schedule"}`,
		`{"format":"gowarp-pipeline","version":1,"outputs":[0],"funcs":[{"id":0,"name":"f","types":["int32"],"args":["x"],"output":true,"stages":[{"args":[0],"values":[2],"loops":[{"name":"x","kind":"pure"}]}]}],"nodes":[{"op":"var","t":"int32","name":"x","kind":"dim","i":0},{"op":"int","t":"int32","v":3},{"op":"div","t":"int32","a":[0,1]}]}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		start := time.Now()
		p, err := halideir.Decode(data)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "halideir: ") {
				t.Errorf("the error does not say where it comes from: %v", err)
			}
			return
		}
		// What was accepted can be used.
		var b bytes.Buffer
		if err := p.Print(&b); err != nil {
			t.Error(err)
		}
		access.Analyze(p)
		env := halideir.Env{Lo: []int64{0, 8}, Hi: []int64{31, 15}}
		for i := range p.Nodes {
			p.EvalInt(halideir.NodeID(i), env)
		}
		if d := time.Since(start); d > 10*time.Second {
			t.Errorf("%d bytes took %v", len(data), d)
		}
	})
}
