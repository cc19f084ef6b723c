package exec

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"

	"gowarp/gpusim/check"
	"gowarp/gpusim/count"
)

// Launch is a kernel launch.
type Launch struct {
	Kernel      *Kernel
	Grid, Block [3]int
	SharedBytes int // dynamic
	Params      []byte
	// Seed draws the order in which warps and blocks run.
	Seed uint64
	// Blocks is the most blocks to run, spread over the grid; 0 runs all. With fewer
	// than all, counts are scaled up and results are incomplete.
	Blocks int
	// Only, if it is not nil, are the blocks to run, by their numbers, x fastest; Blocks does not matter then, and counts are not scaled up.
	Only []int
	// Workers is how many blocks run at a time; 0 is one for each CPU.
	Workers int
	// NoChecks leaves out the checks that cost time: races, undefined values.
	NoChecks bool
	// L2 is the cache of which traffic to DRAM is estimated; without bytes none is.
	L2 count.L2
	// OnShuffle, if it is not nil, is told of every shuffle that a warp executes, by several workers at once.
	OnShuffle func(Shuffle)
	// MaxSteps is how many basic blocks a warp may run; 0 is 2^26.
	MaxSteps int64
	// MaxWork is how many basic blocks all warps that one worker runs may run together; 0 is as many as they like.
	MaxWork int64
}

func (l *Launch) maxSteps() int64 {
	if l.MaxSteps > 0 {
		return l.MaxSteps
	}
	return 1 << 26
}

// Limits of a launch without opting in to more, on every NVIDIA GPU that Halide knows.
const (
	MaxThreads     = 1024
	MaxThreadsZ    = 64
	MaxSharedBytes = 48 << 10
	MaxGridX       = 1<<31 - 1
	MaxGridYZ      = 65535
)

// ErrLaunch is what the error of a launch that no GPU accepts wraps.
var ErrLaunch = errors.New("exec: a launch that no GPU accepts")

func (l *Launch) check() error {
	fail := func(format string, args ...any) error {
		return fmt.Errorf("%w: kernel %s: %s", ErrLaunch, l.Kernel.Name, fmt.Sprintf(format, args...))
	}
	for i := range 3 {
		if l.Grid[i] < 1 || l.Block[i] < 1 || l.Grid[i] > MaxGridX || i > 0 && l.Grid[i] > MaxGridYZ || l.Block[i] > MaxThreads {
			return fail("%s blocks of %s threads; %d blocks in x, %d in y and z, and %d threads are the most", extents(l.Grid), extents(l.Block), MaxGridX, MaxGridYZ, MaxThreads)
		}
	}
	if n := l.Block[0] * l.Block[1] * l.Block[2]; n > MaxThreads || l.Block[2] > MaxThreadsZ {
		return fail("%s threads a block; %d in all and %d in z are the most", extents(l.Block), MaxThreads, MaxThreadsZ)
	} else if l.Kernel.maxThreads > 0 && n > l.Kernel.maxThreads {
		return fail("%d threads a block, and its .maxntid is %d", n, l.Kernel.maxThreads)
	}
	if s := l.SharedBytes + l.Kernel.StaticShared; l.SharedBytes < 0 || s > MaxSharedBytes {
		return fail("%d bytes of shared memory a block; %d is the most", s, MaxSharedBytes)
	}
	for _, n := range l.Only {
		if n < 0 || n >= l.Grid[0]*l.Grid[1]*l.Grid[2] {
			return fail("there is no block %d among %s", n, extents(l.Grid))
		}
	}
	if len(l.Params) != l.Kernel.ParamBytes {
		return fail("%d bytes of parameters, it takes %d", len(l.Params), l.Kernel.ParamBytes)
	}
	return nil
}

func extents(v [3]int) string { return fmt.Sprintf("%dx%dx%d", v[0], v[1], v[2]) }

// Result is what came of a launch.
type Result struct {
	Count count.Kernel
	// Traffic is the estimate for an L2, nil without one or if not all blocks ran.
	Traffic *count.Traffic
	// Fault is why the launch ended early, "" if it did not.
	Fault check.Kind
	// BlocksRun of Blocks blocks ran.
	BlocksRun, Blocks int
}

// Run runs a launch. Findings go to log. The error is ErrLaunch, or the context's; a
// kernel that fails shows in the result.
func Run(ctx context.Context, m *Memory, l Launch, log *check.Log) (Result, error) {
	if err := l.check(); err != nil {
		return Result{}, err
	}
	total := l.Grid[0] * l.Grid[1] * l.Grid[2]
	step := 1
	if l.Blocks > 0 && l.Blocks < total {
		step = (total + l.Blocks - 1) / l.Blocks
	}
	jobs := (total + step - 1) / step
	if l.Only != nil {
		jobs = len(l.Only)
	}
	if jobs == 0 {
		return Result{Blocks: total}, nil
	}
	workers := l.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	workers = min(workers, jobs)
	r := &run{ctx: ctx, memory: m, launch: &l, log: log, step: step, jobs: int64(jobs), total: total, pointees: m.pointees(l.Kernel, l.Params),
		touches: touches{most: maxTouches, order: l.L2.Bytes > 0 && jobs == total}}
	if !l.NoChecks {
		m.startRaces(l.Kernel, r.pointees)
		defer m.endRaces()
	}
	var wg sync.WaitGroup
	all := make([]*worker, workers)
	for n := range all {
		all[n] = newWorker(r, n)
		wg.Go(all[n].work)
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	res := Result{Blocks: total, BlocksRun: jobs}
	res.Count.Launches = 1
	for _, w := range all {
		w.sum()
		res.Count.Add(&w.count)
		res.Count.BlockBytes += w.toucher.distinct * count.SectorBytes
		if w.fault != "" {
			res.Fault = w.fault
		}
	}
	if l.Only == nil {
		res.Count.Scale(int64(total), int64(jobs))
	}
	res.Count.ColdBytes = m.touched(all, l.Kernel.Name, float64(jobs)/float64(total))
	if r.touches.order {
		t := traffic(all, &r.touches, l.L2)
		res.Traffic = &t
	}
	m.keepTouchers(all)
	return res, nil
}

// run is what the workers of a launch share.
type run struct {
	ctx      context.Context
	memory   *Memory
	launch   *Launch
	log      *check.Log
	touches  touches
	step     int
	total    int
	jobs     int64
	next     atomic.Int64
	failed   atomic.Bool
	pointees []*alloc // of the parameters
}

// worker runs one block at a time.
type worker struct {
	*run
	k       *Kernel
	threads int
	params  []byte
	checks  bool
	rng     *rand.Rand

	block       [3]int
	blockNumber uint32
	interval    uint32
	shared      []byte
	sshade      []byte
	blank       []byte        // shadow of memory that nothing has written
	races       *check.Shared // in shared memory
	warps       []*warp
	order       []*warp

	count     count.Kernel
	runs      []int64 // of each basic block, by warps
	active    []int64 // the same, by threads
	sectorSet []uint64
	sites     []site
	toucher   *toucher
	steps     int64 // basic blocks that its warps have run
	stop      bool
	fault     check.Kind
}

func newWorker(r *run, n int) *worker {
	k, l := r.launch.Kernel, r.launch
	w := &worker{run: r, k: k, threads: l.Block[0] * l.Block[1] * l.Block[2], params: l.Params, checks: !l.NoChecks,
		rng: rand.New(rand.NewPCG(l.Seed, uint64(n))), runs: make([]int64, len(k.blocks)), active: make([]int64, len(k.blocks)),
		sites: make([]site, k.nSites), toucher: r.memory.toucher()}
	w.toucher.start(&r.touches)
	bytes := l.SharedBytes + k.StaticShared
	w.shared, w.sshade = make([]byte, bytes), make([]byte, bytes)
	if w.checks {
		w.races = check.NewShared(bytes/k.sharedGranule + 1)
	}
	for first := 0; first < w.threads; first += 32 {
		w.warps = append(w.warps, newWarp(w, first))
	}
	return w
}

// work runs blocks until none is left. Which blocks, and in what order, is the
// seed's: blocks that wait for one another, or that race, shall not always meet alike.
func (w *worker) work() {
	for !w.stop && !w.failed.Load() && w.ctx.Err() == nil {
		job := w.next.Add(1) - 1
		if job >= w.jobs {
			return
		}
		n := int(job) * w.step
		if w.launch.Only != nil {
			n = w.launch.Only[job]
		} else if w.step == 1 && w.launch.Seed != 0 {
			// A permutation: odd multiples modulo a power of two, walked until
			// they fall inside. Only the order in which jobs start is changed.
			n = permuted(int(job), w.total, w.launch.Seed)
		}
		g := w.launch.Grid
		w.block = [3]int{n % g[0], n / g[0] % g[1], n / (g[0] * g[1])}
		w.blockNumber, w.interval = uint32(n), 0
		w.runBlock()
		w.toucher.endBlock(n)
	}
}

// permuted is a bijection on 0..n-1 that depends on a seed (cycle walking over a
// power of two).
func permuted(x, n int, seed uint64) int {
	size := 1
	for size < n {
		size <<= 1
	}
	for {
		x = int((uint64(x)*(2*seed+1) + seed>>7) & uint64(size-1))
		if x < n {
			return x
		}
	}
}

func (w *worker) runBlock() {
	w.forget(w.sshade)
	w.order = append(w.order[:0], w.warps...)
	for _, wp := range w.warps {
		wp.start()
	}
	if w.checks {
		w.races.Next()
	}
	w.count.Blocks++
	w.count.Threads += int64(w.threads)
	for len(w.order) > 0 {
		w.rng.Shuffle(len(w.order), func(i, j int) { w.order[i], w.order[j] = w.order[j], w.order[i] })
		// All run until each waits or has ended.
		for busy := true; busy; {
			busy = false
			for _, wp := range w.order {
				if wp.state != running {
					continue
				}
				wp.run()
				if w.stop || w.failed.Load() || w.ctx.Err() != nil {
					return
				}
				busy = busy || wp.state == running
			}
		}
		live := w.order[:0]
		for _, wp := range w.order {
			if wp.state != finished {
				live = append(live, wp)
			}
		}
		w.order = live
		for _, wp := range live {
			if wp.barrier != live[0].barrier {
				wp.fail(wp.line, check.Deadlock, 0, "this warp waits at barrier %d, another for ever at barrier %d in line %d", wp.barrier, live[0].barrier, live[0].line)
				return
			}
			wp.state = running
		}
		w.interval++
		if w.checks {
			w.races.Next()
		}
	}
}

// forget marks memory as unwritten.
func (w *worker) forget(shadow []byte) {
	if len(w.blank) < len(shadow) {
		w.blank = bytes.Repeat([]byte{unwritten}, len(shadow))
	}
	copy(shadow, w.blank)
}

// fail ends the launch.
func (w *worker) fail(kind check.Kind) {
	w.stop, w.fault = true, kind
	w.failed.Store(true)
}

// sum adds to the counts what follows from how often each basic block ran.
func (w *worker) sum() {
	for n, runs := range w.runs {
		b := &w.k.blocks[n]
		for c, per := range b.classes {
			w.count.AddClass(count.Class(c), per*runs)
		}
		w.count.ThreadInstructions += b.ops * w.active[n]
	}
}
