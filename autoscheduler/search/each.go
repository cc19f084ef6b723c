package search

import (
	"math"

	"gowarp/autoscheduler/coster"
	"gowarp/autoscheduler/legality"
	"gowarp/autoscheduler/strategy"
	"gowarp/internal/plan"
	"gowarp/internal/workers"
)

// tried is a candidate that was laid out and priced; or why it cannot be; or it was not worth that.
type tried struct {
	kernel  *plan.Kernel
	price   coster.Price
	err     error
	skipped bool
}

func (s *Searcher) try(of *offer, stage int, c plan.Choice, ph coster.Phase) (t tried) {
	if t.kernel, t.err = of.prepared.Kernel(stage, c); t.err == nil {
		t.err = legality.Check(s.Problem, t.kernel)
	}
	if t.err == nil {
		t.price = s.Coster.Price(t.kernel.View(s.Problem), t.kernel, ph)
	}
	return t
}

// Candidates are tried side by side so many at a time, twice as many each time: what is taken of the first says which of the others are skipped, and what comes of all is held until they are
// taken. A worker takes aPiece of them.
const (
	firstTurn = 8
	mostATurn = 128
	aPiece    = 4
)

// each tries the candidates of an offer and has them taken in their order, but for those that are to be skipped. A candidate that is skipped stays so, whatever is taken.
func (s *Searcher) each(of *offer, stage int, ph coster.Phase, skip func(c plan.Choice) bool, take func(t *tried)) {
	if of.tried != nil {
		for i := range of.tried {
			take(&of.tried[i])
		}
		return
	}
	left, all := of.choices, make([]tried, min(len(of.choices), mostATurn))
	for n := firstTurn; len(left) > 0; n = min(2*n, mostATurn) {
		turn := left[:min(n, len(left))]
		left = left[len(turn):]
		workers.InPieces(len(turn), aPiece, func(i int) {
			if skip(turn[i]) {
				all[i] = tried{skipped: true}
			} else {
				all[i] = s.try(of, stage, turn[i], ph)
			}
		})
		for i := range turn {
			if !all[i].skipped && !skip(turn[i]) {
				take(&all[i])
			}
		}
	}
}

// pointed are the offers of one point a thread and of several, both nil where one of them is missing.
func pointed(offers []offer) (one, several *offer) {
	for i := range offers {
		of := &offers[i]
		if of.err != nil || len(of.choices) == 0 {
			continue
		}
		if _, ok := of.prepared.(strategy.SeveralPointed); ok {
			several = of
		} else if strategy.IsOtherwise(of.choices[0].Strategy) {
			one = of
		}
	}
	if one == nil || several == nil {
		return nil, nil
	}
	return one, several
}

// spare tries the offer of several points a thread before that of one, if a coster knows what the latter's cost at least: none of them is looked at where all cost more. Without members those differ in their thread blocks alone. The offers
// are then taken in their order all the same.
func (s *Searcher) spare(offers []offer, g *plan.Group, stage int, ph coster.Phase, within float64) {
	floorer, ok := s.Coster.(coster.Floorer)
	one, several := pointed(offers)
	if !ok || len(g.Members) > 0 || one == nil {
		return
	}
	k, err := one.prepared.Kernel(stage, one.choices[0])
	if err != nil {
		return
	}
	cost := least(s.tryAll(several, several.choices, stage, ph))
	one.beaten = floorer.Floor(s.Problem, k) > cost*(1+within)
}

// farApart is by how much more the coarse tiles of a point a thread cost than several points do where finer ones are not looked at.
const farApart = .15

// coarser leaves of the offer of a point a thread only the coarse tiles where all of those cost far more than several points a thread do. A coster that does not tell points finds nothing of that.
func (s *Searcher) coarser(offers []offer, g *plan.Group, stage int, ph coster.Phase) {
	if s.Effort.Step(ph) != strategy.StepOfTwo || !coster.TellsPoints(s.Coster) || s.Tile != nil {
		return
	}
	of, several := pointed(offers)
	if of == nil {
		return
	}
	coarse := s.choices(g, stage, of.choices[0].Strategy, of.prepared, strategy.PowersOfTwo)
	if len(coarse) >= len(of.choices) {
		return
	}
	if least(s.tryAll(of, coarse, stage, ph)) > least(s.tryAll(several, several.choices, stage, ph))*(1+farApart) {
		of.choices = coarse
	} else {
		of.tried = nil // all are tried in their turn
	}
}

// tryAll tries candidates of an offer side by side, and keeps what comes of them.
func (s *Searcher) tryAll(of *offer, choices []plan.Choice, stage int, ph coster.Phase) []tried {
	if of.tried == nil {
		of.tried = make([]tried, len(choices))
		workers.InPieces(len(choices), aPiece, func(i int) { of.tried[i] = s.try(of, stage, choices[i], ph) })
	}
	return of.tried
}

// least is what the cheapest that a coster has nothing against costs.
func least(all []tried) float64 {
	out := math.Inf(1)
	for i := range all {
		if t := &all[i]; t.err == nil && t.price.Valid() {
			out = min(out, t.price.Cost)
		}
	}
	return out
}
