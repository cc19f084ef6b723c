package main

import (
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
		Action: func(c *cli.Context) error {
			if err := noArguments(c); err != nil {
				return err
			}
			tw := tabwriter.NewWriter(c.App.Writer, 0, 0, 2, ' ', 0)
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
