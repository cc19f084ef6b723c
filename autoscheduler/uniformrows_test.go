package autoscheduler

import (
	"slices"
	"testing"

	"gowarp/halideir/schedule"
)

// TestUniformRowsAsked: rows of threads are said to be the same for a warp where the code's lanes exchange values and the device has registers for it, in kernels with several rows of whole warps and much to do.
func TestUniformRowsAsked(t *testing.T) {
	for _, test := range []struct {
		params     map[string]string
		capability int
		size       int64
		want       bool
	}{
		{map[string]string{"gpu": "rtx2080ti"}, 75, 1536, true},
		{map[string]string{"gpu": "h100"}, 70, 1536, true},
		{map[string]string{"gpu": "rtx2080ti"}, 61, 1536, false}, // no exchanges in the code
		{map[string]string{"gpu": "v100"}, 70, 1536, false},      // no registers of a warp
		{map[string]string{"gpu": "rtx2080ti"}, 75, 16, false},   // little to do
		{map[string]string{"gpu": "rtx2080ti", "mode": "autogpu"}, 75, 1536, false},
	} {
		p := product(test.size)
		forCUDA(p, test.capability)
		prm, err := ParseParams(test.params)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Run(p, prm)
		if err != nil {
			t.Fatal(err)
		}
		got := slices.ContainsFunc(r.Schedule.Directives, func(d schedule.Directive) bool { return d.Do == schedule.UniformRows })
		if k := r.Found[len(r.Found)-1].Layout.Kernels; got != test.want {
			t.Errorf("%v, code for %d, %d columns: %v, want %v; blocks of %v", test.params, test.capability, test.size, got, test.want, k[len(k)-1].Block)
		}
	}
}
