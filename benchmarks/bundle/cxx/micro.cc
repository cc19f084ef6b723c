// Measures what a cost model of a GPU takes for granted, with kernels written in PTX by
// hand, and prints a line of JSON for each figure:
//
//     micro BYTES SCALE      memory for the largest copies; SCALE 1 is a GPU, less is quicker
//
// A rate is the difference of two runs of a loop, of which one is twice as long, so that
// what a launch costs is not in it; of several such pairs the median. Instructions are
// counted in PTX, as gpusim counts them, so that div.s32 stands for all that it becomes.
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <random>

#include "driver.h"

namespace {

int device = 0, sms = 1;
Handle start = nullptr, stop = nullptr;
double scale = 1;
size_t most_bytes = 0;

// ---- kernels ----

// Replaces each @NAME@ of a text.
std::string fill(std::string text, const std::vector<std::pair<std::string, std::string>> &words) {
    for (const auto &[name, value] : words) {
        for (size_t at; (at = text.find("@" + name + "@")) != std::string::npos;) {
            text.replace(at, name.size() + 2, value);
        }
    }
    return text;
}

// Every kernel takes a buffer, another one and a number; a thread has its place in the block
// (%r0), in the grid (%r1) and of all threads (%r2), and the buffers' addresses (%rd0, %rd1).
const char *frame = R"(
.version 6.3
.target sm_75
.address_size 64
.extern .shared .align 16 .b8 shared_memory[];
.visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n)
{
    .local .align 16 .b8 depot[64];
    .reg .pred %p<4>;
    .reg .f32 %f<32>;
    .reg .f64 %d<32>;
    .reg .b32 %r<64>;
    .reg .b64 %rd<32>;
    ld.param.u64 %rd30, [a];
    ld.param.u64 %rd31, [b];
    ld.param.u32 %r63, [n];
    cvta.to.global.u64 %rd0, %rd30;
    cvta.to.global.u64 %rd1, %rd31;
    mov.u32 %r0, %tid.x;
    mov.u32 %r60, %ntid.x;
    mov.u32 %r61, %ctaid.x;
    mov.u32 %r62, %nctaid.x;
    mad.lo.s32 %r1, %r61, %r60, %r0;
    mul.lo.s32 %r2, %r60, %r62;
@before@
again:
@body@
    add.s32 %r63, %r63, -1;
    setp.gt.s32 %p0, %r63, 0;
    @%p0 bra again;
@after@
    ret;
}
)";

struct Kernel {
    Handle module = nullptr, function = nullptr;

    Kernel(const std::string &before, const std::string &body, const std::string &after) {
        const std::string text = fill(frame, {{"before", before}, {"body", body}, {"after", after}});
        must(cuda.cuModuleLoadData(&module, text.c_str()), "a kernel in PTX");
        must(cuda.cuModuleGetFunction(&function, module, "k"), "a kernel in PTX");
    }
    Kernel(const Kernel &) = delete;
    Kernel &operator=(const Kernel &) = delete;
    ~Kernel() { cuda.cuModuleUnload(module); }

    void launch(unsigned blocks, unsigned threads, unsigned shared, Pointer a, Pointer b, int n) const {
        void *params[] = {&a, &b, &n};
        must(cuda.cuLaunchKernel(function, blocks, 1, 1, threads, 1, 1, shared, nullptr, params, nullptr), "a kernel's launch");
    }
};

double median(std::vector<double> v) {
    std::sort(v.begin(), v.end());
    return v[v.size() / 2];
}

double milliseconds(const std::function<void()> &work) {
    must(cuda.cuEventRecord(start, nullptr), "cuEventRecord");
    work();
    must(cuda.cuEventRecord(stop, nullptr), "cuEventRecord");
    return elapsed_ms(start, stop);
}

// The nanoseconds of an iteration of a loop.
struct Slope {
    double ns = 0;
    std::vector<double> all;
};

Slope slope(const std::function<void(int)> &run) {
    // As many iterations as take some milliseconds on a GPU.
    int n = 1;
    const double enough = 3 * scale;
    for (run(n); n < 1 << 20 && milliseconds([&] { run(n); }) < enough; n *= 2) {
    }
    Slope s;
    const int pairs = scale < 1 ? 1 : 7;
    for (int i = 0; i < pairs; i++) {
        const double once = milliseconds([&] { run(n); });
        const double twice = milliseconds([&] { run(2 * n); });
        s.all.push_back((twice - once) * 1e6 / n);
    }
    s.ns = median(s.all);
    return s;
}

void figure(const std::string &name, double value, const std::string &unit, const std::string &about, double least, double most) {
    reply("\"micro\":" + quoted(name) + ",\"value\":" + list({value}).substr(1, list({value}).size() - 2) + ",\"unit\":" + quoted(unit) + ",\"least_most\":" + list({least, most}) + ",\"about\":" + quoted(about));
}

void rate(const std::string &name, const Slope &s, double of, const std::string &unit, const std::string &about) {
    const auto [lo, hi] = std::minmax_element(s.all.begin(), s.all.end());
    figure(name, of / s.ns, unit, about, of / *hi, of / *lo);
}

void time_of(const std::string &name, const Slope &s, double each, const std::string &about) {
    const auto [lo, hi] = std::minmax_element(s.all.begin(), s.all.end());
    figure(name, s.ns / each, "ns", about, *lo / each, *hi / each);
}

struct Memory {
    Pointer p = 0;
    explicit Memory(size_t bytes) { must(cuda.cuMemAlloc_v2(&p, bytes), "cuMemAlloc"); }
    Memory(const Memory &) = delete;
    Memory &operator=(const Memory &) = delete;
    ~Memory() { cuda.cuMemFree_v2(p); }
};

// ---- instructions ----

struct Instruction {
    const char *name, *text;  // @c@ is a chain, @d@ and @e@ two others
    int count;                // instructions in it
    // As a chain of its own it is one instruction each: the compiler makes one of two sums or
    // minima in a row.
    bool latency = false;
};

// Chains that depend on each other in a circle, so that nothing folds: that each stands for
// as many of the machine's as there are was seen in SASS for 9.0 (CUDA 12). Logic is not
// here: two operations become one.
const Instruction instructions[] = {
    {"fma.f32", "fma.rn.f32 %f@c@, %f@d@, %f@e@, %f@c@;", 1, true},
    {"add.f32", "add.f32 %f@c@, %f@c@, %f@d@;", 1, true},
    {"mul.f32", "mul.f32 %f@c@, %f@c@, %f@d@;", 1, true},
    {"max.f32", "max.f32 %f@c@, %f@c@, %f@d@;", 1},
    {"setp+selp.f32", "setp.lt.f32 %p1, %f@c@, %f@d@; selp.f32 %f@c@, %f@e@, %f@c@, %p1;", 2},
    {"ex2.approx.f32", "ex2.approx.f32 %f@c@, %f@d@;", 1},
    {"lg2.approx.f32", "lg2.approx.f32 %f@c@, %f@d@;", 1},
    {"sin.approx.f32", "sin.approx.f32 %f@c@, %f@d@;", 1},
    {"rsqrt.approx.f32", "rsqrt.approx.f32 %f@c@, %f@d@;", 1},
    {"sqrt.rn.f32", "sqrt.rn.f32 %f@c@, %f@d@;", 1},
    {"div.rn.f32", "div.rn.f32 %f@c@, %f@c@, %f@d@;", 1, true},
    {"fma.f64", "fma.rn.f64 %d@c@, %d@d@, %d@e@, %d@c@;", 1, true},
    {"add.s32", "add.s32 %r1@c@, %r1@c@, %r1@d@;", 1},
    {"mad.lo.s32", "mad.lo.s32 %r1@c@, %r1@d@, %r1@e@, %r1@c@;", 1, true},
    {"mul.hi.s32", "mul.hi.s32 %r1@c@, %r1@c@, %r1@d@;", 1, true},
    {"shr.s32", "shr.s32 %r1@c@, %r1@d@, %r1@e@;", 1},
    {"min.s32", "min.s32 %r1@c@, %r1@c@, %r1@d@;", 1},
    {"setp+selp.s32", "setp.lt.s32 %p1, %r1@c@, %r1@d@; selp.b32 %r1@c@, %r1@e@, %r1@c@, %p1;", 2},
    {"add.s64", "add.s64 %rd1@c@, %rd1@c@, %rd1@d@;", 1},
    {"mul.wide.s32", "mul.wide.s32 %rd1@c@, %r1@c@, %r1@d@; mov.b64 {%r1@c@, %r1@e@}, %rd1@c@;", 1},
    {"div.s32", "or.b32 %r40, %r1@d@, 1; div.s32 %r1@c@, %r1@c@, %r40;", 1, true},
    {"rem.s32", "or.b32 %r40, %r1@d@, 1; rem.s32 %r1@c@, %r1@c@, %r40;", 1, true},
    {"cvt.rn.f32.s32", "cvt.rn.f32.s32 %f@c@, %r1@d@; mov.b32 %r1@c@, %f@c@;", 1},
    {"cvt.rzi.s32.f32", "cvt.rzi.s32.f32 %r1@c@, %f@d@; mov.b32 %f@c@, %r1@c@;", 1},
    {"shfl.sync.down", "shfl.sync.down.b32 %r1@c@, %r1@d@, 1, 31, -1;", 1},
};

constexpr int chains = 8;

std::string number(long long n) { return std::to_string(n); }

// Values that only the run knows, and a store that keeps them.
std::string begin_chains(int n) {
    std::string text;
    for (int c = 0; c < n; c++) {
        text += fill("    add.s32 %r1@c@, %r1, @k@;\n    cvt.rn.f32.s32 %f@c@, %r1@c@;\n    cvt.rn.f64.s32 %d@c@, %r1@c@;\n    cvt.s64.s32 %rd1@c@, %r1@c@;\n", {{"c", number(c)}, {"k", number(17 * c + 3)}});
    }
    return text;
}

std::string end_chains(int n) {
    std::string text = "    mov.u32 %r50, 0;\n";
    for (int c = 0; c < n; c++) {
        text += fill("    mov.b32 %r51, %f@c@;\n    xor.b32 %r50, %r50, %r51;\n    xor.b32 %r50, %r50, %r1@c@;\n    cvt.rzi.s32.f64 %r51, %d@c@;\n    xor.b32 %r50, %r50, %r51;\n    mov.b64 {%r51, %r52}, %rd1@c@;\n    xor.b32 %r50, %r50, %r51;\n    xor.b32 %r50, %r50, %r52;\n",
                     {{"c", number(c)}});
    }
    return text + "    mul.wide.s32 %rd20, %r1, 4;\n    add.s64 %rd20, %rd0, %rd20;\n    st.global.u32 [%rd20], %r50;\n";
}

void issue_rates() {
    constexpr unsigned threads = 512;
    const unsigned blocks = 2 * (unsigned)sms;  // 32 warps an SM
    Memory out(4 * (size_t)threads * blocks);
    for (const Instruction &i : instructions) {
        constexpr int unrolled = 4;
        std::string body;
        for (int u = 0; u < unrolled * chains; u++) {
            const int c = u % chains;
            body += "    " + fill(i.text, {{"c", number(c)}, {"d", number((c + 1) % chains)}, {"e", number((c + 2) % chains)}}) + "\n";
        }
        const Kernel k(begin_chains(chains), body, end_chains(chains));
        const double count = (double)unrolled * chains * i.count * (threads / 32) * blocks / sms;
        rate(std::string("issue ") + i.name, slope([&](int n) { k.launch(blocks, threads, 0, out.p, 0, n); }), count, "warp instructions/ns/SM", "32 warps an SM, 8 independent chains a thread");
        // One warp, one chain: each waits for the one before.
        std::string chain;
        for (int u = 0; u < 32; u++) {
            chain += "    " + fill(i.text, {{"c", "0"}, {"d", "1"}, {"e", "2"}}) + "\n";
        }
        if (i.latency) {
            const Kernel one(begin_chains(chains), chain, end_chains(chains));
            time_of(std::string("latency ") + i.name, slope([&](int n) { one.launch(1, 32, 0, out.p, 0, n); }), 32, "one warp, each instruction needs the one before");
        }
    }
}

// ---- memory ----

// A thread copies 16 bytes at a time, neighbours side by side, over and over the buffer.
void copies() {
    const std::string before = R"(
    mul.wide.s32 %rd2, %r1, 16;
    mul.wide.s32 %rd3, %r2, 16;
    mov.u64 %rd4, @bytes@;
    mov.u32 %r10, 0;
    mov.u32 %r11, 0;
    mov.u32 %r12, 0;
    mov.u32 %r13, 0;
)";
    const std::string loop = R"(
    mov.u64 %rd5, %rd2;
inner:
    add.s64 %rd6, %rd0, %rd5;
    add.s64 %rd7, %rd1, %rd5;
@access@
    add.s64 %rd5, %rd5, %rd3;
    setp.lt.s64 %p1, %rd5, %rd4;
    @%p1 bra inner;
)";
    // Loads pass the L1 by: a quarter of the L2 is less than all L1s together hold.
    struct {
        const char *name, *access;
        int moved;
    } const kinds[] = {
        {"copy", "    ld.global.cg.v4.u32 {%r10, %r11, %r12, %r13}, [%rd6];\n    st.global.v4.u32 [%rd7], {%r10, %r11, %r12, %r13};\n", 2},
        {"read", "    ld.global.cg.v4.u32 {%r20, %r21, %r22, %r23}, [%rd6];\n    xor.b32 %r10, %r10, %r20;\n    xor.b32 %r11, %r11, %r21;\n    xor.b32 %r12, %r12, %r22;\n    xor.b32 %r13, %r13, %r23;\n", 1},
        {"write", "    st.global.v4.u32 [%rd7], {%r10, %r11, %r12, %r13};\n", 1},
    };
    const std::string after = R"(
    xor.b32 %r10, %r10, %r11;
    xor.b32 %r12, %r12, %r13;
    xor.b32 %r10, %r10, %r12;
    mul.wide.s32 %rd8, %r1, 4;
    add.s64 %rd8, %rd8, %rd4;
    add.s64 %rd8, %rd1, %rd8;
    st.global.u32 [%rd8], %r10;
)";
    int l2 = attribute(device, attribute_l2_bytes);
    if (l2 == 0) {
        l2 = 4 << 20;
    }
    const unsigned threads = 512, blocks = 4 * (unsigned)sms;
    // Of the L2 a quarter for both buffers: it is in parts on large GPUs, each for its SMs.
    for (const auto &[where, bytes] : {std::pair<const char *, size_t>{"DRAM", most_bytes}, {"L2", std::min(most_bytes, (size_t)l2 / 8)}}) {
        const size_t whole = std::max(bytes / (16 * (size_t)threads * blocks), (size_t)1) * 16 * threads * blocks;
        // What keeps the loads goes behind.
        Memory a(whole), b(whole + 4 * (size_t)threads * blocks);
        const std::vector<unsigned> noise(1 << 18, 2654435761u);
        for (size_t at = 0; at < whole; at += 4 * noise.size()) {
            must(cuda.cuMemcpyHtoD_v2(a.p + at, noise.data(), std::min(4 * noise.size(), whole - at)), "cuMemcpyHtoD");
        }
        for (const auto &k : kinds) {
            const Kernel kernel(fill(before, {{"bytes", number((long long)whole)}}), fill(loop, {{"access", k.access}}), after);
            rate(std::string(where) + " " + k.name, slope([&](int n) { kernel.launch(blocks, threads, 0, a.p, b.p, n); }), (double)whole * k.moved, "GB/s",
                 number((long long)(whole >> 10)) + " KiB a buffer, 16 bytes a thread");
        }
    }
}

// Loads whose addresses are what was loaded before: a thread walks a circle in random order.
void latencies() {
    const std::string body = R"(
    mul.wide.u32 %rd2, %r10, 4;
    add.s64 %rd2, %rd0, %rd2;
    ld.global.u32 %r10, [%rd2];
)";
    // A launch goes on where the last one stopped, or it would walk what that one left in the L2.
    const std::string after = "    st.global.u32 [%rd1], %r10;\n";
    int l2 = attribute(device, attribute_l2_bytes);
    if (l2 == 0) {
        l2 = 4 << 20;
    }
    const Kernel walk("    ld.global.u32 %r10, [%rd1];\n", body + body + body + body, after);
    Memory out(256);
    for (const auto &[where, bytes] : {std::pair<const char *, size_t>{"L1", 16 << 10}, {"L2", std::min(most_bytes, (size_t)l2 / 4)}, {"DRAM", std::min(most_bytes, (size_t)l2 * 4)}}) {
        constexpr size_t line = 128 / 4;
        const size_t lines = std::max(bytes / 128, (size_t)2);
        std::vector<unsigned> order(lines), next(lines * line);
        std::iota(order.begin(), order.end(), 0);
        std::shuffle(order.begin() + 1, order.end(), std::mt19937(2020));
        for (size_t i = 0; i < lines; i++) {
            next[order[i] * line] = (unsigned)(order[(i + 1) % lines] * line);
        }
        Memory ring(4 * next.size());
        must(cuda.cuMemcpyHtoD_v2(ring.p, next.data(), 4 * next.size()), "cuMemcpyHtoD");
        const unsigned first = 0;
        must(cuda.cuMemcpyHtoD_v2(out.p, &first, sizeof first), "cuMemcpyHtoD");
        time_of(std::string("latency ") + where, slope([&](int n) { walk.launch(1, 1, 0, ring.p, out.p, n); }), 4, number((long long)(bytes >> 10)) + " KiB in random order, a line of 128 bytes a load; with the address's multiplication");
    }
}

// Each slot of shared memory holds its own address, so that what is loaded is where the next
// load goes. way: how many lanes meet in a bank.
void shared_memory() {
    constexpr unsigned threads = 256;
    const unsigned blocks = 4 * (unsigned)sms;
    Memory out(4 * (size_t)threads * blocks);
    const std::string own = R"(
    mov.u32 %r40, shared_memory;
    mul.lo.s32 %r41, %r0, @step@;
    rem.u32 %r41, %r41, 32768;
    add.s32 %r40, %r40, %r41;
)";
    const std::string fill_all = R"(
    mov.u32 %r42, %r0;
init:
    mov.u32 %r43, shared_memory;
    shl.b32 %r44, %r42, 2;
    add.s32 %r43, %r43, %r44;
    st.shared.u32 [%r43], %r43;
    add.s32 %r42, %r42, %r60;
    setp.lt.s32 %p2, %r42, 8192;
    @%p2 bra init;
    bar.sync 0;
)";
    constexpr int unrolled = 16;
    for (const int way : {1, 2, 4, 32}) {
        std::string begin = fill_all + fill(own, {{"step", number(4 * way)}}), body, end;
        for (int c = 0; c < 4; c++) {
            begin += "    mov.u32 %r1" + number(c) + ", %r40;\n";
        }
        for (int u = 0; u < unrolled; u++) {
            body += fill("    ld.shared.u32 %r1@c@, [%r1@c@];\n", {{"c", number(u % 4)}});
        }
        end = "    add.s32 %r10, %r10, %r11;\n    add.s32 %r12, %r12, %r13;\n    add.s32 %r10, %r10, %r12;\n    mul.wide.s32 %rd2, %r1, 4;\n    add.s64 %rd2, %rd0, %rd2;\n    st.global.u32 [%rd2], %r10;\n";
        const Kernel k(begin, body, end);
        rate("ld.shared, " + number(way) + " lanes a bank", slope([&](int n) { k.launch(blocks, threads, 32768, out.p, 0, n); }), (double)unrolled * threads / 32 * blocks / sms, "warp instructions/ns/SM",
             number(way) + " wavefronts each");
        if (way == 1) {
            time_of("latency ld.shared", slope([&](int n) { k.launch(1, 32, 32768, out.p, 0, n); }), unrolled / 4., "one warp, 4 loads at a time");
        }
    }
}

// A register that does not fit is stored to local memory and loaded again.
void spills() {
    constexpr unsigned threads = 256;
    const unsigned blocks = 4 * (unsigned)sms;
    Memory out(4 * (size_t)threads * blocks);
    // Where they go only the run knows, so that nothing stays in a register after all.
    const std::string before = "    and.b32 %r40, %r0, 3;\n    mul.wide.u32 %rd2, %r40, 4;\n    mov.u64 %rd3, depot;\n    add.s64 %rd4, %rd3, %rd2;\n    xor.b32 %r40, %r40, 1;\n    mul.wide.u32 %rd2, %r40, 4;\n    add.s64 %rd3, %rd3, %rd2;\n    mov.u32 %r10, %r1;\n";
    std::string body;
    for (int u = 0; u < 8; u++) {
        body += fill("    st.local.u32 [%rd3+@at@], %r10;\n    add.s32 %r10, %r10, %r0;\n    ld.local.u32 %r11, [%rd4+@at@];\n    xor.b32 %r10, %r10, %r11;\n", {{"at", number(4 * u)}});
    }
    const Kernel k(before, body, "    mul.wide.s32 %rd5, %r1, 4;\n    add.s64 %rd5, %rd0, %rd5;\n    st.global.u32 [%rd5], %r10;\n");
    rate("spill", slope([&](int n) { k.launch(blocks, threads, 0, out.p, 0, n); }), 8. * threads / 32 * blocks / sms, "stores with loads of a warp/ns/SM", "32 warps an SM, in local memory");
}

void barriers() {
    for (const unsigned threads : {32u, 64u, 128u, 256u, 512u, 1024u}) {
        Memory out(4 * (size_t)threads * (unsigned)sms);
        std::string body;
        for (int u = 0; u < 16; u++) {
            body += "    bar.sync 0;\n";
        }
        const Kernel k("", body, "    mul.wide.s32 %rd4, %r1, 4;\n    add.s64 %rd4, %rd0, %rd4;\n    st.global.u32 [%rd4], %r0;\n");
        time_of("bar.sync, " + number(threads) + " threads", slope([&](int n) { k.launch((unsigned)sms, threads, 0, out.p, 0, n); }), 16, "one block an SM");
    }
}

// Counts into one word, or each thread into its own.
void atomics() {
    constexpr unsigned threads = 256;
    const unsigned blocks = 2 * (unsigned)sms;
    Memory out(4 * (size_t)threads * blocks);
    const std::vector<unsigned> zeros((size_t)threads * blocks, 0);
    must(cuda.cuMemcpyHtoD_v2(out.p, zeros.data(), 4 * zeros.size()), "cuMemcpyHtoD");
    for (const bool same : {false, true}) {
        const std::string at = same ? "    mov.u64 %rd2, %rd0;\n" : "    mul.wide.s32 %rd2, %r1, 4;\n    add.s64 %rd2, %rd0, %rd2;\n";
        // What each adds differs, so that a warp's are not one.
        const Kernel k(at, "    red.global.add.u32 [%rd2], %r0;\n    red.global.add.u32 [%rd2], %r1;\n", "");
        rate(same ? "red.global, one word" : "red.global, a word a thread", slope([&](int n) { k.launch(blocks, threads, 0, out.p, 0, n); }), 2. * threads * blocks, "lanes/ns", same ? "u32 sums of the whole GPU; the driver's compiler adds a warp's up first" : "u32 sums of the whole GPU");
    }
}

void launches() {
    Memory out(4096);
    const Kernel k("", "", "");
    const int n = std::max(4, (int)(400 * scale));
    // What keeps the GPU busy while the host queues: else it is the host's time between two launches that is taken.
    const Kernel busy("    cvt.rn.f32.s32 %f1, %r1;\n", "    div.rn.f32 %f1, %f1, %f1;\n", "    mul.wide.s32 %rd2, %r1, 4;\n    add.s64 %rd2, %rd0, %rd2;\n    st.global.f32 [%rd2], %f1;\n");
    const double each_ms = milliseconds([&] { busy.launch(1, 32, 0, out.p, 0, 10000); }) / 10000;
    std::vector<double> apart, queued, host;
    for (int i = 0; i < (scale < 1 ? 1 : 9); i++) {
        auto begin = Clock::now();
        for (int j = 0; j < n; j++) {
            k.launch(1, 32, 0, out.p, 0, 1);
            sync();
        }
        apart.push_back(ms_since(begin) * 1e6 / n);
        // Twice what the host needed for the launches waited for is ample.
        busy.launch(1, 32, 0, out.p, 0, std::max(1, (int)(2 * n * apart.back() * 1e-6 / each_ms)));
        const double gpu = milliseconds([&] {
            begin = Clock::now();
            for (int j = 0; j < n; j++) {
                k.launch(1, 32, 0, out.p, 0, 1);
            }
            host.push_back(ms_since(begin) * 1e6 / n);
        });
        queued.push_back(gpu * 1e6 / n);
    }
    auto say = [&](const char *name, const std::vector<double> &v, const char *about) {
        figure(name, median(v), "ns", about, *std::min_element(v.begin(), v.end()), *std::max_element(v.begin(), v.end()));
    };
    say("launch, queued", queued, "an empty kernel after another, by events, all queued before the first begins");
    say("launch, host", host, "what the host takes to queue one");
    say("launch, waited for", apart, "launch and cuCtxSynchronize, by the host's clock");
}

void open_device() {
    void *lib = load_library("libcuda.so");
    if (!lib) {
        fail("no libcuda.so");
    }
    cuda.find([lib](const char *name) { return dlsym(lib, name); });
    auto *init = (int (*)(unsigned))dlsym(lib, "cuInit");
    auto *get = (int (*)(int *, int))dlsym(lib, "cuDeviceGet");
    auto *create = (int (*)(Handle *, unsigned, int))dlsym(lib, "cuCtxCreate_v2");
    if (!init || !get || !create) {
        fail("the CUDA driver has no cuInit, cuDeviceGet or cuCtxCreate_v2");
    }
    const char *which = getenv("HL_GPU_DEVICE");
    Handle context = nullptr;
    must(init(0), "cuInit");
    must(get(&device, which ? atoi(which) : 0), "cuDeviceGet");
    must(create(&context, 0, device), "cuCtxCreate");
    sms = std::max(1, attribute(device, attribute_sms));
    start = new_event();
    stop = new_event();
}

}  // namespace

int main(int argc, char **argv) {
    if (argc != 3 || !((scale = atof(argv[2])) > 0) || !((most_bytes = strtoull(argv[1], nullptr, 10)) > 0)) {
        fputs("micro BYTES SCALE is wanted\n", stderr);
        return 2;
    }
    try {
        open_device();
    } catch (const Failure &f) {
        reply("\"error\":" + quoted(f.text));
        _Exit(1);
    }
    // One that fails, on a device that lacks what it asks for, is a line; the others go on
    // unless the context is lost with it, and then they say so too.
    int failed = 0;
    for (const auto &[name, measure] : std::initializer_list<std::pair<const char *, void (*)()>>{
             {"launches", launches}, {"copies", copies}, {"latencies", latencies}, {"issue rates", issue_rates}, {"shared memory", shared_memory}, {"barriers", barriers}, {"atomics", atomics}, {"spills", spills}}) {
        try {
            measure();
        } catch (const Failure &f) {
            reply("\"micro\":" + quoted(name) + ",\"error\":" + quoted(f.text));
            failed++;
        }
    }
    fflush(stdout);
    _Exit(failed ? 1 : 0);
}
