package strategy

import (
	"errors"
	"fmt"
	"slices"
)

// Refuser is a Chooser that says why it has no choice.
type Refuser interface {
	// Refusal is why Choices are none for one stage.
	Refusal(stage int) error
}

// Refusal implements Refuser: what is in the way of the tile of one row and the most points a lane, which has the most room
// beside a halo, or else of the smallest that there is room for.
func (w *warpTiles) Refusal(int) error {
	var tiles []lanePoints
	for _, px := range slices.Backward(warpPoints) {
		tiles = append(tiles, lanePoints{px: px, rows: 1, layers: 1})
	}
	if o := w.only; o.Points > 0 {
		tiles = []lanePoints{{px: o.Points, rows: o.Rows, layers: max(o.Layers, 1), strided: o.Strided}}
	}
	if w.y < 0 && (w.only.Rows > 1 || w.only.Warps > 1) {
		return errors.New("it has one loop to tile, so that its blocks are of one warp and one row")
	}
	var why error
	for _, lp := range tiles {
		for _, s := range w.sets {
			c, err := w.count(s, lp)
			scratch := int64(0)
			if err == nil {
				scratch = w.scratch(s, lp, c.width) * max(w.only.Warps, 1)
			}
			switch {
			case err != nil:
				if why == nil {
					why = err
				}
			case scratch > w.pr.Limits.SharedBytes:
				why = fmt.Errorf("a block of tiles of %d points and %d rows a lane takes %d B of shared memory of %d", lp.px, lp.rows, scratch, w.pr.Limits.SharedBytes)
			case c.registers > w.pr.Limits.MaxRegisters-spareRegisters:
				why = fmt.Errorf("a tile of %d points and %d rows a lane takes about %d registers of %d, and %d have to be left", lp.px, lp.rows, c.registers, w.pr.Limits.MaxRegisters, spareRegisters)
			case c.length > mostUnrolled:
				why = fmt.Errorf("a tile of %d points and %d rows a lane is %.0f instructions, more than the %d that are unrolled", lp.px, lp.rows, c.length, mostUnrolled)
			case c.lifted > mostLifted:
				why = fmt.Errorf("a tile of %d points and %d rows a lane takes %d values from other lanes under tests, in statements of %.0f instructions, more than Halide lowers in seconds", lp.px, lp.rows, c.exchanged, c.lifted/float64(c.exchanged))
			case c.exchanged > mostExchanged:
				why = fmt.Errorf("a tile of %d points and %d rows a lane takes %d values from other lanes, more than the %d that Halide lowers in seconds", lp.px, lp.rows, c.exchanged, mostExchanged)
			}
		}
	}
	if why == nil {
		why = errors.New("no tile of it fits")
	}
	return why
}
