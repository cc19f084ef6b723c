package replay

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gowarp/gpusim/count"
	"gowarp/gpusim/exec"
)

// text is a kernel that adds up, for each of n threads, as many elements of p as its place along y says, modulo 4, and one that never ends.
const text = `.version 7.1
.target sm_75
.address_size 64
.visible .entry sums(.param .u64 p, .param .u64 q, .param .u32 n) {
	.reg .pred %p<4>; .reg .b32 %r<20>; .reg .b64 %rd<8>;
	ld.param.b64 %rd1, [p];
	ld.param.b64 %rd2, [q];
	ld.param.b32 %r1, [n];
	mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x;
	mad.lo.s32 %r5, %r3, %r4, %r2;
	setp.ge.s32 %p1, %r5, %r1;
	@%p1 bra $end;
	mov.u32 %r6, %ctaid.y;
	and.b32 %r6, %r6, 3;
	mov.u32 %r7, 0;
	mul.wide.s32 %rd3, %r5, 4;
	add.s64 %rd4, %rd1, %rd3;
	add.s64 %rd5, %rd2, %rd3;
$more:
	ld.global.b32 %r8, [%rd4];
	add.s32 %r7, %r7, %r8;
	sub.s32 %r6, %r6, 1;
	setp.ge.s32 %p2, %r6, 0;
	@%p2 bra $more;
	st.global.b32 [%rd5], %r7;
$end:
	ret;
}
.visible .entry forever(.param .u64 p) {
	.reg .b32 %r<4>;
$more:
	add.s32 %r1, %r1, 1;
	bra $more;
}
`

// record is one with two buffers of n elements and a launch.
func record(n int, kernel string, grid [3]int, more ...string) string {
	bytes, p := 4*n, uint64(exec.GlobalBase)
	q := p + uint64((bytes+256+255)/256*256)
	word := func(size int, v uint64) string {
		return hex.EncodeToString(binary.LittleEndian.AppendUint64(nil, v)[:size])
	}
	params := word(8, p)
	if kernel == "sums" {
		params += " " + word(8, q) + " " + word(4, uint64(n))
	}
	return fmt.Sprintf("module %d\n%s\nalloc %x %d\nfill %x %d int32 0\nalloc %x %d\n%slaunch %s %d %d %d 64 1 1 0 %s\n",
		len(text), text, p, bytes, p, bytes, q, bytes, strings.Join(more, ""), kernel, grid[0], grid[1], grid[2], params)
}

func run(t *testing.T, record string, o Options) Kernel {
	t.Helper()
	ks, err := Run(record, o)
	if err != nil || len(ks) != 1 {
		t.Fatalf("%d kernels, %v", len(ks), err)
	}
	return ks[0]
}

// TestRun: all blocks give what they do, a sample nearly that, and the same each time.
func TestRun(t *testing.T) {
	const n = 64*40 - 5
	grid := [3]int{40, 41, 1}
	all := run(t, record(n, "sums", grid), Options{})
	const warps = 80 // of a row of blocks
	c := &all.Count
	if all.Fault != "" || all.Ran != 1640 || c.Blocks != 1640 || c.Launches != 1 || c.GlobalLoads != warps*turns(grid[1]) || c.GlobalStores != warps*41 {
		t.Errorf("%+v", all)
	}
	some := run(t, record(n, "sums", grid), Options{Blocks: 64})
	if some.Ran < 50 || some.Ran > 70 || some.Count.Blocks != 1640 || some.Count.Launches != 1 {
		t.Errorf("%+v", some)
	}
	if off := float64(some.Count.WarpInstructions)/float64(c.WarpInstructions) - 1; math.Abs(off) > .1 {
		t.Errorf("a sample is off by %.3f", off)
	}
	// The guard of the last column is seen exactly: all else does not hang on x.
	if off := some.Count.GlobalStores - c.GlobalStores; off != 0 {
		t.Errorf("%d stores too many", off)
	}
	if diff := cmp.Diff(some, run(t, record(n, "sums", grid), Options{Blocks: 64})); diff != "" {
		t.Error(diff)
	}
	// Several launches add up.
	twice := record(n, "sums", grid)
	again := twice[strings.Index(twice, "launch"):]
	want := all
	want.Ran, want.Count = 2*want.Ran, count.Kernel{}
	want.Count.Add(c)
	want.Count.Add(c)
	if diff := cmp.Diff(want, run(t, twice+again, Options{})); diff != "" {
		t.Error(diff)
	}
}

// turns is how many turns of its loop a warp makes in all rows of blocks together.
func turns(rows int) (n int64) {
	for y := range rows {
		n += int64(y%4 + 1)
	}
	return n
}

// TestBounds: instructions bound how many blocks run, and what does not end or takes too much memory is given up.
func TestBounds(t *testing.T) {
	const n = 64 * 40
	few := run(t, record(n, "sums", [3]int{40, 40, 1}), Options{Blocks: 64, Instructions: 200})
	if few.Ran > 4 || few.Count.Blocks != 1600 {
		t.Errorf("%+v", few)
	}
	one := record(n, "sums", [3]int{1, 1, 1})
	again := one[strings.Index(one, "launch"):]
	if _, err := Run(one+strings.Repeat(again, 40), Options{Instructions: 100}); err == nil || !strings.Contains(err.Error(), "1600 are the most") {
		t.Error(err)
	}
	if k := run(t, record(n, "forever", [3]int{1, 1, 1}), Options{Steps: 1000}); !strings.Contains(k.Fault, "endless-loop") {
		t.Errorf("%+v", k)
	}
	if _, err := Run(record(n, "sums", [3]int{1, 1, 1}), Options{Bytes: 1 << 14}); err == nil || !strings.Contains(err.Error(), "take more than") {
		t.Error(err)
	}
}

// TestFaults: a kernel that reads beyond its buffers, or cannot be launched, is at fault, and stays so.
func TestFaults(t *testing.T) {
	good := record(1000, "sums", [3]int{32, 1, 1})
	const n, larger = "e8030000\n", "ffff0000\n" // the last parameter: 1000, and much more
	bad := strings.Replace(good, n, larger, 1)
	if k := run(t, bad, Options{}); !strings.Contains(k.Fault, "out-of-bounds") {
		t.Errorf("%+v", k)
	}
	if k := run(t, strings.Replace(good, "64 1 1 0", "2048 1 1 0", 1), Options{}); !strings.Contains(k.Fault, "threads") {
		t.Errorf("%+v", k)
	}
	ks, err := Run(bad+good[strings.Index(good, "launch"):], Options{})
	if err != nil || len(ks) != 1 || ks[0].Fault == "" {
		t.Errorf("a kernel that failed once is counted: %+v, %v", ks, err)
	}
}

// TestBadRecords: whatever a record lacks is an error that says where.
func TestBadRecords(t *testing.T) {
	good := record(100, "sums", [3]int{1, 1, 1})
	for name, c := range map[string]struct{ record, want string }{
		"cut":       {good[:len(good)-1], "cut short"},
		"cut PTX":   {good[:100], "cut short"},
		"order":     {"run\n", `"run" is no order`},
		"empty":     {"free\n", "a word is missing"},
		"number":    {"module x\n", `"x" is no number`},
		"address":   {"free x\n", `"x" is no address`},
		"word":      {"free 12 13\n", `"13" is too much`},
		"kernel":    {strings.Replace(good, "launch sums", "launch sum", 1), "no kernel sum"},
		"params":    {strings.TrimSuffix(good, "\n") + " 00\n", "4 parameters of sums"},
		"bytes":     {strings.TrimSuffix(good, "\n") + "00\n", "parameter 2 of sums has 5 bytes"},
		"place":     {strings.Replace(good, "alloc 7f0000000000", "alloc 7f0000000100", 1), "the record has them at"},
		"type":      {strings.Replace(good, "int32", "int33", 1), "no type"},
		"beyond":    {strings.Replace(good, "400 int32", "500 int32", 1), "past the start"},
		"PTX":       {strings.Replace(good, "mad.lo.s32", "mad.xx.s32", 1), "order 1"},
		"freed":     {"free 7f0000000000\n", "order 1"},
		"odd bytes": {"write 7f0000000000 0\n", "no bytes"},
	} {
		if _, err := Run(c.record, Options{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// TestContents: what inputs hold is of their type, and the same wherever a copy begins.
func TestContents(t *testing.T) {
	c := contents{}
	bytes := func(typ string, n, first int) []byte {
		b := make([]byte, n)
		if err := c.fill(b, typ, first); err != nil {
			t.Fatal(err)
		}
		return b
	}
	distinct := map[float32]bool{}
	for b := bytes("float32", 4000, 0); len(b) > 0; b = b[4:] {
		v := math.Float32frombits(binary.LittleEndian.Uint32(b))
		distinct[v] = true
		if !(v >= 0 && v < 1) {
			t.Fatal(v)
		}
	}
	if len(distinct) < 990 {
		t.Errorf("%d of 1000 are distinct", len(distinct))
	}
	for b := bytes("int64", 4000, 0); len(b) > 0; b = b[8:] {
		if v := binary.LittleEndian.Uint64(b); v > 255 {
			t.Fatal(v)
		}
	}
	for _, v := range bytes("uint1", 100, 0) {
		if v > 1 {
			t.Fatal(v)
		}
	}
	for _, v := range bytes("handle64", 100, 0) {
		if v != 0 {
			t.Fatal(v)
		}
	}
	whole := bytes("uint16", 10*2*period/4, 0)
	if diff := cmp.Diff(whole[12345:12345+4*period/2], bytes("uint16", 4*period/2, 12345)); diff != "" {
		t.Error("another place holds another thing")
	}
}
