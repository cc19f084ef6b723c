package bench

import (
	_ "embed"
	"encoding/json"
	"fmt"

	"gowarp/benchmarks/harness"
)

// WarpTile is a program of the table of warps' tiles, and what Jangda and Guha 2020 published of it. Pairs
// are of a GTX 1080 Ti and a Tesla V100; warptiles.json says where each figure is from.
type WarpTile struct {
	Program string            `json:"program"`
	Params  map[string]string `json:"params"`
	// Most is how many warp instructions for 32 output elements are aimed at, 0 for no aim.
	Most    float64 `json:"most_warp_instructions"`
	Figure9 *struct {
		Shared    [2]float64 `json:"shared"`
		Registers [2]float64 `json:"registers"`
		Hybrid    [2]float64 `json:"hybrid"`
	} `json:"figure9"`
	Table4 *[2]float64 `json:"table4"`
	Table5 *struct {
		Loads     [2]float64 `json:"loads"`
		Occupancy [2]float64 `json:"occupancy"`
	} `json:"table5"`
	Milliseconds *struct {
		Block  float64 `json:"block"`
		Shared float64 `json:"shared"`
		Hybrid float64 `json:"hybrid"`
	} `json:"milliseconds"`
}

//go:embed warptiles.json
var warpTilesJSON []byte

// WarpTiles are the facts of warptiles.json, and About what they are.
var WarpTiles, AboutWarpTiles = readWarpTiles()

func readWarpTiles() (programs []WarpTile, about string) {
	var file struct {
		About    string     `json:"about"`
		Programs []WarpTile `json:"programs"`
	}
	if err := json.Unmarshal(warpTilesJSON, &file); err != nil {
		panic(fmt.Sprintf("bench: warptiles.json: %v", err)) // a test reads it
	}
	return file.Programs, file.About
}

// WarpPrograms are the programs of that table.
func WarpPrograms(tree *harness.Tree) ([]Program, error) {
	var all []Program
	for _, w := range WarpTiles {
		p, err := FindProgram(tree, tree.Root, w.Program)
		if err != nil {
			return nil, err
		}
		p.Params = w.Params
		all = append(all, p)
	}
	return all, nil
}

// fractions are of each stage's tile that a hybrid tile keeps in registers.
var fractions = []string{"0", "0.25", "0.5", "0.75", "1"}

// WarpSchedulers are the rows of that table: the schedule by hand, and gowarp by each tiling. All have one cost, issue: the others
// do not tell a tile of several points a thread, or one in registers, from another (listing 1, algorithm 2).
func WarpSchedulers() []Scheduler {
	all := []Scheduler{{Name: "expert", Params: map[string]string{}}}
	for _, tiling := range []string{"block", "block-window", "warp-registers", "warp-shared"} {
		all = append(all, Scheduler{Name: "gowarp", Params: map[string]string{"tiling": tiling, "cost": "issue"}})
	}
	for _, f := range fractions {
		all = append(all, Scheduler{Name: "gowarp", Params: map[string]string{"tiling": "warp-hybrid", "frac_reg": f, "cost": "issue"}})
	}
	return all
}
