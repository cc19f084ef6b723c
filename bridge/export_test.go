//go:build halide

package bridge

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"gowarp/internal/golden"
)

func TestDumpIsGolden(t *testing.T) {
	got := dumpOf(t, "features")
	golden.Compare(t, filepath.Join("testdata", "features.golden.json"), got)
}

func TestDumpFollowsTheSchema(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile(tree(t).Path("halideir", "pipeline.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"features", "small"} {
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(dumpOf(t, name)))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(doc); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSameGeneratorSameBytes(t *testing.T) {
	if a, b := dumpOf(t, "features"), dumpOf(t, "features"); !bytes.Equal(a, b) {
		t.Error("two runs of one generator wrote two dumps")
	}
}

// The names sort the other way round, and nothing but names changes.
func TestNamesDoNotMatter(t *testing.T) {
	plain, renamed := dumpOf(t, "features"), dumpOf(t, "features", "renamed=true")
	if bytes.Equal(plain, renamed) {
		t.Fatal("the generator ignores renamed")
	}
	if diff := cmp.Diff(nameless(t, plain), nameless(t, renamed)); diff != "" {
		t.Error(diff)
	}
}

// Halide asks once more for the serialised pipeline, in the same process and
// with other $N suffixes.
func TestSecondRunInAProcess(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pipeline.json")
	args := scheduled(t, "features", cudaTarget, "autoscheduler.dump="+file)
	args[5] = "schedule,hlpipe"
	ok(t, nil, compiled(t, "features"), args...)
	second, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	first := dumpOf(t, "features")
	if bytes.Equal(first, second) {
		t.Log("the second run had the same names")
	}
	if diff := cmp.Diff(nameless(t, first), nameless(t, second)); diff != "" {
		t.Error(diff)
	}
}

// Twenty thousand nodes deep, and as a tree 2^200 leaves.
func TestDeepExpressions(t *testing.T) {
	file := filepath.Join(t.TempDir(), "deep.json")
	ok(t, nil, compiled(t, "driver"), "deep", tree(t).Plugin(), "depth=20000", "check=0", "dump="+file) // Halide itself takes minutes to lower it
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	p := decoded(t, data)
	depth := make([]int, len(p.Nodes))
	deepest := 0
	for i := range p.Nodes {
		for _, a := range p.Nodes[i].Args {
			depth[i] = max(depth[i], depth[a]+1)
		}
		deepest = max(deepest, depth[i])
	}
	if deepest < 20000 {
		t.Errorf("the deepest expression is %d nodes deep", deepest)
	}
	// 20,000 operations in the one, 400 and a let each in the other.
	if n := len(p.Nodes); n > 22000 {
		t.Errorf("%d nodes: sharing was lost", n)
	}
}
