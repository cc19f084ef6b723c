package strategy

import "gowarp/internal/plan"

// TilesOfSeveral calls see with each tile of several points that is looked at for a stage: whether it can be launched, once with what was learnt of those before and once by itself.
func TilesOfSeveral(p Prepared, stage int, step Step, see func(c plan.Choice, learnt, alone bool)) {
	b := p.(*blockWindows)
	dims := &b.pr.Dims[b.pr.StageIndex(b.g.Out, stage)]
	if len(dims.Tiled) == 0 || dims.Atomic {
		return
	}
	b.eachTile(dims, stage, step, func(windows int, threads, points []int64) {
		c := b.choice(dims, windows, threads, points)
		_, learnt := b.candidate(stage, c)
		known := b.tooMuch
		b.tooMuch = map[ownPart]bool{}
		_, alone := b.candidate(stage, c)
		b.tooMuch = known
		see(c, learnt, alone)
	})
}
