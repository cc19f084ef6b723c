package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"gowarp/autoscheduler"
)

func explainCommand() *cli.Command {
	return &cli.Command{
		Name:      "explain",
		Usage:     "say why the schedule is as it is",
		ArgsUsage: "PIPELINE.json",
		Description: `Schedules a dumped pipeline and says, in the order of the passes, why each Func is
inlined, what each kernel was merged from and at what gain, and what every
kernel costs in the terms of the cost model.`,
		OnUsageError: onUsage,
		Flags:        schedulingFlags(),
		Action: func(c *cli.Context) error {
			p, prm, err := request(c)
			if err != nil {
				return err
			}
			r, err := autoscheduler.Run(p, prm)
			if err != nil {
				return err
			}
			return explain(c.App.Writer, r)
		},
	}
}

// explain prints the notes of the passes and the price of each kernel.
func explain(w io.Writer, r *autoscheduler.Result) error {
	p := r.Problem.P
	fmt.Fprintf(w, "%d Funcs, %d kernels, %d candidates priced\n", len(p.Funcs), len(r.Schedule.Kernels), r.Evaluated)
	pass := ""
	for _, n := range r.Notes {
		if n.Pass != pass {
			pass = n.Pass
			fmt.Fprintf(w, "\n%s\n", pass)
		}
		name := "pipeline"
		if n.Func >= 0 {
			name = p.Funcs[n.Func].Label
		}
		fmt.Fprintf(w, "  %s: %s\n", name, n.Text)
	}
	fmt.Fprintf(w, "\nkernels\n")
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	i := 0
	for _, f := range r.Found {
		for j := range f.Layout.Kernels {
			k := &r.Schedule.Kernels[i]
			i++
			if k.Host {
				fmt.Fprintf(tw, "  %s\ton the host: %s\n", k.Name, k.Note)
				continue
			}
			fmt.Fprintf(tw, "  %s\t%s\toccupancy %.2f (limited by %v)\t%s %.4g", k.Name, k.Strategy, k.Occupancy, k.Limiters, k.Cost.Name, k.Cost.Value)
			for _, t := range f.Prices[j].Terms {
				fmt.Fprintf(tw, "\t%s %.4g", t.Name, t.Value)
			}
			fmt.Fprintln(tw)
		}
	}
	return tw.Flush()
}
