package run

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"gowarp/benchmarks/bundle"
	"gowarp/benchmarks/harness"
)

// How a worker's end is told apart.
var (
	errHangs = errors.New("no answer")              // it was killed
	errDied  = errors.New("the process ended")      // by itself: a crash
	errSaid  = errors.New("the pipeline complains") // it said what is wrong, and ended
)

// worker is the process of a cell.
type worker struct {
	ctx     context.Context // whose end ends it
	cmd     *exec.Cmd
	in      io.WriteCloser
	replies chan []byte
	stderr  *tail
	ended   chan struct{}
}

// tail keeps the end of what is written to it.
type tail struct {
	mu sync.Mutex
	b  []byte
}

func (t *tail) Write(p []byte) (int, error) {
	const most = 4096
	t.mu.Lock()
	defer t.mu.Unlock()
	t.b = append(t.b, p...)
	if len(t.b) > most {
		t.b = t.b[len(t.b)-most:]
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(bytes.TrimSpace(t.b))
}

// start starts a program of the bundle in dir. It ends when this process does: it reads what
// to do from a pipe.
func start(ctx context.Context, dir, program string, env []string, args ...string) (*worker, error) {
	path, err := filepath.Abs(filepath.Join(dir, program))
	if err != nil {
		return nil, fmt.Errorf("run: %w", err)
	}
	return startCommand(ctx, path, env, args...)
}

// startCommand starts any program that speaks as a worker does.
func startCommand(ctx context.Context, path string, env []string, args ...string) (w *worker, err error) {
	w = &worker{ctx: ctx, cmd: exec.Command(path, args...), replies: make(chan []byte, 1), stderr: &tail{}, ended: make(chan struct{})}
	w.cmd.Env = append(os.Environ(), env...)
	w.cmd.Stderr = w.stderr
	w.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	// A process that hangs in the driver may keep its pipes open after it was killed.
	w.cmd.WaitDelay = 2 * time.Second
	if w.in, err = w.cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("run: %w", err)
	}
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("run: %w", err)
	}
	if err := w.cmd.Start(); err != nil {
		return nil, fmt.Errorf("run: %w", err)
	}
	go func() {
		lines := bufio.NewReader(out)
		for {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				break
			}
			w.replies <- line
		}
		close(w.replies)
		_ = w.cmd.Wait() // what it says is in ProcessState
		close(w.ended)
	}()
	return w, nil
}

// kill ends the worker, and waits for its end as long as a driver may take to tear a context
// down; one that does not end even then is left behind.
func (w *worker) kill() {
	_ = syscall.Kill(-w.cmd.Process.Pid, syscall.SIGKILL)
	go func() {
		for range w.replies {
		}
	}()
	select {
	case <-w.ended:
	case <-time.After(10 * time.Second):
	}
}

// quit lets the worker end by itself.
func (w *worker) quit() { w.quitIn(5 * time.Second) }

// quitIn is quit for one that takes its time.
func (w *worker) quitIn(limit time.Duration) {
	_ = w.in.Close()
	select {
	case <-w.ended:
	case <-time.After(limit):
		w.kill()
	}
}

// ask sends a command and reads the reply into into. A worker that fails has ended after.
func (w *worker) ask(limit time.Duration, into any, format string, args ...any) error {
	command := fmt.Sprintf(format, args...)
	word, _, _ := strings.Cut(command, " ")
	timer := time.NewTimer(limit)
	defer timer.Stop()
	if _, err := io.WriteString(w.in, command+"\n"); err != nil && !errors.Is(err, syscall.EPIPE) {
		w.kill()
		return fmt.Errorf("%w: %s: %v", errDied, word, err)
	}
	var line []byte
	var ok bool
	select {
	case line, ok = <-w.replies:
	case <-timer.C:
		w.kill()
		return fmt.Errorf("%w to %s in %s", errHangs, word, limit.Round(time.Millisecond))
	case <-w.ctx.Done():
		w.kill()
		return fmt.Errorf("%w to %s: %w", errHangs, word, w.ctx.Err())
	}
	if !ok {
		select {
		case <-w.ended:
		case <-timer.C:
			w.kill()
		}
		text := word
		if w.cmd.ProcessState != nil {
			text += ": " + w.cmd.ProcessState.String()
		}
		if said := w.stderr.String(); said != "" {
			text += ": " + said
		}
		return fmt.Errorf("%w at %s", errDied, text)
	}
	var failed struct {
		Error string `json:"error"`
	}
	if err := json.Unmarshal(line, &failed); err != nil {
		w.kill()
		return fmt.Errorf("%w: %s: it answers %q", errDied, word, line)
	}
	if failed.Error != "" {
		w.kill()
		return fmt.Errorf("%w: %s", errSaid, failed.Error)
	}
	if into == nil {
		return nil
	}
	if err := json.Unmarshal(line, into); err != nil {
		w.kill()
		return fmt.Errorf("%w: %s: %v", errDied, word, err)
	}
	return nil
}

// arguments gives the worker its arguments; files are those of the inputs.
func (w *worker) arguments(limit time.Duration, size bundle.Size, files map[string]string) error {
	for _, a := range size.Arguments {
		var err error
		switch a.Kind {
		case harness.Scalar:
			b, bad := bundle.Scalar(a)
			if bad != nil {
				return bad
			}
			err = w.ask(limit, nil, "scalar %s %s", a.Name, hex.EncodeToString(b))
		case harness.Input:
			err = w.ask(limit, nil, "input %s %s %s", a.Name, extents(a), files[a.Name])
		default:
			err = w.ask(limit, nil, "output %s %s", a.Name, extents(a))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// extents writes a buffer's as the worker reads them.
func extents(a harness.Argument) string {
	if len(a.Shape) == 0 {
		return "-"
	}
	var words []string
	for d, n := range a.Shape {
		words = append(words, strconv.Itoa(a.Mins[d])+":"+strconv.Itoa(n))
	}
	return strings.Join(words, ",")
}
