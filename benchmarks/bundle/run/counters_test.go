package run

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What Nsight Compute 2025.3 printed of harris on an H100, most columns left out.
const profiled = `==WARNING== Note: Running with unmodified GPU clocks. If not controlled otherwise, profiling results may be inconsistent.
==PROF== Connected to process 822 (/tmp/b/gpu-bundle/worker)
==PROF== Disconnected from process 822
"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","dram__bytes_read.sum","gpu__time_duration.sum","launch__func_cache_config","launch__registers_per_thread","smsp__inst_executed.sum"
"","","","","","","","","","","","byte","ns","","register/thread","inst"
"0","822","worker","127.0.0.1","_kernel_output_s0_y_y_o_block_id_y","1","7","(32, 1, 1)","(26, 160, 1)","0","9.0","11,884,800","23,328","CachePreferNone","60","9,585,312"
`

func TestParseCounters(t *testing.T) {
	got, err := parseCounters(profiled)
	if err != nil {
		t.Fatal(err)
	}
	want := []Counted{{
		Kernel: "_kernel_output_s0_y_y_o_block_id_y", Grid: "(26, 160, 1)", Block: "(32, 1, 1)",
		Counters: map[string]float64{"dram__bytes_read.sum": 11884800, "gpu__time_duration.sum": 23328, "launch__registers_per_thread": 60, "smsp__inst_executed.sum": 9585312},
	}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	for _, text := range []string{"", "==ERROR== Failed to find metric x\n", profiled[:strings.LastIndex(profiled, `,"9,585`)] + "\n", strings.SplitAfter(profiled, "\"CC\",")[0]} {
		if got, err := parseCounters(text); !errors.Is(err, errNoCounters) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}
