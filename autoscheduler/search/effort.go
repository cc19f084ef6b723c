package search

import (
	"gowarp/autoscheduler/coster"
	"gowarp/autoscheduler/strategy"
)

// Effort is how many candidates a search prices for a group: a finite, declared set each, whatever the pipeline. The zero value is Normal.
type Effort uint8

// The efforts.
const (
	Normal   Effort = iota // coarse tiles while grouping, then fine ones, of which strategies with many candidates hold back what issues most
	Fast                   // coarse tiles all the way
	Thorough               // fine tiles while grouping, then every candidate of every strategy
)

// Efforts are those that the parameter effort may name.
var Efforts = map[string]Effort{"fast": Fast, "normal": Normal, "thorough": Thorough}

// steps are those of each effort while grouping and in the end.
var steps = [...][2]strategy.Step{
	Normal:   {strategy.PowersOfTwo, strategy.StepOfTwo},
	Fast:     {strategy.PowersOfTwo, strategy.PowersOfTwo},
	Thorough: {strategy.StepOfTwo, strategy.Every},
}

// Step is how finely candidates are enumerated in a phase.
func (e Effort) Step(ph coster.Phase) strategy.Step {
	if ph == coster.Final {
		return steps[e][1]
	}
	return steps[e][0]
}
