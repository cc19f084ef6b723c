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
	points, rows := slices.Clone(warpPoints), int64(1)
	slices.Reverse(points)
	if w.only.Points > 0 {
		points, rows = []int64{w.only.Points}, w.only.Rows
	}
	if w.y < 0 && (rows > 1 || w.only.Warps > 1) {
		return errors.New("it has one loop to tile, so that its blocks are of one warp and one row")
	}
	var why error
	for _, px := range points {
		for _, s := range w.sets {
			c, err := w.count(s, px, rows)
			scratch := int64(0)
			if err == nil {
				scratch = w.scratch(s, px, rows, c.width)
			}
			switch {
			case err != nil:
				if why == nil {
					why = err
				}
			case scratch > w.pr.Limits.SharedBytes:
				why = fmt.Errorf("a tile of %d points and %d rows a lane takes %d B of shared memory of %d", px, rows, scratch, w.pr.Limits.SharedBytes)
			case c.registers > w.pr.Limits.MaxRegisters-spareRegisters:
				why = fmt.Errorf("a tile of %d points and %d rows a lane takes %d registers, too many for %d", px, rows, c.registers, w.pr.Limits.MaxRegisters)
			}
		}
	}
	if why == nil {
		why = errors.New("no tile of it fits")
	}
	return why
}
