// The command line of a Halide generator: -flag VALUE pairs and key=value
// parameters, of which the last of a key counts.
#ifndef GOWARP_ARGV_H
#define GOWARP_ARGV_H

// This library is loaded into every process of a build: only what it interposes
// may be seen from outside.
#pragma GCC visibility push(hidden)

// The value of a key=value argument, NULL where it is absent.
const char *generator_param(int argc, char **argv, const char *key);

// The name that -g gives.
const char *generator_name(int argc, char **argv);

// The first of a list of targets ("a,b") that names no GPU API, and its length; 0 if
// all do.
int target_without_gpu(const char *targets, const char **target);

// Whether -p lists a file of the name that path ends in; with NULL, any file.
int lists_plugin(int argc, char **argv, const char *path);

// Whether the command compiles a generator (-g): a standalone runtime (-r) has
// nothing to schedule, and a command line in error is Halide's to explain.
int wants_autoscheduler(int argc, char **argv);

// A copy of argv, completed: plugin joins -p, name becomes autoscheduler=name,
// and each KEY=VALUE of params ("a=1,b=2", with "\," for a comma in a value) becomes
// autoscheduler.KEY=VALUE unless the command line has that key. Any of the three may be NULL. Returns
// the number of arguments, or -1 after a message on stderr.
int complete_argv(int argc, char **argv, const char *name, const char *plugin, const char *params, char ***out);

void free_argv(char **argv);

#pragma GCC visibility pop

#endif
