// Command table writes the table of what tests saw of every program (package rows) as
// Markdown. It fails where something of gowarp's is not right.
//
//	go run ./benchmarks/table rows.jsonl >table.md
package main

import (
	"fmt"
	"os"

	"gowarp/benchmarks/harness/rows"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "table:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("one file of rows is wanted; `make table` writes it")
	}
	f, err := os.Open(args[0])
	if err != nil {
		return err
	}
	defer f.Close()
	all, err := rows.Read(f)
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	if len(all) == 0 {
		return fmt.Errorf("%s holds no rows", args[0])
	}
	bad, err := rows.Markdown(os.Stdout, all)
	if err != nil {
		return err
	}
	if bad > 0 {
		return fmt.Errorf("%d cells are not ok", bad)
	}
	return nil
}
