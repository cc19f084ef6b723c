package bench

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"gowarp/autoscheduler"
	"gowarp/benchmarks/harness"
	"gowarp/internal/suggest"
	"gowarp/occupancy"
)

// Scheduler says who schedules a program, with which parameters.
type Scheduler struct {
	Name   string            `json:"name"`
	Params map[string]string `json:"params,omitempty"` // as given; {sms} is the device's number of SMs
	// As is what lines and tables call it, "" for what it is on the command line.
	As string `json:"as,omitempty"`
}

// Label is the scheduler as it is written on the command line, if it has no name of its own.
func (s Scheduler) Label() string {
	if s.As != "" {
		return s.As
	}
	var words []string
	for _, k := range slices.Sorted(maps.Keys(s.Params)) {
		words = append(words, k+"="+s.Params[k])
	}
	if words == nil {
		return s.Name
	}
	return s.Name + ":" + strings.Join(words, ",")
}

// A kind of scheduler.
type kind struct {
	help string
	// always are parameters that every row has, the least with which the scheduler does what
	// it is here for.
	always map[string]string
	peer   bool // an autoscheduler of the Halide wheel
	params bool // takes parameters
	byHand bool // what it takes is what its author thought of
}

var kinds = map[string]kind{
	"gowarp":        {help: "the plugin of this checkout", params: true},
	"expert":        {help: "the program's own schedule by hand: its GeneratorParam schedule=expert", byHand: true},
	"own":           {help: "what the generator does without an autoscheduler, for sources that schedule themselves", byHand: true},
	"root":          {help: "no schedule: every stage a kernel over its pure dimensions, 16x16 threads"},
	"Mullapudi2016": {help: "Halide's, in its experimental form for GPUs", peer: true, params: true, always: map[string]string{"experimental_gpu_schedule": "1"}},
	"Li2018":        {help: "Halide's", peer: true, params: true, always: map[string]string{"parallelism": "{sms}"}},
	"Anderson2021":  {help: "Halide's", peer: true, params: true, always: map[string]string{"parallelism": "{sms}"}},
}

// SchedulerNames are the names that a scheduler may have.
func SchedulerNames() []string { return slices.Sorted(maps.Keys(kinds)) }

// ParseScheduler reads NAME or NAME:KEY=VALUE,KEY=VALUE.
func ParseScheduler(word string) (Scheduler, error) {
	name, rest, given := strings.Cut(word, ":")
	k, ok := kinds[name]
	if !ok {
		return Scheduler{}, fmt.Errorf("there is no scheduler %q%s; there are %s", name, suggest.Nearest(name, SchedulerNames()), strings.Join(SchedulerNames(), ", "))
	}
	s := Scheduler{Name: name, Params: map[string]string{}}
	if given && !k.params {
		return s, fmt.Errorf("scheduler %s takes no parameters", name)
	}
	for w := range strings.SplitSeq(rest, ",") {
		if !given {
			break
		}
		key, value, ok := strings.Cut(w, "=")
		if !ok || key == "" || value == "" {
			return s, fmt.Errorf("scheduler %s: %q is not KEY=VALUE", word, w)
		}
		s.Params[key] = value
	}
	if name == "gowarp" {
		if _, err := autoscheduler.CheckParams(s.Params); err != nil {
			return s, fmt.Errorf("scheduler %s: %w", word, err)
		}
	}
	return s, nil
}

// Schedulers are those of the table: gowarp in each of its modes, the expert, the peers, and
// no schedule.
func Schedulers() []Scheduler {
	var all []Scheduler
	for _, params := range gowarpModes() {
		all = append(all, Scheduler{Name: "gowarp", Params: params})
	}
	none := map[string]string{}
	return append(all,
		Scheduler{Name: "expert", Params: none},
		Scheduler{Name: "Mullapudi2016", Params: none},
		// The cache sizes and the parallelism that Halide's own apps set for this scheduler
		// (apps/bilateral_grid and apps/local_laplacian, CMakeLists.txt, Halide 21).
		Scheduler{Name: "Mullapudi2016", Params: map[string]string{"last_level_cache_size": "10000"}},
		Scheduler{Name: "Mullapudi2016", Params: map[string]string{"last_level_cache_size": "30000", "parallelism": "4096"}},
		Scheduler{Name: "Li2018", Params: none},
		Scheduler{Name: "Anderson2021", Params: none},
		Scheduler{Name: "root", Params: none},
	)
}

// gowarpModes are gowarp as it is by default; the scheduler of Sioutas et al. in each of its ways to fuse and by
// either reading of its cost; the other modes; and what the default decides otherwise, one word at a time.
func gowarpModes() []map[string]string {
	all := []map[string]string{{}}
	for _, key := range []string{"fusion", "cost", "mode", "grouping", "tiling"} {
		i := slices.IndexFunc(autoscheduler.Table, func(row autoscheduler.Param) bool { return row.Key == key })
		row := autoscheduler.Table[i]
		for _, v := range row.Values {
			params := map[string]string{key: v}
			switch {
			case key == "fusion" || strings.HasPrefix(v, paperCost) && v != paperCost:
				params["mode"] = "autogpu"
			case v == row.Default || v == paperCost || v == "autogpu":
				continue // there by now
			}
			all = append(all, params)
		}
	}
	return all
}

// paperCost is the cost of mode=autogpu, and what the names of its other readings begin with.
const paperCost = "listing1"

// Resolved are the parameters that the scheduler is called with.
func (s Scheduler) Resolved(d occupancy.Device) map[string]string {
	params := maps.Clone(kinds[s.Name].always)
	if params == nil {
		params = map[string]string{}
	}
	if s.Name == "gowarp" {
		params["gpu"] = d.Name
	}
	maps.Copy(params, s.Params)
	for k, v := range params {
		params[k] = strings.ReplaceAll(v, "{sms}", strconv.Itoa(d.SMs))
	}
	return params
}

// harness is the scheduler as the harness wants it, and the GeneratorParams that choose it.
func (s Scheduler) harness(d occupancy.Device) (harness.Scheduler, map[string]string) {
	switch s.Name {
	case "gowarp":
		return harness.Gowarp(s.Resolved(d)), nil
	case "root":
		return harness.RootGPU(), nil
	case "own":
		return harness.Unscheduled(), nil
	case "expert":
		return harness.Unscheduled(), map[string]string{"schedule": "expert"}
	}
	return harness.Peer(s.Name, s.Resolved(d)), nil
}

// Does reports whether the scheduler has something to say to a program.
func (s Scheduler) Does(p Program) bool {
	return s.Name != "expert" || slices.Contains(p.Takes, "schedule")
}
