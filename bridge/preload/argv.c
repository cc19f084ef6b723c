#define _GNU_SOURCE
#include "argv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The position of the value of the last -x flag, or 0.
static int flag_value(int argc, char **argv, const char *flag) {
    int at = 0;
    for (int i = 1; i + 1 < argc; i++) {
        if (argv[i][0] == '-') {
            if (strcmp(argv[i], flag) == 0) {
                at = i + 1;
            }
            i++;  // every flag takes a value, which may look like a flag
        }
    }
    return at;
}

const char *generator_name(int argc, char **argv) {
    const int g = flag_value(argc, argv, "-g");
    return g ? argv[g] : "generator";
}

const char *generator_param(int argc, char **argv, const char *key) {
    const size_t n = strlen(key);
    const char *value = NULL;
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] == '-') {
            i++;
        } else if (strncmp(argv[i], key, n) == 0 && argv[i][n] == '=') {
            value = argv[i] + n + 1;
        }
    }
    return value;
}

static const char *after_slash(const char *path, const char *end) {
    const char *p = end;
    while (p > path && p[-1] != '/') {
        p--;
    }
    return p;
}

int lists_plugin(int argc, char **argv, const char *path) {
    const int at = flag_value(argc, argv, "-p");
    if (!at || !argv[at][0]) {
        return 0;
    }
    if (!path) {
        return 1;
    }
    const char *name = after_slash(path, path + strlen(path));
    const size_t n = strlen(name);
    for (const char *p = argv[at]; *p; p += strspn(p, ",")) {
        const char *end = p + strcspn(p, ",");
        const char *file = after_slash(p, end);
        if ((size_t)(end - file) == n && strncmp(file, name, n) == 0) {
            return 1;
        }
        p = end;
    }
    return 0;
}

int wants_autoscheduler(int argc, char **argv) {
    const int g = flag_value(argc, argv, "-g");
    if (!g || !argv[g][0]) {
        return 0;
    }
    // Halide writes a stub for the generator itself: no target, no pipeline.
    const int e = flag_value(argc, argv, "-e");
    return !(e && strcmp(argv[e], "cpp_stub") == 0);
}

static char *join(const char *a, const char *b, const char *c) {
    char *s = malloc(strlen(a) + strlen(b) + strlen(c) + 1);
    if (s) {
        strcpy(s, a);
        strcat(s, b);
        strcat(s, c);
    }
    return s;
}

struct words {
    char **v;
    int n;
    int failed;
};

// Takes the word over.
static void push(struct words *w, char *word) {
    if (!word) {
        w->failed = 1;
        return;
    }
    char **v = realloc(w->v, (size_t)(w->n + 2) * sizeof *v);
    if (!v) {
        free(word);
        w->failed = 1;
        return;
    }
    w->v = v;
    v[w->n++] = word;
    v[w->n] = NULL;
}

// Cuts the first item off a list: up to a comma, "\," and "\\" standing for the
// characters themselves. Returns the rest, NULL after the last item.
static char *cut_item(char *list) {
    char *to = list;
    for (char *from = list; *from; from++) {
        if (*from == ',') {
            *to = 0;
            return from + 1;
        }
        if (*from == '\\' && (from[1] == ',' || from[1] == '\\')) {
            from++;
        }
        *to++ = *from;
    }
    *to = 0;
    return NULL;
}

// Whether a word KEY=VALUE from the given place on has this key.
static int given(const struct words *w, int from, const char *key) {
    const size_t n = strlen(key);
    for (int i = from; i < w->n; i++) {
        if (strncmp(w->v[i], key, n) == 0 && w->v[i][n] == '=') {
            return 1;
        }
    }
    return 0;
}

// Adds KEY=VALUE,… ; returns 0 after a message if the list is malformed.
static int push_params(struct words *w, int argc, char **argv, const char *params) {
    char *copy = strdup(params);
    struct words mine = {NULL, 0, 0};
    int ok = copy != NULL;
    for (char *item = copy, *rest; ok && item; item = rest) {
        rest = cut_item(item);
        char *equals = strchr(item, '=');
        if (!equals || equals == item || !equals[1] || strchr(equals + 1, '=')) {
            fprintf(stderr,
                    "gowarp: HL_AUTOSCHEDULER_PARAMS: \"%s\" is not KEY=VALUE; write for example "
                    "HL_AUTOSCHEDULER_PARAMS=gpu=sm_86,dump=pipeline.json, and \"\\,\" for a comma in a value\n",
                    item);
            ok = 0;
            break;
        }
        *equals = 0;
        // Both spellings of a key: the command line's own has the prefix.
        const char *prefix = strncmp(item, "autoscheduler.", 14) == 0 ? "" : "autoscheduler.";
        char *key = join(prefix, item, "");
        if (key && given(&mine, 0, key)) {
            fprintf(stderr, "gowarp: HL_AUTOSCHEDULER_PARAMS: %s is given twice; keep one of them\n", item);
            ok = 0;
        } else if (key) {
            push(&mine, join(key, "=", equals + 1));
            if (!generator_param(argc, argv, key)) {
                push(w, join(key, "=", equals + 1));
            }
        }
        w->failed |= !key || mine.failed;
        free(key);
    }
    w->failed |= !copy;
    free_argv(mine.v);
    free(copy);
    return ok || !copy;
}

// Whether the features of a target, separated by '-', include one of Halide's GPU APIs.
static int names_gpu(const char *target, size_t length) {
    static const char *const apis[] = {"cuda", "opencl", "metal", "d3d12compute", "vulkan", "webgpu"};
    const char *end = target + length;
    for (const char *p = target; p < end;) {
        const char *dash = memchr(p, '-', (size_t)(end - p));
        const size_t n = (size_t)((dash ? dash : end) - p);
        for (size_t i = 0; i < sizeof apis / sizeof *apis; i++) {
            if (strlen(apis[i]) == n && strncmp(p, apis[i], n) == 0) {
                return 1;
            }
        }
        p += n + 1;
    }
    return 0;
}

int target_without_gpu(const char *targets, const char **target) {
    for (const char *p = targets; p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL) {
        const size_t n = strcspn(p, ",");
        if (n && !names_gpu(p, n)) {
            *target = p;
            return (int)n;
        }
    }
    return 0;
}

int complete_argv(int argc, char **argv, const char *name, const char *plugin, const char *params, char ***out) {
    struct words w = {NULL, 0, 0};
    const int p = flag_value(argc, argv, "-p");
    for (int i = 0; i < argc; i++) {
        if (plugin && i && i == p && argv[i][0]) {
            push(&w, join(argv[i], ",", plugin));
        } else if (plugin && i && i == p && !argv[i][0]) {
            push(&w, strdup(plugin));
        } else {
            push(&w, strdup(argv[i]));
        }
    }
    if (plugin && !p) {
        push(&w, strdup("-p"));
        push(&w, strdup(plugin));
    }
    if (name) {
        push(&w, join("autoscheduler=", name, ""));
    }
    if (params && *params && !push_params(&w, argc, argv, params)) {
        free_argv(w.v);
        return -1;
    }
    if (w.failed) {
        fprintf(stderr, "gowarp: out of memory\n");
        free_argv(w.v);
        return -1;
    }
    *out = w.v;
    return w.n;
}

void free_argv(char **argv) {
    for (char **a = argv; a && *a; a++) {
        free(*a);
    }
    free(argv);
}
