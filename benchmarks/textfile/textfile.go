// Package textfile holds what the reports and results under benchmarks/ have in common as text: cells of tables in Markdown, and
// files of JSON lines.
package textfile

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
)

var cell = strings.NewReplacer("|", `\|`, "\n", " ", "_", `\_`, "*", `\*`, "<", "&lt;", "$", `\$`)

// Cell keeps Markdown's own signs and line ends out of a cell of a table.
func Cell(text string) string { return cell.Replace(text) }

// Cells is Cell of each.
func Cells(texts []string) []string {
	var out []string
	for _, text := range texts {
		out = append(out, Cell(text))
	}
	return out
}

// ReplaceLines makes a file of a line of JSON each, compressed where its name ends in .gz. Whoever reads it meanwhile has the old file, whole.
func ReplaceLines[T any](path string, lines []T) error {
	var b bytes.Buffer
	for i := range lines {
		line, err := json.Marshal(&lines[i])
		if err != nil {
			return err
		}
		b.Write(append(line, '\n'))
	}
	if !strings.HasSuffix(path, compressed) {
		return Replace(path, b.Bytes())
	}
	var small bytes.Buffer
	w, err := gzip.NewWriterLevel(&small, gzip.BestCompression) // without a name or a time: the same lines are the same bytes
	if err != nil {
		return err
	}
	if _, err := w.Write(b.Bytes()); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return Replace(path, small.Bytes())
}

// compressed is how the name of a compressed file ends.
const compressed = ".gz"

// EachLine hands the lines of a file of up to most bytes each to do, trimmed and numbered from 1, until it returns an error. A file that is not there has none.
func EachLine(path string, most int, do func(n int, line []byte) error) error {
	f, err := Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	in.Buffer(nil, most)
	for n := 1; in.Scan(); n++ {
		if err := do(n, bytes.TrimSpace(in.Bytes())); err != nil {
			return err
		}
	}
	if err := in.Err(); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// Open opens a file to be read, as it was before ReplaceLines compressed it.
func Open(path string) (io.ReadCloser, error) {
	f, err := os.Open(path)
	if err != nil || !strings.HasSuffix(path, compressed) {
		return f, err
	}
	r, err := gzip.NewReader(f)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
	}
	return &unzipped{r, f}, nil
}

type unzipped struct {
	*gzip.Reader
	file *os.File
}

func (u *unzipped) Close() error { return errors.Join(u.Reader.Close(), u.file.Close()) }
