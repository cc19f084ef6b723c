package plan

import "testing"

// TestExchange compares the rule with who computed what, for every lane, number of points, distance and
// width of a tile.
func TestExchange(t *testing.T) {
	for points := int64(1); points <= 8; points++ {
		// A member's row: lane l computes elements l*points and those beside it.
		owner := map[int64][2]int64{}
		for lane := range int64(WarpLanes) {
			for p := range points {
				owner[lane*points+p] = [2]int64{lane, p}
			}
		}
		row := points * WarpLanes
		for halo := int64(0); halo < row; halo++ {
			width := (row - halo) / points * points
			for x := range width { // of the consumer's row, whose origin is the member's
				lane, p := x/points, x%points
				for tap := int64(0); tap <= halo; tap++ {
					lanes, register := Exchange(p+tap, points)
					if got, want := [2]int64{lane + lanes, register}, owner[x+tap]; got != want {
						t.Fatalf("%d points, point %d, tap %d: lane and register %v, it was computed in %v", points, x, tap, got, want)
					}
					if lane+lanes >= WarpLanes {
						t.Fatalf("%d points, halo %d, point %d, tap %d: lane %d", points, halo, x, tap, lane+lanes)
					}
				}
			}
		}
	}
}

// TestExchangeStrided is TestExchange for points that are a warp apart: lane l computes elements l, l+32, ….
func TestExchangeStrided(t *testing.T) {
	for points := int64(2); points <= 4; points++ {
		for x := range points * WarpLanes {
			for tap := int64(0); x+tap < points*WarpLanes; tap++ {
				lane, p := x%WarpLanes, x/WarpLanes
				lanes, register := ExchangeStrided(p*WarpLanes + tap)
				from := lane + lanes
				if from >= WarpLanes {
					from, register = from-WarpLanes, register+1
				}
				if want := [2]int64{(x + tap) % WarpLanes, (x + tap) / WarpLanes}; [2]int64{from, register} != want {
					t.Fatalf("%d points, element %d, tap %d: lane and register %v, it was computed in %v", points, x, tap, [2]int64{from, register}, want)
				}
			}
		}
	}
}
