// Package textfile holds what the reports and results under benchmarks/ have in common as text: cells of tables in Markdown, and
// files of JSON lines.
package textfile

import (
	"bytes"
	"encoding/json"
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

// ReplaceLines makes a file of a line of JSON each. Whoever reads it meanwhile has the old file, whole.
func ReplaceLines[T any](path string, lines []T) error {
	var b bytes.Buffer
	for i := range lines {
		line, err := json.Marshal(&lines[i])
		if err != nil {
			return err
		}
		b.Write(append(line, '\n'))
	}
	return Replace(path, b.Bytes())
}
