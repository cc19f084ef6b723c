package occupancy_test

import (
	"encoding/json"
	"fmt"

	"gowarp/occupancy"
)

func ExampleDevice_Occupancy() {
	d, err := occupancy.Lookup("h200")
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := d.Occupancy(occupancy.Usage{Threads: 256, Registers: 64, SharedBytes: 20 << 10})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d blocks, %d of %d warps (%.0f %%), limited by %v\n",
		r.ActiveBlocks, r.ActiveWarps, d.MaxWarpsPerSM(), 100*r.Occupancy, r.Limiters)
	// Output:
	// 4 blocks, 32 of 64 warps (50 %), limited by registers
}

func ExampleDevice_Reliefs() {
	d, _ := occupancy.ForCapability(86)
	reliefs, err := d.Reliefs(occupancy.Usage{Threads: 256, Registers: 72, SharedBytes: 30 << 9})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, r := range reliefs {
		fmt.Printf("%s: %d threads, %d registers, %d shared bytes: %d warps\n", r.Change,
			r.Usage.Threads, r.Usage.Registers, r.Usage.SharedBytes, r.Result.ActiveWarps)
	}
	// Output:
	// warps: 224 threads, 72 registers, 15360 shared bytes: 28 warps
	// blocks: 288 threads, 72 registers, 15360 shared bytes: 27 warps
	// registers: 256 threads, 64 registers, 15360 shared bytes: 32 warps
}

func ExampleDevice_MaxRegisters() {
	d, _ := occupancy.Lookup("v100")
	registers, _ := d.MaxRegisters(256, 4)
	bytes, _ := d.MaxShared(4)
	fmt.Println(registers, bytes)
	// Output:
	// 64 24576
}

func ExampleLookup() {
	for _, name := range []string{"GTX 1080 Ti", "sm_86", "gtx1080it", "sm_85"} {
		d, err := occupancy.Lookup(name)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(d.Name, d.SMs)
	}
	// Output:
	// gtx1080ti 28
	// rtx3090 82
	// unknown device "gtx1080it": did you mean gtx1080ti?
	// unknown device "sm_85": the table has no GPU of compute capability 8.5; the nearest are sm_80 (a100) and sm_86 (rtx3090)
}

func ExampleLimiterSet() {
	d := occupancy.Generic()
	r, _ := d.Occupancy(occupancy.Usage{Threads: 64, Registers: 32, SharedBytes: 4096})
	fmt.Println(r.Limiters.List())
	text, _ := json.Marshal(r)
	fmt.Println(string(text))
	// Output:
	// [warps blocks shared]
	// {"active_blocks":16,"active_warps":32,"active_threads":1024,"occupancy":1,"limiters":["warps","blocks","shared"]}
}
