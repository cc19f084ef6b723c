package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"gowarp/gpusim/libcuda/simulator"
	"gowarp/gpusim/registers"
)

// exitFindings: the program ran, and something is wrong with its kernels.
const exitFindings = 3

func verifyCommand() *cli.Command {
	return &cli.Command{
		Name:      "verify",
		Usage:     "run a program's CUDA kernels without a GPU, check and count them",
		ArgsUsage: "-- COMMAND [arguments]",
		Description: `Runs a command with a stand-in for the CUDA driver on its library path: every
CUDA kernel of Halide's that the command launches runs on gowarp's simulator,
which checks each access and counts what a GPU would do. The program itself is
as it is: built ahead of time, or JIT compiled in C++ or Python.

The exit code is the command's if it fails, else 3 if something was found.

Example:
  gowarp verify --json report.json -- ./harris.rungen --output_extents=[840,448] ...`,
		OnUsageError: onUsage,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "json", Usage: "also write the report to `FILE`"},
			&cli.IntFlag{Name: "blocks", Usage: "run only `N` blocks of each launch and scale the counts; results are then wrong"},
			&cli.Uint64Flag{Name: "seed", Usage: "the `SEED` that draws the order of warps and blocks"},
			&cli.IntFlag{Name: "capability", Value: 86, Usage: "compute capability of the simulated GPU, `NN`"},
			&cli.BoolFlag{Name: "no-checks", Usage: "count only: no races, no undefined values"},
		},
		Action: verify,
	}
}

func verify(c *cli.Context) error {
	if !c.Args().Present() {
		return usagef("verify: which command? as in gowarp verify -- ./program")
	}
	if c.Int("blocks") < 0 {
		return usagef("verify: --blocks %d: a number of blocks is not negative", c.Int("blocks"))
	}
	dir, err := driver()
	if err != nil {
		return err
	}
	reports, err := os.MkdirTemp("", "gowarp-verify-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(reports)
	command := exec.CommandContext(c.Context, c.Args().First(), c.Args().Tail()...)
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, c.App.Writer, c.App.ErrWriter
	command.Env = append(os.Environ(),
		"LD_LIBRARY_PATH="+strings.TrimSuffix(dir+":"+os.Getenv("LD_LIBRARY_PATH"), ":"),
		"GOWARP_GPUSIM_REPORTS="+reports,
		"GOWARP_GPUSIM_SEED="+strconv.FormatUint(c.Uint64("seed"), 10),
		"GOWARP_GPUSIM_BLOCKS="+strconv.Itoa(c.Int("blocks")),
		"GOWARP_GPUSIM_CAPABILITY="+strconv.Itoa(c.Int("capability")),
	)
	if c.Bool("no-checks") {
		command.Env = append(command.Env, "GOWARP_GPUSIM_CHECKS=0")
	}
	failed := command.Run()
	if failed != nil && command.ProcessState == nil {
		return fmt.Errorf("verify: %w", failed)
	}
	found, err := simulator.Collect(reports)
	if err != nil {
		return fmt.Errorf("verify: %w", err)
	}
	wrong := false
	for _, r := range found {
		if err := registers.Fill(r, reports, registers.Find()); err != nil {
			fmt.Fprintf(c.App.ErrWriter, "gowarp: %v\n", err)
		}
		r.Print(c.App.Writer)
		wrong = wrong || r.Wrong()
	}
	if file := c.String("json"); file != "" {
		b, err := json.MarshalIndent(struct {
			Version int                 `json:"version"`
			Reports []*simulator.Report `json:"reports"`
		}{simulator.ReportVersion, found}, "", "  ")
		if err != nil {
			return err
		}
		if err := os.WriteFile(file, append(b, '\n'), 0o666); err != nil {
			return err
		}
	}
	var code *exec.ExitError
	switch {
	case errors.As(failed, &code) && code.ExitCode() > 0:
		return cli.Exit(fmt.Sprintf("verify: %s: %v", c.Args().First(), failed), code.ExitCode())
	case failed != nil:
		return fmt.Errorf("verify: %s: %w", c.Args().First(), failed)
	case len(found) == 0:
		return fmt.Errorf("verify: %s used no CUDA device; was it compiled for a target with cuda?", c.Args().First())
	case wrong:
		return cli.Exit("verify: something is wrong with the kernels; see above", exitFindings)
	}
	return nil
}

// driver is the folder that holds the stand-in libcuda.so.
func driver() (string, error) {
	return folderOf("verify", filepath.Join("gpusim", "libcuda.so"))
}
