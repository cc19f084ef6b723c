package main

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"gowarp/autoscheduler"
	"gowarp/autoscheduler/instructions"
	"gowarp/benchmarks/calibration"
	"gowarp/benchmarks/instructions/candidate"
)

// made is a kernel of a program whose estimate is so much of what was counted.
func made(program string, out int, counted, ratio float64) pair {
	return pair{
		Candidate: &candidate.Candidate{Program: program, Way: autoscheduler.Way{Out: out}, Default: out == 0}, Strategy: "root",
		Count: figures{Float: counted / 2, Rest: counted / 2, Requests: counted}, Estimate: figures{Float: counted / 2 * ratio, Rest: counted / 2 * ratio, Requests: 2 * counted},
	}
}

// TestReport: shares, quartiles and ranks by hand.
func TestReport(t *testing.T) {
	var of []pair
	for i, ratio := range []float64{.5, .91, 1.09, 1.2} {
		of = append(of, made("p", 0, float64(100*(i+1)), ratio))
	}
	if w := within(of); w != .5 {
		t.Errorf("%v are within a tenth, two of four are", w)
	}
	if q := quartiles(of, (*figures).issued); q != "0.50 / 0.91 / 1.09" {
		t.Errorf("quartiles %s", q)
	}
	if q := quartiles(of, requests); q != "2.00 / 2.00 / 2.00" {
		t.Errorf("quartiles of requests %s", q)
	}
	if q := quartiles(of, sectors); q != "-" {
		t.Errorf("quartiles of what no kernel does: %s", q)
	}
	if r := spearman(of, (*figures).issued); r != 1 {
		t.Errorf("rank %v of estimates that grow with the counts", r)
	}
	// Two groups, each in the reverse order, of which one does a hundred times the other's work.
	var both []pair
	for i := range 4 {
		both = append(both, made("p", 0, float64(10+i), float64(10-i)/float64(10+i)), made("p", 1, float64(1000+i), float64(1000-i)/float64(1000+i)))
	}
	if all, in := spearman(both, (*figures).issued), inGroups(both, (*figures).issued); all <= 0 || math.Abs(in+1) > 1e-9 {
		t.Errorf("rank %v over all and %v in groups; between groups nothing is to be compared", all, in)
	}
	if in := inGroups(both[:6], (*figures).issued); !math.IsNaN(in) {
		t.Errorf("rank %v in groups of three", in)
	}
	var b bytes.Buffer
	write(&b, "g", append(of, made("q", 1, 10, 1)), 3)
	for _, want := range []string{"5 ways", "3 more", "| p", "| 4 | 50 % | 4 | 50 % |", "| q", "| 0 | - | 1 | 100 % |", "| root | 5 | 60 % |"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

// TestLeast: weights of which counts are made are found again, though some counts are off for reasons of their own; a term that no kernel has stays what it was.
func TestLeast(t *testing.T) {
	var truth, free, start instructions.Terms
	truth[instructions.Warp], truth[instructions.Row], truth[instructions.Turn] = 4, 1.5, 6
	free[instructions.Warp], free[instructions.Row], free[instructions.Turn], free[instructions.Loose] = 1, 1, 1, 1
	start[instructions.Loose] = 7
	var eqs []equation
	for i := range 60 {
		var e equation
		e.terms[instructions.Warp], e.terms[instructions.Row], e.terms[instructions.Turn] = 1, float64(i%7), float64(i%11)
		e.is = dot(&e.terms, &truth)
		if i%10 == 0 {
			e.is *= 3
		}
		e.of, e.heavy = e.is, 1
		eqs = append(eqs, e)
	}
	got := least(eqs, free, start)
	for _, term := range []instructions.Term{instructions.Warp, instructions.Row, instructions.Turn} {
		if math.Abs(got[term]-truth[term]) > .1*truth[term] {
			t.Errorf("%s: %.2f, made with %.2f", term, got[term], truth[term])
		}
	}
	if got[instructions.Loose] != 7 {
		t.Errorf("a term that no kernel has: %.2f", got[instructions.Loose])
	}
}

// TestHeldOut: what is held out has no say in the weights.
func TestHeldOut(t *testing.T) {
	held, other := "", ""
	for _, name := range strings.Fields("a b c d e f g h i j k l m n o p q r s t u v w x y z") {
		if calibration.HeldOut(name) {
			held = name
		} else {
			other = name
		}
	}
	weights := func(all ...pair) string {
		var b bytes.Buffer
		fit(&b, all)
		return b.String()
	}
	kernel := func(program string, counted float64) pair {
		p := made(program, 0, counted, 1)
		p.Terms[instructions.Warp] = 10
		return p
	}
	if alone, both := weights(kernel(other, 100)), weights(kernel(other, 100), kernel(held, 9000)); alone != both {
		t.Errorf("%s and with a kernel that is held out %s", alone, both)
	}
	if alone, more := weights(kernel(other, 100)), weights(kernel(other, 200)); alone == more {
		t.Error("the weights do not hang on the counts")
	}
}
