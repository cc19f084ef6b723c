package bench

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
)

// progress prints how far a run is: a bar that is written over on a terminal, else a line
// for each cell.
type progress struct {
	w        io.Writer
	terminal bool
	workers  int
	start    time.Time
	mu       sync.Mutex
	total    int
	done     int
	expected float64 // seconds of all cells together
	spent    float64 // what was expected of those that are done
	took     float64 // what they took
}

func newProgress(w io.Writer, workers int, expected []float64) *progress {
	p := &progress{w: w, workers: workers, start: time.Now(), total: len(expected)}
	for _, s := range expected {
		p.expected += s
	}
	if f, ok := w.(*os.File); ok {
		info, err := f.Stat()
		p.terminal = err == nil && info.Mode()&os.ModeCharDevice != 0
	}
	return p
}

// finished prints that a cell is done which was expected to take so many seconds.
func (p *progress) finished(r *Record, expected float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	p.spent += expected
	p.took += r.CellSeconds
	const width = 24
	full := width * p.done / max(p.total, 1)
	line := fmt.Sprintf("[%s%s] %d/%d  ETA %s", strings.Repeat("=", full), strings.Repeat(" ", width-full), p.done, p.total, p.left())
	what := became(r)
	if p.terminal {
		fmt.Fprintf(p.w, "\r\033[K%s\n%s", what, line)
		if p.done == p.total {
			fmt.Fprintln(p.w)
		}
		return
	}
	fmt.Fprintf(p.w, "%s  %s\n", line, what)
}

// became says what became of a cell, and why if not what it should.
func became(r *Record) string {
	what := fmt.Sprintf("%s  %s  %s  %s (%.1f s)", r.Program, r.Scheduler, r.GPU, r.Outcome, r.CellSeconds)
	if r.Reason != "" {
		what += ": " + r.Reason
	}
	return what
}

// left is the expected rest, stretched by how far the expectations were off so far.
func (p *progress) left() time.Duration {
	rest := p.expected - p.spent
	// The first cells say little: the expectations weigh as much as four.
	if prior := 4 * p.expected / float64(max(p.total, 1)); prior > 0 {
		rest *= (p.took + prior) / (p.spent + prior)
	}
	return (time.Duration(max(rest, 0)/float64(p.workers)) * time.Second).Round(time.Second)
}
