// The C ABI between the C++ half of the bridge (package halidecc) and its Go
// half (package abi). Flat structs and NUL-terminated strings: neither side
// parses the other's data structures. Words ("compute_root", "gpu_shared",
// "round_up") are those of the schedule's JSON form, so an unknown one can be
// named in an error.
#ifndef GOWARP_ABI_H
#define GOWARP_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// One scheduling call on one stage of one Func; unused fields are 0 or NULL.
//
// A loop is named either "@k", the k-th loop of the untouched stage counted
// from the innermost, or by a name that an earlier directive of the same stage
// made.
typedef struct {
    const char *op;
    int32_t func;   // id in the exported pipeline
    int32_t stage;  // 0 is the pure definition
    const char **vars;
    int32_t num_vars;
    int64_t n;       // factor, extent, alignment, or registers
    int64_t offset;  // of "demote": bytes
    const char *tail;
    const char *memory;
    int32_t at_func, at_stage;
    const char *at_var;
    const int64_t *multiples;  // of "specialize", one for each of vars
    int32_t special;           // acts on the special case
} gowarp_directive;

// A kernel as the schedule's author expects it, at the estimated sizes, x first.
typedef struct {
    int32_t func, stage;
    int64_t blocks[3], threads[3];
    int64_t shared_bytes;
    int32_t shared_exact;  // 0: Halide sizes it at run time, shared_bytes is the most
    int64_t shared_most;   // up to which it may be more all the same
    int32_t global_scratch;  // what belongs to a block may be in global memory
    int64_t launches;        // iterations of the host's loops around it
} gowarp_kernel;

// The points of an input that are read along one dimension, at the estimated sizes.
typedef struct {
    int32_t input, dim;  // the position in the exported pipeline
    int64_t min, max;
} gowarp_need;

// What is wrong with a kernel.
enum {
    gowarp_kernel_differs,  // it is another than was expected
    gowarp_unneeded,        // Halide needs no point of the Func at the estimated sizes
    gowarp_torn,            // an operation that was to be atomic is not
    gowarp_unproven,        // Halide cannot prove that the extents of the Func that the schedule says do
    gowarp_unbounded,       // with the Func inlined Halide finds no bounds of what it reads
};

// What a check found wrong with the last answer: the kernel of a Func, or the schedule
// as a whole.
typedef struct {
    int32_t func;  // -1: it is not known which kernel
    int32_t kind;
} gowarp_fault;

// What an answer asks for that is none yet.
enum {
    gowarp_device_code = 1,  // that of its directives
    gowarp_driver_record,    // all that a run of them asks of the driver
};

// How definitions are to be changed before a pipeline is exported.
enum {
    gowarp_write_out = 1,             // short reductions become definitions
    gowarp_fuse_init = 2,             // updates take over pure definitions
    gowarp_separate = 4,              // windows are combined from parts
    gowarp_separate_floats = 8,       // those of floats too
    gowarp_separate_weighted = 16,    // those of unequal weights too
    gowarp_separate_if_cheaper = 32,  // whichever of them are predicted to be worth it
    gowarp_cache_write = 64,          // Funcs copy what holds their reductions
    gowarp_hold_reads = 128,          // reductions read within what is needed of them
};

// What came of the last answer, which was no answer yet.
typedef struct {
    const char *text;  // what was asked for; NULL if it was not to be had
    const char *why;   // then
} gowarp_code;

// What C++ asks of Go: everything is owned by C++ and valid during the call. The requests for one pipeline are a session; of all but the
// first only session, faults and code are looked at.
typedef struct {
    uintptr_t session;  // as the first reply has it; 0 in the first request
    uintptr_t found;    // of the prediction for this pipeline, in the first request; 0 if there was none
    const char *json;  // the exported pipeline
    size_t json_bytes;
    const char **keys;  // parameters, in the order of their names
    const char **values;
    int32_t num_params;
    int32_t verbose;  // level of HL_DEBUG_AUTOSCHEDULE
    const gowarp_fault *faults;  // of the last answer
    int32_t num_faults;
    const gowarp_code *code;  // where the last answer asked for it, else NULL
} gowarp_request;

// What the schedule of a pipeline is predicted to be.
typedef struct {
    double cost;      // in the unit of the cost that the parameters name; -1 where that is not to be had
    uintptr_t found;  // what scheduling that pipeline may go on from; to be given to gowarp_forget, if it is not 0
} gowarp_prediction;

// What Go answers. Everything in it was allocated by malloc and is freed by
// gowarp_reply_free. error is NULL on success; then the rest is set.
typedef struct {
    uintptr_t session;  // to be given to gowarp_end, if it is not 0, whether there was an error or not
    int32_t number;  // of the answer within the session, to be given to gowarp_taken when it has been applied
    gowarp_directive *directives;
    int32_t num_directives;
    char *source;   // the schedule as Halide C++
    char *listing;  // the schedule for people, if verbose
    int32_t check;  // compare what Halide makes of it with kernels and needs
    gowarp_kernel *kernels;
    int32_t num_kernels;
    gowarp_need *needs;
    int32_t num_needs;
    int32_t none;  // there is no runner-up that lacks the faults; the rest is not set
    int32_t compile;  // not 0: no answer yet; ask again with what these directives give
    char *warning;    // for the user, verbose or not, if it is not NULL; a line each
    char *error;
} gowarp_reply;

void gowarp_reply_free(gowarp_reply *reply);

#ifdef __cplusplus
}
#endif

#endif
