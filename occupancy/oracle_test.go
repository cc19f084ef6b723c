package occupancy

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The bits of NVIDIA's limiting factors. Barriers are no limiter of ours: an
// SM has at least one for every block it can hold.
const (
	nvidiaWarps     = 0x01
	nvidiaRegisters = 0x02
	nvidiaShared    = 0x04
	nvidiaBlocks    = 0x08
	nvidiaBarriers  = 0x10
)

// TestOracle compares the calculator with NVIDIA's cuda_occupancy.h for every
// compute capability, active blocks and limiting factors, over a dense grid of
// launches.
func TestOracle(t *testing.T) {
	oracle := startOracle(t)
	points := 0
	for i := range architectures {
		a := &architectures[i]
		d := deviceNamed(a.representative)
		oracle.device(t, &d)
		for _, s := range sweeps(&d, testing.Short()) {
			points += oracle.compare(t, &d, s)
			if t.Failed() {
				return
			}
		}
	}
	t.Logf("%d launches on %d compute capabilities agree", points, len(architectures))
}

// TestOracleProducts compares every CUDA device of the table, lest a figure of
// one GPU depart from its architecture's unnoticed.
func TestOracleProducts(t *testing.T) {
	oracle := startOracle(t)
	for _, d := range Devices() {
		if d.API == CUDA {
			oracle.device(t, &d)
			oracle.compare(t, &d, sweeps(&d, true)[0])
		}
	}
}

type sweep struct {
	optin                      bool
	threads, registers, shared []int
}

// sweeps covers, in turn: every register count, every thread count, every step
// of shared memory; then shared memory with opting in.
func sweeps(d *Device, short bool) []sweep {
	var edges []int // of warps: 1, 31, 32, 33, 63, ...
	for w := d.WarpSize; w <= d.MaxThreadsPerBlock; w += d.WarpSize {
		edges = append(edges, w-d.WarpSize+1, w)
	}
	registers := span(0, 260, 1)
	if d.Capability == 30 {
		// The header no longer tells 3.0 from 3.5 and allows it 255 registers
		// a thread; the programming guide (up to 10.2) says 63.
		registers = span(0, 63, 1)
	} else {
		registers = append(registers, 512, 1024, d.registersOfFile())
	}
	fewRegisters := []int{0, 1, 24, 32, 33, 40, 63}
	if d.Capability != 30 {
		fewRegisters = append(fewRegisters, 64, 65, 80, 96, 128, 168, 255)
	}
	fewShared := []int{0, 1, 128, 1000, 1024, 2047, 3072, 4096, 6000, 8192, 11000, 16384, 24576, 32768, 48128, 49152, 49153, 60000}
	fewThreads := []int{1, 32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 384, 512, 640, 768, 896, 1000, 1024}

	// Around every boundary of the allocation unit, to beyond what fits.
	var shared []int
	for s := 0; s <= d.SharedPerSM+2048; s += 128 {
		shared = append(shared, s, s+1)
	}
	if short {
		return []sweep{{false, fewThreads, fewRegisters, fewShared}, {true, fewThreads, fewRegisters, fewShared}}
	}
	return []sweep{
		{false, edges, registers, fewShared},
		{false, span(1, d.MaxThreadsPerBlock, 1), fewRegisters, fewShared[:8]},
		{false, fewThreads, fewRegisters, shared},
		{true, fewThreads, fewRegisters, shared},
		{true, edges, registers, []int{0, 49152, 50000, 101376, 166912}},
	}
}

func span(from, to, step int) []int {
	var list []int
	for v := from; v <= to; v += step {
		list = append(list, v)
	}
	return list
}

type oracle struct {
	in  io.WriteCloser
	out *bufio.Reader
}

// startOracle builds the driver and runs it for the length of the test.
func startOracle(t *testing.T) *oracle {
	t.Helper()
	include := cudaInclude(t)
	compiler, err := exec.LookPath("g++")
	if err != nil {
		t.Skip("no g++ to build testdata/oracle.cc with")
	}
	program := filepath.Join(t.TempDir(), "oracle")
	build := exec.Command(compiler, "-O2", "-std=c++17", "-isystem", include, "-o", program, filepath.Join("testdata", "oracle.cc"))
	if msg, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building the oracle: %v\n%s", err, msg)
	}

	run := exec.Command(program)
	run.Stderr = os.Stderr
	in, err := run.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := run.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		// A test that failed half-way leaves output unread, at which the
		// oracle would wait for ever.
		io.Copy(io.Discard, out)
		if err := run.Wait(); err != nil {
			t.Errorf("the oracle failed: %v", err)
		}
	})
	return &oracle{in, bufio.NewReaderSize(out, 1<<20)}
}

// cudaInclude returns the folder of cuda_occupancy.h, or skips the test.
func cudaInclude(t *testing.T) string {
	t.Helper()
	const env, header = "GOWARP_CUDA_INCLUDE", "cuda_occupancy.h"
	if dir := os.Getenv(env); dir != "" {
		if _, err := os.Stat(filepath.Join(dir, header)); err != nil {
			t.Fatalf("%s is set, but: %v", env, err)
		}
		return dir
	}
	pattern := filepath.Join("..", "build", "venv", "lib", "python3*", "site-packages", "nvidia", "cuda_runtime", "include")
	dirs, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range dirs {
		if _, err := os.Stat(filepath.Join(dir, header)); err == nil {
			abs, err := filepath.Abs(dir)
			if err != nil {
				t.Fatal(err)
			}
			return abs
		}
	}
	t.Skipf("no %s: install the wheel nvidia-cuda-runtime-cu12==12.9.79 into build/venv, or set %s to its include folder", header, env)
	return ""
}

// device selects the device and compares the figures that the header has of
// its own with the table's.
func (o *oracle) device(t *testing.T, d *Device) {
	t.Helper()
	cc := d.Capability
	if cc == 110 {
		cc = 101 // its name in CUDA 12.9
	}
	o.send(t, 1, cc/10, cc%10, d.MaxThreadsPerBlock, d.MaxThreadsPerSM, d.RegistersPerBlock, d.RegistersPerSM, d.WarpSize,
		d.SharedPerBlock, d.SharedPerSM, d.SMs, d.SharedPerBlockOptin, d.ReservedSharedPerBlock)
	var theirs [6]int32
	if err := binary.Read(o.out, binary.LittleEndian, &theirs); err != nil {
		t.Fatalf("reading the oracle's figures of %s: %v", d.Name, err)
	}
	for i, f := range []struct {
		name string
		ours int
	}{
		{"MaxBlocksPerSM", d.MaxBlocksPerSM},
		{"RegisterAllocUnit", d.RegisterAllocUnit},
		{"MaxRegistersPerThread", d.MaxRegistersPerThread},
		{"WarpAllocGranularity", d.WarpAllocGranularity},
		{"SharedAllocUnit", d.SharedAllocUnit},
	} {
		if d.Capability == 30 && f.name == "MaxRegistersPerThread" {
			continue // see sweeps
		}
		if int(theirs[i]) != f.ours {
			t.Errorf("%s: %s is %d, NVIDIA's header has %d", d.Name, f.name, f.ours, theirs[i])
		}
	}
	if theirs[5] == 0 {
		t.Errorf("%s: SharedPerSM of %d bytes is not the largest carve-out that NVIDIA's header knows", d.Name, d.SharedPerSM)
	}
}

// compare checks every launch of a sweep and returns their number.
func (o *oracle) compare(t *testing.T, d *Device, s sweep) int {
	t.Helper()
	seen := *d
	optin := 0
	if s.optin {
		seen, optin = d.WithSharedOptin(), 1
	}
	request := []int{2, optin}
	for _, list := range [][]int{s.threads, s.registers, s.shared} {
		request = append(append(request, len(list)), list...)
	}
	o.send(t, request...)

	n := 0
	var theirs [2]byte
	for _, threads := range s.threads {
		for _, registers := range s.registers {
			for _, shared := range s.shared {
				n++
				if _, err := io.ReadFull(o.out, theirs[:]); err != nil {
					t.Fatalf("reading the oracle's answer: %v", err)
				}
				u := Usage{threads, registers, shared}
				r, err := seen.Occupancy(u)
				if err != nil {
					t.Fatalf("%s, %+v: %v", d.Name, u, err)
				}
				if r.ActiveBlocks != int(theirs[0]) || nvidiaBits(r.Limiters) != theirs[1]&^nvidiaBarriers {
					t.Fatalf("%s (opt-in %v), %+v: %d blocks, limited by %v (%#x); NVIDIA's header has %d blocks, limited by %#x",
						d.Name, s.optin, u, r.ActiveBlocks, r.Limiters, nvidiaBits(r.Limiters), theirs[0], theirs[1])
				}
			}
		}
	}
	return n
}

func nvidiaBits(s LimiterSet) byte {
	var b byte
	for _, bit := range [...]struct {
		ours   LimiterSet
		theirs byte
	}{
		{limitWarps, nvidiaWarps}, {limitRegisters, nvidiaRegisters}, {limitShared, nvidiaShared}, {limitBlocks, nvidiaBlocks},
	} {
		if s&bit.ours != 0 {
			b |= bit.theirs
		}
	}
	return b
}

func (o *oracle) send(t *testing.T, numbers ...int) {
	t.Helper()
	line := strings.Trim(fmt.Sprint(numbers), "[]")
	if _, err := fmt.Fprintln(o.in, line); err != nil {
		t.Fatalf("writing to the oracle: %v", err)
	}
}
