package exec

import "golang.org/x/sys/cpu"

// Arithmetic with the CPU's own instructions on eight lanes, where it has them. Those of f32
// round once, to nearest even, and keep subnormal numbers, as PTX asks; shifts by 32 and
// more give what PTX's do. A register of a warp takes some 5 ns, lane by lane 15 to 80.

//go:noescape
func fmaLanes(d, a, b, c *lanes32)

//go:noescape
func addFLanes(d, a, b *lanes32)

//go:noescape
func subFLanes(d, a, b *lanes32)

//go:noescape
func mulFLanes(d, a, b *lanes32)

//go:noescape
func addLanes(d, a, b *lanes32)

//go:noescape
func subLanes(d, a, b *lanes32)

//go:noescape
func mulLanes(d, a, b *lanes32)

//go:noescape
func andLanes(d, a, b *lanes32)

//go:noescape
func orLanes(d, a, b *lanes32)

//go:noescape
func xorLanes(d, a, b *lanes32)

//go:noescape
func shlLanes(d, a, b *lanes32)

//go:noescape
func shrULanes(d, a, b *lanes32)

//go:noescape
func shrSLanes(d, a, b *lanes32)

//go:noescape
func minSLanes(d, a, b *lanes32)

//go:noescape
func maxSLanes(d, a, b *lanes32)

//go:noescape
func minULanes(d, a, b *lanes32)

//go:noescape
func maxULanes(d, a, b *lanes32)

//go:noescape
func madLanes(d, a, b, c *lanes32)

//go:noescape
func addDoubles(d, a, b *lanes64)

//go:noescape
func wideSLanes(d *lanes64, a, b *lanes32)

//go:noescape
func wideULanes(d *lanes64, a, b *lanes32)

//go:noescape
func equalLanes(a, b *lanes32) uint32

//go:noescape
func greaterSLanes(a, b *lanes32) uint32

//go:noescape
func greaterULanes(a, b *lanes32) uint32

// addressLanes adds an offset to all lanes and reports whether they lie at equal distances.
//
//go:noescape
func addressLanes(d, a *lanes64, offset uint64) bool

//go:noescape
func mergeLanes32(r, d *lanes32, mask uint32)

//go:noescape
func mergeLanes64(r, d *lanes64, mask uint32)

func init() {
	if !cpu.X86.HasAVX2 || !cpu.X86.HasFMA { // all CPUs since 2015, nearly
		return
	}
	merge32, merge64, shift64 = mergeLanes32, mergeLanes64, addressLanes
	vectorForms = map[string]func(w *warp, o *op){
		"fma.rn.f32": threeWords(fmaLanes),
		"add.f32":    twoWords(addFLanes), "add.rn.f32": twoWords(addFLanes),
		"sub.f32": twoWords(subFLanes), "sub.rn.f32": twoWords(subFLanes),
		"mul.f32": twoWords(mulFLanes), "mul.rn.f32": twoWords(mulFLanes),
		"add.s32": twoWords(addLanes), "add.u32": twoWords(addLanes),
		"sub.s32": twoWords(subLanes), "sub.u32": twoWords(subLanes),
		"mul.lo.s32": twoWords(mulLanes), "mul.lo.u32": twoWords(mulLanes),
		"mad.lo.s32": threeWords(madLanes), "mad.lo.u32": threeWords(madLanes),
		"and.b32": twoWords(andLanes), "or.b32": twoWords(orLanes), "xor.b32": twoWords(xorLanes),
		"and.b16": twoWords(andLanes), "or.b16": twoWords(orLanes), "xor.b16": twoWords(xorLanes),
		"shl.b32": twoWords(shlLanes), "shr.b32": twoWords(shrULanes), "shr.u32": twoWords(shrULanes), "shr.s32": twoWords(shrSLanes),
		"min.s32": twoWords(minSLanes), "max.s32": twoWords(maxSLanes), "min.u32": twoWords(minULanes), "max.u32": twoWords(maxULanes),
		"add.s64": addDoubleWords, "add.u64": addDoubleWords,
		"mul.wide.s32": wideWords(wideSLanes), "mul.wide.u32": wideWords(wideULanes),
		"setp.eq.b32": compareWords(equalLanes, false, 0), "setp.eq.s32": compareWords(equalLanes, false, 0), "setp.eq.u32": compareWords(equalLanes, false, 0),
		"setp.ne.b32": compareWords(equalLanes, false, all), "setp.ne.s32": compareWords(equalLanes, false, all), "setp.ne.u32": compareWords(equalLanes, false, all),
		"setp.gt.s32": compareWords(greaterSLanes, false, 0), "setp.le.s32": compareWords(greaterSLanes, false, all),
		"setp.lt.s32": compareWords(greaterSLanes, true, 0), "setp.ge.s32": compareWords(greaterSLanes, true, all),
		"setp.gt.u32": compareWords(greaterULanes, false, 0), "setp.le.u32": compareWords(greaterULanes, false, all),
		"setp.lt.u32": compareWords(greaterULanes, true, 0), "setp.ge.u32": compareWords(greaterULanes, true, all),
	}
}

func twoWords(f func(d, a, b *lanes32)) func(w *warp, o *op) {
	return func(w *warp, o *op) {
		d := w.out32(o)
		f(d, &w.r32[o.a.at], &w.r32[o.b.at])
		w.commit32(o, d)
		w.taint3(o)
	}
}

func threeWords(f func(d, a, b, c *lanes32)) func(w *warp, o *op) {
	return func(w *warp, o *op) {
		d := w.out32(o)
		f(d, &w.r32[o.a.at], &w.r32[o.b.at], &w.r32[o.c.at])
		w.commit32(o, d)
		w.taint3(o)
	}
}

func addDoubleWords(w *warp, o *op) {
	d := w.out64(o)
	addDoubles(d, &w.r64[o.a.at], &w.r64[o.b.at])
	w.commit64(o, d)
	w.taint3(o)
}

func wideWords(f func(d *lanes64, a, b *lanes32)) func(w *warp, o *op) {
	return func(w *warp, o *op) {
		d := w.out64(o)
		f(d, &w.r32[o.a.at], &w.r32[o.b.at])
		w.commit64(o, d)
		w.taint3(o)
	}
}

// compareWords compares, the operands swapped or not, and flips the result.
func compareWords(f func(a, b *lanes32) uint32, swap bool, flip uint32) func(w *warp, o *op) {
	return func(w *warp, o *op) {
		a, b := &w.r32[o.a.at], &w.r32[o.b.at]
		if swap {
			a, b = b, a
		}
		w.setPred(o, f(a, b)^flip)
	}
}
