package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"gowarp/benchmarks/bench"
	"gowarp/benchmarks/harness"
	"gowarp/benchmarks/profile"
)

func profileCommand() *cli.Command {
	return &cli.Command{
		Name:      "profile",
		Usage:     "write what cost=algorithm2 wants to know of a generator's stages: registers and times",
		ArgsUsage: "[PROGRAM | SOURCE.cc[:GENERATOR]][,KEY=VALUE...] ...",
		Description: `Runs in a checkout of gowarp, after make build. Each stage of each program becomes
a kernel of its own, which ptxas compiles (registers of a thread) and the simulator
counts (instructions of an iteration, times a table of latencies). The file is what
the parameter registers=FILE names. It is of that pipeline, at any size, and of one GPU.

  gowarp profile --gpu gtx1080ti harris          # harris.gtx1080ti.profile.json
  gowarp profile --gpu v100 -o blur.json my/blur.cc
  gowarp exec --params mode=polymage,gpu=gtx1080ti,registers=harris.gtx1080ti.profile.json -- make`,
		OnUsageError: onUsage,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "gpu", Value: "sm_75", Usage: "the GPU to profile for, a `NAME` of gowarp devices or sm_75"},
			&cli.StringFlag{Name: "size", Usage: "the estimated size, `WIDTHxHEIGHT`, for programs with GeneratorParams width and height, or size (default: the program's)"},
			&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: "write to `FILE` (default: PROGRAM.GPU.profile.json); of one program"},
		},
		Action: writeProfiles,
	}
}

func writeProfiles(c *cli.Context) error {
	target, err := bench.ParseTarget(c.String("gpu"))
	switch {
	case err != nil:
		return usagef("profile: --gpu: %w", err)
	case !c.Args().Present():
		return usagef("profile: which program? as in gowarp profile harris, or my/blur.cc")
	case c.String("out") != "" && c.NArg() > 1:
		return usagef("profile: --out is one file, and %d programs are given", c.NArg())
	}
	tree, err := harness.Find()
	if err != nil {
		return fmt.Errorf("profile: %w", err)
	}
	programs, err := benchPrograms(c, "profile", tree)
	if err != nil {
		return err
	}
	for _, p := range programs {
		made, err := profile.Make(tree, p, target)
		if err != nil {
			return err
		}
		data, err := made.Encode()
		if err != nil {
			return err
		}
		file := c.String("out")
		if file == "" {
			file = p.Label() + "." + target.Device.Name + ".profile.json"
		}
		if err := os.WriteFile(file, data, 0o666); err != nil {
			return fmt.Errorf("profile: %w", err)
		}
		fmt.Fprintf(c.App.Writer, "%s: %d stages\n", file, len(made.Stages))
		if len(made.Estimated) > 0 {
			fmt.Fprintf(c.App.ErrWriter, "%s: no kernels, and estimated: %s\n", p.Label(), strings.Join(made.Estimated, ", "))
		}
	}
	return nil
}
