package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"gowarp/autoscheduler"
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
is scheduled by gowarp unless it names an autoscheduler itself. Generators
with a schedule of their own, or a target without a GPU, are left as they are, with a
line on stderr.

The shim and the plugin are looked for beside gowarp, then in ../lib. The
environment says otherwise: HL_AUTOSCHEDULER, HL_AUTOSCHEDULER_PLUGIN,
HL_AUTOSCHEDULER_PARAMS (key=value,...).

Examples:
  gowarp exec --params gpu=h200 -- ninja -C build
  gowarp exec --autoscheduler Mullapudi2016 --plugin libautoschedule_mullapudi2016.so -- make`,
		OnUsageError: onUsage,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "params", Usage: "parameters of the autoscheduler, `KEY=VALUE,...`; \\, is a comma in a value"},
			&cli.StringFlag{Name: "autoscheduler", Usage: "the `NAME` of another autoscheduler; --plugin says where it is"},
			&cli.StringFlag{Name: "plugin", Usage: "the shared library `FILE` of the autoscheduler"},
		},
		Action: func(c *cli.Context) error {
			if !c.Args().Present() {
				return usagef("exec: which command? as in gowarp exec -- ninja -C build")
			}
			choice, err := chosen(c, os.Getenv)
			if err != nil {
				return err
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
			if choice.plugin == "" {
				choice.plugin = filepath.Join(dir, pluginName)
			}
			return execute(c, environment(os.Environ(), preload, choice))
		},
	}
}

// choice is what the generators of a build are told.
type choice struct{ autoscheduler, plugin, params string }

// chosen is the choice by flags, else by the environment, else gowarp. What is wrong with
// it is said here, before a build runs for an hour.
func chosen(c *cli.Context, getenv func(string) string) (choice, error) {
	given := "--params" // or what says them instead
	if !c.IsSet("params") {
		given = "HL_AUTOSCHEDULER_PARAMS"
	}
	pick := func(flag, variable string) string {
		if c.IsSet(flag) {
			return c.String(flag)
		}
		return getenv(variable)
	}
	ch := choice{pick("autoscheduler", "HL_AUTOSCHEDULER"), pick("plugin", "HL_AUTOSCHEDULER_PLUGIN"), pick("params", "HL_AUTOSCHEDULER_PARAMS")}
	if ch.autoscheduler == "" {
		ch.autoscheduler = "gowarp"
	}
	if ch.plugin != "" {
		if _, err := os.Stat(ch.plugin); err != nil {
			return ch, usagef("exec: no plugin at %s: %v", ch.plugin, err)
		}
		// The build changes folders.
		absolute, err := filepath.Abs(ch.plugin)
		if err != nil {
			return ch, err
		}
		ch.plugin = absolute
	} else if ch.autoscheduler != "gowarp" {
		return ch, usagef("exec: where is the autoscheduler %s? Name its shared library by --plugin FILE or HL_AUTOSCHEDULER_PLUGIN", ch.autoscheduler)
	}
	kv, err := splitParams(ch.params)
	if err == nil && ch.autoscheduler == "gowarp" {
		_, err = autoscheduler.CheckParams(kv)
	}
	if err != nil {
		return ch, usagef("exec: %s %s: %v", given, ch.params, err)
	}
	return ch, nil
}

// splitParams reads KEY=VALUE,... as the shim does: "\," is a comma in a value, "\\" a
// backslash, and a key may carry Halide's prefix.
func splitParams(list string) (map[string]string, error) {
	kv := map[string]string{}
	if list == "" {
		return kv, nil
	}
	items := []string{""}
	for i := 0; i < len(list); i++ {
		last := &items[len(items)-1]
		switch {
		case list[i] == ',':
			items = append(items, "")
		case list[i] == '\\' && i+1 < len(list) && (list[i+1] == ',' || list[i+1] == '\\'):
			i++
			fallthrough
		default:
			*last += list[i : i+1]
		}
	}
	for _, item := range items {
		key, value, _ := strings.Cut(item, "=")
		key = strings.TrimPrefix(key, "autoscheduler.")
		if key == "" || value == "" || strings.Contains(value, "=") {
			return nil, fmt.Errorf("%q is not KEY=VALUE", item)
		}
		if _, twice := kv[key]; twice {
			return nil, fmt.Errorf("%s is given twice", key)
		}
		kv[key] = value
	}
	return kv, nil
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

// environment adds the shim and the choice to an environment. LD_PRELOAD keeps what it has.
func environment(env []string, preload string, ch choice) []string {
	for _, e := range env {
		if old, ok := strings.CutPrefix(e, "LD_PRELOAD="); ok && old != "" {
			preload += ":" + old
		}
	}
	out := append(slices.Clone(env), "LD_PRELOAD="+preload, "HL_AUTOSCHEDULER="+ch.autoscheduler, "HL_AUTOSCHEDULER_PLUGIN="+ch.plugin)
	if ch.params != "" {
		out = append(out, "HL_AUTOSCHEDULER_PARAMS="+ch.params)
	}
	return out
}

// execute runs the command and hands on its exit code.
func execute(c *cli.Context, env []string) error {
	args := c.Args().Slice()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, forChild(c.App.Writer), c.App.ErrWriter
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return cli.Exit(fmt.Sprintf("exec: %s: %v", args[0], err), max(exit.ExitCode(), exitFailure))
	}
	if err != nil {
		return fmt.Errorf("exec: %w", neverRan(args[0], err))
	}
	return nil
}

// neverRan says of a command that it could not be started, and why, without the words of the call that failed.
func neverRan(name string, err error) error {
	var path *fs.PathError
	var named *exec.Error // looked for, and not found
	switch {
	case errors.As(err, &path):
		err = path.Err
	case errors.As(err, &named):
		err = named.Err
	}
	return fmt.Errorf("%s cannot be run: %w", name, err)
}
