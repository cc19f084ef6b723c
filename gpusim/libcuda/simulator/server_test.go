package simulator

import (
	"encoding/binary"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"gowarp/gpusim/check"
	"gowarp/occupancy"
)

const kernel = `.version 7.1
.target sm_86
.address_size 64
.visible .entry twice(.param .u64 p, .param .u32 n) {
	.reg .pred %p<2>; .reg .b32 %r<9>; .reg .b64 %rd<5>;
	ld.param.b64 %rd1, [p];
	ld.param.b32 %r1, [n];
	mov.u32 %r2, %tid.x; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %ntid.x;
	mad.lo.s32 %r5, %r3, %r4, %r2;
	setp.ge.s32 %p1, %r5, %r1;
	@%p1 bra $end;
	mul.wide.s32 %rd2, %r5, 4;
	add.s64 %rd3, %rd1, %rd2;
	ld.global.b32 %r6, [%rd3];
	shl.b32 %r7, %r6, 1;
	st.global.b32 [%rd3], %r7;
$end:
	ret;
}
`

// host is the other end of the socket, as libcuda.c is.
type host struct {
	t    *testing.T
	conn net.Conn
	mem  *os.File
	done chan error
	dir  string
}

func start(t *testing.T, change func(*Options)) *host {
	t.Helper()
	mem, err := os.Create(filepath.Join(t.TempDir(), "memory"))
	if err != nil {
		t.Fatal(err)
	}
	const bytes = 1 << 24
	if err := mem.Truncate(bytes); err != nil {
		t.Fatal(err)
	}
	h := &host{t: t, mem: mem, done: make(chan error, 1), dir: t.TempDir()}
	var server net.Conn
	h.conn, server = net.Pipe()
	o := Options{ReportDir: h.dir, Capability: 86, Budget: 1 << 22}
	o.Device, _ = occupancy.ForCapability(86)
	if change != nil {
		change(&o)
	}
	go func() {
		h.done <- Serve(server, mem, o)
		server.Close()
	}()
	if c, r := h.call(opHello, bytes); c != success || len(r) != 3 {
		t.Fatalf("hello: %d %v", c, r)
	}
	return h
}

func (h *host) send(op uint64, payload []byte) (code, []uint64) {
	h.t.Helper()
	b := binary.LittleEndian.AppendUint64(nil, op)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(payload)))
	if _, err := h.conn.Write(append(b, payload...)); err != nil {
		h.t.Fatal(err)
	}
	var head [16]byte
	if _, err := io.ReadFull(h.conn, head[:]); err != nil {
		h.t.Fatal(err)
	}
	reply := make([]byte, binary.LittleEndian.Uint64(head[8:]))
	if _, err := io.ReadFull(h.conn, reply); err != nil {
		h.t.Fatal(err)
	}
	return code(binary.LittleEndian.Uint64(head[:])), words(reply, len(reply)/8)
}

func (h *host) call(op uint64, args ...uint64) (code, []uint64) {
	h.t.Helper()
	var b []byte
	for _, a := range args {
		b = binary.LittleEndian.AppendUint64(b, a)
	}
	return h.send(op, b)
}

// end closes the connection and reads the report.
func (h *host) end() *Report {
	h.t.Helper()
	h.conn.Close()
	if err := <-h.done; err != nil {
		h.t.Fatal(err)
	}
	reports, err := Collect(h.dir)
	if err != nil || len(reports) != 1 {
		h.t.Fatalf("%d reports, %v", len(reports), err)
	}
	return reports[0]
}

func (h *host) function(text, name string) uint64 {
	h.t.Helper()
	c, r := h.send(opLoad, []byte(text))
	if c != success {
		h.t.Fatalf("load: %d", c)
	}
	c, r = h.send(opFunction, append(binary.LittleEndian.AppendUint64(nil, r[0]), name...))
	if c != success || r[1] != 12 || r[2] != 2 || r[3] != 8 || r[5] != 4 || r[6] != 8 {
		h.t.Fatalf("function: %d %v", c, r)
	}
	return r[0]
}

func (h *host) launch(f uint64, grid, block, shared uint64, p uint64, n uint32) code {
	h.t.Helper()
	var b []byte
	for _, a := range []uint64{f, grid, 1, 1, block, 1, 1, shared} {
		b = binary.LittleEndian.AppendUint64(b, a)
	}
	b = binary.LittleEndian.AppendUint64(b, p)
	c, _ := h.send(opLaunch, binary.LittleEndian.AppendUint32(b, n))
	return c
}

func TestProgram(t *testing.T) {
	h := start(t, nil)
	f := h.function(kernel, "twice")
	c, r := h.call(opAlloc, 400)
	if c != success {
		t.Fatal(c)
	}
	p := r[0]
	const base = 0x7f0000000000
	data := make([]byte, 400)
	for i := range 100 {
		binary.LittleEndian.PutUint32(data[4*i:], uint32(i))
	}
	if c, _ := h.call(opWrote, p, 400); c != success {
		t.Fatal(c)
	}
	if _, err := h.mem.WriteAt(data, int64(p-base)); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if c := h.launch(f, 4, 32, 0, p, 100); c != success {
			t.Fatal(c)
		}
	}
	if c, _ := h.call(opRead, p, 400); c != success {
		t.Fatal(c)
	}
	if _, err := h.mem.ReadAt(data, int64(p-base)); err != nil {
		t.Fatal(err)
	}
	for i := range 100 {
		if v := binary.LittleEndian.Uint32(data[4*i:]); v != uint32(4*i) {
			t.Fatalf("element %d is %d", i, v)
		}
	}
	if c, _ := h.call(opFree, p); c != success {
		t.Fatal(c)
	}
	rep := h.end()
	if rep.Wrong() || len(rep.Kernels) != 1 {
		t.Fatalf("%+v", rep)
	}
	k := rep.Kernels[0]
	if k.Count.Launches != 2 || len(k.Shapes) != 1 || k.Shapes[0].Launches != 2 || k.Count.GlobalStores != 8 || k.Count.DivergentBranches != 2 {
		t.Errorf("%+v", k)
	}
	schema, err := jsonschema.NewCompiler().Compile("../../report.schema.json#/$defs/report")
	if err != nil {
		t.Fatal(err)
	}
	// The host reads 100 floats that two launches made.
	if k.Per32Outputs == nil || rep.Outputs == nil || rep.Outputs.Elements != 200 || k.Per32Outputs.Sectors != float64(k.Count.Sectors())*32/200 || k.L2.DRAMReadBytes != 2*13*32 {
		t.Errorf("%+v %+v %+v", rep.Outputs, k.Per32Outputs, k.L2)
	}
	files, _ := filepath.Glob(filepath.Join(h.dir, "*.json"))
	f2, err := os.Open(files[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f2.Close()
	instance, err := jsonschema.UnmarshalJSON(f2)
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(instance); err != nil {
		t.Errorf("the report is not as its schema says: %v", err)
	}
	var text strings.Builder
	rep.Print(&text)
	if !strings.Contains(text.String(), "kernel twice") || !strings.Contains(text.String(), "no findings") {
		t.Error(text.String())
	}
	if b, err := os.ReadFile(filepath.Join(h.dir, k.Module)); err != nil || string(b) != kernel {
		t.Errorf("the module's text: %v", err)
	}
}

// TestErrorCodes: wrong input gives what the driver of a GPU would give.
func TestErrorCodes(t *testing.T) {
	h := start(t, nil)
	for name, c := range map[string]struct {
		text string
		want code
	}{
		"truncated":   {kernel[:len(kernel)/2], invalidPTX},
		"foreign":     {"int main() { return 0; }", invalidPTX},
		"binary":      {"\x7fELF\x02\x01", invalidImage},
		"newer":       {strings.Replace(kernel, "7.1", "8.5", 1), unsupportedVersion},
		"other GPU":   {strings.Replace(kernel, "sm_86", "sm_90", 1), noBinaryForGPU},
		"instruction": {strings.Replace(kernel, "shl.b32", "frobnicate.b32", 1), invalidPTX},
	} {
		if got, _ := h.send(opLoad, []byte(c.text)); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
	f := h.function(kernel, "twice")
	if c, _ := h.send(opFunction, append(binary.LittleEndian.AppendUint64(nil, 1), "nothing"...)); c != notFound {
		t.Errorf("a missing kernel: %d", c)
	}
	_, r := h.call(opAlloc, 4096)
	p := r[0]
	if c, _ := h.call(opAlloc, 1<<23); c != outOfMemory {
		t.Errorf("more than there is: %d", c)
	}
	if c, _ := h.call(opWrote, p, 4097); c != invalidValue {
		t.Errorf("a copy past the end: %d", c)
	}
	if c, _ := h.call(opFree, p+4); c != invalidValue {
		t.Errorf("a bad free: %d", c)
	}
	if c := h.launch(f, 1, 1025, 0, p, 1); c != invalidValue {
		t.Errorf("too many threads: %d", c)
	}
	if c := h.launch(f, 1, 32, 48<<10+4, p, 1); c != invalidValue {
		t.Errorf("too much shared memory: %d", c)
	}
	if c := h.launch(99, 1, 32, 0, p, 1); c != invalidHandle {
		t.Errorf("an unknown function: %d", c)
	}
	// A fault shows at the next call and for ever after.
	h.call(opWrote, p, 4096)
	if c := h.launch(f, 40, 32, 0, p, 1025); c != success {
		t.Errorf("a launch that will fail: %d", c)
	}
	for range 2 {
		if c, _ := h.call(opSync); c != illegalAddress {
			t.Errorf("after it: %d", c)
		}
	}
	rep := h.end()
	if !rep.Wrong() || len(rep.Findings) != 1 || rep.Findings[0].Kind != check.OutOfBounds || rep.Findings[0].Line != 14 || rep.Findings[0].Thread[0] != 0 || rep.Findings[0].Block[0] != 32 {
		t.Errorf("%+v", rep.Findings)
	}
	if !strings.Contains(strings.Join(rep.Errors, "\n"), "PTX line") {
		t.Errorf("no line in %q", rep.Errors)
	}
}

// TestUndefinedOutput: what is computed from memory that nobody wrote may not reach the host.
func TestUndefinedOutput(t *testing.T) {
	h := start(t, nil)
	f := h.function(kernel, "twice")
	_, r := h.call(opAlloc, 400)
	h.launch(f, 4, 32, 0, r[0], 50)
	h.call(opRead, r[0]+200, 200) // only allocated: a copy of paddings
	h.call(opRead, r[0], 400)
	rep := h.end()
	if len(rep.Findings) != 1 || rep.Findings[0].Kind != check.Uninitialised || rep.Findings[0].Line != 16 || rep.Findings[0].Count != 1 || !strings.Contains(rep.Findings[0].Detail, "200 of 400 bytes") {
		t.Errorf("%v", rep.Findings)
	}
}

func TestHostDies(t *testing.T) {
	h := start(t, nil)
	if _, err := h.conn.Write([]byte{1, 2, 3}); err != nil {
		t.Fatal(err)
	}
	if rep := h.end(); len(rep.Errors) != 1 {
		t.Errorf("%v", rep.Errors)
	}
}

func TestOptions(t *testing.T) {
	o, err := FromEnvironment(func(k string) string {
		return map[string]string{"GOWARP_GPUSIM_SEED": "7", "GOWARP_GPUSIM_CHECKS": "0", "GOWARP_GPUSIM_CAPABILITY": "75"}[k]
	})
	if err != nil || o.Seed != 7 || !o.NoChecks || o.Capability != 75 {
		t.Errorf("%+v %v", o, err)
	}
	if _, err := FromEnvironment(func(k string) string { return "many" }); err == nil {
		t.Error("not a number is accepted")
	}
}
