package exec

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gowarp/gpusim/check"
)

// TestTogether compares loads and stores of all lanes at once with those lane by lane: results,
// what is undefined, findings, counts. Each thread reads its addresses from a table: of one
// place, side by side, at distances, anywhere, seldom outside; some threads and some data
// are left out, and the input may be the output.
func TestTogether(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	const threads, memory = 70, 1 << 13
	kinds := map[check.Kind]int{}
	for round := range 300 {
		size := 1 << r.IntN(4)
		vec := 1 << r.IntN(3)
		for size*vec > 16 {
			vec /= 2
		}
		load := []string{"b", "u", "s"}[r.IntN(3)]
		reg := map[int]string{1: "%rs", 2: "%rs", 4: "%r4", 8: "%rd4"}[size]
		if load != "b" && size < 4 && r.IntN(2) == 0 {
			reg = "%r4" // wider than what is loaded
		}
		var regs []string
		for k := range vec {
			regs = append(regs, fmt.Sprintf("%s%d", reg, k))
		}
		list, v := regs[0], ""
		if vec > 1 {
			list, v = "{"+strings.Join(regs, ", ")+"}", fmt.Sprintf(".v%d", vec)
		}
		in, out := fmt.Sprintf("%s.%s%d", v, load, 8*size), fmt.Sprintf("%s.b%d", v, 8*size)
		body := `ld.param.b64 %rd0, [p0]; ld.param.b64 %rd1, [p1]; ld.param.b64 %rd2, [p2]; ld.param.b64 %rd3, [p3];
mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mad.lo.s32 %r2, %r1, 70, %r0; mul.wide.u32 %rd4, %r2, 16; add.s64 %rd5, %rd0, %rd4;
ld.global.v4.b32 {%r10, %r11, %r12, %r13}, [%rd5]; setp.lt.s32 %p1, %r10, 0; @%p1 ret;
cvt.u64.u32 %rd10, %r10; cvt.u64.u32 %rd11, %r11; cvt.u64.u32 %rd12, %r12; cvt.u64.u32 %rd13, %r13;
add.s64 %rd20, %rd1, %rd10; add.s64 %rd21, %rd2, %rd11; add.s64 %rd23, %rd3, %rd4;
` + fmt.Sprintf("ld.global%s %s, [%%rd20];\nst.global%s [%%rd21], %s;\nst.shared%s [%%rd12], %s;\n", in, list, out, list, out, list)
		if r.IntN(2) == 0 {
			body += "bar.sync 0;\n"
		}
		body += fmt.Sprintf("ld.shared%s %s, [%%rd13];\nst.global%s [%%rd23], %s;\n", in, list, out, list)
		if reg == "%r4" && size*vec <= 8 {
			body += "st.global.b32 [%rd23+12], %r40;\n" // as it was extended
		}
		body += "ret;"

		table := make([]byte, 2*threads*16)
		for column := range 4 {
			pattern, base, step := r.IntN(4), r.IntN(memory/2), r.IntN(4)
			for i := range 2 * threads {
				at := base
				switch pattern {
				case 1:
					at += i * size * vec
				case 2:
					at += i * size * vec * step
				case 3:
					at = r.IntN(memory - 16)
				}
				at = at % (memory - 16) / (size * vec) * size * vec
				binary.LittleEndian.PutUint32(table[16*i+4*column:], uint32(at))
			}
		}
		if r.IntN(2) == 0 {
			for i := range 2 * threads {
				if r.IntN(3) == 0 {
					binary.LittleEndian.PutUint32(table[16*i:], 1<<31)
				}
			}
		}
		if r.IntN(8) == 0 { // one address too far, or unaligned
			binary.LittleEndian.PutUint32(table[4*r.IntN(len(table)/4):], uint32(memory-r.IntN(2)))
		}
		data := make([]byte, memory-r.IntN(3))
		for i := range data {
			data[i] = byte(-r.IntN(2)) // of each sign, and often the same value
		}
		holes, inPlace, checks, seed := r.IntN(2) == 0, r.IntN(4) == 0, r.IntN(4) > 0, r.Uint64()
		type outcome struct {
			Count        any
			Fault        check.Kind
			Findings     []check.Finding
			Data, Shadow [3][]byte
		}
		var outcomes [2]outcome
		for pass := range outcomes {
			k := loadKernel(t, 4, body)
			if pass == 1 {
				for o := range k.operations() {
					o.plain = false
				}
			}
			m := NewMemory(make([]byte, 1<<16), 1<<16, nil)
			p0, p1, p3 := allocate(t, m, table), allocate(t, m, data), allocate(t, m, make([]byte, 2*threads*16))
			p2 := p1
			if !inPlace {
				p2 = allocate(t, m, data)
			}
			if holes {
				a, _ := m.lookup(p1, 1)
				for i := 0; i < len(data); i += 48 {
					a.shadow[i] = unwritten
				}
			}
			res, found := launch(t, m, Launch{Kernel: k, Grid: [3]int{2, 1, 1}, Block: [3]int{threads, 1, 1}, SharedBytes: memory, Params: pointers(p0, p1, p2, p3),
				Workers: 1, Seed: seed, NoChecks: !checks})
			o := &outcomes[pass]
			o.Count, o.Fault, o.Findings = res.Count, res.Fault, found
			for n, p := range []uint64{p1, p2, p3} {
				a, _ := m.lookup(p, 1)
				o.Data[n], o.Shadow[n] = append([]byte(nil), a.data...), append([]byte(nil), a.shadow...)
			}
			for _, f := range found {
				kinds[f.Kind]++
			}
		}
		if !reflect.DeepEqual(outcomes[0], outcomes[1]) {
			t.Fatalf("round %d: lane by lane (-), together (+):\n%s\n%s", round, cmp.Diff(outcomes[1], outcomes[0]), body)
		}
	}
	t.Log(kinds)
	for _, k := range []check.Kind{check.GlobalRace, check.SharedRace, check.SameValueRace, check.OutOfBounds} {
		if kinds[k] < 10 {
			t.Errorf("only %d findings of %s", kinds[k], k)
		}
	}
}
