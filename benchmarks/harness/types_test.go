//go:build halide

package harness

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Booleans and halves as inputs and outputs, a boolean that is a scalar (Halide has no halves there); outputs of no dimension and of five.
const everyType = `#include "Halide.h"
using namespace Halide;
class Types : public Generator<Types> {
public:
    Input<Buffer<bool, 1>> flags{"flags"};
    Input<Buffer<float16_t, 1>> halves{"halves"};
    Input<Buffer<int32_t, 0>> point{"point"};
    Input<bool> flip{"flip", true};
    Output<Buffer<bool, 1>> flipped{"flipped"};
    Output<Buffer<float16_t, 1>> scaled{"scaled"};
    Output<Buffer<int32_t, 0>> total{"total"};
    Output<Buffer<uint8_t, 5>> five{"five"};

    void generate() {
        Var a("a"), b("b"), c("c"), d("d"), e("e");
        flipped(a) = flags(a) != flip;
        scaled(a) = cast<float16_t>(cast<float>(halves(a)) * 0.75f);
        RDom r(0, 6);
        total() = point();
        total() += cast<int32_t>(flags(r));
        five(a, b, c, d, e) = cast<uint8_t>(a + 2 * b + 4 * c + 8 * d + 16 * e);
        flags.set_estimates({{0, 6}});
        halves.set_estimates({{0, 6}});
        flipped.set_estimates({{0, 6}});
        scaled.set_estimates({{0, 6}});
        five.set_estimates({{0, 2}, {0, 2}, {0, 2}, {0, 2}, {0, 2}});
    }
};
HALIDE_REGISTER_GENERATOR(Types, types)
`

func TestEveryType(t *testing.T) {
	tree := find(t)
	path := filepath.Join(t.TempDir(), "types.cc")
	if err := os.WriteFile(path, []byte(everyType), 0o666); err != nil {
		t.Fatal(err)
	}
	e, err := tree.Emit(Generator{Source: path, Name: "types"}, EmitOptions{Target: "host", Scheduler: Root()})
	if err != nil {
		t.Fatal(err)
	}
	got, err := tree.Describe(e, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	want := []Argument{
		{Kind: Input, Name: "flags", Type: Bool, Mins: []int{0}, Shape: []int{6}},
		{Kind: Input, Name: "halves", Type: F16, Mins: []int{0}, Shape: []int{6}},
		{Kind: Input, Name: "point", Type: I32},
		{Kind: Scalar, Name: "flip", Type: Bool, Value: "1"},
		{Kind: Output, Name: "flipped", Type: Bool, Mins: []int{0}, Shape: []int{6}},
		{Kind: Output, Name: "scaled", Type: F16, Mins: []int{0}, Shape: []int{6}},
		{Kind: Output, Name: "total", Type: I32},
		{Kind: Output, Name: "five", Type: U8, Mins: []int{0, 0, 0, 0, 0}, Shape: []int{2, 2, 2, 2, 2}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatal(diff)
	}
	in, shapes := Args{}, map[string][]int{}
	for _, a := range got {
		switch a.Kind {
		case Scalar:
			in[a.Name] = a.Value
		case Output:
			shapes[a.Name] = a.Shape
		}
	}
	in["flags"] = &Array{Type: Bool, Shape: []int{6}, Data: []byte{1, 0, 0, 1, 1, 1}}
	in["point"] = &Array{Type: I32, Data: []byte{100, 0, 0, 0}}
	halves := &Array{Type: F16, Shape: []int{6}} // 1, -2, 65504, 2^-24, 1/3 rounded, 0: bits by IEEE 754's table
	for _, bits := range []uint16{0x3c00, 0xc000, 0x7bff, 0x0001, 0x3555, 0} {
		halves.Data = binary.LittleEndian.AppendUint16(halves.Data, bits)
	}
	in["halves"] = halves
	p, err := tree.Link(e)
	if err != nil {
		t.Fatal(err)
	}
	out, err := p.Run(in, shapes)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]byte{0, 1, 1, 0, 0, 0}, out["flipped"].Data); diff != "" {
		t.Error("flipped", diff)
	}
	if n := out["total"].Int(0); n != 104 || out["total"].Len() != 1 {
		t.Errorf("total %d", n)
	}
	for i := range 32 {
		if out["five"].Int(i) != int64(i) {
			t.Errorf("five: %v", out["five"].Data)
			break
		}
	}
	// 0.75 of each, to the nearest half: 49128 lies between 49120 and 49152, 0.75 of the least is nearer to it than to 0, 0.75 * 0.33325 lies in the middle.
	for i, want := range []float64{0.75, -1.5, 49120, 0x1p-24, 0.25, 0} {
		if got := out["scaled"].Float(i); got != want {
			t.Errorf("scaled %d: %v, want %v", i, got, want)
		}
	}
	// One rounding off is a half's own coarseness; two are a difference.
	near := &Array{Type: F16, Shape: []int{1}, Data: []byte{0x00, 0x3c}}
	for step, same := range map[byte]bool{1: true, 2: false} {
		if err := Compare(&Array{Type: F16, Shape: []int{1}, Data: []byte{step, 0x3c}}, near, Default); (err == nil) != same {
			t.Errorf("%d steps: %v", step, err)
		}
	}
}
