package search

import (
	"fmt"
	"slices"
	"strings"

	"gowarp/autoscheduler/coster"
	"gowarp/internal/plan"
)

// Look is what the search for one kernel looked at, for explanations. For priced and second a nil Look notes nothing.
type Look struct {
	Candidates int       // that could run: the chosen one and the fallback among them
	Refusals   []Refusal // the most frequent first
	// RunnerUp is the best of the others that is laid out otherwise, with its price; nil if
	// there was none.
	RunnerUp *plan.Kernel
	Price    coster.Price
	// Model is what the coster found by itself among tiles of warps, if it can; see byModel.
	Model *Model
}

// Refusal is a reason for which candidates were refused, alike but for numbers, or
// taken only where there is nothing better.
type Refusal struct {
	Why   string // of the first of them
	Count int
	key   string
}

// refuse notes a reason: an error or a coster.Reason.
func (l *Look) refuse(reason any) {
	why := fmt.Sprint(reason)
	key := withoutNumbers(why)
	i := slices.IndexFunc(l.Refusals, func(r Refusal) bool { return r.key == key })
	if i < 0 {
		l.Refusals = append(l.Refusals, Refusal{why, 1, key})
		return
	}
	l.Refusals[i].Count++
	for ; i > 0 && l.Refusals[i].Count > l.Refusals[i-1].Count; i-- {
		l.Refusals[i], l.Refusals[i-1] = l.Refusals[i-1], l.Refusals[i]
	}
}

func (l *Look) priced() {
	if l != nil {
		l.Candidates++
	}
}

// second takes a candidate that is not the best, or is it no more; nil if there was none.
func (l *Look) second(k *plan.Kernel, p *coster.Price) {
	if l == nil || k == nil {
		return
	}
	if l.RunnerUp == nil || better(p, &l.Price) {
		l.RunnerUp, l.Price = k, *p
	}
}

// instead makes another candidate the chosen one, of which the best by price is then the runner-up.
func (l *Look) instead(chosen, best *plan.Kernel, price *coster.Price) {
	if l == nil {
		return
	}
	if l.RunnerUp == nil || sameChoice(l.RunnerUp, chosen) || better(price, &l.Price) {
		l.RunnerUp, l.Price = best, *price
	}
}

func sameChoice(a, b *plan.Kernel) bool {
	return a.Strategy == b.Strategy && slices.Equal(a.Choice.Tile, b.Choice.Tile) && slices.Equal(a.Choice.Points, b.Choice.Points) && a.Choice.Windows == b.Choice.Windows && a.Choice.Warp == b.Choice.Warp
}

func withoutNumbers(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, s)
}
