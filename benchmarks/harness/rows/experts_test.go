package rows

import (
	"strings"
	"testing"
)

const someApps = `program,size,kernels,launches,instructions,requests,sectors,dram_mb,dram_kernels,dram_elements,why
blur,70x50,1,1,100,10,20,3.2,7,1000000,It computes more.
chain,70x50,2,4,100,10,20,,,,
other,70x50,1,1,1,1,1,,,,
`

func TestExperts(t *testing.T) {
	apps, err := Apps(strings.NewReader(someApps))
	if err != nil {
		t.Fatal(err)
	}
	if len(apps) != 3 || apps[0].DRAM != 3.2*32 || apps[1].DRAM != 0 {
		t.Fatalf("%+v", apps)
	}
	figures := func(instructions, dram float64) map[string]float64 {
		return map[string]float64{"instructions": instructions, "requests": 5, "sectors": 20, "cold_bytes": dram, "kernels": 1, "launches": 1}
	}
	all := []Row{
		{Program: "blur", Scheduler: Expert, Check: Counted, Outcome: OK, Figures: figures(109, 205)},
		{Program: "blur", Scheduler: Expert, Check: PTXAS, Outcome: OK, Figures: map[string]float64{"registers": 40, "spills": 8}},
		{Program: "blur", Scheduler: own, Check: Simulated, Outcome: OK, Figures: figures(1, 1)},
		{Program: "chain", Scheduler: Expert, Check: Counted, Outcome: OK, Figures: figures(111, 1)},
		{Program: "new", Scheduler: Expert, Check: Counted, Outcome: OK, Figures: figures(1, 1)},
	}
	var b strings.Builder
	bad, err := Experts(&b, all, apps)
	if err != nil {
		t.Fatal(err)
	}
	if bad != 1 {
		t.Errorf("%d are bad, want chain alone", bad)
	}
	for _, want := range []string{
		"| blur 70x50 | 109 / 100 | 5 / 10 | 20 / 20 | 205 / 102.4 (7 kernels) | 1 / 1 | 1 / 1 | 40 / 8 |",
		"| chain 70x50 | 111 / 100 | 5 / 10 | 20 / 20 | 1 / - | 1 / 2 | 1 / 4 | - |",
		"| other 70x50 | - / 1 |",
		"- blur: bytes of DRAM 2.00 times the app's. It computes more.\n",
		"- chain: warp instructions 1.11 times the app's. The reason is not known.\n",
		"no app is known: new.",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, &b)
		}
	}
	all[0].Outcome = "wrong result"
	if bad, _ := Experts(&b, all, apps); bad != 2 {
		t.Errorf("%d are bad, want a wrong result to be", bad)
	}
}

func TestAppsThatCannotBeRead(t *testing.T) {
	for _, text := range []string{"", "program,size\nblur", strings.Replace(someApps, "100", "many", 1)} {
		if apps, err := Apps(strings.NewReader(text)); err == nil {
			t.Errorf("%q is read as %+v", text, apps)
		}
	}
}
