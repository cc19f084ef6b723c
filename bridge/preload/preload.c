// libgowarp_preload.so: HL_AUTOSCHEDULER for generators that know nothing of it.
//
// Every Halide generator, in C++ or Python, hands its command line to
// Halide::Internal::generate_filter_main. This library, preloaded or linked
// before libHalide, stands in front of that function and completes the command
// line (argv.c), as if the user had written it. Without HL_AUTOSCHEDULER it
// does nothing. It needs libc only and must never need more: it is loaded into
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
    if (access(plugin, R_OK) != 0) {
        fprintf(stderr,
                "gowarp: HL_AUTOSCHEDULER=%s, but there is no plugin at %s; build it (make build), or set "
                "HL_AUTOSCHEDULER_PLUGIN to where it is\n",
                name, plugin);
        return 0;
    }
    if (strchr(plugin, ',')) {
        fprintf(stderr, "gowarp: the path of the plugin, %s, has a comma, which Halide takes for the end of a path\n",
                plugin);
        return 0;
    }
    return 1;
}

// Completes the command line. Returns the number of arguments, 0 if it stays
// as it is, -1 after a message. Completing twice changes nothing more: Halide's
// shorter generate_filter_main may call the longer one through this library.
static int complete(int argc, char **argv, char ***out) {
    const char *name = getenv("HL_AUTOSCHEDULER");
    if (!name || !*name || !wants_autoscheduler(argc, argv)) {
        return 0;
    }
    // A choice on the command line wins, and what was meant for another
    // autoscheduler is not for it.
    const char *chosen = generator_param(argc, argv, "autoscheduler");
    if (chosen && strcmp(chosen, name) != 0) {
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
    return n;
}

#define EXPORTED __attribute__((visibility("default")))

EXPORTED int interposed(int argc, char **argv, const void *factories) __asm__(FILTER_MAIN);
EXPORTED int interposed_2(int argc, char **argv) __asm__(FILTER_MAIN_2);

int interposed(int argc, char **argv, const void *factories) {
    void *f = halides_own(FILTER_MAIN);
    char **completed = NULL;
    const int n = f ? complete(argc, argv, &completed) : -1;
    if (n < 0) {
        return 1;
    }
    filter_main real;
    memcpy(&real, &f, sizeof f);  // ISO C has no conversion from data to code
    const int code = n ? real(n, completed, factories) : real(argc, argv, factories);
    free_argv(completed);
    return code;
}

int interposed_2(int argc, char **argv) {
    void *f = halides_own(FILTER_MAIN_2);
    char **completed = NULL;
    const int n = f ? complete(argc, argv, &completed) : -1;
    if (n < 0) {
        return 1;
    }
    filter_main_2 real;
    memcpy(&real, &f, sizeof f);
    const int code = n ? real(n, completed) : real(argc, argv);
    free_argv(completed);
    return code;
}
