package strategy_test

import (
	"fmt"
	"testing"

	"gowarp/autoscheduler"
	"gowarp/autoscheduler/strategy"
	_ "gowarp/internal/fixedseed"
	"gowarp/internal/irtest"
	"gowarp/internal/plan"

	"pgregory.net/rapid"
)

// TestTooMuchForAThread: a tile that is left for what others with the same points and windows have shown is one that is refused by itself.
func TestTooMuchForAThread(t *testing.T) {
	tiles, refused := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		b := irtest.New()
		type source interface{ At(...any) irtest.Expr }
		var last source = b.Input("in", irtest.F32, 2048, 1024)
		var out *irtest.Func
		for i := range rapid.IntRange(1, 5).Draw(t, "stages") {
			src, reach := last, rapid.IntRange(0, 3).Draw(t, "reach")
			tall := rapid.IntRange(0, 3).Draw(t, "tall")
			out = b.Func(fmt.Sprintf("f%d", i), []string{"x", "y"}, irtest.F32, func(v []irtest.Expr) irtest.Expr {
				sum := src.At(v[0], v[1])
				for dy := -tall; dy <= tall; dy++ {
					for dx := -reach; dx <= reach; dx++ {
						tap := src.At(v[0].Add(dx), v[1].Add(dy))
						sum = sum.Add(tap.Mul(tap))
					}
				}
				return sum
			})
			last = out
		}
		b.Output(out, 1024, 512)
		r, err := autoscheduler.Run(b.Build(), autoscheduler.DefaultParams())
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range r.Groups {
			p, err := strategy.BlockWindow{}.Prepare(r.Problem, g, strategy.Options{})
			if err != nil {
				continue
			}
			strategy.TilesOfSeveral(p, 0, strategy.StepOfTwo, func(c plan.Choice, learnt, alone bool) {
				if tiles++; !alone {
					refused++
				}
				if learnt != alone {
					t.Fatalf("%v can be launched: %v; with what others have shown: %v", c, alone, learnt)
				}
			})
		}
	})
	if tiles < 5000 || refused < 200 {
		t.Errorf("%d tiles, %d of them refused: too few to see anything", tiles, refused)
	}
}
