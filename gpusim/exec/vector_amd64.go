package exec

import "golang.org/x/sys/cpu"

// Arithmetic of f32 with the CPU's own instructions on eight lanes, where it has them: they
// round once, to nearest even, and keep subnormal numbers, as PTX asks. A register of a
// warp takes some 5 ns, lane by lane 40 to 80.

//go:noescape
func fmaLanes(d, a, b, c *lanes32)

//go:noescape
func addLanes(d, a, b *lanes32)

//go:noescape
func subLanes(d, a, b *lanes32)

//go:noescape
func mulLanes(d, a, b *lanes32)

//go:noescape
func mergeLanes32(r, d *lanes32, mask uint32)

//go:noescape
func mergeLanes64(r, d *lanes64, mask uint32)

// hasVectors says whether the CPU has the instructions (all since 2013).
var hasVectors = cpu.X86.HasAVX2 && cpu.X86.HasFMA

// vectorForms replace forms of the same name in fastForms.
var vectorForms = map[string]func(w *warp, o *op){
	"add.f32": addF32Vector, "add.rn.f32": addF32Vector,
	"sub.f32": subF32Vector, "sub.rn.f32": subF32Vector,
	"mul.f32": mulF32Vector, "mul.rn.f32": mulF32Vector,
	"fma.rn.f32": fmaF32Vector,
}

func init() {
	if !hasVectors {
		return
	}
	for name, f := range vectorForms {
		fastForms[name] = f
	}
	merge32, merge64 = mergeLanes32, mergeLanes64
}

func addF32Vector(w *warp, o *op) {
	d := w.out32(o)
	addLanes(d, &w.r32[o.a.at], &w.r32[o.b.at])
	w.commit32(o, d)
	w.taint3(o)
}

func subF32Vector(w *warp, o *op) {
	d := w.out32(o)
	subLanes(d, &w.r32[o.a.at], &w.r32[o.b.at])
	w.commit32(o, d)
	w.taint3(o)
}

func mulF32Vector(w *warp, o *op) {
	d := w.out32(o)
	mulLanes(d, &w.r32[o.a.at], &w.r32[o.b.at])
	w.commit32(o, d)
	w.taint3(o)
}

func fmaF32Vector(w *warp, o *op) {
	d := w.out32(o)
	fmaLanes(d, &w.r32[o.a.at], &w.r32[o.b.at], &w.r32[o.c.at])
	w.commit32(o, d)
	w.taint3(o)
}
