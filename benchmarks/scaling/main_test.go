package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

const results = "../results/scaling"

// TestPicture: the picture in the repository shows the measurements beside it.
func TestPicture(t *testing.T) {
	data, err := os.Open(results + ".csv")
	if err != nil {
		t.Fatal(err)
	}
	defer data.Close()
	rows, err := read(data)
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if err := plotRows(&got, rows); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(results + ".svg")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("%s.svg is not what %s.csv draws: go run ./benchmarks/scaling -draw", results, results)
	}
	if len(rows) != len(shapes)*len(sizes) {
		t.Errorf("%d measurements, want %d", len(rows), len(shapes)*len(sizes))
	}
}

// TestMeasure: one small pipeline, measured here.
func TestMeasure(t *testing.T) {
	for _, shape := range shapes {
		var out strings.Builder
		if err := measureHere(&out, shape+":10"); err != nil {
			t.Fatal(err)
		}
		rows, err := read(strings.NewReader("head,,,,\n" + out.String()))
		if err != nil || len(rows) != 1 || rows[0].Shape != shape || rows[0].Stages != 10 || rows[0].CPU <= 0 || rows[0].PeakMiB <= 0 || rows[0].Kernels < 1 {
			t.Errorf("%q: %+v, %v", out.String(), rows, err)
		}
	}
	for _, bad := range []string{"chain", "chain:0", "tree:3"} {
		if err := measureHere(&strings.Builder{}, bad); err == nil {
			t.Errorf("-one %s is no error", bad)
		}
	}
}
