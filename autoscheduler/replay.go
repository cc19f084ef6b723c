package autoscheduler

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"gowarp/autoscheduler/search"
	"gowarp/autoscheduler/strategy"
	"gowarp/halideir/schedule"
	"gowarp/internal/plan"
	"gowarp/internal/wholefile"
	"gowarp/occupancy"
)

// unfit is the error of a saved schedule that is not this pipeline's.
func (s *state) unfit(err error) error {
	return fmt.Errorf("autoscheduler: schedule=%s: %w; schedule the pipeline anew, as with save=FILE in place of schedule=FILE, or by 'gowarp schedule PIPELINE --format json'", s.params.Schedule, err)
}

// readSaved takes the schedule from a file instead of searching for one, and factors the reductions that it factors.
func readSaved(s *state) error {
	data, err := wholefile.Read(s.params.Schedule)
	if err != nil {
		return fmt.Errorf("autoscheduler: schedule=%s: %w", s.params.Schedule, err)
	}
	saved, err := schedule.Decode(data)
	if err != nil {
		return s.unfit(err)
	}
	s.elsewhere = s.madeElsewhere(saved)
	if s.saved, err = saved.Fit(s.given); err != nil {
		return s.unfit(err)
	}
	if s.p, err = s.saved.Factored(s.given); err != nil {
		return s.unfit(err)
	}
	return nil
}

// gpuFeatures are what a target's string says of the GPU.
var gpuFeatures = regexp.MustCompile(`\b(cuda_capability_\d+|cuda|opencl|metal|vulkan|d3d12compute|webgpu)\b`)

// madeElsewhere says for what a saved schedule was made, if that is another device or another kind of target: it is right here too, but what costs least elsewhere need not do so here.
func (s *state) madeElsewhere(saved *schedule.Schedule) string {
	made, here := gpuFeatures.FindAllString(saved.Target, -1), gpuFeatures.FindAllString(s.given.Target.String, -1)
	slices.Sort(made)
	slices.Sort(here)
	switch d, err := occupancy.Lookup(saved.Device); {
	case err == nil && s.params.GPU != "" && d.Name != s.device.Name:
		return fmt.Sprintf("the schedule in %s was made for %s, and is replayed for %s: right, but perhaps slow", s.params.Schedule, d.Name, s.device.Name)
	case saved.Target != "" && !slices.Equal(made, here):
		return fmt.Sprintf("the schedule in %s was made for %s, and is replayed for %s: right, but perhaps slow", s.params.Schedule, strings.Join(made, "-"), strings.Join(here, "-"))
	}
	return ""
}

// replay takes over the saved schedule. The file is trusted
// for what is fast and for nothing else: that it fits the pipeline is checked, and so are the
// sizes that it fixes, because one that is too small gives wrong results in silence.
func replay(s *state) error {
	out, fail := s.saved, s.unfit
	if s.params.GPU == "" {
		// The file says what it is for; the target's default would be a guess.
		if d, err := occupancy.Lookup(out.Device); err == nil {
			s.device = d
		}
	}
	if err := out.CheckForms(s.given); err != nil {
		return fail(err)
	}
	if err := s.checkStorage(out); err != nil {
		return fail(err)
	}
	if err := s.checkExtents(out); err != nil {
		return fail(err)
	}
	if err := s.checkDevice(out); err != nil {
		return fail(err)
	}
	if !s.scansLowered() {
		withoutLanes(out)
	}
	if !s.exchanges() {
		withoutDirectives(out, schedule.UniformRows)
	}
	s.out = out
	s.searcher = &search.Searcher{}
	s.note("replay", -1, "the schedule in %s, made for %s", s.params.Schedule, out.Device)
	return nil
}

// withoutLanes has threads run through the scans that warps, or several threads, run through where the schedule was made.
func withoutLanes(out *schedule.Schedule) {
	out.Kernels = slices.Clone(out.Kernels)
	for i := range out.Kernels {
		k := &out.Kernels[i]
		for _, d := range out.Directives {
			switch {
			case d.Func != k.Func || d.Stage != k.Stage:
			case d.Do == schedule.ScanLanes:
				k.Threads = [3]int64{k.Threads[1], 1, 1} // its warps were its rows
			case d.Do == schedule.ScanChunks:
				k.Threads[1], k.SharedBytes = 1, 0
			}
		}
	}
	withoutDirectives(out, schedule.ScanLanes)
	withoutDirectives(out, schedule.ScanChunks)
}

// withoutDirectives takes the directives of a kind out of a schedule, whose list others may have.
func withoutDirectives(out *schedule.Schedule, do schedule.Do) {
	out.Directives = slices.DeleteFunc(slices.Clone(out.Directives), func(d schedule.Directive) bool { return d.Do == do })
}

// checkStorage compares every size that the schedule fixes with what a tile needs at its
// worst place, as the strategies do for schedules of their own.
func (s *state) checkStorage(out *schedule.Schedule) error {
	fixed, err := out.FixedStorage(s.given)
	if err != nil {
		return err
	}
	for _, f := range fixed {
		within := func(id int) bool { return f.Within[id] }
		stored := func(id int) bool { return f.Within[id] && !f.Inlined[id] }
		whole := func(dim int) bool { return f.Tile[dim] == 0 }
		grow := s.problem.Fits.Grow(f.At.Func, f.At.Stage, whole, within, stored).Funcs[f.Func]
		name := s.p.Funcs[f.Func].Label
		for k := range s.p.Funcs[f.Func].Args {
			n, ok := f.Sizes[k]
			if !ok {
				continue
			}
			arg := argLabel(&s.p.Funcs[f.Func], k)
			tile, fixed := int64(1), k < len(grow) && grow[k].Provable() && grow[k].Fixed
			if fixed && grow[k].Dim >= 0 {
				tile = f.Tile[grow[k].Dim]
				fixed = tile > 0
			}
			if !fixed { // the places of a scatter, the whole of a dimension of cells
				iv, ok := s.problem.Regions.Constant(s.p, f.Func, k)
				switch {
				case !ok:
					return fmt.Errorf("%s: bound_storage(%s, %d): how much of %s an iteration of %s needs has no fixed size", name, arg, n, arg, &f.At)
				case iv.Extent() > n:
					return fmt.Errorf("%s: bound_storage(%s, %d) is too small: there are %d places", name, arg, n, iv.Extent())
				}
				continue
			}
			if need := grow[k].Extent(tile); need > n {
				return fmt.Errorf("%s: bound_storage(%s, %d) is too small: an iteration of %s needs %d", name, arg, n, &f.At, need)
			}
		}
	}
	return nil
}

// mostInBlock is how many bytes a Func can have at most that is kept on an SM, whatever the device: its registers (CUDA Programming Guide, compute capabilities), which are more than its shared memory.
const mostInBlock = 256 << 10

// checkExtents refuses extents of what is kept in a block that no block has room for: Halide unrolls what is in registers, and with a million copies its recursions end the process.
func (s *state) checkExtents(out *schedule.Schedule) error {
	kept := map[int]int64{} // by Func in shared memory or registers: bytes
	for i := range out.Directives {
		switch d := &out.Directives[i]; {
		case d.Do == schedule.StoreIn && d.Memory != schedule.MemoryHeap:
			kept[d.Func] = s.problem.Bytes(d.Func)
		case d.Do == schedule.BoundExtent || d.Do == schedule.GivenExtent:
			if kept[d.Func] == 0 {
				continue
			}
			if d.N > mostInBlock || kept[d.Func]*d.N > mostInBlock {
				return fmt.Errorf("%s: with that extent %s takes more than the %d B that a block has at most of shared memory or registers", d, d.Name, int64(mostInBlock))
			}
			kept[d.Func] *= max(d.N, 1)
		}
	}
	return nil
}

// checkDevice compares the launches that the schedule declares with the limits of the device.
func (s *state) checkDevice(out *schedule.Schedule) error {
	limits := s.limits()
	for i := range out.Kernels {
		k := &out.Kernels[i]
		if k.Host {
			continue
		}
		if n := k.Threads[0] * k.Threads[1] * k.Threads[2]; n > limits.ThreadsPerBlock {
			return fmt.Errorf("kernel %s has %d threads a block; %s allows %d", k.Name, n, s.device.Name, limits.ThreadsPerBlock)
		}
		if k.SharedBytes > limits.SharedBytes {
			return fmt.Errorf("kernel %s needs %d B of shared memory a block; %s allows %d", k.Name, k.SharedBytes, s.device.Name, limits.SharedBytes)
		}
	}
	if err := strategy.HasLanes(&s.p.Target, &s.device); err != nil {
		for i := range out.Directives {
			if d := &out.Directives[i]; d.Do == schedule.GPULanes {
				return fmt.Errorf("%s: %w", d, err)
			}
		}
	}
	return s.checkScratch(out)
}

// checkScratch compares what the warps of each kernel have in shared memory with what the kernel declares.
func (s *state) checkScratch(out *schedule.Schedule) error {
	at := map[int]int{} // the kernel of what is computed at a warp's loop
	for i := range out.Directives {
		if d := &out.Directives[i]; d.Do == schedule.ComputeAt {
			at[d.Func] = d.At.Func
		}
	}
	for i := range out.Directives {
		d := &out.Directives[i]
		if d.Do != schedule.Demote {
			continue
		}
		bytes := d.Offset + d.N*plan.WarpLanes*s.problem.Bytes(d.Func)
		for j := range out.Kernels {
			k := &out.Kernels[j]
			if warps := k.Threads[1] * k.Threads[2]; k.Func == at[d.Func] && bytes*warps > k.SharedBytes {
				return fmt.Errorf("%s: %d warps with that take more than the %d B of shared memory that kernel %s declares", d, warps, k.SharedBytes, k.Name)
			}
		}
	}
	return nil
}
