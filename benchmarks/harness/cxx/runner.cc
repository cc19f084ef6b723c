// Runs one ahead-of-time compiled pipeline on arrays in .npy files.
//
//     runner sigma=1.5 input=in.npy output=out.npy:768,512 [--min.output=2,2] [--part.input=3] [--samples=20]
//
// An output names its extents: Halide's RunGen gives every output the shape of the
// first input, and converts types without an error; here each is what was asked for or
// nothing. --min.NAME gives a buffer's first coordinates, else 0. With --part.NAME=N
// the buffer is a part, on the GPU too, of one whose rows begin N elements earlier. Elements lie in memory in the order that the pipeline asks for (interleaved colours, say); files
// have the first dimension innermost. With --samples, prints the wall time of so many calls in nanoseconds, each with
// the device synchronised, after one warm-up; inputs stay on the device.
#include "HalideBuffer.h"
#include "HalideRuntime.h"

#define HALIDE_NO_PNG
#define HALIDE_NO_JPEG
#include "halide_image_io.h"

#include <algorithm>
#include <chrono>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

// Only in runtimes for CUDA.
extern "C" __attribute__((weak)) const halide_device_interface_t *halide_cuda_device_interface();

namespace {

using Halide::Runtime::Buffer;

int (*pipeline)(void **) = nullptr;
const halide_filter_metadata_t *metadata = nullptr;

[[noreturn]] void fail(const std::string &message) {
    fprintf(stderr, "runner: %s\n", message.c_str());
    exit(1);
}

std::string type_name(halide_type_t t) {
    const char *code = t.code == halide_type_int ? "int" : t.code == halide_type_uint ? "uint" : t.code == halide_type_float ? "float" : "handle";
    return code + std::to_string(t.bits);
}

bool check(bool ok, const char *message) {
    if (!ok) {
        fail(message);
    }
    return ok;
}

template<typename T>
void store(halide_scalar_value_t *value, T v) {
    memcpy(value, &v, sizeof(v));
}

void parse_scalar(const halide_filter_argument_t &arg, const std::string &text, halide_scalar_value_t *value) {
    char *end = nullptr;
    switch (arg.type.code) {
    case halide_type_float: {
        double v = strtod(text.c_str(), &end);
        arg.type.bits == 32 ? store(value, (float)v) : store(value, v);
        break;
    }
    case halide_type_uint:
        store(value, (uint64_t)strtoull(text.c_str(), &end, 0));
        break;
    case halide_type_int:
        store(value, (int64_t)strtoll(text.c_str(), &end, 0));
        break;
    default:
        break;
    }
    if (end == nullptr || *end != 0 || text.empty()) {
        fail(std::string(arg.name) + ": cannot read \"" + text + "\" as " + type_name(arg.type));
    }
}

// A .npy file has no booleans that Halide's functions know, and no Halide function writes a buffer of no dimension or of
// more than four: as bytes, and by the function that the others are called through, they are files like any other.
void bytes_of_booleans(Buffer<> &b, halide_type_t from, halide_type_t to) {
    if (b.type() == from) {
        b.raw_buffer()->type = to;
    }
}

const halide_type_t boolean(halide_type_uint, 1), byte(halide_type_uint, 8);

bool save(Buffer<> &b, const std::string &path) {
    bytes_of_booleans(b, boolean, byte);
    return Halide::Tools::Internal::save_npy<Buffer<>, check>(b, path);
}

std::vector<int> parse_numbers(const std::string &name, const std::string &text, long least) {
    std::vector<int> numbers;
    const char *p = text.c_str();
    while (*p) {
        char *end;
        long n = strtol(p, &end, 10);
        if (end == p || n < least || (*end && *end != ',')) {
            fail(name + ": cannot read the extents or coordinates \"" + text + "\"");
        }
        numbers.push_back((int)n);
        p = *end ? end + 1 : end;
    }
    return numbers;
}

// A copy whose dimensions lie in memory in this order, the innermost first, and whose rows begin so many elements earlier.
Buffer<> in_order(const Buffer<> &b, const std::vector<int> &order, int earlier = 0) {
    std::vector<int> extents, mins;
    for (int d = 0; d < b.dimensions(); d++) {
        extents.push_back(b.dim(d).extent() + (d == 0 ? earlier : 0));
        mins.push_back(b.dim(d).min() - (d == 0 ? earlier : 0));
    }
    Buffer<> copy(b.type(), extents, order);
    copy.set_min(mins);
    copy.copy_from(b);
    return copy;
}

// The order of files.
std::vector<int> first_innermost(int dimensions) {
    std::vector<int> order(dimensions);
    std::iota(order.begin(), order.end(), 0);
    return order;
}

struct Argument {
    halide_scalar_value_t scalar{};
    Buffer<> whole, buffer;
    std::string path;

    // Makes the buffer a part of one whose rows begin so many elements earlier. To move a buffer later would give up its part on the GPU.
    void be_part(int earlier) {
        whole = in_order(buffer, first_innermost(buffer.dimensions()), earlier);
        whole.set_host_dirty();
        if (halide_cuda_device_interface) {
            whole.copy_to_device(halide_cuda_device_interface());
        }
        buffer = whole.cropped(0, buffer.dim(0).min(), buffer.dim(0).extent());
    }
};

// The order of dimensions in memory that each buffer is to have. Asked for its bounds, a pipeline puts the strides that it insists on (Dimension::set_stride) in the place of those of buffers
// without memory; dimensions of which it asks nothing lie outside of those. Empty for scalars, and where the first dimension may be the innermost.
std::vector<std::vector<int>> orders_of_storage(const std::vector<void *> &raw) {
    std::vector<std::vector<halide_dimension_t>> dims(raw.size());
    std::vector<halide_buffer_t> asked(raw.size());
    std::vector<void *> query = raw;
    for (size_t i = 0; i < raw.size(); i++) {
        if (metadata->arguments[i].kind != halide_argument_kind_input_scalar) {
            const halide_buffer_t &b = *(const halide_buffer_t *)raw[i];
            dims[i].assign(b.dim, b.dim + b.dimensions);
            asked[i].type = b.type;
            asked[i].dimensions = b.dimensions;
            asked[i].dim = dims[i].data();
            query[i] = &asked[i];
        }
    }
    std::vector<std::vector<int>> orders(raw.size());
    if (pipeline(query.data())) {
        return orders;  // the call itself will say what is wrong
    }
    for (size_t i = 0; i < raw.size(); i++) {
        if (dims[i].empty() || dims[i][0].stride == 1) {
            continue;
        }
        std::vector<int32_t> dense(dims[i].size(), 1);  // by the region that is needed, which may be another one than was given
        for (size_t d = 1; d < dense.size(); d++) {
            dense[d] = dense[d - 1] * dims[i][d - 1].extent;
        }
        auto insisted = [&](int d) { return dims[i][d].stride != dense[d]; };
        std::vector<int> order = first_innermost((int)dims[i].size());
        std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
            return insisted(a) != insisted(b) ? insisted(a) : dims[i][a].stride < dims[i][b].stride;
        });
        if (!std::is_sorted(order.begin(), order.end())) {
            orders[i] = order;
        }
    }
    return orders;
}

}  // namespace

// The emitted registration file calls this from a static initialiser.
extern "C" void halide_register_argv_and_metadata(int (*call)(void **), const halide_filter_metadata_t *m, const char *const *) {
    pipeline = call;
    metadata = m;
}

int main(int argc, char **argv) {
    std::map<std::string, std::string> given;
    std::map<std::string, std::vector<int>> mins;
    std::map<std::string, int> parts;
    int samples = 0;
    for (int i = 1; i < argc; i++) {
        const std::string word = argv[i];
        const size_t eq = word.find('=');
        if (eq == std::string::npos) {
            fail("argument \"" + word + "\" is not NAME=VALUE");
        }
        if (word.compare(0, eq, "--samples") == 0) {
            samples = atoi(word.c_str() + eq + 1);
        } else if (word.rfind("--min.", 0) == 0) {
            mins[word.substr(6, eq - 6)] = parse_numbers(word.substr(0, eq), word.substr(eq + 1), LONG_MIN);
        } else if (word.rfind("--part.", 0) == 0) {
            parts[word.substr(7, eq - 7)] = parse_numbers(word.substr(0, eq), word.substr(eq + 1), 1).at(0);
        } else {
            given[word.substr(0, eq)] = word.substr(eq + 1);
        }
    }

    std::vector<Argument> args(metadata->num_arguments);
    std::vector<void *> raw(metadata->num_arguments);
    for (int i = 0; i < metadata->num_arguments; i++) {
        const halide_filter_argument_t &m = metadata->arguments[i];
        Argument &arg = args[i];
        auto it = given.find(m.name);
        if (it == given.end()) {
            fail(std::string("argument ") + m.name + " is missing");
        }
        std::string value = it->second;
        given.erase(it);
        if (m.kind == halide_argument_kind_input_scalar) {
            parse_scalar(m, value, &arg.scalar);
            raw[i] = &arg.scalar;
            continue;
        }
        if (m.kind == halide_argument_kind_input_buffer) {
            if (!Halide::Tools::load<Buffer<>, check>(value, &arg.buffer)) {
                fail("cannot read " + value);
            }
            if (m.type == boolean) {
                bytes_of_booleans(arg.buffer, byte, boolean);
            }
            if (arg.buffer.type() != m.type || arg.buffer.dimensions() != m.dimensions) {
                fail(value + " holds " + std::to_string(arg.buffer.dimensions()) + " dimensions of " + type_name(arg.buffer.type()) + ", the input " + m.name + " has " +
                     std::to_string(m.dimensions) + " of " + type_name(m.type));
            }
            arg.buffer.set_host_dirty();
        } else {
            const size_t colon = value.rfind(':');
            arg.path = value.substr(0, colon);
            const std::vector<int> extents = parse_numbers(m.name, colon == std::string::npos ? "" : value.substr(colon + 1), 1);
            if ((int)extents.size() != m.dimensions) {
                fail(std::string("the output ") + m.name + " has " + std::to_string(m.dimensions) + " dimensions, not " + std::to_string(extents.size()));
            }
            arg.buffer = Buffer<>(m.type, extents);
            // What the pipeline leaves out must not pass for a result.
            // 0xFF is a NaN in every float type; 0xA5 would be a float near zero.
            memset(arg.buffer.data(), m.type.code == halide_type_float ? 0xFF : 0xA5, arg.buffer.size_in_bytes());
        }
        if (auto at = mins.find(m.name); at != mins.end()) {
            if ((int)at->second.size() != m.dimensions) {
                fail("--min." + at->first + " has " + std::to_string(at->second.size()) + " coordinates, the buffer " + std::to_string(m.dimensions) + " dimensions");
            }
            arg.buffer.set_min(at->second);
            mins.erase(at);
        }
        raw[i] = arg.buffer.raw_buffer();
    }
    for (const auto &rest : mins) {
        fail("the pipeline has no buffer " + rest.first);
    }
    for (const auto &rest : given) {
        fail("the pipeline has no argument " + rest.first);
    }
    const std::vector<std::vector<int>> orders = orders_of_storage(raw);
    for (size_t i = 0; i < args.size(); i++) {
        if (!orders[i].empty()) {
            args[i].buffer = in_order(args[i].buffer, orders[i]);
            args[i].buffer.set_host_dirty(metadata->arguments[i].kind == halide_argument_kind_input_buffer);
        }
        if (auto at = parts.find(metadata->arguments[i].name); at != parts.end()) {
            args[i].be_part(at->second);
            parts.erase(at);
        }
        if (metadata->arguments[i].kind != halide_argument_kind_input_scalar) {
            raw[i] = args[i].buffer.raw_buffer();
        }
    }
    for (const auto &rest : parts) {
        fail("the pipeline has no buffer " + rest.first);
    }

    auto call = [&]() {
        if (int error = pipeline(raw.data())) {
            fail("the pipeline failed with code " + std::to_string(error));
        }
    };
    call();
    for (int s = 0; s <= samples && samples > 0; s++) {
        auto start = std::chrono::steady_clock::now();
        call();
        for (int i = 0; i < metadata->num_arguments; i++) {
            if (metadata->arguments[i].kind == halide_argument_kind_output_buffer) {
                args[i].buffer.device_sync();
            }
        }
        auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - start).count();
        if (s > 0) {
            printf("sample_ns %lld\n", (long long)ns);
        }
    }
    for (int i = 0; i < metadata->num_arguments; i++) {
        Argument &arg = args[i];
        if (metadata->arguments[i].kind == halide_argument_kind_output_buffer) {
            arg.buffer.copy_to_host();
            Buffer<> result = arg.whole.data() ? arg.buffer.copy() : arg.buffer;
            if (!orders[i].empty()) {
                result = in_order(result, first_innermost(result.dimensions()));
            }
            if (!save(result, arg.path)) {
                fail("cannot write " + arg.path);
            }
        }
    }
    // Left to Halide's own destructor, the device's driver may have ended before.
    const halide_device_interface_t *device = nullptr;
    for (Argument &arg : args) {
        if (const auto *used = arg.buffer.raw_buffer()->device_interface) {
            device = used;
        }
    }
    args.clear();
    if (device) {
        halide_device_release(nullptr, device);
    }
    return 0;
}
