package halideir

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tidwall/gjson"
)

// Decode reads a pipeline from its JSON form (FORMAT.md), makes the labels and
// verifies it. Keys that it does not know are passed over; values that it does
// not know are errors. It never panics, and allocates in proportion to data.
func Decode(data []byte) (*Pipeline, error) {
	if err := checkNesting(data); err != nil {
		return nil, err
	}
	if !gjson.ValidBytes(data) {
		if len(data) == 0 {
			return nil, errors.New("halideir: the document is empty")
		}
		return nil, errors.New("halideir: the document is not JSON, or it is cut short; a pipeline's is what autoscheduler.dump=FILE writes")
	}
	doc := gjson.ParseBytes(data)
	if err := checkFormat(doc); err != nil {
		return nil, err
	}
	d := decoder{p: &Pipeline{}}
	d.pipeline(doc)
	if d.err != nil {
		return nil, d.err
	}
	if err := d.p.unknownNode(); err != nil {
		return nil, err
	}
	d.p.resolveLoops()
	d.p.SetLabels()
	if err := d.p.Verify(); err != nil {
		return nil, err
	}
	return d.p, nil
}

func checkFormat(doc gjson.Result) error {
	if !doc.IsObject() {
		return fmt.Errorf("halideir: the document is %s, not a pipeline", describe(doc))
	}
	format := doc.Get("format")
	if !format.Exists() {
		return fmt.Errorf(`halideir: the document has no "format"; a pipeline says "format": %q`, FormatName)
	}
	if format.Type != gjson.String || format.Str != FormatName {
		if format.Type == gjson.String {
			return fmt.Errorf("halideir: its format is %q, not that of a pipeline (%s)", clip(format.Str, 40), FormatName)
		}
		return fmt.Errorf("halideir: format: want %q, have %s", FormatName, describe(format))
	}
	version := doc.Get("version")
	if version.Raw != fmt.Sprint(Version) {
		return fmt.Errorf("halideir: version: this gowarp reads version %d of the form, the document has %s", Version, describe(version))
	}
	return nil
}

type decoder struct {
	reader
	p *Pipeline
	// args backs the operands of all nodes, so that a node is not an
	// allocation of its own.
	args []NodeID
}

func (d *decoder) pipeline(doc gjson.Result) {
	p := d.p
	d.object(&path{index: -1}, doc, func(key string, v gjson.Result, at *path) {
		switch key {
		case "halide":
			p.Halide = d.str(at, v)
		case "target":
			p.Target = d.target(at, v)
		case "gpu":
			p.GPU = d.str(at, v)
		case "checked":
			d.array(at, v, func(v gjson.Result, at *path) { p.Checked = append(p.Checked, d.checked(at, v)) })
		case "outputs":
			p.Outputs = d.indices(at, v)
		case "inputs":
			d.array(at, v, func(v gjson.Result, at *path) { p.Inputs = append(p.Inputs, d.input(at, v, len(p.Inputs))) })
		case "funcs":
			d.array(at, v, func(v gjson.Result, at *path) { p.Funcs = append(p.Funcs, d.function(at, v, len(p.Funcs))) })
		case "edges":
			d.array(at, v, func(v gjson.Result, at *path) { p.Edges = append(p.Edges, d.edge(at, v)) })
		case "nodes":
			d.array(at, v, func(v gjson.Result, at *path) { p.Nodes = append(p.Nodes, d.exprNode(at, v)) })
		}
	})
}

func (d *decoder) target(at *path, v gjson.Result) (t Target) {
	d.object(at, v, func(key string, v gjson.Result, at *path) {
		switch key {
		case "string":
			t.String = d.str(at, v)
		case "arch":
			t.Arch = d.str(at, v)
		case "os":
			t.OS = d.str(at, v)
		case "bits":
			t.Bits = d.index(at, v)
		case "api":
			t.API = d.str(at, v)
		case "cuda_capability":
			t.CUDACapability = d.index(at, v)
		case "features":
			t.Features = d.strs(at, v)
		}
	})
	return t
}

func (d *decoder) input(at *path, v gjson.Result, id int) Input {
	in := Input{ID: id, Estimate: NoNode, Min: NoNode, Max: NoNode, Value: NoNode}
	dimensions, hasType := -1, false
	d.object(at, v, func(key string, v gjson.Result, at *path) {
		switch key {
		case "name":
			in.Name = d.str(at, v)
		case "kind":
			in.Kind = InputKind(d.word(at, v, "buffer", "scalar", "constant"))
		case "type":
			in.Type, hasType = d.typ(at, v), true
		case "dimensions":
			dimensions = d.index(at, v)
		case "dim":
			d.array(at, v, func(v gjson.Result, at *path) { in.Dims = append(in.Dims, d.inputDim(at, v)) })
		case "host_alignment":
			in.HostAlignment = d.index(at, v)
		case "estimate":
			in.Estimate = d.node(at, v)
		case "min":
			in.Min = d.node(at, v)
		case "max":
			in.Max = d.node(at, v)
		case "value":
			in.Value = d.node(at, v)
		}
	})
	d.need(at, "kind", in.Kind != "")
	d.need(at, "type", hasType)
	if in.Kind != InputScalar && dimensions != len(in.Dims) && dimensions >= 0 {
		d.fail(at, "dimensions is %d, but dim has %d", dimensions, len(in.Dims))
	}
	return in
}

func (d *decoder) inputDim(at *path, v gjson.Result) InputDim {
	dim := InputDim{Min: NoNode, Extent: NoNode, Stride: NoNode}
	d.object(at, v, func(key string, v gjson.Result, at *path) {
		switch key {
		case "min":
			dim.Min = d.node(at, v)
		case "extent":
			dim.Extent = d.node(at, v)
		case "stride":
			dim.Stride = d.node(at, v)
		case "min_estimate":
			n := d.int64(at, v)
			dim.MinEstimate = &n
		case "extent_estimate":
			n := d.int64(at, v)
			dim.ExtentEstimate = &n
		}
	})
	return dim
}

func (d *decoder) function(at *path, v gjson.Result, id int) Func {
	f := Func{ID: id, PipelineIndex: -1, FoundIndex: -1}
	hasArgs := false
	d.object(at, v, func(key string, v gjson.Result, at *path) {
		switch key {
		case "id":
			if got := d.index(at, v); d.err == nil && got != id {
				d.fail(at, "the id is %d, the position %d", got, id)
			}
		case "name":
			f.Name = d.str(at, v)
		case "types":
			d.array(at, v, func(v gjson.Result, at *path) { f.Types = append(f.Types, d.typ(at, v)) })
		case "args":
			f.Args, hasArgs = d.strs(at, v), true
		case "output":
			f.Output = d.boolean(at, v)
		case "stages":
			d.array(at, v, func(v gjson.Result, at *path) { f.Stages = append(f.Stages, d.stage(at, v)) })
		case "extern":
			f.Extern = d.extern(at, v)
		case "bounds":
			d.array(at, v, func(v gjson.Result, at *path) { f.Bounds = append(f.Bounds, d.bound(at, v)) })
		case "estimates":
			d.array(at, v, func(v gjson.Result, at *path) { f.Estimates = append(f.Estimates, d.estimate(at, v)) })
		case "wrappers":
			d.array(at, v, func(v gjson.Result, at *path) { f.Wrappers = append(f.Wrappers, d.wrapper(at, v)) })
		case "memory":
			f.Memory = d.str(at, v)
		case "scheduled":
			f.Scheduled = d.strs(at, v)
		case "pipeline_index":
			f.PipelineIndex = d.index(at, v)
		case "written_out":
			f.WrittenOut = d.index(at, v)
		case "separated":
			f.Separated = d.word(at, v, Equal, Weighted)
		case "local":
			f.Local = d.boolean(at, v)
		case "fused_init":
			f.FusedInit = d.boolean(at, v)
		case "unconditional":
			f.Unconditional = d.boolean(at, v)
		case "held_reads":
			f.HeldReads = d.boolean(at, v)
		case "found_index":
			f.FoundIndex = d.index(at, v)
		}
	})
	d.need(at, "name", f.Name != "")
	d.need(at, "types", f.Types != nil)
	d.need(at, "args", hasArgs)
	return f
}

func (d *decoder) extern(at *path, v gjson.Result) *Extern {
	if v.Type == gjson.Null {
		return nil
	}
	e := &Extern{}
	d.object(at, v, func(key string, v gjson.Result, at *path) {
		switch key {
		case "name":
			e.Name = d.str(at, v)
		case "mangling":
			e.Mangling = d.str(at, v)
		case "device_api":
			e.DeviceAPI = d.str(at, v)
		case "args":
			d.array(at, v, func(v gjson.Result, at *path) {
				arg := ExternArg{Func: -1, Input: -1, Expr: NoNode}
				d.object(at, v, func(key string, v gjson.Result, at *path) {
					switch key {
					case "func":
						arg.Func = d.index(at, v)
					case "input":
						arg.Input = d.index(at, v)
					case "expr":
						arg.Expr = d.node(at, v)
					}
				})
				e.Args = append(e.Args, arg)
			})
		}
	})
	return e
}

func (d *decoder) bound(at *path, v gjson.Result) Bound {
	b := Bound{Min: NoNode, Extent: NoNode, Modulus: NoNode, Remainder: NoNode}
	d.object(at, v, func(key string, v gjson.Result, at *path) {
		switch key {
		case "var":
			b.Var = d.str(at, v)
		case "min":
			b.Min = d.node(at, v)
		case "extent":
			b.Extent = d.node(at, v)
		case "modulus":
			b.Modulus = d.node(at, v)
		case "remainder":
			b.Remainder = d.node(at, v)
		}
	})
	return b
}

func (d *decoder) estimate(at *path, v gjson.Result) (e Estimate) {
	hasMin, hasExtent := false, false
	d.object(at, v, func(key string, v gjson.Result, at *path) {
		switch key {
		case "var":
			e.Var = d.str(at, v)
		case "min":
			e.Min, hasMin = d.int64(at, v), true
		case "extent":
			e.Extent, hasExtent = d.int64(at, v), true
		}
	})
	d.need(at, "min", hasMin)
	d.need(at, "extent", hasExtent)
	return e
}

func (d *decoder) wrapper(at *path, v gjson.Result) Wrapper {
	w := Wrapper{In: -1, Wrapper: -1}
	d.object(at, v, func(key string, v gjson.Result, at *path) {
		switch key {
		case "in":
			if n := d.int64(at, v); n != -1 {
				w.In = d.index(at, v)
			}
		case "wrapper":
			w.Wrapper = d.index(at, v)
		}
	})
	return w
}

func (d *decoder) stage(at *path, v gjson.Result) Stage {
	s := Stage{Predicate: NoNode}
	d.object(at, v, func(key string, v gjson.Result, at *path) {
		switch key {
		case "args":
			s.Args = d.nodes(at, v)
		case "values":
			s.Values = d.nodes(at, v)
		case "predicate":
			s.Predicate = d.node(at, v)
		case "rvars":
			d.array(at, v, func(v gjson.Result, at *path) { s.RVars = append(s.RVars, d.rvar(at, v)) })
		case "loops":
			d.array(at, v, func(v gjson.Result, at *path) { s.Loops = append(s.Loops, d.loop(at, v)) })
		case "associative":
			s.Associative = d.boolean(at, v)
		case "commutative":
			s.Commutative = d.boolean(at, v)
		case "restated":
			s.Restated = d.nodes(at, v)
		case "arg_extreme":
			s.ArgExtreme = d.argExtreme(at, v)
		}
	})
	return s
}

func (d *decoder) argExtreme(at *path, v gjson.Result) *ArgExtreme {
	a := &ArgExtreme{}
	d.object(at, v, func(key string, v gjson.Result, at *path) {
		switch key {
		case "value":
			a.Value = d.index(at, v)
		case "greatest":
			a.Greatest = d.boolean(at, v)
		case "places":
			d.array(at, v, func(v gjson.Result, at *path) { a.Places = append(a.Places, d.index(at, v)) })
		}
	})
	return a
}

func (d *decoder) rvar(at *path, v gjson.Result) RVar {
	r := RVar{Min: NoNode, Extent: NoNode}
	d.object(at, v, func(key string, v gjson.Result, at *path) {
		switch key {
		case "name":
			r.Name = d.str(at, v)
		case "min":
			r.Min = d.node(at, v)
		case "extent":
			r.Extent = d.node(at, v)
		}
	})
	return r
}

func (d *decoder) loop(at *path, v gjson.Result) Loop {
	l := Loop{Arg: -1, RVar: -1}
	d.object(at, v, func(key string, v gjson.Result, at *path) {
		switch key {
		case "name":
			l.Name = d.str(at, v)
		case "kind":
			l.Kind = LoopKind(d.word(at, v, "pure", "pure_rvar", "impure_rvar"))
		}
	})
	d.need(at, "kind", l.Kind != "")
	return l
}

func (d *decoder) edge(at *path, v gjson.Result) Edge {
	e := Edge{Consumer: -1, Func: -1, Input: -1}
	d.object(at, v, func(key string, v gjson.Result, at *path) {
		switch key {
		case "consumer":
			e.Consumer = d.index(at, v)
		case "stage":
			e.Stage = d.index(at, v)
		case "func":
			e.Func = d.index(at, v)
		case "input":
			e.Input = d.index(at, v)
		case "box":
			d.array(at, v, func(v gjson.Result, at *path) { e.Box = append(e.Box, d.interval(at, v)) })
		}
	})
	return e
}

func (d *decoder) interval(at *path, v gjson.Result) Range {
	r := Range{Lo: NoNode, Hi: NoNode}
	n := 0
	d.array(at, v, func(v gjson.Result, at *path) {
		if v.Type != gjson.Null {
			switch n {
			case 0:
				r.Lo = d.node(at, v)
			case 1:
				r.Hi = d.node(at, v)
			}
		}
		n++
	})
	if n != 2 {
		d.fail(at, "want [lo, hi], have %d elements", n)
	}
	return r
}

func (d *decoder) need(at *path, key string, have bool) {
	if !have {
		d.fail(at, "no %q", key)
	}
}

func (d *decoder) word(at *path, v gjson.Result, words ...string) string {
	if i := d.position(at, v, words); d.err == nil {
		return words[i]
	}
	return ""
}

func (d *decoder) position(at *path, v gjson.Result, words []string) int {
	s := d.str(at, v)
	for i, w := range words {
		if s == w {
			return i
		}
	}
	d.fail(at, "%q is not one of %s", clip(s, 40), strings.Join(words, ", "))
	return 0
}

// resolveLoops finds the argument or reduction variable of every loop. Verify
// reports the loops that have none.
func (p *Pipeline) resolveLoops() {
	for i := range p.Funcs {
		f := &p.Funcs[i]
		for j := range f.Stages {
			s := &f.Stages[j]
			for k := range s.Loops {
				l := &s.Loops[k]
				l.Arg, l.RVar = -1, -1
				if l.Kind == LoopPure {
					for a, name := range f.Args {
						if name == l.Name {
							l.Arg = a
						}
					}
					continue
				}
				for a := range s.RVars {
					if s.RVars[a].Name == l.Name {
						l.RVar = a
					}
				}
			}
		}
	}
}
