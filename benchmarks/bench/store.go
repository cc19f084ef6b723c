package bench

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"gowarp/benchmarks/textfile"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
)

// mostLine is longer than any line: a thousand kernels with all their counts.
const mostLine = 16 << 20

// Read reads records, one a line. Lines that are none are left out, and said in complaints:
// a run that was killed may leave half a line, and no line is worth the others.
func Read(r io.Reader, name string) (records []Record, complaints []string, err error) {
	in := bufio.NewScanner(r)
	in.Buffer(nil, mostLine)
	for n := 1; in.Scan(); n++ {
		line := bytes.TrimSpace(in.Bytes())
		if len(line) == 0 {
			continue
		}
		var rec Record
		switch err := json.Unmarshal(line, &rec); {
		case err != nil:
			complaints = append(complaints, fmt.Sprintf("%s:%d: not a record (%v); the line is left out", name, n, err))
		case rec.Schema != Schema:
			complaints = append(complaints, fmt.Sprintf("%s:%d: a record of version %d, this reads %d; the line is left out", name, n, rec.Schema, Schema))
		case rec.Program == "" || rec.Scheduler == "" || rec.GPU == "" || rec.Outcome == "":
			complaints = append(complaints, fmt.Sprintf("%s:%d: a record without its program, scheduler, GPU or outcome; the line is left out", name, n))
		default:
			records = append(records, rec)
		}
	}
	if err := in.Err(); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	return records, complaints, nil
}

// ReadAll reads the files of lines that are named, or in the directories that are.
func ReadAll(paths ...string) (records []Record, complaints []string, err error) {
	for _, path := range paths {
		files := []string{path}
		info, err := os.Stat(path)
		if err != nil {
			return nil, nil, fmt.Errorf("results: %w", err)
		}
		if info.IsDir() {
			if files, err = filepath.Glob(filepath.Join(path, "*.jsonl")); err != nil {
				return nil, nil, fmt.Errorf("results: %w", err)
			}
		}
		for _, f := range files {
			r, c, err := ReadFile(f)
			if err != nil {
				return nil, nil, err
			}
			records, complaints = append(records, r...), append(complaints, c...)
		}
	}
	return records, complaints, nil
}

// ReadFile is Read of a file; a file that is not there holds no records.
func ReadFile(path string) ([]Record, []string, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	} else if err != nil {
		return nil, nil, fmt.Errorf("results: %w", err)
	}
	defer f.Close()
	return Read(f, path)
}

// Latest keeps the last record of each cell, in the order of a table.
func Latest(records []Record) []Record {
	last := map[[4]string]int{}
	for i := range records {
		last[records[i].cell()] = i
	}
	var out []Record
	for i := range records {
		if last[records[i].cell()] == i {
			out = append(out, records[i])
		}
	}
	slices.SortStableFunc(out, func(a, b Record) int {
		x, y := a.cell(), b.cell()
		return slices.CompareFunc(x[:], y[:], cmp.Compare)
	})
	return out
}

// store is the file that records are appended to. A line is one write, so that whenever the
// run ends, what is there is whole lines.
type store struct {
	path string
	mu   sync.Mutex
	f    *os.File
}

func openStore(path string) (*store, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, fmt.Errorf("results: %w", err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return nil, fmt.Errorf("results: %w", err)
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		return nil, fmt.Errorf("results: %s: another run writes to it (%w)", path, err)
	}
	s := &store{path: path, f: f}
	// After half a line the next one would be lost with it.
	if info, err := f.Stat(); err == nil && info.Size() > 0 {
		last := make([]byte, 1)
		if _, err := f.ReadAt(last, info.Size()-1); err == nil && last[0] != '\n' {
			if _, err := f.Write([]byte("\n")); err != nil {
				f.Close()
				return nil, fmt.Errorf("results: %w", err)
			}
		}
	}
	return s, nil
}

func (s *store) append(r *Record) error {
	line, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("results: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.f.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("results: %w", err)
	}
	return nil
}

// compact drops lines that a later one stands for, and puts the rest in the order of a table,
// so that what changed between two runs shows as changed lines. It returns them.
func (s *store) compact() ([]Record, error) {
	records, _, err := ReadFile(s.path)
	if err != nil {
		return nil, err
	}
	records = Latest(records)
	if err := textfile.ReplaceLines(s.path, records); err != nil {
		return nil, fmt.Errorf("results: %w", err)
	}
	return records, nil
}

func (s *store) close() error { return s.f.Close() }
