package exec

import (
	"math"

	"gowarp/gpusim/ptx"
)

// The forms that dominate Halide's kernels, written out over a register's 32 lanes. Each must
// give what its scalar definition gives, which a test compares. Lanes that do not run are
// computed too and left out when the result is stored.

// out32 is where a result goes: the register itself if all lanes run.
func (w *warp) out32(o *op) *lanes32 {
	if w.mask == all {
		return &w.r32[o.d.at]
	}
	return &w.tmp32
}

func (w *warp) commit32(o *op, d *lanes32) {
	if w.mask != all {
		merge32(&w.r32[o.d.at], d, w.mask)
	}
}

// merge32 and merge64 take over the lanes of mask; shift64 is shiftDoubles. Where the CPU can,
// its instructions do.
var merge32, merge64, shift64 = mergeWords, mergeDoubles, shiftDoubles

// shiftDoubles adds an offset to all lanes and reports whether they lie at equal distances.
func shiftDoubles(d, a *lanes64, offset uint64) bool {
	var irregular uint64
	want, stride := a[0], a[1]-a[0]
	for i, v := range a {
		d[i] = v + offset
		irregular |= v ^ want
		want += stride
	}
	return irregular == 0
}

func mergeWords(r, d *lanes32, mask uint32) {
	for i := range r {
		if mask&1 != 0 {
			r[i] = d[i]
		}
		mask >>= 1
	}
}

func mergeDoubles(r, d *lanes64, mask uint32) {
	for i := range r {
		if mask&1 != 0 {
			r[i] = d[i]
		}
		mask >>= 1
	}
}

func (w *warp) out64(o *op) *lanes64 {
	if w.mask == all {
		return &w.r64[o.d.at]
	}
	return &w.tmp64
}

func (w *warp) commit64(o *op, d *lanes64) {
	if w.mask != all {
		merge64(&w.r64[o.d.at], d, w.mask)
	}
}

// fastForm is the fast form of an instruction, nil if it has none.
func fastForm(i *ptx.Inst, o *op) func(w *warp, o *op) {
	if i.Op == "selp" {
		switch o.d.class {
		case word:
			return select32
		case double:
			return select64
		}
		return nil
	}
	if i.Op == "mov" {
		switch o.d.class {
		case word:
			return move32
		case double:
			return move64
		case boolean:
			return movePred
		}
	}
	if i.Op == "cvt" && (o.a.class != classOf(i.Type(1)) || o.d.class != classOf(i.Type(0))) {
		return nil // a register wider than its type
	}
	if f := vectorForms[i.Text]; f != nil {
		return f
	}
	return fastForms[i.Text]
}

func move32(w *warp, o *op) {
	if w.mask == all {
		w.r32[o.d.at] = w.r32[o.a.at]
	} else {
		merge32(&w.r32[o.d.at], &w.r32[o.a.at], w.mask)
	}
	w.taint3(o)
}

func move64(w *warp, o *op) {
	if w.mask == all {
		w.r64[o.d.at] = w.r64[o.a.at]
	} else {
		merge64(&w.r64[o.d.at], &w.r64[o.a.at], w.mask)
	}
	w.taint3(o)
}

func add32(w *warp, o *op) {
	a, b := &w.r32[o.a.at], &w.r32[o.b.at]
	d := w.out32(o)
	for i := range d {
		d[i] = a[i] + b[i]
	}
	w.commit32(o, d)
	w.taint3(o)
}

func sub32(w *warp, o *op) {
	a, b := &w.r32[o.a.at], &w.r32[o.b.at]
	d := w.out32(o)
	for i := range d {
		d[i] = a[i] - b[i]
	}
	w.commit32(o, d)
	w.taint3(o)
}

func mul32(w *warp, o *op) {
	a, b := &w.r32[o.a.at], &w.r32[o.b.at]
	d := w.out32(o)
	for i := range d {
		d[i] = a[i] * b[i]
	}
	w.commit32(o, d)
	w.taint3(o)
}

func mad32(w *warp, o *op) {
	a, b, c := &w.r32[o.a.at], &w.r32[o.b.at], &w.r32[o.c.at]
	d := w.out32(o)
	for i := range d {
		d[i] = a[i]*b[i] + c[i]
	}
	w.commit32(o, d)
	w.taint3(o)
}

func and32(w *warp, o *op) {
	a, b := &w.r32[o.a.at], &w.r32[o.b.at]
	d := w.out32(o)
	for i := range d {
		d[i] = a[i] & b[i]
	}
	w.commit32(o, d)
	w.taint3(o)
}

func or32(w *warp, o *op) {
	a, b := &w.r32[o.a.at], &w.r32[o.b.at]
	d := w.out32(o)
	for i := range d {
		d[i] = a[i] | b[i]
	}
	w.commit32(o, d)
	w.taint3(o)
}

func xor32(w *warp, o *op) {
	a, b := &w.r32[o.a.at], &w.r32[o.b.at]
	d := w.out32(o)
	for i := range d {
		d[i] = a[i] ^ b[i]
	}
	w.commit32(o, d)
	w.taint3(o)
}

func shl32(w *warp, o *op) {
	a, b := &w.r32[o.a.at], &w.r32[o.b.at]
	d := w.out32(o)
	for i := range d {
		d[i] = a[i] << b[i]
	}
	w.commit32(o, d)
	w.taint3(o)
}

func shrS32(w *warp, o *op) {
	a, b := &w.r32[o.a.at], &w.r32[o.b.at]
	d := w.out32(o)
	for i := range d {
		d[i] = uint32(int32(a[i]) >> b[i])
	}
	w.commit32(o, d)
	w.taint3(o)
}

func shrU32(w *warp, o *op) {
	a, b := &w.r32[o.a.at], &w.r32[o.b.at]
	d := w.out32(o)
	for i := range d {
		d[i] = a[i] >> b[i]
	}
	w.commit32(o, d)
	w.taint3(o)
}

func minS32(w *warp, o *op) {
	a, b := &w.r32[o.a.at], &w.r32[o.b.at]
	d := w.out32(o)
	for i := range d {
		d[i] = uint32(min(int32(a[i]), int32(b[i])))
	}
	w.commit32(o, d)
	w.taint3(o)
}

func maxS32(w *warp, o *op) {
	a, b := &w.r32[o.a.at], &w.r32[o.b.at]
	d := w.out32(o)
	for i := range d {
		d[i] = uint32(max(int32(a[i]), int32(b[i])))
	}
	w.commit32(o, d)
	w.taint3(o)
}

func minU32(w *warp, o *op) {
	a, b := &w.r32[o.a.at], &w.r32[o.b.at]
	d := w.out32(o)
	for i := range d {
		d[i] = min(a[i], b[i])
	}
	w.commit32(o, d)
	w.taint3(o)
}

func maxU32(w *warp, o *op) {
	a, b := &w.r32[o.a.at], &w.r32[o.b.at]
	d := w.out32(o)
	for i := range d {
		d[i] = max(a[i], b[i])
	}
	w.commit32(o, d)
	w.taint3(o)
}

func neg32(w *warp, o *op) {
	a := &w.r32[o.a.at]
	d := w.out32(o)
	for i := range d {
		d[i] = -a[i]
	}
	w.commit32(o, d)
	w.taint3(o)
}

func not32(w *warp, o *op) {
	a := &w.r32[o.a.at]
	d := w.out32(o)
	for i := range d {
		d[i] = ^a[i]
	}
	w.commit32(o, d)
	w.taint3(o)
}

func add16(w *warp, o *op) {
	a, b := &w.r32[o.a.at], &w.r32[o.b.at]
	d := w.out32(o)
	for i := range d {
		d[i] = (a[i] + b[i]) & 0xffff
	}
	w.commit32(o, d)
	w.taint3(o)
}

func sub16(w *warp, o *op) {
	a, b := &w.r32[o.a.at], &w.r32[o.b.at]
	d := w.out32(o)
	for i := range d {
		d[i] = (a[i] - b[i]) & 0xffff
	}
	w.commit32(o, d)
	w.taint3(o)
}

func low16(w *warp, o *op) {
	a := &w.r32[o.a.at]
	d := w.out32(o)
	for i := range d {
		d[i] = a[i] & 0xffff
	}
	w.commit32(o, d)
	w.taint3(o)
}

func wideS16(w *warp, o *op) {
	a, b := &w.r32[o.a.at], &w.r32[o.b.at]
	d := w.out32(o)
	for i := range d {
		d[i] = uint32(int32(int16(a[i])) * int32(int16(b[i])))
	}
	w.commit32(o, d)
	w.taint3(o)
}

func wideU16(w *warp, o *op) {
	a, b := &w.r32[o.a.at], &w.r32[o.b.at]
	d := w.out32(o)
	for i := range d {
		d[i] = (a[i] & 0xffff) * (b[i] & 0xffff)
	}
	w.commit32(o, d)
	w.taint3(o)
}

func add64(w *warp, o *op) {
	a, b := &w.r64[o.a.at], &w.r64[o.b.at]
	d := w.out64(o)
	for i := range d {
		d[i] = a[i] + b[i]
	}
	w.commit64(o, d)
	w.taint3(o)
}

func sub64(w *warp, o *op) {
	a, b := &w.r64[o.a.at], &w.r64[o.b.at]
	d := w.out64(o)
	for i := range d {
		d[i] = a[i] - b[i]
	}
	w.commit64(o, d)
	w.taint3(o)
}

func mul64(w *warp, o *op) {
	a, b := &w.r64[o.a.at], &w.r64[o.b.at]
	d := w.out64(o)
	for i := range d {
		d[i] = a[i] * b[i]
	}
	w.commit64(o, d)
	w.taint3(o)
}

func shl64(w *warp, o *op) {
	a, b := &w.r64[o.a.at], &w.r32[o.b.at]
	d := w.out64(o)
	for i := range d {
		d[i] = a[i] << b[i]
	}
	w.commit64(o, d)
	w.taint3(o)
}

func wideS32(w *warp, o *op) {
	a, b := &w.r32[o.a.at], &w.r32[o.b.at]
	d := w.out64(o)
	for i := range d {
		d[i] = uint64(int64(int32(a[i])) * int64(int32(b[i])))
	}
	w.commit64(o, d)
	w.taint3(o)
}

func wideU32(w *warp, o *op) {
	a, b := &w.r32[o.a.at], &w.r32[o.b.at]
	d := w.out64(o)
	for i := range d {
		d[i] = uint64(a[i]) * uint64(b[i])
	}
	w.commit64(o, d)
	w.taint3(o)
}

func extendS32(w *warp, o *op) {
	a := &w.r32[o.a.at]
	d := w.out64(o)
	for i := range d {
		d[i] = uint64(int64(int32(a[i])))
	}
	w.commit64(o, d)
	w.taint3(o)
}

func extendU32(w *warp, o *op) {
	a := &w.r32[o.a.at]
	d := w.out64(o)
	for i := range d {
		d[i] = uint64(a[i])
	}
	w.commit64(o, d)
	w.taint3(o)
}

func addF32(w *warp, o *op) {
	a, b := &w.r32[o.a.at], &w.r32[o.b.at]
	d := w.out32(o)
	for i := range d {
		v := math.Float32frombits(a[i]) + math.Float32frombits(b[i])
		u := math.Float32bits(v)
		if v != v {
			u = nan32
		}
		d[i] = u
	}
	w.commit32(o, d)
	w.taint3(o)
}

func subF32(w *warp, o *op) {
	a, b := &w.r32[o.a.at], &w.r32[o.b.at]
	d := w.out32(o)
	for i := range d {
		v := math.Float32frombits(a[i]) - math.Float32frombits(b[i])
		u := math.Float32bits(v)
		if v != v {
			u = nan32
		}
		d[i] = u
	}
	w.commit32(o, d)
	w.taint3(o)
}

func mulF32(w *warp, o *op) {
	a, b := &w.r32[o.a.at], &w.r32[o.b.at]
	d := w.out32(o)
	for i := range d {
		v := math.Float32frombits(a[i]) * math.Float32frombits(b[i])
		u := math.Float32bits(v)
		if v != v {
			u = nan32
		}
		d[i] = u
	}
	w.commit32(o, d)
	w.taint3(o)
}

func fmaF32(w *warp, o *op) {
	a, b, c := &w.r32[o.a.at], &w.r32[o.b.at], &w.r32[o.c.at]
	d := w.out32(o)
	for i := range d {
		// fma32's usual case, written out.
		s := float64(math.Float32frombits(a[i]))*float64(math.Float32frombits(b[i])) + float64(math.Float32frombits(c[i]))
		u := math.Float64bits(s)
		if u&(1<<29-1) != 1<<28 && (u>>52&0x7ff)-(1023-125) < 250 {
			d[i] = math.Float32bits(float32(s))
			continue
		}
		v := fma32(math.Float32frombits(a[i]), math.Float32frombits(b[i]), math.Float32frombits(c[i]))
		d[i] = math.Float32bits(v)
		if v != v {
			d[i] = nan32
		}
	}
	w.commit32(o, d)
	w.taint3(o)
}

func divF32(w *warp, o *op) {
	a, b := &w.r32[o.a.at], &w.r32[o.b.at]
	d := w.out32(o)
	for i := range d {
		v := math.Float32frombits(a[i]) / math.Float32frombits(b[i])
		u := math.Float32bits(v)
		if v != v {
			u = nan32
		}
		d[i] = u
	}
	w.commit32(o, d)
	w.taint3(o)
}

func addF64(w *warp, o *op) {
	a, b := &w.r64[o.a.at], &w.r64[o.b.at]
	d := w.out64(o)
	for i := range d {
		v := math.Float64frombits(a[i]) + math.Float64frombits(b[i])
		u := math.Float64bits(v)
		if v != v {
			u = nan64
		}
		d[i] = u
	}
	w.commit64(o, d)
	w.taint3(o)
}

func subF64(w *warp, o *op) {
	a, b := &w.r64[o.a.at], &w.r64[o.b.at]
	d := w.out64(o)
	for i := range d {
		v := math.Float64frombits(a[i]) - math.Float64frombits(b[i])
		u := math.Float64bits(v)
		if v != v {
			u = nan64
		}
		d[i] = u
	}
	w.commit64(o, d)
	w.taint3(o)
}

func mulF64(w *warp, o *op) {
	a, b := &w.r64[o.a.at], &w.r64[o.b.at]
	d := w.out64(o)
	for i := range d {
		v := math.Float64frombits(a[i]) * math.Float64frombits(b[i])
		u := math.Float64bits(v)
		if v != v {
			u = nan64
		}
		d[i] = u
	}
	w.commit64(o, d)
	w.taint3(o)
}

func fmaF64(w *warp, o *op) {
	a, b, c := &w.r64[o.a.at], &w.r64[o.b.at], &w.r64[o.c.at]
	d := w.out64(o)
	for i := range d {
		v := math.FMA(math.Float64frombits(a[i]), math.Float64frombits(b[i]), math.Float64frombits(c[i]))
		u := math.Float64bits(v)
		if v != v {
			u = nan64
		}
		d[i] = u
	}
	w.commit64(o, d)
	w.taint3(o)
}

func eq32(w *warp, o *op) {
	a, b := &w.r32[o.a.at], &w.r32[o.b.at]
	var p uint32
	for i := range a {
		var v uint32
		if a[i] == b[i] {
			v = 1
		}
		p = p>>1 | v<<31
	}
	w.setPred(o, p)
}

func eq64(w *warp, o *op) {
	a, b := &w.r64[o.a.at], &w.r64[o.b.at]
	var p uint32
	for i := range a {
		var v uint32
		if a[i] == b[i] {
			v = 1
		}
		p = p>>1 | v<<31
	}
	w.setPred(o, p)
}

func ne32(w *warp, o *op) {
	a, b := &w.r32[o.a.at], &w.r32[o.b.at]
	var p uint32
	for i := range a {
		var v uint32
		if a[i] != b[i] {
			v = 1
		}
		p = p>>1 | v<<31
	}
	w.setPred(o, p)
}

func ne64(w *warp, o *op) {
	a, b := &w.r64[o.a.at], &w.r64[o.b.at]
	var p uint32
	for i := range a {
		var v uint32
		if a[i] != b[i] {
			v = 1
		}
		p = p>>1 | v<<31
	}
	w.setPred(o, p)
}

func ltS32(w *warp, o *op) {
	a, b := &w.r32[o.a.at], &w.r32[o.b.at]
	var p uint32
	for i := range a {
		var v uint32
		if int32(a[i]) < int32(b[i]) {
			v = 1
		}
		p = p>>1 | v<<31
	}
	w.setPred(o, p)
}

func ltU32(w *warp, o *op) {
	a, b := &w.r32[o.a.at], &w.r32[o.b.at]
	var p uint32
	for i := range a {
		var v uint32
		if a[i] < b[i] {
			v = 1
		}
		p = p>>1 | v<<31
	}
	w.setPred(o, p)
}

func ltF32(w *warp, o *op) {
	a, b := &w.r32[o.a.at], &w.r32[o.b.at]
	var p uint32
	for i := range a {
		var v uint32
		if math.Float32frombits(a[i]) < math.Float32frombits(b[i]) {
			v = 1
		}
		p = p>>1 | v<<31
	}
	w.setPred(o, p)
}

func leS32(w *warp, o *op) {
	a, b := &w.r32[o.a.at], &w.r32[o.b.at]
	var p uint32
	for i := range a {
		var v uint32
		if int32(a[i]) <= int32(b[i]) {
			v = 1
		}
		p = p>>1 | v<<31
	}
	w.setPred(o, p)
}

func leU32(w *warp, o *op) {
	a, b := &w.r32[o.a.at], &w.r32[o.b.at]
	var p uint32
	for i := range a {
		var v uint32
		if a[i] <= b[i] {
			v = 1
		}
		p = p>>1 | v<<31
	}
	w.setPred(o, p)
}

func leF32(w *warp, o *op) {
	a, b := &w.r32[o.a.at], &w.r32[o.b.at]
	var p uint32
	for i := range a {
		var v uint32
		if math.Float32frombits(a[i]) <= math.Float32frombits(b[i]) {
			v = 1
		}
		p = p>>1 | v<<31
	}
	w.setPred(o, p)
}

func gtS32(w *warp, o *op) {
	a, b := &w.r32[o.a.at], &w.r32[o.b.at]
	var p uint32
	for i := range a {
		var v uint32
		if int32(a[i]) > int32(b[i]) {
			v = 1
		}
		p = p>>1 | v<<31
	}
	w.setPred(o, p)
}

func gtU32(w *warp, o *op) {
	a, b := &w.r32[o.a.at], &w.r32[o.b.at]
	var p uint32
	for i := range a {
		var v uint32
		if a[i] > b[i] {
			v = 1
		}
		p = p>>1 | v<<31
	}
	w.setPred(o, p)
}

func gtF32(w *warp, o *op) {
	a, b := &w.r32[o.a.at], &w.r32[o.b.at]
	var p uint32
	for i := range a {
		var v uint32
		if math.Float32frombits(a[i]) > math.Float32frombits(b[i]) {
			v = 1
		}
		p = p>>1 | v<<31
	}
	w.setPred(o, p)
}

func geS32(w *warp, o *op) {
	a, b := &w.r32[o.a.at], &w.r32[o.b.at]
	var p uint32
	for i := range a {
		var v uint32
		if int32(a[i]) >= int32(b[i]) {
			v = 1
		}
		p = p>>1 | v<<31
	}
	w.setPred(o, p)
}

func geU32(w *warp, o *op) {
	a, b := &w.r32[o.a.at], &w.r32[o.b.at]
	var p uint32
	for i := range a {
		var v uint32
		if a[i] >= b[i] {
			v = 1
		}
		p = p>>1 | v<<31
	}
	w.setPred(o, p)
}

func geF32(w *warp, o *op) {
	a, b := &w.r32[o.a.at], &w.r32[o.b.at]
	var p uint32
	for i := range a {
		var v uint32
		if math.Float32frombits(a[i]) >= math.Float32frombits(b[i]) {
			v = 1
		}
		p = p>>1 | v<<31
	}
	w.setPred(o, p)
}

func (w *warp) setPred(o *op, p uint32) {
	d := &w.preds[o.d.at]
	*d = *d&^w.mask | p&w.mask
	w.taint3(o)
}

func movePred(w *warp, o *op) { w.setPred(o, w.preds[o.a.at]) }

func notPred(w *warp, o *op) { w.setPred(o, ^w.preds[o.a.at]) }

func xorPred(w *warp, o *op) { w.setPred(o, w.preds[o.a.at]^w.preds[o.b.at]) }

// andPred is defined where one operand is false for certain.
func andPred(w *warp, o *op) {
	a, b := w.preds[o.a.at], w.preds[o.b.at]
	ta, tb := w.taints[o.a.taint], w.taints[o.b.taint]
	w.setPred(o, a&b)
	w.taint(o.d, (ta|tb)&^(^a&^ta)&^(^b&^tb))
}

// orPred is defined where one operand is true for certain.
func orPred(w *warp, o *op) {
	a, b := w.preds[o.a.at], w.preds[o.b.at]
	ta, tb := w.taints[o.a.taint], w.taints[o.b.taint]
	w.setPred(o, a|b)
	w.taint(o.d, (ta|tb)&^(a&^ta)&^(b&^tb))
}

func select32(w *warp, o *op) {
	a, b, p := &w.r32[o.a.at], &w.r32[o.b.at], w.preds[o.c.at]
	d := w.out32(o)
	for i, q := 0, p; i < len(d); i, q = i+1, q>>1 {
		v := b[i]
		if q&1 != 0 {
			v = a[i]
		}
		d[i] = v
	}
	w.commit32(o, d)
	w.taintSelect(o, p)
}

func select64(w *warp, o *op) {
	a, b, p := &w.r64[o.a.at], &w.r64[o.b.at], w.preds[o.c.at]
	d := w.out64(o)
	for i, q := 0, p; i < len(d); i, q = i+1, q>>1 {
		v := b[i]
		if q&1 != 0 {
			v = a[i]
		}
		d[i] = v
	}
	w.commit64(o, d)
	w.taintSelect(o, p)
}

// floatS32 is cvt.rn.f32.s32.
func floatS32(w *warp, o *op) {
	a, d := &w.r32[o.a.at], w.out32(o)
	for i := range d {
		d[i] = math.Float32bits(float32(int32(a[i])))
	}
	w.commit32(o, d)
	w.taint3(o)
}

// vectorForms come before fastForms of the same name, where the CPU has the instructions for
// them.
var vectorForms map[string]func(w *warp, o *op)

var fastForms = map[string]func(w *warp, o *op){
	"and.pred": andPred, "or.pred": orPred, "xor.pred": xorPred, "not.pred": notPred,
	"cvt.rn.f32.s32": floatS32,
	"add.f32":        addF32,
	"add.f64":        addF64,
	"add.rn.f32":     addF32,
	"add.rn.f64":     addF64,
	"add.s16":        add16,
	"add.s32":        add32,
	"add.s64":        add64,
	"add.u16":        add16,
	"add.u32":        add32,
	"add.u64":        add64,
	"and.b16":        and32,
	"and.b32":        and32,
	"cvt.s64.s32":    extendS32,
	"cvt.u16.u32":    low16,
	"cvt.u32.u16":    low16,
	"cvt.u64.u32":    extendU32,
	"div.rn.f32":     divF32,
	"fma.rn.f32":     fmaF32,
	"fma.rn.f64":     fmaF64,
	"mad.lo.s32":     mad32,
	"mad.lo.u32":     mad32,
	"max.s32":        maxS32,
	"max.u32":        maxU32,
	"min.s32":        minS32,
	"min.u32":        minU32,
	"mul.f32":        mulF32,
	"mul.f64":        mulF64,
	"mul.lo.s32":     mul32,
	"mul.lo.s64":     mul64,
	"mul.lo.u32":     mul32,
	"mul.lo.u64":     mul64,
	"mul.rn.f32":     mulF32,
	"mul.rn.f64":     mulF64,
	"mul.wide.s16":   wideS16,
	"mul.wide.s32":   wideS32,
	"mul.wide.u16":   wideU16,
	"mul.wide.u32":   wideU32,
	"neg.s32":        neg32,
	"not.b32":        not32,
	"or.b16":         or32,
	"or.b32":         or32,
	"setp.eq.b16":    eq32,
	"setp.eq.b32":    eq32,
	"setp.eq.b64":    eq64,
	"setp.eq.s16":    eq32,
	"setp.eq.s32":    eq32,
	"setp.eq.s64":    eq64,
	"setp.eq.u16":    eq32,
	"setp.eq.u32":    eq32,
	"setp.eq.u64":    eq64,
	"setp.ge.f32":    geF32,
	"setp.ge.s32":    geS32,
	"setp.ge.u16":    geU32,
	"setp.ge.u32":    geU32,
	"setp.gt.f32":    gtF32,
	"setp.gt.s32":    gtS32,
	"setp.gt.u16":    gtU32,
	"setp.gt.u32":    gtU32,
	"setp.le.f32":    leF32,
	"setp.le.s32":    leS32,
	"setp.le.u16":    leU32,
	"setp.le.u32":    leU32,
	"setp.lt.f32":    ltF32,
	"setp.lt.s32":    ltS32,
	"setp.lt.u16":    ltU32,
	"setp.lt.u32":    ltU32,
	"setp.ne.b16":    ne32,
	"setp.ne.b32":    ne32,
	"setp.ne.b64":    ne64,
	"setp.ne.s16":    ne32,
	"setp.ne.s32":    ne32,
	"setp.ne.s64":    ne64,
	"setp.ne.u16":    ne32,
	"setp.ne.u32":    ne32,
	"setp.ne.u64":    ne64,
	"shl.b32":        shl32,
	"shl.b64":        shl64,
	"shr.b32":        shrU32,
	"shr.s32":        shrS32,
	"shr.u32":        shrU32,
	"sub.f32":        subF32,
	"sub.f64":        subF64,
	"sub.rn.f32":     subF32,
	"sub.rn.f64":     subF64,
	"sub.s16":        sub16,
	"sub.s32":        sub32,
	"sub.s64":        sub64,
	"sub.u16":        sub16,
	"sub.u32":        sub32,
	"sub.u64":        sub64,
	"xor.b16":        xor32,
	"xor.b32":        xor32,
}
