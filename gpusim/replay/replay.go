package replay

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"gowarp/gpusim/check"
	"gowarp/gpusim/count"
	"gowarp/gpusim/exec"
	"gowarp/gpusim/ptx"
)

// Options bound what a replay does. They are numbers of things, never time: the same record gives the same counts on any machine.
type Options struct {
	// Blocks is about how many blocks of a launch run; 0 runs all.
	Blocks int
	// Instructions is about how many warp instructions all launches together run, one block of each at least; a record of so long blocks that they run
	// tooMany times as many is given up. 0 is no bound.
	Instructions int64
	// Steps is how many basic blocks the warps of a launch may run before it is given up; 0 is no bound.
	Steps int64
	// Bytes is how much memory may be allocated in all; 0 is 4 GiB.
	Bytes int
}

// Defaults are those of whoever judges schedules: 64 blocks show all edges of a grid and some of what lies between, and eight million warp instructions take
// half a second.
var Defaults = Options{Blocks: 64, Instructions: 1 << 23, Steps: 1 << 22, Bytes: 4 << 30}

// tooMany is by how much one block of each launch may exceed what is to run.
const tooMany = 16

// Kernel is what the launches of a kernel did together.
type Kernel struct {
	Name  string
	Count count.Kernel // of all blocks, as far as those that ran tell
	Ran   int64        // blocks
	// Fault is why it could not be counted, "" if it was.
	Fault string
}

// Run runs a record and returns its kernels in the order of their first launches. A kernel that fails has a Fault; the error is of a record that is not as
// doc.go says, or that asks for too much memory.
func Run(record string, o Options) ([]Kernel, error) {
	orders, err := parse(record)
	if err != nil {
		return nil, err
	}
	if o.Bytes == 0 {
		o.Bytes = 4 << 30
	}
	// What allocations take with what lies between them; addresses are never used twice.
	bytes, launches := 4096, int64(0)
	for i := range orders {
		switch orders[i].verb {
		case "alloc":
			const between = 1 << 10
			if orders[i].bytes > o.Bytes-bytes-between {
				return nil, fmt.Errorf("replay: its buffers take more than %d MiB", o.Bytes>>20)
			}
			bytes += orders[i].bytes + between
		case "launch":
			launches++
		}
	}
	// Pages that nothing touches cost nothing, and all read as zeros: so does what the blocks that do not run leave unwritten.
	data, err := syscall.Mmap(-1, 0, 2*bytes, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON|syscall.MAP_NORESERVE)
	if err != nil {
		return nil, fmt.Errorf("replay: %d MiB of memory: %w", bytes>>20, err)
	}
	defer syscall.Munmap(data)
	r := &replay{o: o, memory: exec.NewDefinedMemory(data[:bytes], data[bytes:]), contents: contents{}, index: map[string]int{}}
	if launches > 0 {
		r.each = o.Instructions / launches
	}
	for i := range orders {
		if err := r.order(&orders[i]); err != nil {
			return nil, fmt.Errorf("replay: order %d: %w", orders[i].fileRow, err)
		}
	}
	return r.kernels, nil
}

type replay struct {
	o        Options
	each     int64 // instructions of a launch
	spent    int64 // instructions that have run
	memory   *exec.Memory
	modules  []*exec.Module
	contents contents
	kernels  []Kernel
	index    map[string]int // of kernels by name
	log      check.Log
}

func (r *replay) order(o *order) error {
	switch o.verb {
	case "module":
		m, err := ptx.Parse(o.text)
		if err != nil {
			return err
		}
		loaded, err := exec.Load(m)
		if err != nil {
			return err
		}
		r.modules = append(r.modules, loaded)
	case "alloc":
		at, err := r.memory.Alloc(o.bytes)
		if err == nil && at != o.to {
			err = fmt.Errorf("%d bytes are at %#x, and the record has them at %#x", o.bytes, at, o.to)
		}
		return err
	case "free":
		return r.memory.Free(o.to)
	case "fill", "write", "zero":
		to, err := r.memory.Bytes(o.to, o.bytes)
		if err != nil {
			return err
		}
		switch o.verb {
		case "fill":
			err = r.contents.fill(to, o.typ, o.first)
		case "write":
			copy(to, o.data)
		default:
			clear(to)
		}
		return errors.Join(err, r.memory.Written(o.to, o.bytes))
	case "copy":
		to, err := r.memory.Bytes(o.to, o.bytes)
		if err != nil {
			return err
		}
		from, err := r.memory.Bytes(o.from, o.bytes)
		if err != nil {
			return err
		}
		copy(to, from)
		return r.memory.Copied(o.to, o.from, o.bytes)
	case "launch":
		return r.launch(o)
	}
	return nil
}

// launch runs a launch and adds its counts to its kernel's. What a kernel does wrong is the kernel's fault, not the record's.
func (r *replay) launch(o *order) error {
	var k *exec.Kernel
	for _, m := range r.modules {
		if found := m.Kernels[o.kernel]; found != nil {
			k = found
		}
	}
	switch {
	case k == nil:
		return fmt.Errorf("no kernel %s in any module", o.kernel)
	case len(o.params) != len(k.ParamSizes):
		return fmt.Errorf("%d parameters of %s, which takes %d", len(o.params), o.kernel, len(k.ParamSizes))
	}
	params := make([]byte, k.ParamBytes)
	for i, p := range o.params {
		if len(p) != k.ParamSizes[i] {
			return fmt.Errorf("parameter %d of %s has %d bytes, it takes %d", i, o.kernel, len(p), k.ParamSizes[i])
		}
		copy(params[k.ParamOffsets[i]:], p)
	}
	at, ok := r.index[o.kernel]
	if !ok {
		at = len(r.kernels)
		r.index[o.kernel] = at
		r.kernels = append(r.kernels, Kernel{Name: o.kernel})
	}
	out := &r.kernels[at]
	if out.Fault != "" {
		return nil
	}
	if r.o.Instructions > 0 && r.spent > tooMany*r.o.Instructions {
		return fmt.Errorf("the blocks before it have run %d warp instructions, %d are the most", r.spent, tooMany*r.o.Instructions)
	}
	// One worker: what compare-and-swap loops and races do would hang on who comes first.
	l := exec.Launch{Kernel: k, Grid: o.grid, Block: o.block, SharedBytes: o.shared, Params: params, NoChecks: true, Workers: 1, MaxSteps: r.o.Steps, MaxWork: r.o.Steps}
	c, ran, fault := r.sampled(l)
	if fault != "" {
		out.Fault = fault
		return nil
	}
	out.Count.Add(&c)
	out.Ran += ran
	return nil
}

// sampled runs some blocks of a launch: first one from its midst, by which it is seen how many more may run.
func (r *replay) sampled(l exec.Launch) (sum count.Kernel, ran int64, fault string) {
	all := strata(l.Grid)
	counts := make([]count.Kernel, len(all))
	run := func(of int, blocks []int) bool {
		l.Only = blocks
		res, err := exec.Run(context.Background(), r.memory, l, &r.log)
		switch {
		case err != nil:
			fault = err.Error()
		case res.Fault != "":
			fault = string(res.Fault)
			if found := r.log.Findings(); len(found) > 0 {
				fault = found[len(found)-1].String()
			}
		}
		counts[of].Add(&res.Count)
		r.spent += res.Count.WarpInstructions
		ran += int64(len(blocks))
		return fault == ""
	}
	total := 0
	for i := range all {
		total += all[i].blocks()
	}
	most := total
	if r.o.Blocks > 0 {
		most = min(most, r.o.Blocks)
	}
	first := all[0].sample(1)
	if !run(0, first) {
		return sum, ran, fault
	}
	if each := counts[0].WarpInstructions; r.o.Instructions > 0 && each > 0 {
		most = int(min(int64(most), max(1, r.each/each)))
	}
	stands := func(i int) int { return all[i].blocks() } // for how many blocks those of a stratum stand
	if most < len(all) && most < total {
		all = all[:1] // not even one of each: the midst stands for all
		stands = func(int) int { return total }
	}
	for i, n := range share(all, most) {
		blocks := all[i].sample(n)
		if i == 0 {
			blocks = blocks[1:] // the first has run
		}
		if len(blocks) > 0 && !run(i, blocks) {
			return sum, ran, fault
		}
		counts[i].Scale(int64(stands(i)), int64(n))
		sum.Add(&counts[i])
	}
	sum.Launches, sum.ColdBytes = 1, 0 // blocks that are far apart do not show what they share
	return sum, ran, ""
}
