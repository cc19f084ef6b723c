// Package csvfile reads and writes the tables of figures that commands under benchmarks/ keep: a head, and rows as long as it. It knows
// nothing of what the figures are.
package csvfile

import (
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
)

// Read is the rows of a file behind its head, which has to be the one given; anew is what makes the file, for the error
// that says it is another.
func Read(file string, head []string, anew string) ([][]string, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(rows) == 0 || !slices.Equal(rows[0], head) {
		return nil, fmt.Errorf("%s: its head is not %s; make it anew with %s", file, strings.Join(head, ","), anew)
	}
	return rows[1:], nil
}

// Write makes a file of a head and rows.
func Write(file string, head []string, rows [][]string) (err error) {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := csv.NewWriter(f)
	if err := w.Write(head); err != nil {
		return err
	}
	return w.WriteAll(rows)
}
