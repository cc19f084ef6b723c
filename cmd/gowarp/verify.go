package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"

	"gowarp/gpusim/libcuda/simulator"
	"gowarp/gpusim/registers"
	"gowarp/occupancy"
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

The exit code is the command's if it fails, else 3 if something was found. The
report is described in gpusim/GPUSIM.md, its JSON form in gpusim/report.schema.json.

Example:
  gowarp verify --json report.json -- ./harris.rungen --output_extents=[840,448] ...`,
		OnUsageError: onUsage,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "json", Usage: "also write the report to `FILE`"},
			&cli.IntFlag{Name: "blocks", Usage: "run only `N` blocks of each launch and scale the counts; results are then wrong"},
			&cli.Uint64Flag{Name: "seed", Usage: "the `SEED` that draws the order of warps and blocks"},
			&cli.StringFlag{Name: "gpu", Usage: "the GPU that is simulated, a `NAME` of gowarp devices: its compute capability, SMs and L2 (default: the usual one of the capability)"},
			&cli.IntFlag{Name: "capability", Usage: "compute capability of the simulated GPU, `NN` (default: the GPU's, else 86)"},
			&cli.Float64Flag{Name: "l2", Usage: "the size of its L2 in `MiB` (default: the GPU's)"},
			&cli.Int64Flag{Name: "outputs", Usage: "the command makes `N` output elements in all (default: what it copies back of its kernels' results)"},
			&cli.BoolFlag{Name: "no-checks", Usage: "count only: no races, no undefined values"},
		},
		Action: verify,
	}
}

func verify(c *cli.Context) error {
	if !c.Args().Present() {
		return usagef("verify: which command? as in gowarp verify -- ./program")
	}
	settings, err := verifySettings(c)
	if err != nil {
		return err
	}
	dir, err := driver()
	if err != nil {
		return err
	}
	file, err := newReportFile(c.String("json"))
	if err != nil {
		return err
	}
	defer file.discard()
	reports, err := os.MkdirTemp("", "gowarp-verify-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(reports)
	command := exec.CommandContext(c.Context, c.Args().First(), c.Args().Tail()...)
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, forChild(c.App.Writer), c.App.ErrWriter
	command.Env = append(os.Environ(),
		"LD_LIBRARY_PATH="+strings.TrimSuffix(dir+":"+os.Getenv("LD_LIBRARY_PATH"), ":"),
		"GOWARP_GPUSIM_REPORTS="+reports,
	)
	command.Env = append(command.Env, settings...)
	failed := command.Run()
	if failed != nil && command.ProcessState == nil {
		return fmt.Errorf("verify: %w; a program that launches Halide's kernels is wanted behind --", neverRan(c.Args().First(), failed))
	}
	found, err := simulator.Collect(reports)
	if err != nil {
		return fmt.Errorf("verify: %w", err)
	}
	wrong := false
	for _, r := range found {
		if err := registers.Fill(r, reports, registers.Assembler()); err != nil {
			fmt.Fprintf(c.App.ErrWriter, "gowarp: %v\n", err)
		}
		if c.IsSet("outputs") {
			r.Outputs = &simulator.Outputs{Elements: c.Int64("outputs")}
			r.PerOutput()
		}
		var text bytes.Buffer
		r.Print(&text)
		if _, err := text.WriteTo(c.App.Writer); err != nil {
			return fmt.Errorf("verify: the report: %w", err)
		}
		wrong = wrong || r.Wrong()
	}
	if err := file.write(found); err != nil {
		return err
	}
	var code *exec.ExitError
	switch {
	case errors.As(failed, &code):
		return cli.Exit(fmt.Sprintf("verify: %s: %v", c.Args().First(), failed), shellStatus(code))
	case failed != nil:
		return fmt.Errorf("verify: %s: %w", c.Args().First(), failed)
	case len(found) == 0:
		return fmt.Errorf("verify: %s used no CUDA device; was it compiled for a target with cuda?", c.Args().First())
	case wrong:
		return cli.Exit("verify: "+wrongs(found)+"; see above", exitFindings)
	}
	return nil
}

// driver is the folder that holds the stand-in libcuda.so.
func driver() (string, error) {
	return folderOf("verify", filepath.Join("gpusim", "libcuda.so"))
}

// verifySettings are the simulator's variables that the flags set.
func verifySettings(c *cli.Context) ([]string, error) {
	var env []string
	set := func(name, value string) { env = append(env, "GOWARP_GPUSIM_"+name+"="+value) }
	set("SEED", strconv.FormatUint(c.Uint64("seed"), 10))
	if c.Int("blocks") < 0 {
		return nil, usagef("verify: --blocks %d: a number of blocks is not negative", c.Int("blocks"))
	}
	set("BLOCKS", strconv.Itoa(c.Int("blocks")))
	if c.Bool("no-checks") {
		set("CHECKS", "0")
	}
	if name := c.String("gpu"); name != "" {
		d, err := occupancy.Lookup(name)
		if err == nil && d.API != occupancy.CUDA {
			err = fmt.Errorf("%s is not a CUDA device", d.Title)
		}
		if err != nil {
			return nil, usagef("verify: --gpu: %w", err)
		}
		if cc := c.Int("capability"); c.IsSet("capability") && cc != d.Capability {
			return nil, usagef("verify: --gpu %s has compute capability %d.%d, --capability says %d; give one of them", name, d.Capability/10, d.Capability%10, cc)
		}
		set("GPU", d.Name)
	}
	if c.IsSet("capability") {
		cc := c.Int("capability")
		if cc < 30 || cc > 999 {
			return nil, usagef("verify: --capability %d: write 86 for compute capability 8.6", cc)
		}
		set("CAPABILITY", strconv.Itoa(cc))
		if _, err := occupancy.Lookup(fmt.Sprintf("sm_%d", cc)); err != nil {
			d, _ := occupancy.ForCapability(cc)
			fmt.Fprintf(c.App.ErrWriter, "gowarp: verify: --capability %d: %v; the SMs and the L2 are those of %s\n", cc, err, d.Name)
		}
	}
	if c.IsSet("l2") {
		mib := c.Float64("l2")
		if !(mib >= 1./1024 && mib < 1<<20) {
			return nil, usagef("verify: --l2 %v: a size in MiB, of 1 KiB at least", mib)
		}
		set("L2_KB", strconv.Itoa(int(mib*1024)))
	}
	if c.IsSet("outputs") && c.Int64("outputs") < 1 {
		return nil, usagef("verify: --outputs %d: a number of output elements is positive", c.Int64("outputs"))
	}
	return env, nil
}

// reportFile is the file of --json. It is opened before the command runs, which may take long.
type reportFile struct {
	f       *os.File
	created bool
	written bool
}

func newReportFile(name string) (*reportFile, error) {
	switch name {
	case "":
		return &reportFile{}, nil
	case "-":
		return nil, usagef("verify: --json -: standard output has the report for people; name a file, or /dev/stderr")
	}
	created := !exists(name)
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return nil, fmt.Errorf("verify: --json: %w", err)
	}
	return &reportFile{f: f, created: created}, nil
}

func (r *reportFile) write(found []*simulator.Report) error {
	if r.f == nil {
		return nil
	}
	if found == nil {
		found = []*simulator.Report{}
	}
	b, err := json.MarshalIndent(struct {
		Version int                 `json:"version"`
		Reports []*simulator.Report `json:"reports"`
	}{simulator.ReportVersion, found}, "", "  ")
	if err != nil {
		return err
	}
	// What is no file, as /dev/stdout, cannot be cut.
	if info, err := r.f.Stat(); err == nil && info.Mode().IsRegular() {
		if err := r.f.Truncate(0); err != nil {
			return fmt.Errorf("verify: --json: %w", err)
		}
	}
	if _, err := r.f.Write(append(b, '\n')); err != nil {
		return fmt.Errorf("verify: --json: %w", err)
	}
	r.written = true
	return nil
}

// discard closes the file, and removes it if there was none and no report came of it.
func (r *reportFile) discard() {
	if r.f == nil {
		return
	}
	r.f.Close()
	if r.created && !r.written {
		os.Remove(r.f.Name())
	}
}

// shellStatus is a failed command's; of one that a signal ended, as Halide's runtime does after
// an error, what a shell gives.
func shellStatus(e *exec.ExitError) int {
	if status, ok := e.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return e.ExitCode()
}

// wrongs counts what is wrong.
func wrongs(reports []*simulator.Report) string {
	findings, errs := 0, 0
	for _, r := range reports {
		errs += len(r.Errors)
		for _, f := range r.Findings {
			if !f.Kind.Note() {
				findings++
			}
		}
	}
	return fmt.Sprintf("%d finding(s), %d failed CUDA call(s)", findings, errs)
}
