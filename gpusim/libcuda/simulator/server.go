package simulator

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"gowarp/gpusim/check"
	"gowarp/gpusim/count"
	"gowarp/gpusim/exec"
	"gowarp/gpusim/ptx"
	"gowarp/occupancy"
)

// Options are what the environment of the host program says; GPUSIM.md lists the
// variables.
type Options struct {
	ReportDir  string
	Seed       uint64
	Blocks     int
	NoChecks   bool
	Capability int
	Budget     int // bytes of device memory
	MaxSteps   int64
	Shuffles   string           // file for a line of JSON a shuffle, "" for none
	Device     occupancy.Device // whose L2 and SMs the estimate of DRAM traffic is for
}

// FromEnvironment reads the options.
func FromEnvironment(getenv func(string) string) (Options, error) {
	o := Options{ReportDir: getenv("GOWARP_GPUSIM_REPORTS"), Shuffles: getenv("GOWARP_GPUSIM_SHUFFLES"), Capability: 86, Budget: 8 << 30}
	var errs []error
	number := func(name string, put func(uint64)) {
		if s := getenv(name); s != "" {
			n, err := strconv.ParseUint(s, 10, 62)
			if err != nil {
				errs = append(errs, fmt.Errorf("%s=%s is not a number", name, s))
				return
			}
			put(n)
		}
	}
	number("GOWARP_GPUSIM_SEED", func(n uint64) { o.Seed = n })
	number("GOWARP_GPUSIM_BLOCKS", func(n uint64) { o.Blocks = int(n) })
	number("GOWARP_GPUSIM_CAPABILITY", func(n uint64) { o.Capability = int(n) })
	number("GOWARP_GPUSIM_MEMORY_MB", func(n uint64) { o.Budget = int(min(n, 1<<30)) << 20 })
	number("GOWARP_GPUSIM_MAX_STEPS", func(n uint64) { o.MaxSteps = int64(n) })
	number("GOWARP_GPUSIM_CHECKS", func(n uint64) { o.NoChecks = n == 0 })
	o.Device, _ = occupancy.ForCapability(o.Capability)
	if s := getenv("GOWARP_GPUSIM_GPU"); s != "" {
		d, err := occupancy.Lookup(s)
		if err == nil && d.API != occupancy.CUDA {
			err = fmt.Errorf("%s is not a CUDA device", d.Title)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("GOWARP_GPUSIM_GPU=%s: %w", s, err))
		} else {
			o.Device = d
		}
		if getenv("GOWARP_GPUSIM_CAPABILITY") == "" {
			o.Capability = d.Capability
		}
	}
	number("GOWARP_GPUSIM_L2_KB", func(n uint64) { o.Device.L2Bytes = int(min(n, 1<<30)) << 10 })
	return o, errors.Join(errs...)
}

// server serves one host program.
type server struct {
	o         Options
	conn      io.ReadWriter
	mem       *exec.Memory
	memFile   *os.File
	modules   map[uint64]*module
	functions []*function
	sticky    code // after a fault every call gives it, as on a GPU
	log       check.Log
	report    Report
	kernels   map[string]*Kernel // by name and text
	keeper    *reporter
	nextID    uint64
}

type module struct {
	m    *exec.Module
	file string
	text string
}

type function struct {
	k *exec.Kernel
	m *module
}

// Serve serves the calls that arrive over conn until it ends, then writes the report.
// Device memory is memFile.
func Serve(conn io.ReadWriter, memFile *os.File, o Options) error {
	keeper, err := newReporter(o.ReportDir)
	if err != nil {
		return err
	}
	s := &server{o: o, conn: conn, memFile: memFile, modules: map[uint64]*module{}, kernels: map[string]*Kernel{}, keeper: keeper}
	s.report = Report{Version: ReportVersion, Program: parent(), GPU: o.Device.Name, Capability: o.Capability, Seed: o.Seed, Blocks: o.Blocks, Kernels: []*Kernel{}, Errors: []string{}}
	start := time.Now()
	for {
		op, payload, err := readMessage(conn)
		if errors.Is(err, io.EOF) {
			break // the host has ended
		}
		if err != nil {
			s.report.Errors = append(s.report.Errors, fmt.Sprintf("the host's last message is cut short: %v", err))
			break
		}
		c, reply := s.handle(op, payload)
		if err := writeReply(conn, c, reply...); err != nil {
			break
		}
	}
	s.report.Seconds = time.Since(start).Seconds()
	s.report.Findings = append([]check.Finding{}, s.log.Findings()...)
	for i := range s.report.Findings {
		s.report.Findings[i].Source = s.source(s.report.Findings[i])
	}
	s.report.PerOutput()
	if s.keeper == nil {
		for _, f := range s.report.Findings {
			slog.Warn("gowarp-gpusim: " + f.String())
		}
		for _, e := range s.report.Errors {
			slog.Error("gowarp-gpusim: " + e)
		}
	}
	return s.keeper.write(&s.report)
}

// parent is the host's executable.
func parent() string {
	path, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", os.Getppid()))
	if err != nil {
		return ""
	}
	return path
}

// fail notes a failing call.
func (s *server) fail(c code, format string, args ...any) code {
	const most = 100
	if len(s.report.Errors) < most {
		s.report.Errors = append(s.report.Errors, fmt.Sprintf("%s (CUDA error %d)", strings.TrimPrefix(fmt.Sprintf(format, args...), "exec: "), c))
	}
	return c
}

func (s *server) handle(op uint64, p []byte) (code, []uint64) {
	if op == opHello {
		return s.hello(words(p, 1)[0])
	}
	if s.mem == nil {
		return s.fail(invalidValue, "a call before the first one"), nil
	}
	if s.sticky != success {
		return s.sticky, nil
	}
	switch op {
	case opLoad:
		return s.load(p)
	case opUnload:
		id := words(p, 1)[0]
		if s.modules[id] == nil {
			return s.fail(invalidHandle, "an unknown module is unloaded"), nil
		}
		delete(s.modules, id)
		return success, nil
	case opFunction:
		return s.function(p)
	case opAlloc:
		n := words(p, 1)[0]
		if n == 0 || n > 1<<62 {
			return s.fail(invalidValue, "an allocation of %d bytes", n), nil
		}
		addr, err := s.mem.Alloc(int(n))
		if err != nil {
			// A host may try less, or free something, and go on.
			slog.Debug("gowarp-gpusim", "error", err)
			return outOfMemory, []uint64{0}
		}
		return success, []uint64{addr}
	case opFree:
		if err := s.mem.Free(words(p, 1)[0]); err != nil {
			return s.fail(invalidValue, "cuMemFree: %v", err), nil
		}
		return success, nil
	case opLaunch:
		return s.launch(p), nil
	case opWrote:
		w := words(p, 2)
		return s.access("a copy to the device", s.mem.Written(w[0], size(w[1]))), nil
	case opRead:
		w := words(p, 2)
		u, err := s.mem.Read(w[0], size(w[1]))
		if err == nil {
			out, err := s.mem.Outputs(w[0], size(w[1]))
			if err != nil {
				return s.access("a copy to the host", err), nil
			}
			s.report.output(out)
		}
		if u != nil && !s.o.NoChecks {
			s.log.Add(check.Finding{Kind: u.Kind, Kernel: u.Kernel, Line: u.Line, Block: u.Block, Thread: u.Thread,
				Detail: fmt.Sprintf("%d of %d bytes copied to the host depend on undefined data; the first such value is stored here: %s", u.Bytes, w[1], u.Blame)})
		}
		return s.access("a copy to the host", err), nil
	case opCopy:
		w := words(p, 3)
		n := size(w[2])
		to, err1 := s.mem.Bytes(w[0], n)
		from, err2 := s.mem.Bytes(w[1], n)
		if err := errors.Join(err1, err2); err != nil {
			return s.access("a copy on the device", err), nil
		}
		copy(to, from)
		return s.access("a copy on the device", s.mem.Copied(w[0], w[1], n)), nil
	case opSync:
		return success, nil
	}
	return s.fail(notSupported, "an unknown message %d: libcuda.so and gowarp-gpusim are of different builds", op), nil
}

// size cuts a length that cannot be one, which no allocation then holds.
func size(n uint64) int { return int(min(n, 1<<62)) }

func (s *server) access(what string, err error) code {
	if err != nil {
		return s.fail(invalidValue, "%s: %v", what, err)
	}
	return success
}

func (s *server) hello(bytes uint64) (code, []uint64) {
	data, err := syscall.Mmap(int(s.memFile.Fd()), 0, int(bytes), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED|syscall.MAP_NORESERVE)
	if err != nil {
		return s.fail(outOfMemory, "cannot map %d bytes of device memory: %v", bytes, err), nil
	}
	const punch = 0x3 // FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE
	s.mem = exec.NewMemory(data, s.o.Budget, func(offset, n int) {
		// Whole pages only; failing just keeps memory in use.
		const page = 4096
		first, end := (offset+page-1)/page*page, (offset+n)/page*page
		if first < end {
			_ = syscall.Fallocate(int(s.memFile.Fd()), punch, int64(first), int64(end-first))
		}
	})
	const sms = 1 // one device; Halide takes the one with the most
	return success, []uint64{uint64(s.o.Capability/10) | uint64(s.o.Capability%10)<<32, sms, uint64(s.o.Budget)}
}

func (s *server) load(text []byte) (code, []uint64) {
	m, err := ptx.Parse(string(text))
	var version *ptx.VersionError
	switch {
	case errors.As(err, &version):
		return s.fail(unsupportedVersion, "%v", err), nil
	case err != nil && len(text) > 0 && (text[0] == 0x7f || text[0] == 0x50):
		return s.fail(invalidImage, "the module is a binary, not a PTX text"), nil
	case err != nil:
		return s.fail(invalidPTX, "%v", err), nil
	case m.Capability() > s.o.Capability:
		return s.fail(noBinaryForGPU, "the module is for %s, the simulated device is sm_%d; name a newer one by --gpu or --capability of gowarp verify (GOWARP_GPUSIM_CAPABILITY)", m.Target, s.o.Capability), nil
	}
	loaded, err := exec.Load(m)
	if err != nil {
		return s.fail(invalidPTX, "%v", err), nil
	}
	s.nextID++
	s.modules[s.nextID] = &module{loaded, s.keeper.module(int(s.nextID), text), string(text)}
	return success, []uint64{s.nextID}
}

func (s *server) function(p []byte) (code, []uint64) {
	if len(p) < 8 {
		return s.fail(invalidValue, "a message cut short"), nil
	}
	m := s.modules[words(p, 1)[0]]
	if m == nil {
		return s.fail(invalidHandle, "a function of an unknown module"), nil
	}
	name := string(p[8:])
	k := m.m.Kernels[name]
	const most = 1024 // libcuda.c's MAX_PARAMS
	if k == nil || len(k.ParamSizes) > most {
		return s.fail(notFound, "no kernel %s in the module, or one with more than %d parameters", name, most), nil
	}
	s.functions = append(s.functions, &function{k, m})
	reply := []uint64{uint64(len(s.functions)), uint64(k.ParamBytes), uint64(len(k.ParamSizes))}
	for i := range k.ParamSizes {
		reply = append(reply, uint64(k.ParamSizes[i]), uint64(k.ParamOffsets[i]))
	}
	return success, reply
}

func (s *server) launch(p []byte) code {
	w := words(p, 8)
	if len(p) < 64 || w[0] < 1 || w[0] > uint64(len(s.functions)) {
		return s.fail(invalidHandle, "a launch of an unknown function")
	}
	f := s.functions[w[0]-1]
	dims := func(w []uint64) [3]int { return [3]int{int(w[0]), int(w[1]), int(w[2])} }
	l := exec.Launch{Kernel: f.k, Grid: dims(w[1:]), Block: dims(w[4:]), SharedBytes: int(w[7]), Params: p[64:],
		Seed: s.o.Seed, Blocks: s.o.Blocks, NoChecks: s.o.NoChecks, MaxSteps: s.o.MaxSteps}
	shuffles, err := s.shuffles(&l)
	if err != nil {
		return s.fail(invalidValue, "GOWARP_GPUSIM_SHUFFLES: %v", err)
	}
	l.L2 = count.L2{Bytes: s.o.Device.L2Bytes, Wave: wave(&s.o.Device, l)}
	res, err := exec.Run(context.Background(), s.mem, l, &s.log)
	if err := errors.Join(err, shuffles.close()); err != nil {
		return s.fail(invalidValue, "%v", err)
	}
	s.note(f, l, res)
	switch res.Fault {
	case "":
		return success
	case check.OutOfBounds, check.Freed:
		s.sticky = illegalAddress
	case check.Misaligned:
		s.sticky = misalignedAddress
	case check.EndlessLoop, check.Deadlock:
		s.sticky = launchTimeout
	default:
		s.sticky = launchFailed
	}
	// The launch itself succeeds, as it would on a GPU; the next call learns of it.
	s.fail(s.sticky, "kernel %s failed: %s", f.k.Name, res.Fault)
	return success
}

// wave is how many blocks of a launch the device runs at a time, as far as threads and shared
// memory go: registers are known to ptxas only.
func wave(d *occupancy.Device, l exec.Launch) int {
	o, err := d.Occupancy(occupancy.Usage{Threads: l.Block[0] * l.Block[1] * l.Block[2], SharedBytes: l.SharedBytes + l.Kernel.StaticShared})
	if err != nil {
		return max(d.SMs, 1)
	}
	return max(d.SMs*o.ActiveBlocks, 1)
}

// source is the text of a finding's line.
func (s *server) source(f check.Finding) string {
	for _, g := range s.functions {
		if lines := strings.Split(g.m.text, "\n"); g.k.Name == f.Kernel && f.Line > 0 && f.Line <= len(lines) {
			return strings.Join(strings.Fields(lines[f.Line-1]), " ")
		}
	}
	return ""
}

func (s *server) note(f *function, l exec.Launch, res exec.Result) {
	key := f.k.Name + "\x00" + f.m.text
	k := s.kernels[key]
	if k == nil {
		k = &Kernel{Name: f.k.Name, Module: f.m.file}
		s.kernels[key] = k
		s.report.Kernels = append(s.report.Kernels, k)
	}
	k.Count.Add(&res.Count)
	if res.Traffic != nil {
		if k.L2 == nil {
			k.L2 = &count.Traffic{}
		}
		k.L2.Add(res.Traffic)
	}
	shape := Shape{Grid: l.Grid, Block: l.Block, SharedBytes: l.SharedBytes + f.k.StaticShared, BlocksRun: res.BlocksRun, Wave: l.L2.Wave}
	at := slices.IndexFunc(k.Shapes, func(o Shape) bool {
		o.Launches = 0
		return o == shape
	})
	if at < 0 {
		at = len(k.Shapes)
		k.Shapes = append(k.Shapes, shape)
	}
	k.Shapes[at].Launches++
}
