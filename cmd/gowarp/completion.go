package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"gowarp/autoscheduler"
	"gowarp/internal/suggest"
	"gowarp/occupancy"
)

// completeName is the hidden command that the shells' scripts ask.
const completeName = "__complete"

func completionCommand() *cli.Command {
	return &cli.Command{
		Name:      "completion",
		Usage:     "print a script that makes a shell complete gowarp's commands, options and their values",
		ArgsUsage: "bash|zsh|fish",
		Description: `Prints a script for one shell. In the files that the shells read at their start:

  bash   source <(gowarp completion bash)        in ~/.bashrc
  zsh    source <(gowarp completion zsh)         in ~/.zshrc, after compinit
  fish   gowarp completion fish | source         in ~/.config/fish/config.fish`,
		OnUsageError: onUsage,
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usagef("completion: one shell is wanted, %d given: bash, zsh or fish", c.NArg())
			}
			shell := c.Args().First()
			script, ok := completionScripts[shell]
			if !ok {
				return usagef("completion: there is no script for %q%s; bash, zsh or fish is wanted", shell, suggest.Nearest(shell, shells))
			}
			_, err := io.WriteString(c.App.Writer, script)
			return err
		},
	}
}

var shells = []string{"bash", "zsh", "fish"}

// The scripts hand gowarp the words up to the cursor, the last of which may be empty, and take
// a candidate a line. Where there is none they fall back to files.
var completionScripts = map[string]string{
	// COMP_WORDS is split at = and :, and only the part behind it is replaced, so the
	// words are joined again, and what stands before the last = is cut off.
	"bash": `# gowarp's completion for bash: source <(gowarp completion bash)
_gowarp() {
    local i word words=() glue=
    for ((i = 1; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if [[ $i -gt 1 && ( $word == [=:]* || -n $glue ) ]]; then
            words[${#words[@]}-1]+=$word
        else
            words+=("$word")
        fi
        glue=
        [[ $word == *[=:] ]] && glue=1
    done
    local cut= last=${words[${#words[@]}-1]}
    [[ $COMP_WORDBREAKS == *=* && $last == *=* ]] && cut=${last%"${last##*=}"}
    local line
    COMPREPLY=()
    while IFS= read -r line; do
        line=${line#"$cut"}
        [[ $line == *= ]] && compopt -o nospace 2>/dev/null
        COMPREPLY+=("$line")
    done < <("${COMP_WORDS[0]}" ` + completeName + ` "${words[@]}" 2>/dev/null)
}
complete -o default -F _gowarp gowarp
`,
	"zsh": `#compdef gowarp
# gowarp's completion for zsh: source <(gowarp completion zsh)
_gowarp() {
    local -a found
    found=("${(@f)$("${words[1]}" ` + completeName + ` "${(@)words[2,CURRENT]}" 2>/dev/null)}")
    found=(${found:#})
    if (( ${#found} )); then
        compadd -S '' -- ${(M)found:#*=}
        compadd -- ${found:#*=}
    else
        _files
    fi
}
compdef _gowarp gowarp
`,
	"fish": `# gowarp's completion for fish: gowarp completion fish | source
function __gowarp_complete
    set -l words (commandline -opc)
    set -l found ($words[1] ` + completeName + ` $words[2..-1] (commandline -ct) 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c gowarp -f -a '(__gowarp_complete)'
`,
}

func completeCommand() *cli.Command {
	return &cli.Command{
		Name:            completeName,
		Usage:           "print what may stand for the last of some words",
		Hidden:          true,
		SkipFlagParsing: true,
		HideHelp:        true, // the words "help" and "--help" are for this command to complete
		Action: func(c *cli.Context) error {
			for _, s := range candidates(c.App, c.Args().Slice()) {
				if _, err := fmt.Fprintln(c.App.Writer, s); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// candidates are what may stand for the last of the words that follow gowarp; none where a
// file is wanted.
func candidates(app *cli.App, words []string) []string {
	if len(words) == 0 {
		words = []string{""}
	}
	last := words[len(words)-1]
	if len(words) == 1 {
		return matching(append(commandNames(app), flagWords(app.Flags)...), last)
	}
	cmd := app.Command(words[0])
	if cmd == nil || slices.Contains(words[1:len(words)-1], "--") {
		return nil // what follows is another program's
	}
	if prev := words[len(words)-2]; strings.HasPrefix(prev, "-") && takesValue(cmd, prev) {
		return matching(flagValues(cmd, prev), last)
	}
	if name, _, ok := strings.Cut(last, "="); ok && strings.HasPrefix(last, "-") {
		return matching(prefixed(name+"=", flagValues(cmd, name)), last)
	}
	if strings.HasPrefix(last, "-") {
		return matching(append(flagWords(cmd.Flags), "--help"), last)
	}
	return matching(argumentWords(app, cmd), last)
}

// argumentWords are the arguments that a command takes, where they are words and not files.
func argumentWords(app *cli.App, cmd *cli.Command) []string {
	switch cmd.Name {
	case "help":
		return commandNames(app)
	case "completion":
		return shells
	}
	return nil
}

// flagValues are the values that an option takes, where they are words.
func flagValues(cmd *cli.Command, word string) []string {
	switch strings.TrimLeft(word, "-") {
	case "gpu":
		return deviceNames()
	case "param", "p", "params":
		var out []string
		for _, row := range autoscheduler.Table {
			values := row.Values
			if row.Key == "gpu" {
				values = deviceNames()
			}
			switch {
			case (row.Key == "dump" || row.Key == "save") && cmd.Name != "exec":
			case values == nil:
				out = append(out, row.Key+"=")
			default:
				out = append(out, prefixed(row.Key+"=", values)...)
			}
		}
		return out
	case "format", "f":
		return formats
	case "dump":
		return append(autoscheduler.PassNames(autoscheduler.DefaultParams()), autoscheduler.DumpAll)
	}
	return nil
}

func deviceNames() []string {
	var out []string
	for _, d := range occupancy.Devices() {
		out = append(out, d.Name)
	}
	return out
}

func prefixed(prefix string, words []string) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = prefix + w
	}
	return out
}

// matching are the words that begin so. Of words with a value only the part up to the = is
// offered until it is typed.
func matching(words []string, start string) []string {
	var out []string
	for _, w := range words {
		if !strings.HasPrefix(w, start) || w == start && strings.HasSuffix(w, "=") {
			continue // behind KEY= stands a number or a file, of which nothing is known here
		}
		if i := strings.Index(w[len(start):], "="); i >= 0 {
			w = w[:len(start)+i+1]
		}
		if !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}
