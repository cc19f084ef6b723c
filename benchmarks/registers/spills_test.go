package main

import (
	"strings"
	"testing"

	"gowarp/internal/ptxas"
)

// TestConfusion: kernels are told apart by what is said and what is so, and bytes by a factor of two.
func TestConfusion(t *testing.T) {
	var c confusion
	for _, k := range []spilling{
		{Estimate: 0, Ptxas: 0}, {Estimate: little, Ptxas: little}, // little is none
		{Estimate: 0, Ptxas: 100}, {Estimate: little, Ptxas: 1000}, {Estimate: 8, Ptxas: little + 1},
		{Estimate: 500, Ptxas: 0},
		{Estimate: 100, Ptxas: 200}, {Estimate: 200, Ptxas: 100}, {Estimate: 100, Ptxas: 201}, {Estimate: 300, Ptxas: 100},
	} {
		c.add(&k)
	}
	if want := (confusion{kernels: 10, none: 2, missed: 3, invented: 1, seen: 4, near: 2, estimated: 2*little + 8 + 500 + 700, real: 2*little + 1 + 1100 + 601}); c != want {
		t.Errorf("%+v, want %+v", c, want)
	}
	if line := c.line("x"); len(strings.Fields(line)) != 9 {
		t.Errorf("%q", line)
	}
}

// TestSpilled: of a stage's kernels the one that spills most counts, and no other stage's.
func TestSpilled(t *testing.T) {
	uses := []ptxas.Use{{Kernel: "_kernel_f_s1_x", SpillStores: 999}, {Kernel: "_kernel_f_s0_x", SpillStores: 4, SpillLoads: 8}, {Kernel: "_kernel_f_s0_x__1", SpillLoads: 20}}
	if bytes, found := spilled(uses, "f", 0); bytes != 20 || !found {
		t.Errorf("%d, %v", bytes, found)
	}
	if _, found := spilled(uses, "g", 0); found {
		t.Error("a kernel that is not there is found")
	}
}
