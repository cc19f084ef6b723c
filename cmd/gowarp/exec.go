package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"
)

const (
	preloadName = "libgowarp_preload.so"
	pluginName  = "libautoschedule_gowarp.so"
)

func execCommand() *cli.Command {
	return &cli.Command{
		Name:      "exec",
		Usage:     "run a build with HL_AUTOSCHEDULER=gowarp",
		ArgsUsage: "-- COMMAND [arguments]",
		Description: `Runs a command with HL_AUTOSCHEDULER=gowarp and the preload shim in its
environment: every Halide generator that the command starts, C++ or Python,
is scheduled by gowarp unless it names an autoscheduler itself.

The shim and the plugin are looked for beside gowarp, then in ../lib. The
environment says otherwise: HL_AUTOSCHEDULER_PLUGIN, HL_AUTOSCHEDULER_PARAMS
(key=value,...).

Example:
  gowarp exec --params gpu=h200 -- ninja -C build`,
		OnUsageError: onUsage,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "params", Usage: "parameters of the autoscheduler, `KEY=VALUE,...`"},
		},
		Action: func(c *cli.Context) error {
			if !c.Args().Present() {
				return usagef("exec: which command? as in gowarp exec -- ninja -C build")
			}
			dir, err := libraries()
			if err != nil {
				return err
			}
			preload, remove, err := preloadable(filepath.Join(dir, preloadName))
			if err != nil {
				return err
			}
			defer remove()
			return execute(c, environment(os.Environ(), preload, filepath.Join(dir, pluginName), c.String("params")))
		},
	}
}

// libraries is the folder that holds the shim.
func libraries() (string, error) {
	return folderOf("exec", preloadName)
}

// folderOf finds a file that make build puts beside gowarp and make install into
// ../lib or ../lib/gowarp, and returns its folder. Links to gowarp are followed.
func folderOf(command, file string) (string, error) {
	self, err := os.Executable()
	if err == nil {
		self, err = filepath.EvalSymlinks(self)
	}
	if err != nil {
		return "", err
	}
	here := filepath.Dir(self)
	for _, dir := range []string{here, filepath.Join(here, "..", "lib"), filepath.Join(here, "..", "lib", "gowarp")} {
		if path := filepath.Join(dir, file); exists(path) {
			return filepath.Dir(path), nil
		}
	}
	return "", fmt.Errorf("%s: %s is neither beside gowarp in %s nor in ../lib; run 'make build' or 'make install'", command, file, here)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// preloadable is a name of a library that LD_PRELOAD can hold. The dynamic linker
// splits it at blanks and colons; a path with one of them gets a link that has none, until
// remove is called. The shim finds its own folder through the link.
func preloadable(library string) (name string, remove func(), err error) {
	if !strings.ContainsAny(library, " :\t\n") {
		return library, func() {}, nil
	}
	dir, err := os.MkdirTemp("", "gowarp-exec-")
	if err != nil {
		return "", nil, err
	}
	remove = func() { os.RemoveAll(dir) }
	link := filepath.Join(dir, preloadName)
	if strings.ContainsAny(link, " :\t\n") {
		remove()
		return "", nil, fmt.Errorf("exec: LD_PRELOAD cannot hold %s nor a link in %s: both have a blank or a colon; set TMPDIR to a folder without", library, os.TempDir())
	}
	if err := os.Symlink(library, link); err != nil {
		remove()
		return "", nil, err
	}
	return link, remove, nil
}

// environment adds the shim and the variables to an environment. What is set
// already stays, but for LD_PRELOAD, which gains the shim.
func environment(env []string, preload, plugin, params string) []string {
	get := func(key string) string {
		for _, e := range env {
			if v, ok := strings.CutPrefix(e, key+"="); ok {
				return v
			}
		}
		return ""
	}
	if old := get("LD_PRELOAD"); old != "" {
		preload += ":" + old
	}
	out := append(env, "LD_PRELOAD="+preload)
	if get("HL_AUTOSCHEDULER") == "" {
		out = append(out, "HL_AUTOSCHEDULER=gowarp")
	}
	if get("HL_AUTOSCHEDULER_PLUGIN") == "" {
		out = append(out, "HL_AUTOSCHEDULER_PLUGIN="+plugin)
	}
	if params != "" {
		out = append(out, "HL_AUTOSCHEDULER_PARAMS="+params)
	}
	return out
}

// execute runs the command and hands on its exit code.
func execute(c *cli.Context, env []string) error {
	args := c.Args().Slice()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, c.App.Writer, c.App.ErrWriter
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return cli.Exit(fmt.Sprintf("exec: %s: %v", args[0], err), max(exit.ExitCode(), exitFailure))
	}
	return err
}
