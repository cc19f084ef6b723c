// Package explain says why a schedule is as it is: a Report made from what the passes
// decided, printed for people or written as JSON (halideir/FORMAT.md). It decides nothing and
// prices nothing.
package explain

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gowarp/autoscheduler"
	"gowarp/autoscheduler/coster"
	"gowarp/autoscheduler/grouping"
	"gowarp/autoscheduler/search"
	"gowarp/halideir"
	"gowarp/halideir/schedule"
	"gowarp/internal/plan"
	"gowarp/internal/suggest"
	"gowarp/occupancy"
)

// The form of a Report as JSON.
const (
	FormatName = "gowarp-explanation"
	Version    = 1
)

// Report is the reasons for one schedule.
type Report struct {
	Format     string   `json:"format"`
	Version    int      `json:"version"`
	Device     string   `json:"device"`
	Title      string   `json:"device_title"`
	Remarks    []string `json:"remarks,omitempty"` // on the pipeline as a whole
	Coster     string   `json:"coster"`
	Unit       string   `json:"unit,omitempty"` // of the costs of groups and kernels; absent where they only compare
	Candidates int      `json:"candidates"`
	Funcs      []Func   `json:"funcs"`    // producers first
	Groups     []Group  `json:"groups"`   // in launch order
	Refusals   []Denial `json:"refusals"` // merges that were refused, the same reason said once
}

// Func is where one Func is computed, and why it is inlined or not. Costs are over the whole
// pipeline; absent where the decision did not need them.
type Func struct {
	Func    string   `json:"func"`
	Place   string   `json:"place"` // inlined, kernel, block, thread, host
	Kernel  string   `json:"kernel,omitempty"`
	Inlined bool     `json:"inlined"`
	Why     string   `json:"why"` // inlined or not
	Points  float64  `json:"points,omitempty"`
	Reads   float64  `json:"reads,omitempty"`
	Costs   *Inlined `json:"costs,omitempty"`
}

// Inlined is the costs that were compared before a Func was inlined or not.
type Inlined struct {
	Again  float64 `json:"again"`  // of computing it in its readers
	Global float64 `json:"global"` // of keeping it in global memory
	Shared float64 `json:"shared"` // of keeping it in shared memory
}

// Group is what is computed together: one kernel, or one a stage.
type Group struct {
	Out     string   `json:"out"`
	Members []string `json:"members"`
	Merges  []Merge  `json:"merges"` // in the order in which they were made
	Kernels []Kernel `json:"kernels"`
}

// Merge is a step of grouping, with costs as they were estimated then.
type Merge struct {
	Producer string  `json:"producer"` // output of the group that was merged in; of several in one step, with commas between
	Before   float64 `json:"before"`   // of all groups
	After    float64 `json:"after"`
	Gain     float64 `json:"gain"`
}

// Denial is merges that were refused for one reason.
type Denial struct {
	Why   string   `json:"why"`
	Pairs []Denied `json:"pairs"`
}

// Denied is one of them. Consumer is "" where several groups read the producer.
type Denied struct {
	Producer string  `json:"producer"`
	Consumer string  `json:"consumer,omitempty"`
	Loss     float64 `json:"loss,omitempty"` // what the merged kernel would have cost more than the two
}

// Kernel is how one stage runs, and what binds it.
type Kernel struct {
	Name     string    `json:"name"`
	Strategy string    `json:"strategy"`
	Note     string    `json:"note,omitempty"`
	Tile     []Extent  `json:"tile"`
	Cells    []Cell    `json:"cells,omitempty"`
	IfWhole  bool      `json:"if_whole,omitempty"` // of an output of the pipeline: only where it begins and ends at whole cells
	Blocks   [3]int64  `json:"blocks"`
	Threads  [3]int64  `json:"threads"`
	Members  []Member  `json:"members"`
	Inlined  []string  `json:"inlined"`
	Bounds   *Bounds   `json:"bounds,omitempty"` // absent on the host
	Cost     float64   `json:"cost"`
	Parts    []Part    `json:"parts"`             // they add up to the cost
	Factors  []Part    `json:"factors,omitempty"` // what else the coster says of it, of which nothing is added
	Though   string    `json:"though,omitempty"`
	RunnerUp *RunnerUp `json:"runner_up,omitempty"`
	Judged   *Judged   `json:"judged,omitempty"` // what more than the cost decided among its best few ways
	// Model is what Algorithm 2 finds best before anything is laid out: of what can be emitted, and of the paper's whole set.
	Model   []ModelSearch `json:"model,omitempty"`
	Tried   int           `json:"tried"` // tiles that could have run
	Refused []Refused     `json:"refused"`
}

// Extent is a loop of the output stage with its tile.
type Extent struct {
	Loop   string `json:"loop"`
	Tile   int64  `json:"tile"`
	Extent int64  `json:"extent"`
}

// Cell is so many points along a loop, at a multiple of which the output begins: they alternate in what they compute.
type Cell struct {
	Loop   string `json:"loop"`
	Points int64  `json:"points"`
}

// Member is a Func computed inside the kernel.
type Member struct {
	Func    string  `json:"func"`
	Level   string  `json:"level"`            // block, warp or thread
	Inside  string  `json:"inside,omitempty"` // thread: the Func in whose threads
	Extents []int64 `json:"extents"`
	Bytes   int64   `json:"bytes"`
	// InShared is how many of each lane's registers are in shared memory instead; of the level warp.
	InShared int64 `json:"in_shared,omitempty"`
	// InGlobal says that it is in global memory; of the level block.
	InGlobal bool `json:"in_global,omitempty"`
	// Repeats is how many points are computed for each that the pipeline needs.
	Repeats float64 `json:"repeats"`
}

// Bounds is what the launch takes of the device.
type Bounds struct {
	Occupancy    float64  `json:"occupancy"`
	Limiters     []string `json:"limiters"`
	BlocksPerSM  int      `json:"blocks_per_sm"`
	SMs          int      `json:"sms"`
	Waves        float64  `json:"waves"` // blocks of all SMs at once, a wave
	LastWave     float64  `json:"last_wave"`
	SharedBytes  int64    `json:"shared_bytes"`        // a block, slots reused by liveness
	SharedSum    int64    `json:"shared_bytes_summed"` // without reuse
	SharedLimit  int64    `json:"shared_bytes_limit"`
	Registers    int      `json:"registers"` // a thread, estimated unless ptxas has judged
	MaxRegisters int      `json:"max_registers"`
	// Taken is how many registers the compiler takes for a thread where that is more, and Idle the part of the SM's that nobody has then, since blocks come whole: cost=time goes by that, and what block-window prices at all.
	Taken int     `json:"registers_taken,omitempty"`
	Idle  float64 `json:"registers_idle,omitempty"`
	// Spilled is how many bytes a thread is expected to store and load of registers that it has too few of, over all turns of its loops.
	Spilled int `json:"spilled_bytes,omitempty"`
}

// Judged is what a compiler or the simulator said of a kernel: of all its blocks, but for the bytes.
type Judged struct {
	By           string  `json:"by"`                    // as search names it
	SpillBytes   *int    `json:"spill_bytes,omitempty"` // a thread; of ptxas
	Instructions float64 `json:"instructions,omitempty"`
	Requests     float64 `json:"requests,omitempty"`
	Sectors      float64 `json:"sectors,omitempty"`
	Barriers     float64 `json:"barriers,omitempty"`
}

// judgement is what was said of a kernel, nil if nothing was.
func judgement(k *plan.Kernel) *Judged {
	switch k.JudgedBy {
	case "":
		return nil
	case "ptxas":
		return &Judged{By: k.JudgedBy, SpillBytes: &k.SpillBytes}
	}
	c := &k.Simulated
	return &Judged{By: k.JudgedBy, Instructions: c.Issued, Requests: c.Requests, Sectors: c.Sectors, Barriers: c.Barriers}
}

// Part is a term of a kernel's cost.
type Part struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Share float64 `json:"share"`
}

// RunnerUp is the second best tile.
type RunnerUp struct {
	Strategy string  `json:"strategy"`
	Tile     []int64 `json:"tile"`
	Cost     float64 `json:"cost"`
	Though   string  `json:"though,omitempty"`
}

// ModelSearch is a search by a cost model over a declared set of tiles.
type ModelSearch struct {
	Set        string  `json:"set"`
	Candidates int64   `json:"candidates"`
	Priced     int64   `json:"priced"` // the others cannot be the best by a bound
	Best       string  `json:"best,omitempty"`
	Cost       float64 `json:"cost,omitempty"` // by the model, of a tile a warp
	Taken      bool    `json:"taken"`
}

// Refused is tiles that were refused for one reason, numbers apart.
type Refused struct {
	Why   string `json:"why"` // of the first of them
	Tiles int    `json:"tiles"`
}

// Of makes the report of a result of autoscheduler.Run.
func Of(r *autoscheduler.Result) *Report {
	pr := r.Problem
	out := &Report{
		Format: FormatName, Version: Version, Device: pr.Device.Name, Title: title(pr.Device),
		Remarks: r.Remarks(), Candidates: r.Evaluated, Funcs: []Func{}, Groups: []Group{}, Refusals: []Denial{},
	}
	label := func(id int) string { return pr.P.Funcs[id].Label }
	next := 0
	for i, g := range r.Groups {
		group := Group{Out: label(g.Out), Members: []string{}, Merges: []Merge{}}
		for _, m := range g.Members {
			group.Members = append(group.Members, label(m))
		}
		for _, m := range r.Merges {
			if m.Refused == "" && (m.Consumer == g.Out || slices.Contains(g.Members, m.Consumer)) {
				producers := label(m.Producer)
				for _, id := range m.With {
					producers += ", " + label(id)
				}
				group.Merges = append(group.Merges, Merge{producers, m.Cost + m.Gain, m.Cost, m.Gain})
			}
		}
		for j, k := range r.Found[i].Layout.Kernels {
			s := &r.Schedule.Kernels[next]
			next++
			of := kernel(pr, k, s, r.Found[i], j)
			for a, n := range r.Aligned[k.Out.Func] {
				if n > 1 {
					of.Cells = append(of.Cells, Cell{pr.P.Funcs[k.Out.Func].Stages[0].Loops[a].Label, n})
					of.IfWhole = pr.P.Funcs[k.Out.Func].Output
				}
			}
			group.Kernels = append(group.Kernels, of)
			out.Coster, out.Unit = s.Cost.Name, r.Unit
		}
		out.Groups = append(out.Groups, group)
	}
	out.Funcs = funcs(r)
	out.Refusals = refusals(pr, r.Merges)
	return out
}

func title(d *occupancy.Device) string {
	if d.Capability == 0 {
		return d.Title
	}
	return fmt.Sprintf("%s, compute capability %d.%d", d.Title, d.Capability/10, d.Capability%10)
}

// funcs is where every Func went.
func funcs(r *autoscheduler.Result) []Func {
	pr := r.Problem
	out := []Func{}
	for id, why := range r.Inlining {
		f := Func{Func: pr.P.Funcs[id].Label, Inlined: why.Inlined, Why: why.Why, Points: why.Points, Reads: why.Reads}
		if why.Again != 0 || why.Global != 0 || why.Shared != 0 {
			f.Costs = &Inlined{why.Again, why.Global, why.Shared}
		}
		f.Place, f.Kernel = place(r, id)
		out = append(out, f)
	}
	return out
}

func place(r *autoscheduler.Result, id int) (place, kernel string) {
	pr := r.Problem
	if pr.Inlined[id] {
		return "inlined", ""
	}
	for i, g := range r.Groups {
		if !g.Has(id) {
			continue
		}
		kernel = pr.P.Funcs[g.Out].Label
		for _, k := range r.Found[i].Layout.Kernels {
			if k.Host {
				return "host", kernel
			}
			for j := range k.Members {
				if k.Members[j].Func == id {
					return k.Members[j].Where.String(), kernel
				}
			}
		}
	}
	return "kernel", kernel
}

// refusals says each reason once.
func refusals(pr *plan.Problem, merges []grouping.Merge) []Denial {
	out := []Denial{}
	for _, m := range merges {
		if m.Refused == "" {
			continue
		}
		d := Denied{Producer: pr.P.Funcs[m.Producer].Label, Loss: math.Max(-m.Gain, 0)}
		if m.Consumer >= 0 {
			d.Consumer = pr.P.Funcs[m.Consumer].Label
		}
		why := reason(m.Refused)
		i := slices.IndexFunc(out, func(o Denial) bool { return o.Why == why })
		if i < 0 {
			i = len(out)
			out = append(out, Denial{Why: why})
		}
		out[i].Pairs = append(out[i].Pairs, d)
	}
	return out
}

// reason is a refusal without what is said elsewhere: which kernel, and the strategies that
// groups of its size are not for.
func reason(why string) string {
	if rest, ok := strings.CutPrefix(why, "legality: "); ok {
		_, why, _ = strings.Cut(rest, ": ")
	}
	_, rest, ok := strings.Cut(why, "nothing legal was found for ")
	if !ok {
		return why
	}
	_, rest, _ = strings.Cut(rest, ": ")
	var kept []string
	for _, s := range strings.Split(rest, "; ") {
		if !strings.HasSuffix(s, ": a group of several Funcs") && !strings.HasSuffix(s, ": a group of one Func") {
			kept = append(kept, s)
		}
	}
	if len(kept) == 0 {
		return why
	}
	return strings.Join(kept, "; ")
}

func kernel(pr *plan.Problem, k *plan.Kernel, s *schedule.Kernel, f *search.Found, j int) Kernel {
	price := &f.Prices[j]
	out := Kernel{
		Name: s.Name, Strategy: k.Strategy, Note: k.Why, Blocks: s.Blocks, Threads: s.Threads,
		Tile: []Extent{}, Members: []Member{}, Inlined: s.Inlined, Parts: []Part{}, Refused: []Refused{},
	}
	if out.Inlined == nil {
		out.Inlined = []string{}
	}
	if k.Host {
		return out
	}
	out.Cost, out.Though = price.Cost, price.Reject.String()
	out.Parts, out.Factors = parts(price)
	st := &pr.P.Funcs[k.Out.Func].Stages[k.Out.Stage]
	dims := &pr.Dims[pr.StageIndex(k.Out.Func, k.Out.Stage)]
	for i, l := range dims.Tiled {
		if i < len(k.Choice.Tile) {
			out.Tile = append(out.Tile, Extent{st.Loops[l].Label, k.Choice.Tile[i], dims.Extent[l]})
		}
	}
	for i := range k.Members {
		out.Members = append(out.Members, member(pr, k, &k.Members[i]))
	}
	out.Bounds = launchBounds(pr, k)
	out.Judged = judgement(k)
	if j < len(f.Looks) {
		look := &f.Looks[j]
		out.Tried = look.Candidates
		if r := look.RunnerUp; r != nil {
			out.RunnerUp = &RunnerUp{r.Strategy, slices.Clone(r.Choice.Tile), look.Price.Cost, look.Price.Reject.String()}
		}
		if m := look.Model; m != nil {
			out.Model = []ModelSearch{modelSearch("of what can be emitted", &m.Emitted), modelSearch("of the paper", &m.Paper)}
			out.Model[0].Taken = m.Taken
		}
		for _, w := range look.Refusals {
			out.Refused = append(out.Refused, Refused{reason(w.Why), w.Count})
		}
	}
	return out
}

func modelSearch(set string, s *coster.Searched) ModelSearch {
	out := ModelSearch{Set: set, Candidates: s.Candidates, Priced: s.Priced}
	if !math.IsInf(s.Cost, 1) {
		out.Best, out.Cost = s.Tiling.String(), s.Cost
	}
	return out
}

func member(pr *plan.Problem, k *plan.Kernel, m *plan.Member) Member {
	out := Member{Func: pr.P.Funcs[m.Func].Label, Level: m.Where.String(), Extents: slices.Clone(m.Extents), Bytes: m.Bytes, InShared: m.Demoted, InGlobal: m.Where == plan.AtBlockGlobal}
	if out.Extents == nil {
		out.Extents = []int64{}
	}
	if m.Where == plan.AtThread {
		out.Inside = pr.P.Funcs[m.Anchor].Label
	}
	if needed := float64(pr.Regions.Funcs[m.Func].Points()); needed > 0 {
		out.Repeats = float64(m.StoredPoints()) * float64(k.Times(m)) / needed
	}
	return out
}

func launchBounds(pr *plan.Problem, k *plan.Kernel) *Bounds {
	b := &Bounds{
		Occupancy: k.Occupancy.Occupancy, Limiters: []string{}, BlocksPerSM: k.Occupancy.ActiveBlocks, SMs: pr.Device.SMs,
		SharedBytes: k.SharedBytes, SharedSum: k.SharedSum, SharedLimit: pr.Limits.SharedBytes,
		Registers: k.Registers, MaxRegisters: pr.Limits.MaxRegisters,
	}
	for _, l := range k.Occupancy.Limiters.List() {
		b.Limiters = append(b.Limiters, string(l))
	}
	if taken := k.Taken(pr); taken > k.Registers {
		b.Taken, b.Idle = taken, k.LeftIdle(pr)
	}
	if k.JudgedBy != "ptxas" {
		b.Spilled = k.SpillBytes
	}
	if slots := float64(b.BlocksPerSM) * float64(b.SMs); slots > 0 {
		b.Waves = float64(k.Tiles()) / slots
		b.LastWave = b.Waves - math.Ceil(b.Waves) + 1
	}
	return b
}

// parts are the leading terms of a price that add up to it, those that are 0 among them; what follows them are factors.
func parts(p *coster.Price) (out, factors []Part) {
	out = []Part{}
	sum := 0.0
	for i, t := range p.Terms {
		sum += t.Value
		out = append(out, Part{Name: t.Name, Value: t.Value})
		if math.Abs(sum-p.Cost) <= 1e-9*math.Abs(p.Cost) && (i+1 == len(p.Terms) || p.Terms[i+1].Value != 0) {
			for k := range out {
				if p.Cost != 0 {
					out[k].Share = out[k].Value / p.Cost
				}
			}
			for _, t := range p.Terms[i+1:] {
				factors = append(factors, Part{Name: t.Name, Value: t.Value})
			}
			return out, factors
		}
	}
	return []Part{}, nil
}

// Only keeps what concerns one Func: its own reason, the group that computes it (for an
// inlined Func those that it is inlined into), and the refusals that name it.
func (r *Report) Only(p *halideir.Pipeline, name string) (*Report, error) {
	var labels []string
	for i := range p.Funcs {
		labels = append(labels, p.Funcs[i].Label)
	}
	if !slices.Contains(labels, name) {
		return nil, fmt.Errorf("explain: there is no Func %q%s; the pipeline has %s", name, suggest.Nearest(name, labels), strings.Join(labels, ", "))
	}
	out := *r
	out.Funcs = slices.DeleteFunc(slices.Clone(r.Funcs), func(f Func) bool { return f.Func != name })
	out.Groups = slices.DeleteFunc(slices.Clone(r.Groups), func(g Group) bool { return !g.names(name) })
	out.Refusals = []Denial{}
	for _, d := range r.Refusals {
		d.Pairs = slices.DeleteFunc(slices.Clone(d.Pairs), func(p Denied) bool { return p.Producer != name && p.Consumer != name })
		if len(d.Pairs) > 0 {
			out.Refusals = append(out.Refusals, d)
		}
	}
	return &out, nil
}

func (g *Group) names(fn string) bool {
	return g.Out == fn || slices.Contains(g.Members, fn) || slices.ContainsFunc(g.Kernels, func(k Kernel) bool { return slices.Contains(k.Inlined, fn) })
}
