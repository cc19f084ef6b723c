package main

import (
	"encoding/json"
	"fmt"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"gowarp/occupancy"
)

func devicesCommand() *cli.Command {
	return &cli.Command{
		Name:         "devices",
		Usage:        "list the devices that --gpu knows",
		OnUsageError: onUsage,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "sources", Usage: "where each device's figures are from, and which are uncertain"},
			&cli.BoolFlag{Name: "json", Usage: "every figure of every device, with its source"},
		},
		Action: func(c *cli.Context) error {
			if err := noArguments(c); err != nil {
				return err
			}
			if c.Bool("json") {
				e := json.NewEncoder(c.App.Writer)
				e.SetEscapeHTML(false)
				e.SetIndent("", "  ")
				return e.Encode(occupancy.Devices())
			}
			tw := tabwriter.NewWriter(c.App.Writer, 0, 0, 2, ' ', 0)
			if c.Bool("sources") {
				fmt.Fprintln(tw, "NAME\tSOURCE")
				for _, d := range occupancy.Devices() {
					fmt.Fprintf(tw, "%s\t%s\n", d.Name, d.Source)
				}
				return tw.Flush()
			}
			fmt.Fprintln(tw, "NAME\tDEVICE\tAPI\tCAPABILITY\tSMS\tTHREADS/SM\tSHARED/SM\tSHARED/BLOCK")
			for _, d := range occupancy.Devices() {
				cc := "-"
				if d.Capability > 0 {
					cc = fmt.Sprintf("%d.%d", d.Capability/10, d.Capability%10)
				}
				fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%d\t%d\t%d KiB\t%d KiB\n", d.Name, d.Title, d.API, cc, d.SMs, d.MaxThreadsPerSM, d.SharedPerSM>>10, d.SharedPerBlock>>10)
			}
			return tw.Flush()
		},
	}
}
