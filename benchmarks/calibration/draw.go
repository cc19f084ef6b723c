package calibration

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"gowarp/autoscheduler"
	"gowarp/autoscheduler/coster"
	"gowarp/autoscheduler/instructions"
	"gowarp/benchmarks/bench"
	"gowarp/benchmarks/harness"
	"gowarp/halideir"
)

// perDraw is how many numbers are tried for a schedule that is not there yet: a small
// pipeline has few.
const perDraw = 4

// Export has a program's generator write its pipeline as JSON, for a target, in so much processor time; 0: in any.
func Export(tree *harness.Tree, p bench.Program, t bench.Target, cpuSeconds int) (*halideir.Pipeline, error) {
	pipeline, _, err := tree.Export(p.Generator(nil), harness.EmitOptions{
		CPUSeconds: cpuSeconds, Target: t.Halide(), Scheduler: harness.Gowarp(map[string]string{"mode": "autogpu", "gpu": t.Device.Name, "check": "0"}),
	})
	return pipeline, err
}

// Schedules are up to so many different schedules of a pipeline by a seed, and the choice of
// each coster. A schedule that was drawn before is not drawn again, one that is a coster's choice is.
func Schedules(p *halideir.Pipeline, program, gpu string, seed uint64, draws int) ([]Line, error) {
	params, err := drawn(gpu)
	if err != nil {
		return nil, err
	}
	var lines []Line
	add := func(l Line, r *autoscheduler.Result) error {
		l.Seed = seed
		l, err := newLine(l, r, program, gpu)
		lines = append(lines, l)
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(coster.ByName)) {
		own := params
		own.Cost = name
		if coster.TellsPoints(coster.ByName[name]) {
			own.Tiling = "all"
		}
		r, err := autoscheduler.Run(p, own)
		if err != nil {
			return nil, fmt.Errorf("calibration: %s by %s: %w", program, name, err)
		}
		if err := add(Line{Name: "own-" + name, Own: name}, r); err != nil {
			return nil, err
		}
	}
	seen := map[string]bool{}
	for n, most := uint64(0), uint64(perDraw*draws); n < most && len(seen) < draws; n++ {
		r, err := autoscheduler.Draw(p, params, seed, n)
		if err != nil {
			return nil, fmt.Errorf("calibration: %s, draw %d of seed %d: %w", program, n, seed, err)
		}
		if text := string(r.Schedule.JSON()); !seen[text] {
			seen[text] = true
			if err := add(Line{Name: drawName(n), Number: n}, r); err != nil {
				return nil, err
			}
		}
	}
	return lines, nil
}

// drawn are the parameters by which schedules are drawn.
func drawn(gpu string) (autoscheduler.Params, error) {
	return autoscheduler.CheckParams(map[string]string{"mode": "autogpu", "gpu": gpu})
}

func drawName(number uint64) string { return fmt.Sprintf("draw-%02d", number) }

// newLine is the line of a schedule, whose hash becomes part of its name.
func newLine(l Line, r *autoscheduler.Result, program, gpu string) (Line, error) {
	var text bytes.Buffer
	if err := json.Compact(&text, r.Schedule.JSON()); err != nil {
		return l, fmt.Errorf("calibration: %w", err)
	}
	l.Schema, l.Program, l.GPU, l.Schedule = Schema, program, gpu, text.Bytes()
	l.HeldOut = HeldOut(program)
	hash := sha256.Sum256(l.Schedule)
	l.Name += "-" + hex.EncodeToString(hash[:])[:10]
	l.see(r)
	return l, nil
}

// heldOut is the share of programs that are held out: one of so many.
const heldOut = 4

// HeldOut reports whether a program's lines are for judging, by nothing but its name.
func HeldOut(program string) bool {
	h := sha256.Sum256([]byte(program))
	return h[0]%heldOut == 0
}

// see notes what the costers see of a schedule.
func (l *Line) see(r *autoscheduler.Result) {
	pr := r.Problem
	l.Predicted = map[string]float64{}
	costers := slices.Sorted(maps.Keys(coster.ByName))
	silent := map[string]bool{}
	for _, f := range r.Found {
		for _, k := range f.Layout.Kernels {
			if k.Host {
				continue
			}
			view := k.View(pr)
			out := &pr.P.Funcs[k.Out.Func]
			seen := Kernel{
				Func: out.Label, Stage: k.Out.Stage, Strategy: k.Strategy, Tile: k.Choice.Tile, Points: k.Choice.Points, Windows: k.Choice.Windows,
				Blocks: k.Grid, Threads: k.Block, SharedBytes: k.SharedBytes, Registers: k.Registers, Occupancy: k.Occupancy.Occupancy, Terms: map[string]map[string]float64{}, Predicted: map[string]float64{},
			}
			if w := k.Choice.Warp; w.Warps > 0 {
				seen.Warp = []int64{w.Points, w.Rows, w.Warps}
			}
			for i := range k.Members {
				seen.Members = append(seen.Members, pr.P.Funcs[k.Members[i].Func].Label+"@"+k.Members[i].Where.String())
			}
			issued, requests := instructions.For(view).Block(k)
			seen.Instructions, seen.Requests = short(issued*float64(k.Tiles())), short(requests*float64(k.Tiles()))
			for _, name := range costers {
				p := coster.ByName[name].Price(view, k, phase(name))
				if !p.Valid() {
					if seen.Rejected == nil {
						seen.Rejected = map[string]string{}
					}
					seen.Rejected[name] = p.Reject.String()
					if !p.Launches {
						silent[name] = true
						continue
					}
				}
				l.Predicted[name] += p.Cost
				seen.Predicted[name] = short(p.Cost)
				terms := map[string]float64{}
				for _, t := range p.Terms {
					terms[t.Name] = short(t.Value)
				}
				seen.Terms[name] = terms
			}
			l.Predicted[Instructions] += issued * float64(k.Tiles())
			l.Kernels = append(l.Kernels, seen)
		}
	}
	for name := range silent {
		delete(l.Predicted, name)
	}
	for name, v := range l.Predicted {
		l.Predicted[name] = short(v)
	}
}

// Instructions is the name among the predictions of what is no coster's: package
// instructions' estimate of the warp instructions.
const Instructions = "instructions"

// phase is the one in which a coster compares schedules. The prose of listing 1 prices in
// its own way only while grouping; otherwise it is listing 1.
func phase(name string) coster.Phase {
	if name == (coster.Listing1Prose{}).Name() {
		return coster.Grouping
	}
	return coster.Final
}
