package simulator

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"sync"

	"gowarp/gpusim/exec"
)

// A ShuffleLine is a shuffle as the file of them has it.
type ShuffleLine struct {
	Kernel string `json:"kernel"`
	exec.Shuffle
}

// shuffleWriter writes the shuffles of one launch; the nil one writes none.
type shuffleWriter struct {
	mu   sync.Mutex
	file *os.File
	out  *bufio.Writer
	err  error
}

// shuffles has a launch tell of its shuffles, if somebody wants them: behind those of the launches before.
func (s *server) shuffles(l *exec.Launch) (*shuffleWriter, error) {
	if s.o.Shuffles == "" {
		return nil, nil
	}
	f, err := os.OpenFile(s.o.Shuffles, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o666)
	if err != nil {
		return nil, err
	}
	w := &shuffleWriter{file: f, out: bufio.NewWriter(f)}
	lines, kernel := json.NewEncoder(w.out), l.Kernel.Name
	l.OnShuffle = func(sh exec.Shuffle) {
		w.mu.Lock()
		defer w.mu.Unlock()
		if err := lines.Encode(ShuffleLine{kernel, sh}); err != nil && w.err == nil {
			w.err = err
		}
	}
	return w, nil
}

func (w *shuffleWriter) close() error {
	if w == nil {
		return nil
	}
	return errors.Join(w.err, w.out.Flush(), w.file.Close())
}
