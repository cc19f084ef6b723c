// Package search finds the best choice for a group: every strategy that offers
// it, every tile, priced by the coster, past the legality gate. The order of the
// candidates is fixed and ties go to the first, so the result is too.
package search

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gowarp/autoscheduler/coster"
	"gowarp/autoscheduler/strategy"
	"gowarp/internal/plan"
)

// Searcher prices groups of one problem.
type Searcher struct {
	Problem    *plan.Problem
	Coster     coster.Coster
	Strategies []strategy.Strategy
	Options    strategy.Options
	Effort     Effort
	Evaluated  int // candidates priced so far
	// Tile, if it is not nil, is the only tile of all kernels, innermost loop first and cut to the extents of each; of a strategy with choices
	// of its own those with that tile.
	Tile []int64
	// ByModel also tries the tile of warps that Algorithm 2 finds best by itself; see byModel.
	ByModel bool
	// Simple are the Funcs whose groups are run in the ways of strategy.Otherwise only.
	Simple []int
	// Unwarped are the Funcs whose groups have no tiles of warps.
	Unwarped []int
	// Remarks are what a grouping wants said of its search as a whole.
	Remarks []string
	// Few, if it is not 0, has Found hold so many ways to run each kernel; see Found.Way and Judge.
	Few int
	// Symmetric, if it is not nil, are the groups that were searched already, of this pipeline.
	Symmetric *Symmetric
	// Explain asks the final search to say what it looked at; it decides the same without.
	Explain bool
}

// Found is the best that a search found for a group.
type Found struct {
	Layout *plan.Layout
	Prices []coster.Price // one a kernel
	Cost   float64
	// Reject says why even the best is inefficient; it launches all the same.
	Reject string
	Looks  []Look     // one a kernel, if Searcher.Explain
	ways   [][]ranked // one list a kernel, the best first, if Searcher.Few and it is not on the host
}

// add takes in the next kernel.
func (f *Found) add(r ranked) {
	f.Layout.Kernels = append(f.Layout.Kernels, r.kernel)
	f.Prices = append(f.Prices, r.price)
	f.Cost += r.price.Cost
	if !r.price.Valid() && f.Reject == "" {
		f.Reject = r.price.Reject.String()
	}
}

// Faults is how many rules of the coster the kernels break.
func (f *Found) Faults() int {
	n := 0
	for i := range f.Prices {
		n += f.Prices[i].Faults
	}
	return n
}

// Valid reports whether the coster has nothing against the layout.
func (f *Found) Valid() bool { return f != nil && f.Reject == "" }

// Best finds the best layout for a group. It is an error only where nothing legal was
// found, and then it says what was wrong with the last candidates.
func (s *Searcher) Best(g *plan.Group, ph coster.Phase) (*Found, error) {
	pr := s.Problem
	f := &pr.P.Funcs[g.Out]
	out := &Found{Layout: &plan.Layout{}}
	if why := pr.Host[g.Out]; why != "" {
		for stage := range max(1, len(f.Stages)) {
			out.add(ranked{kernel: &plan.Kernel{Strategy: "host", Host: true, Why: why, Out: plan.Nest{Func: g.Out, Stage: stage}}})
			if s.Explain {
				out.Looks = append(out.Looks, Look{})
			}
		}
		return out, nil
	}
	for stage := range f.Stages {
		best, err := s.bestKernel(g, stage, ph, s.Options)
		if err != nil {
			return nil, err
		}
		if s.Options.Nesting == strategy.NestSevere && len(g.Members) > 0 && strategy.Severe(best.kernel) {
			nested, err := s.bestKernel(g, stage, ph, strategy.Options{Nesting: strategy.NestAlways})
			if err == nil && better(&nested.price, &best.price) {
				best = nested
			}
		}
		out.add(best.ranked)
		if best.look != nil {
			out.Looks = append(out.Looks, *best.look)
		}
		if len(best.ways) > 0 {
			out.ways = append(out.ways, best.ways)
		}
	}
	return out, nil
}

// winner is the best way to run a kernel.
type winner struct {
	ranked
	look *Look    // what was looked at, if somebody wants to know
	ways []ranked // the few best ways, this one first, if they are wanted
}

// bestKernel is the best way to run one stage of the group's output. Options that nest only where needs are severe are for Best to
// resolve; here they do not nest.
func (s *Searcher) bestKernel(g *plan.Group, stage int, ph coster.Phase, o strategy.Options) (*winner, error) {
	var look *Look
	if s.Explain && ph == coster.Final {
		look = &Look{}
	}
	pr := s.Problem
	var best *plan.Kernel
	price := coster.Price{Cost: math.Inf(1)}
	var why reasons
	var kept few
	var even fewest
	if ph == coster.Final {
		kept.most = s.Few
		even.within = coster.Errs(s.Coster)
	}
	refuser, _ := s.Coster.(coster.BlockRefuser)
	strategies := s.Strategies
	simple := slices.ContainsFunc(s.Simple, g.Has)
	if simple || ph == coster.Grouping && !coster.TellsPoints(s.Coster) {
		// Which Funcs are computed together is then decided with a point a thread, as the coster knows it.
		strategies = strategy.Otherwise
	} else if slices.ContainsFunc(s.Unwarped, g.Has) {
		strategies = slices.DeleteFunc(slices.Clone(strategies), func(st strategy.Strategy) bool { return strategy.OfWarps(st.Name()) })
	}
	defer strategy.Forget(pr, g, o)
	try := func(of *offer) {
		if of.err != nil {
			why.prepare = append(why.prepare, of.err)
			return
		}
		if of.beaten {
			s.Evaluated += len(of.choices)
			return
		}
		sizer, _ := of.prepared.(strategy.Sizer)
		s.each(of, stage, ph, func(c plan.Choice) bool {
			// What the coster would reject cannot beat what it takes. Most tiles with a halo are no
			// whole warps, and laying them out would be most of the time.
			return look == nil && best != nil && price.Valid() && sizer != nil && refuser != nil && refuser.RefusesBlock(pr, sizer.Block(stage, c), ph)
		}, func(t *tried) {
			k, p := t.kernel, t.price
			if t.err != nil {
				why.add(t.err)
				if look != nil {
					look.refuse(t.err)
				}
				return
			}
			s.Evaluated++
			if look != nil && !p.Valid() {
				look.refuse(p.Reject)
			}
			if !p.Valid() && !p.Launches {
				why.add(rejected{p.Reject})
				return
			}
			look.priced()
			kept.add(k, p)
			even.add(k, p)
			if best == nil || better(&p, &price) {
				look.second(best, &price)
				best, price = k, p
			} else if !sameChoice(k, best) { // the fallback may be one of the tiles
				look.second(k, &p)
			}
		})
	}
	within := even.within
	if look != nil || kept.most > 0 {
		within = -1
	}
	s.inTurn(g, stage, ph, o, strategies, within, try)
	for _, st := range strategy.Otherwise {
		if best == nil && !slices.Contains(strategies, st) {
			s.inTurn(g, stage, ph, o, []strategy.Strategy{st}, within, try)
		}
	}
	if r, ok := even.pick(pr); ok && r.kernel != best {
		look.instead(r.kernel, best, &price)
		best, price = r.kernel, r.price
	}
	if s.ByModel && !simple && ph == coster.Final && s.Tile == nil {
		k, p, model := s.byModel(g, stage, o)
		if k != nil {
			kept.add(k, p)
		}
		switch {
		case k == nil:
		case best == nil || better(&p, &price):
			look.second(best, &price)
			best, price = k, p
			if model != nil {
				model.Taken = true
			}
		case !sameChoice(k, best):
			look.second(k, &p)
		}
		if look != nil {
			look.Model = model
		}
	}
	if best == nil {
		f := &pr.P.Funcs[g.Out]
		return nil, fmt.Errorf("search: nothing legal was found for %s: %s", f.Label, &why)
	}
	chosen := ranked{best, price}
	return &winner{chosen, look, kept.best(chosen)}, nil
}

// choices are the candidates of one strategy, by its name.
func (s *Searcher) choices(g *plan.Group, stage int, name string, prepared strategy.Prepared, step strategy.Step) []plan.Choice {
	pr := s.Problem
	var only []int64
	if s.Tile != nil {
		d := &pr.Dims[pr.StageIndex(g.Out, stage)]
		only = make([]int64, len(d.Tiled))
		for i, l := range d.Tiled {
			only[i] = 1
			if i < len(s.Tile) {
				only[i] = max(1, min(s.Tile[i], d.Extent[l]))
			}
		}
	}
	if c, ok := prepared.(strategy.Chooser); ok {
		all := c.Choices(stage, step)
		if s.Tile != nil {
			all = slices.DeleteFunc(all, func(c plan.Choice) bool { return !slices.Equal(c.Tile, only) })
		}
		return all
	}
	if s.Tile != nil {
		return []plan.Choice{{Strategy: name, Tile: only}}
	}
	tiles := append(strategy.Tiles(pr, g.Out, stage, step), strategy.FallbackTile(pr, g.Out, stage))
	out := make([]plan.Choice, len(tiles))
	for i, t := range tiles {
		out[i] = plan.Choice{Strategy: name, Tile: t}
	}
	return out
}

// better prefers what is valid, then what breaks fewer rules, then what is cheaper.
func better(a, b *coster.Price) bool {
	if a.Valid() != b.Valid() {
		return a.Valid()
	}
	if a.Faults != b.Faults {
		return a.Faults < b.Faults
	}
	return a.Cost < b.Cost
}

// reasons are why a group cannot be run: what the strategies said of all of it, and the
// last few of the many that concern single candidates. They are put into words at the end only.
type reasons struct {
	prepare []error
	last    [8]error
	n       int
}

func (r *reasons) add(err error) {
	r.last[r.n%len(r.last)] = err
	r.n++
}

func (r *reasons) String() string {
	var words []string
	add := func(err error) {
		if w := err.Error(); !slices.Contains(words, w) {
			words = append(words, w)
		}
	}
	for _, err := range r.prepare {
		add(err)
	}
	most := len(words) + 3
	for i := max(0, r.n-len(r.last)); i < r.n && len(words) < most; i++ {
		add(r.last[i%len(r.last)])
	}
	return strings.Join(words, "; ")
}

// rejected is a coster's reason as an error.
type rejected struct{ coster.Reason }

func (r rejected) Error() string { return r.String() }
