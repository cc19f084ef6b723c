package main

import (
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gowarp/autoscheduler/coster"
	"gowarp/internal/rank"
)

const results = "../results/algorithm2.csv"

// error of weights, as fit sees it.
func badness(kernels []Kernel, w [terms]float64) float64 {
	of := map[string]int{}
	for i := range kernels {
		of[kernels[i].Program]++
	}
	sum := 0.0
	for i := range kernels {
		sum += math.Abs(kernels[i].off(w)) / float64(of[kernels[i].Program])
	}
	return sum
}

// TestCommittedWeights: the weights that the coster has are those of the data that is committed beside them.
func TestCommittedWeights(t *testing.T) {
	kernels, err := read(results)
	if err != nil {
		t.Fatal(err)
	}
	w, err := fit(kernels)
	if err != nil {
		t.Fatal(err)
	}
	again, committed := badness(kernels, w), badness(kernels, coster.FittedWeights)
	if math.Abs(committed-again) > .002*again {
		t.Errorf("fitted %v (%v), the coster has %v (%v)", w, again, coster.FittedWeights, committed)
	}
	for i := range w {
		without := coster.FittedWeights
		without[i] *= 2
		if badness(kernels, without) <= committed && coster.FittedWeights[i] > 0 && seen(kernels)[i] {
			t.Errorf("twice the weight of %s is as good", coster.FittedTerms[i])
		}
	}
}

// TestHeldOut: of a program that the weights have not seen the kernels are priced in about the right order, and better than by
// the cost as printed.
func TestHeldOut(t *testing.T) {
	kernels, err := read(results)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := report(&b, kernels); err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + b.String())
	for _, p := range []string{"harris", "local_laplacian", "stencil_chain"} {
		var in, rest []Kernel
		for _, k := range kernels {
			if k.Program == p {
				in = append(in, k)
			} else {
				rest = append(rest, k)
			}
		}
		w, err := fit(rest)
		if err != nil {
			t.Fatal(err)
		}
		var fitted, literal, time []float64
		for i := range in {
			fitted, literal, time = append(fitted, in[i].fitted(w)), append(literal, in[i].Literal), append(time, in[i].Microseconds)
		}
		if a, b := rank.Spearman(fitted, time), rank.Spearman(literal, time); a < .7 || a < b {
			t.Errorf("%s: rank correlation %v, as printed %v", p, a, b)
		}
	}
}

// TestSectors: the transactions that are estimated are those that the simulator counts, for most kernels.
func TestSectors(t *testing.T) {
	kernels, err := read(results)
	if err != nil {
		t.Fatal(err)
	}
	const bandwidth = 616e9 * coster.ReachedBandwidth // of the RTX 2080 Ti that the data is of
	var ratio []float64
	for i := range kernels {
		if k := &kernels[i]; k.Sectors > 0 {
			ratio = append(ratio, k.Terms[0]/1e6*bandwidth/32/k.Sectors)
		}
	}
	slices.Sort(ratio)
	at := func(q float64) float64 { return ratio[int(q*float64(len(ratio)))] }
	t.Logf("estimated / counted: %.2f, %.2f, %.2f, %.2f, %.2f at 10, 25, 50, 75, 90 %%", at(.1), at(.25), at(.5), at(.75), at(.9))
	if at(.5) < .95 || at(.5) > 1.05 || at(.25) < .8 || at(.75) > 1.35 {
		t.Error("the estimate is off")
	}
}

// TestFitFinds: weights that data was made with are found again.
func TestFitFinds(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var want [terms]float64
	for i := range want {
		want[i] = .2 + r.Float64()
	}
	var kernels []Kernel
	for range 300 {
		k := Kernel{Program: []string{"a", "b", "c"}[r.IntN(3)]}
		for i := range k.Terms {
			k.Terms[i] = math.Exp(r.NormFloat64() * 2)
		}
		k.Microseconds = k.fitted(want)
		kernels = append(kernels, k)
	}
	got, err := fit(kernels)
	if err != nil {
		t.Fatal(err)
	}
	for i := range want {
		if math.Abs(got[i]-want[i]) > .05*want[i] {
			t.Errorf("%s: %v, made with %v", coster.FittedTerms[i], got[i], want[i])
		}
	}
}

// TestBadData: data that cannot be fitted is refused with the place.
func TestBadData(t *testing.T) {
	good, err := os.ReadFile(results)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(good), "\n")
	for name, c := range map[string]struct{ text, want string }{
		"another head": {strings.Replace(string(good), "overlap", "overlay", 1), "-collect"},
		"not a number": {lines[0] + strings.Replace(lines[1], lines[1][strings.LastIndex(lines[1], ",")+1:], "NaN\n", 1), "line 2, time_us"},
		"a few":        {strings.Join(lines[:9], ""), "too few"},
		"no time":      {string(good) + "p,s,k" + strings.Repeat(",0", terms+5) + "\n", "takes 0 us"},
		"empty":        {"", "head"},
	} {
		file := filepath.Join(t.TempDir(), "data.csv")
		if err := os.WriteFile(file, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := run(&strings.Builder{}, file, "", "", "", ""); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}
