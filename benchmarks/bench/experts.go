package bench

import (
	_ "embed"
	"encoding/json"
	"fmt"
)

// Expert is what is known of the schedule that Halide's own app of the same program has.
// experts.json says where each figure is from.
type Expert struct {
	Program string `json:"program"`
	// Counted is for 32 output elements, of an output of Size.
	Counted struct {
		Size             [2]int  `json:"size"`
		WarpInstructions float64 `json:"warp_instructions"`
		Requests         float64 `json:"requests"`
		Sectors          float64 `json:"sectors"`
		Launches         int     `json:"launches"`
	} `json:"counted"`
	// Profiled is nil where nothing was published.
	Profiled *struct {
		Size         [2]int  `json:"size"`
		DRAMMB       float64 `json:"dram_mb"`
		CompulsoryMB float64 `json:"compulsory_mb"`
		Kernels      int     `json:"kernels"` // 0: not published
		Note         string  `json:"note"`
	} `json:"profiled"`
}

//go:embed experts.json
var expertsJSON []byte

// Experts are the facts of experts.json by program.
var Experts = readExperts()

func readExperts() map[string]Expert {
	var file struct {
		Programs []Expert `json:"programs"`
	}
	if err := json.Unmarshal(expertsJSON, &file); err != nil {
		panic(fmt.Sprintf("bench: experts.json: %v", err)) // a test reads it
	}
	all := map[string]Expert{}
	for _, e := range file.Programs {
		all[e.Program] = e
	}
	return all
}

// usualSize is that at which most experts were counted.
var usualSize = [2]int{768, 512}

// CountedSize is the size at which a program's work is counted: that of its expert, so that
// the figures compare.
func CountedSize(program string) [2]int {
	if e, ok := Experts[program]; ok {
		return e.Counted.Size
	}
	return usualSize
}
