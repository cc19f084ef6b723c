// libgowarp_preload.so: HL_AUTOSCHEDULER for generators that know nothing of it.
//
// Every Halide generator, in C++ or Python, hands its command line to
// Halide::Internal::generate_filter_main. This library, preloaded or linked
// before libHalide, stands in front of that function and completes the command
// line (argv.c), as if the user had written it. Without HL_AUTOSCHEDULER it
// does nothing. What gowarp cannot schedule it leaves as it is, with a line on stderr: the
// variable is meant for a whole build. It needs libc only and must never need more: it is loaded into
// every child process of a build.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "argv.h"

// int Halide::Internal::generate_filter_main(int, char **, const GeneratorFactoryProvider &),
// whose reference is a pointer to those who call it, and the form without it.
#define FILTER_MAIN "_ZN6Halide8Internal20generate_filter_mainEiPPcRKNS0_24GeneratorFactoryProviderE"
#define FILTER_MAIN_2 "_ZN6Halide8Internal20generate_filter_mainEiPPc"

typedef int (*filter_main)(int, char **, const void *);
typedef int (*filter_main_2)(int, char **);

static void *halides_own(const char *symbol) {
    void *f = dlsym(RTLD_NEXT, symbol);
    if (!f) {
        // Python loads libHalide with RTLD_LOCAL, out of RTLD_NEXT's sight.
        void *lib = dlopen("libHalide.so", RTLD_NOLOAD | RTLD_LAZY);
        if (lib) {
            f = dlsym(lib, symbol);
        }
    }
    if (!f) {
        fprintf(stderr, "gowarp: this process runs a Halide generator, but has no libHalide.so that holds "
                        "generate_filter_main; unset LD_PRELOAD for it\n");
    }
    return f;
}

#define GOWARP_PLUGIN "libautoschedule_gowarp.so"

// Where the plugin is: HL_AUTOSCHEDULER_PLUGIN, else for gowarp beside this
// library. NULL, after a message, if it cannot be told.
static char *plugin_path(const char *name) {
    const char *given = getenv("HL_AUTOSCHEDULER_PLUGIN");
    if (given && *given) {
        return strdup(given);
    }
    if (strcmp(name, "gowarp") != 0) {
        fprintf(stderr,
                "gowarp: HL_AUTOSCHEDULER=%s: set HL_AUTOSCHEDULER_PLUGIN to the shared library of that autoscheduler "
                "(without it only gowarp is known)\n",
                name);
        return NULL;
    }
    char *plugin = NULL;
    Dl_info here;
    static const char mark = 0;
    char *self = dladdr(&mark, &here) && here.dli_fname ? realpath(here.dli_fname, NULL) : NULL;
    char *slash = self ? strrchr(self, '/') : NULL;
    if (slash) {
        slash[1] = 0;
        plugin = malloc(strlen(self) + sizeof GOWARP_PLUGIN);
        if (plugin) {
            strcat(strcpy(plugin, self), GOWARP_PLUGIN);
        }
    }
    free(self);
    if (!plugin) {
        fprintf(stderr, "gowarp: cannot tell where the plugin is; set HL_AUTOSCHEDULER_PLUGIN\n");
    }
    return plugin;
}

static int usable(const char *plugin, const char *name) {
    FILE *f = fopen(plugin, "rb");
    if (!f) {
        fprintf(stderr,
                "gowarp: HL_AUTOSCHEDULER=%s, but there is no plugin at %s; build it (make build), or set "
                "HL_AUTOSCHEDULER_PLUGIN to where it is\n",
                name, plugin);
        return 0;
    }
    char magic[4] = "";
    const int library = fread(magic, 1, sizeof magic, f) == sizeof magic && memcmp(magic, "\177ELF", sizeof magic) == 0;
    fclose(f);
    if (!library) {
        fprintf(stderr, "gowarp: HL_AUTOSCHEDULER_PLUGIN: %s is no shared library\n", plugin);
        return 0;
    }
    if (strchr(plugin, ',')) {
        fprintf(stderr, "gowarp: the path of the plugin, %s, has a comma, which Halide takes for the end of a path\n",
                plugin);
        return 0;
    }
    return 1;
}

// The run of a generator that the variable alone gave to gowarp, for which the plugin
// may find that the generator has a schedule of its own.
static struct {
    int inside;   // Halide's shorter generate_filter_main calls the longer one through this library
    int open;     // such a run is under way
    int leaving;  // the plugin gave up; the generator runs again, as it is
    void (*unmute)(void);
    char **arguments;  // the command line of the run, if it was completed
} run;

#define EXPORTED __attribute__((visibility("default")))

// For the plugin: answers whether the generator will run again without gowarp, if
// this run fails. Until then the plugin has silenced C++'s cerr.
EXPORTED int gowarp_leave_alone(void (*unmute)(void));
int gowarp_leave_alone(void (*unmute)(void)) {
    if (!run.open) {
        return 0;
    }
    run.leaving = 1;
    run.unmute = unmute;
    return 1;
}

// For the plugin: the completed command line of the generator that runs, or NULL.
EXPORTED const char *const *gowarp_arguments(void);
const char *const *gowarp_arguments(void) {
    return (const char *const *)run.arguments;
}

// The generators that this process leaves as they are: "a,b".
#define LEFT_ALONE "GOWARP_LEFT_ALONE"

static int left_alone(const char *generator) {
    const size_t n = strlen(generator);
    for (const char *p = getenv(LEFT_ALONE); p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL) {
        if (strncmp(p, generator, n) == 0 && (p[n] == ',' || !p[n])) {
            return 1;
        }
    }
    return 0;
}

// Completes the command line. Returns the number of arguments, 0 if it stays
// as it is, -1 after a message. *chose says whether the command line has its autoscheduler from here.
static int complete(int argc, char **argv, char ***out, int *chose) {
    const char *name = getenv("HL_AUTOSCHEDULER");
    *chose = 0;
    if (run.inside || !name || !*name || !wants_autoscheduler(argc, argv)) {
        return 0;
    }
    // A choice on the command line wins, and what was meant for another
    // autoscheduler is not for it.
    const char *chosen = generator_param(argc, argv, "autoscheduler");
    if (chosen && strcmp(chosen, name) != 0) {
        return 0;
    }
    const char *target = NULL, *targets = generator_param(argc, argv, "target");
    const int length = !chosen && targets && strcmp(name, "gowarp") == 0 ? target_without_gpu(targets, &target) : 0;
    if (length) {
        fprintf(stderr, "gowarp: %s: the target %.*s names no GPU: left as it is\n", generator_name(argc, argv), length,
                target);
        return 0;
    }
    if (!chosen && left_alone(generator_name(argc, argv))) {
        return 0;
    }
    // Nor is a plugin loaded a second time, or one asked for that the command
    // line can be trusted to bring.
    const char *given = getenv("HL_AUTOSCHEDULER_PLUGIN");
    const int known = strcmp(name, "gowarp") == 0 || (given && *given);
    const char *file = given && *given ? given : GOWARP_PLUGIN;
    char *plugin = NULL;
    if (known ? !lists_plugin(argc, argv, file) : !lists_plugin(argc, argv, NULL)) {
        plugin = plugin_path(name);
        if (!plugin || !usable(plugin, name)) {
            free(plugin);
            return -1;
        }
    }
    const int n = complete_argv(argc, argv, chosen ? NULL : name, plugin, getenv("HL_AUTOSCHEDULER_PARAMS"), out);
    free(plugin);
    *chose = n > 0 && !chosen;
    return n;
}

// The words of /proc/self/cmdline, NULL if they cannot be read.
static char **own_command(void) {
    FILE *f = fopen("/proc/self/cmdline", "rb");
    if (!f) {
        return NULL;
    }
    size_t size = 0, room = 0, words = 0;
    char *text = NULL;
    for (int c; (c = fgetc(f)) != EOF;) {
        if (size + 1 >= room) {
            char *larger = realloc(text, room = room ? 2 * room : 4096);
            if (!larger) {
                break;
            }
            text = larger;
        }
        text[size++] = (char)c;
        words += c == 0;
    }
    const int whole = feof(f) && size && !text[size - 1];
    fclose(f);
    char **v = whole ? malloc((words + 1) * sizeof *v) : NULL;
    if (!v) {
        free(text);
        return NULL;
    }
    char *p = text;
    for (size_t i = 0; i < words; i++, p += strlen(p) + 1) {
        v[i] = p;
    }
    v[words] = NULL;
    return v;
}

// Starts this process again, which now leaves the generator alone: then what it writes is,
// counters in names included, what it would have written without gowarp. Returns if that
// cannot be done.
static void start_again(const char *generator) {
    const char *others = getenv(LEFT_ALONE);
    char *names = malloc((others ? strlen(others) : 0) + strlen(generator) + 2);
    char **command = own_command();
    if (names && command) {
        sprintf(names, "%s%s%s", others ? others : "", others ? "," : "", generator);
        if (setenv(LEFT_ALONE, names, 1) == 0) {
            execv("/proc/self/exe", command);
        }
    }
    free(command ? command[0] : NULL);
    free(command);
    free(names);
}

// A run of the generator is at its end. Returns whether it has to run again, as it is.
static int again(int argc, char **argv, int chose) {
    if (!chose) {
        return 0;
    }
    run.open = 0;
    if (!run.leaving) {
        return 0;
    }
    run.leaving = 0;
    run.unmute();
    const char *generator = generator_name(argc, argv);
    fprintf(stderr, "gowarp: %s: it has a schedule of its own: left as it is\n", generator);
    start_again(generator);
    return 1;
}

EXPORTED int interposed(int argc, char **argv, const void *factories) __asm__(FILTER_MAIN);
EXPORTED int interposed_2(int argc, char **argv) __asm__(FILTER_MAIN_2);

int interposed(int argc, char **argv, const void *factories) {
    void *f = halides_own(FILTER_MAIN);
    char **completed = NULL;
    int chose = 0;
    const int n = f ? complete(argc, argv, &completed, &chose) : -1;
    if (n < 0) {
        return 1;
    }
    filter_main real;
    memcpy(&real, &f, sizeof f);  // ISO C has no conversion from data to code
    run.open |= chose;
    run.inside++;
    run.arguments = run.inside > 1 ? run.arguments : completed;
    int code = n ? real(n, completed, factories) : real(argc, argv, factories);
    if (again(argc, argv, chose)) {
        code = real(argc, argv, factories);
    }
    run.inside--;
    run.arguments = run.inside ? run.arguments : NULL;
    free_argv(completed);
    return code;
}

int interposed_2(int argc, char **argv) {
    void *f = halides_own(FILTER_MAIN_2);
    char **completed = NULL;
    int chose = 0;
    const int n = f ? complete(argc, argv, &completed, &chose) : -1;
    if (n < 0) {
        return 1;
    }
    filter_main_2 real;
    memcpy(&real, &f, sizeof f);
    run.open |= chose;
    run.inside++;
    run.arguments = run.inside > 1 ? run.arguments : completed;
    int code = n ? real(n, completed) : real(argc, argv);
    if (again(argc, argv, chose)) {
        code = real(argc, argv);
    }
    run.inside--;
    run.arguments = run.inside ? run.arguments : NULL;
    free_argv(completed);
    return code;
}
