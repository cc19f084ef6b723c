//go:build halide

package programs

import (
	"fmt"
	"strconv"
	"testing"

	"gowarp/benchmarks/harness"
	"gowarp/benchmarks/harness/suite"
)

// layer is the shape of a convolution layer.
type layer struct {
	size            [2]int // of the output
	inputMaps, maps int
	batch           int
	kernel, stride  int
}

// reduced is a size and as few maps as are no multiple of a tile, unless the size is one
// that the layer is scheduled for: those are squares.
func (l layer) reduced(w, h int) layer {
	if w == h {
		l.size = [2]int{w, h}
		return l
	}
	l.size, l.inputMaps, l.maps, l.batch = [2]int{w, h}, min(l.inputMaps, 6), min(l.maps, 11), min(l.batch, 3)
	return l
}

// inputs are multiples of 1/64, activations from -2 to 2 and weights from -1 to 1: a sum
// of up to 2048 products is exact in 24 bits, whatever the order.
func (l layer) inputs(t testing.TB, tree *harness.Tree, w, h int) (harness.Args, map[string][]int) {
	l = l.reduced(w, h)
	in := [4]int{(w-1)*l.stride + l.kernel, (h-1)*l.stride + l.kernel, l.inputMaps, l.batch}
	photo := suite.Photograph(t, tree, in[0], in[1])
	n := in[0] * in[1]
	image := suite.Table(harness.F32, func(i int) float64 {
		at, plane := i%n, i/n
		r, g, b := int(photo.Data[at]), int(photo.Data[n+at]), int(photo.Data[2*n+at])
		return float64((r+plane*g+plane*plane*b)&255-128) / 64
	}, in[:]...)
	filter := suite.Table(harness.F32, func(i int) float64 { return float64(i*i*31%129-64) / 64 }, l.kernel, l.kernel, l.inputMaps, l.maps)
	bias := suite.Table(harness.F32, func(i int) float64 { return float64(i*37%129-64) / 16 }, l.maps)
	return harness.Args{"input": image, "filter": filter, "bias": bias}, map[string][]int{"output": {w, h, l.maps, l.batch}}
}

func (l layer) params() map[string]string {
	params := map[string]string{}
	for name, value := range map[string]int{"width": l.size[0], "height": l.size[1], "input_maps": l.inputMaps, "maps": l.maps,
		"batch": l.batch, "kernel": l.kernel, "stride": l.stride} {
		params[name] = strconv.Itoa(value)
	}
	return params
}

func (l layer) program() suite.Program {
	return suite.Program{
		Generator: harness.Generator{Source: "benchmarks/programs/conv_layer/conv_layer.cc", Name: "conv_layer"},
		Reference: "benchmarks/programs/conv_layer/reference.py",
		Inputs:    l.inputs,
		Sizes:     [][2]int{{131, 77}, {33, 9}, {7, 5}},
		Estimated: l.size,
		Simulated: [2]int{67, 40},
	}
}

func TestConvLayer(t *testing.T) {
	p := layer{[2]int{128, 128}, 64, 64, 4, 3, 1}.program()
	// The paper has one size only. At its images' sizes an array would hold 2^31 elements.
	p.Scales = []suite.Scale{scale("width", 32, "height", 32), scale("width", 512, "height", 512)}
	p.Tiny = [2]int{7, 5}
	p.Expert = suite.Expert{Counted: [2]int{128, 128}, Sizes: [][2]int{{64, 64}}}
	p.Peers = map[string]string{"Mullapudi2016": "cannot be scheduled"} // four loops of blocks in each other
	p.Untried = map[string]string{"Anderson2021": "it takes half a minute to schedule this, and then reads before the first image"}
	suite.Run(t, p)
}

// TestResNet: layers of ResNet-50 (He et al. 2016, table 1) for images of 224x224 and a
// batch of 4, scheduled as they are and run at reduced sizes.
func TestResNet(t *testing.T) {
	for _, l := range suite.Sampled([]layer{
		{[2]int{112, 112}, 3, 64, 4, 7, 2},
		{[2]int{56, 56}, 64, 256, 4, 1, 1},
		{[2]int{28, 28}, 128, 128, 4, 3, 2},
		{[2]int{7, 7}, 512, 512, 4, 3, 1},
		{[2]int{7, 7}, 512, 2048, 4, 1, 1},
	}) {
		p := l.program()
		p.Name = fmt.Sprintf("conv_layer %dx%d/%d, %d to %d maps of %dx%d", l.kernel, l.kernel, l.stride, l.inputMaps, l.maps, l.size[0], l.size[1])
		p.Generator.Params = l.params()
		p.Sizes, p.Simulated = [][2]int{{17, 9}, {5, 3}}, [2]int{17, 9}
		p.Untried = map[string]string{}
		for _, peer := range []string{"Li2018", "Mullapudi2016", "Anderson2021"} {
			p.Untried[peer] = "TestConvLayer tries it"
		}
		t.Run(fmt.Sprintf("%dx%d_stride_%d_%d_to_%d", l.kernel, l.kernel, l.stride, l.inputMaps, l.maps), func(t *testing.T) { suite.Run(t, p) })
	}
}
