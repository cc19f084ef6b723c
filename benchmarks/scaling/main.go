// Command scaling measures what scheduling costs against the number of stages, in processor
// time and memory, and draws it. The pipelines are synthetic (internal/irtest) and have no other
// meaning. `make scaling` runs it.
//
// It measures the passes alone, on one core: neither Halide's export nor its lowering.
package main

import (
	"encoding/csv"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"gowarp/autoscheduler"
	"gowarp/internal/irtest"
)

// shapes and sizes are what is measured.
var (
	shapes = []string{"chain", "ladder"}
	sizes  = []int{10, 20, 50, 100, 200, 500, 1000, 2000, 3000}
)

// repeats is how often a pipeline is scheduled; the least time counts, as other processes
// only add to it.
const repeats = 3

// row is one measurement.
type row struct {
	Shape   string
	Stages  int
	CPU     float64 // ms of processor time, of all threads, garbage collection included
	PeakMiB float64 // largest resident set of a process that does nothing else
	Kernels int
}

func main() {
	data := flag.String("data", "benchmarks/results/scaling.csv", "file of the measurements")
	picture := flag.String("picture", "benchmarks/results/scaling.svg", "file of the picture")
	draw := flag.Bool("draw", false, "draw the measurements that are there")
	one := flag.String("one", "", "SHAPE:STAGES: measure one, and print it")
	flag.Parse()
	if err := run(*data, *picture, *draw, *one); err != nil {
		fmt.Fprintln(os.Stderr, "scaling:", err)
		os.Exit(1)
	}
}

func run(data, picture string, draw bool, one string) error {
	if one != "" {
		return measureHere(os.Stdout, one)
	}
	if !draw {
		if err := measureAll(data); err != nil {
			return err
		}
	}
	text, err := os.Open(data)
	if err != nil {
		return err
	}
	defer text.Close()
	rows, err := read(text)
	if err != nil {
		return fmt.Errorf("%s: %w", data, err)
	}
	out, err := os.Create(picture)
	if err != nil {
		return err
	}
	if err := plotRows(out, rows); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}

// measureAll measures each pipeline in a process of its own, so that its memory is its own.
func measureAll(data string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	var lines strings.Builder
	fmt.Fprintln(&lines, "shape,stages,cpu_ms,peak_mib,kernels")
	for _, shape := range shapes {
		for _, n := range sizes {
			out, err := exec.Command(self, "-one", fmt.Sprintf("%s:%d", shape, n)).Output()
			if err != nil {
				return fmt.Errorf("%s of %d stages: %w", shape, n, err)
			}
			lines.Write(out)
			fmt.Print(string(out))
		}
	}
	return os.WriteFile(data, []byte(lines.String()), 0o644)
}

// measureHere schedules one pipeline and prints its row.
func measureHere(w io.Writer, one string) error {
	shape, number, _ := strings.Cut(one, ":")
	n, err := strconv.Atoi(number)
	make := irtest.Synthetic[shape]
	if err != nil || n < 1 || make == nil {
		return fmt.Errorf("-one %s: SHAPE:STAGES is wanted, the shapes are %s", one, strings.Join(shapes, ", "))
	}
	runtime.GOMAXPROCS(1) // idle cores would collect garbage more often than there is need to, and two that share a core slow each other
	p := make(n)
	r := row{Shape: shape, Stages: n}
	for range repeats {
		before, err := processor()
		if err != nil {
			return err
		}
		s, err := autoscheduler.Schedule(p, autoscheduler.DefaultParams())
		if err != nil {
			return err
		}
		after, err := processor()
		if err != nil {
			return err
		}
		r.Kernels = len(s.Kernels)
		if ms := float64(after.spent-before.spent) / float64(time.Millisecond); r.CPU == 0 || ms < r.CPU {
			r.CPU = ms
		}
		r.PeakMiB = after.peakMiB
	}
	_, err = fmt.Fprintf(w, "%s,%d,%.1f,%.0f,%d\n", r.Shape, r.Stages, r.CPU, r.PeakMiB, r.Kernels)
	return err
}

type usage struct {
	spent   time.Duration
	peakMiB float64
}

// processor is what the process has used so far.
func processor() (usage, error) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return usage{}, err
	}
	return usage{time.Duration(u.Utime.Nano() + u.Stime.Nano()), float64(u.Maxrss) / 1024}, nil
}

// read reads the measurements.
func read(r io.Reader) ([]row, error) {
	lines, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return nil, err
	}
	var rows []row
	for i, l := range lines {
		if i == 0 {
			continue
		}
		at := row{Shape: l[0]}
		n, err := fmt.Sscan(strings.Join(l[1:], " "), &at.Stages, &at.CPU, &at.PeakMiB, &at.Kernels)
		if err != nil || n != 4 {
			return nil, fmt.Errorf("line %d: %v", i+1, err)
		}
		rows = append(rows, at)
	}
	return rows, nil
}
