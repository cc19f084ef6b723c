package plan

import (
	"fmt"
	"strings"

	"gowarp/halideir"
)

// deviceFunctions are the functions of a real number that Halide 21's CUDA and OpenCL
// runtimes both implement, called with their type behind them: sqrt_f32.
var deviceFunctions = map[string]bool{
	"abs": true, "acos": true, "acosh": true, "asin": true, "asinh": true, "atan": true, "atan2": true, "atanh": true,
	"ceil": true, "cos": true, "cosh": true, "exp": true, "fast_inverse": true, "fast_inverse_sqrt": true, "floor": true,
	"inf": true, "is_finite": true, "is_inf": true, "is_nan": true, "log": true, "nan": true, "neg_inf": true, "pow": true,
	"round": true, "sin": true, "sinh": true, "sqrt": true, "tan": true, "tanh": true, "trunc": true,
}

// cudaOnly are the intrinsics for which Halide 21's backends that write C call functions that no
// kernel has.
var cudaOnly = map[string]bool{"popcount": true, "count_leading_zeros": true, "count_trailing_zeros": true}

func onDevice(name string) bool {
	base, bits, ok := cutLast(name, "_f")
	return ok && (bits == "16" || bits == "32" || bits == "64") && deviceFunctions[base]
}

// cutLast is strings.Cut at the last occurrence.
func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// HostReasons says of every Func why it cannot run on the GPU; empty if it can. Extern
// stages, calls of the user's own C functions and types that the GPU lacks run on the host, and so do the Funcs that an
// extern stage takes on the host: Halide 21 does not copy them back before it is called.
func HostReasons(p *halideir.Pipeline) []string {
	out := make([]string, len(p.Funcs))
	for i := range p.Funcs {
		out[i] = HostReason(p, i)
	}
	for i := range p.Funcs {
		f := &p.Funcs[i]
		if f.Extern == nil || f.Extern.DeviceAPI != "host" && f.Extern.DeviceAPI != "none" {
			continue
		}
		for _, a := range f.Extern.Args {
			if a.Func >= 0 && out[a.Func] == "" {
				out[a.Func] = fmt.Sprintf("the extern stage %s (%s) takes it, on the host", f.Label, f.Extern.Name)
			}
		}
	}
	return out
}

// HostReason is HostReasons of one Func, whatever others are.
func HostReason(p *halideir.Pipeline, fn int) string {
	f := &p.Funcs[fn]
	if f.Extern != nil {
		return fmt.Sprintf("an extern stage (%s) runs where its author put it", f.Extern.Name)
	}
	why := ""
	for _, t := range f.Types {
		if why = notOnDevice(&p.Target, t); why != "" {
			return why
		}
	}
	for i := range f.Stages {
		p.Walk(func(_ halideir.NodeID, n *halideir.Node) {
			if why != "" {
				return
			}
			if why = notOnDevice(&p.Target, n.Type); why != "" || n.Op != halideir.OpCall {
				return
			}
			switch n.Call {
			case halideir.CallIntrinsic, halideir.CallPureIntrinsic:
				switch {
				case n.Name == "require":
					why = "it holds a require(), whose message no kernel can give; leave it away, and check its condition in a Func or a program before"
				case cudaOnly[n.Name] && p.Target.API != "cuda":
					why = fmt.Sprintf("it calls %s, which Halide compiles for no GPU but CUDA's", n.Name)
				}
			case halideir.CallExtern, halideir.CallExternCPlusPlus, halideir.CallPureExtern:
				if !onDevice(n.Name) {
					why = fmt.Sprintf("it calls %s, which exists only on the host", n.Name)
				}
			}
		}, f.Stages[i].Roots()...)
	}
	return why
}
