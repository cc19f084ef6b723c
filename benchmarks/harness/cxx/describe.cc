// Prints the arguments of an ahead-of-time compiled pipeline, with the regions of its
// buffers when its outputs have the extents that their estimates name, or those extents
// scaled so that the first output is WIDTH x HEIGHT:
//
//     describe [WIDTH HEIGHT]
//     input  NAME u1 MIN:EXTENT,MIN:EXTENT
//     output NAME f4 MIN:EXTENT
//     scalar NAME f4 VALUE
//
// What inputs have to hold the pipeline itself says (Halide's bounds query). It is asked
// with inputs of their estimated extents, scaled alike: an input whose extent the
// algorithm mentions (a clamp, a reduction over all of it) has no other extent.
#include "HalideRuntime.h"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

int (*pipeline)(void **) = nullptr;
const halide_filter_metadata_t *metadata = nullptr;

// Extents up to this are channels, taps, bins: they do not grow with an image.
constexpr int64_t small_extent = 64;

[[noreturn]] void fail(const std::string &message) {
    fprintf(stderr, "describe: %s\n", message.c_str());
    exit(1);
}

std::string type_name(halide_type_t t) {
    const char *code = t.code == halide_type_int ? "i" : t.code == halide_type_uint ? "u" : t.code == halide_type_float ? "f" : nullptr;
    if (!code || t.lanes != 1) {
        return "?";
    }
    if (t.code == halide_type_uint && t.bits == 1) {
        return "b1";  // a byte that is 0 or 1
    }
    return code + std::to_string((t.bits + 7) / 8);
}

// The estimate of a dimension's min (which = 0) or extent (1).
bool estimate(const halide_filter_argument_t &a, int d, int which, int64_t *value) {
    if (!a.buffer_estimates || !a.buffer_estimates[2 * d + which]) {
        return false;
    }
    *value = *a.buffer_estimates[2 * d + which];
    return true;
}

// How much larger than estimated the image is to be, in its first and second dimension.
double scale[2] = {1, 1};

// The dimensions of a buffer: estimated, and those of an image scaled.
std::vector<halide_dimension_t> dimensions(const halide_filter_argument_t &a) {
    std::vector<halide_dimension_t> dims(a.dimensions);
    int image = 0;
    int64_t stride = 1;
    for (int d = 0; d < a.dimensions; d++) {
        int64_t min = 0, extent = 0;
        const bool known = estimate(a, d, 1, &extent);
        estimate(a, d, 0, &min);
        if (!known && a.kind == halide_argument_kind_output_buffer) {
            fail(std::string("the output ") + a.name + " has no estimate of its extent in dimension " + std::to_string(d) +
                 "; add " + a.name + ".dim(" + std::to_string(d) + ").set_estimate(0, EXTENT) to the generator");
        }
        if (extent > small_extent && image < 2) {
            extent = std::max<int64_t>(1, std::llround((double)extent * scale[image++]));
        }
        dims[d] = halide_dimension_t((int32_t)min, (int32_t)extent, (int32_t)stride, 0);
        stride *= std::max<int64_t>(extent, 1);
    }
    return dims;
}

void set_scale(const char *width, const char *height) {
    const double want[2] = {atof(width), atof(height)};
    if (!(want[0] >= 1 && want[1] >= 1)) {
        fail(std::string(width) + " x " + height + " is no size");
    }
    for (int i = 0; i < metadata->num_arguments; i++) {
        const halide_filter_argument_t &a = metadata->arguments[i];
        if (a.kind != halide_argument_kind_output_buffer) {
            continue;
        }
        int image = 0;
        for (int d = 0; d < a.dimensions && image < 2; d++) {
            int64_t extent = 0;
            if (estimate(a, d, 1, &extent) && extent > small_extent) {
                scale[image] = want[image] / (double)extent;
                image++;
            }
        }
        if (image == 1) {
            scale[1] = scale[0];
        }
        return;
    }
    fail("the pipeline has no output");
}

void print_scalar(const halide_filter_argument_t &a) {
    const halide_scalar_value_t *v = a.scalar_estimate ? a.scalar_estimate : a.scalar_def;
    halide_scalar_value_t none{};
    const std::string type = type_name(a.type);
    if (!v) {
        if (a.type.code == halide_type_handle) {
            fail(std::string("the argument ") + a.name + " is a pointer");
        }
        v = &none;
    }
    printf("scalar %s %s ", a.name, type.c_str());
    switch (a.type.code) {
    case halide_type_float:
        printf("%.17g\n", a.type.bits == 64 ? v->u.f64 : (double)v->u.f32);
        return;
    case halide_type_int:
        printf("%lld\n", (long long)(a.type.bits == 64 ? v->u.i64 : a.type.bits == 32 ? v->u.i32 : a.type.bits == 16 ? v->u.i16 : v->u.i8));
        return;
    default:
        printf("%llu\n", (unsigned long long)(a.type.bits == 1 ? v->u.b : a.type.bits == 64 ? v->u.u64 : a.type.bits == 32 ? v->u.u32 : a.type.bits == 16 ? v->u.u16 : v->u.u8));
    }
}

}  // namespace

// The emitted registration file calls this from a static initialiser.
extern "C" void halide_register_argv_and_metadata(int (*call)(void **), const halide_filter_metadata_t *m, const char *const *) {
    pipeline = call;
    metadata = m;
}

int main(int argc, char **argv) {
    if (argc != 1 && argc != 3) {
        fail("WIDTH HEIGHT, or nothing, is wanted");
    }
    if (argc == 3) {
        set_scale(argv[1], argv[2]);
    }
    const int n = metadata->num_arguments;
    std::vector<std::vector<halide_dimension_t>> dims(n);
    std::vector<halide_buffer_t> buffers(n);
    std::vector<halide_scalar_value_t> scalars(n);
    std::vector<void *> raw(n);
    for (int i = 0; i < n; i++) {
        const halide_filter_argument_t &a = metadata->arguments[i];
        if (a.kind == halide_argument_kind_input_scalar) {
            if (const halide_scalar_value_t *v = a.scalar_estimate ? a.scalar_estimate : a.scalar_def) {
                scalars[i] = *v;
            }
            raw[i] = &scalars[i];
            continue;
        }
        dims[i] = dimensions(a);
        memset(&buffers[i], 0, sizeof(buffers[i]));
        buffers[i].type = a.type;
        buffers[i].dimensions = a.dimensions;
        buffers[i].dim = dims[i].data();
        raw[i] = &buffers[i];
    }
    // Without memory behind them, buffers are asked for their regions and nothing is computed.
    if (int error = pipeline(raw.data())) {
        fail("the pipeline does not say which inputs it needs: error " + std::to_string(error));
    }
    for (int i = 0; i < n; i++) {
        const halide_filter_argument_t &a = metadata->arguments[i];
        if (a.kind == halide_argument_kind_input_scalar) {
            print_scalar(a);
            continue;
        }
        printf("%s %s %s ", a.kind == halide_argument_kind_input_buffer ? "input" : "output", a.name, type_name(a.type).c_str());
        for (int d = 0; d < a.dimensions; d++) {
            printf("%s%d:%d", d ? "," : "", dims[i][d].min, std::max(dims[i][d].extent, 1));
        }
        printf("%s\n", a.dimensions ? "" : "-");
    }
    return 0;
}
