// Random Halide pipelines, scheduled by an autoscheduler and compared with every Func at
// root on the CPU. All arithmetic is on integers, so that results have to be equal.
//
//   random FIRST LAST TARGET PLUGIN [KEY=VALUE...]
//
// For a CUDA target the kernels may hold no trap either.
//
// It makes the pipelines of the seeds FIRST to LAST-1 and prints a line for each: `seed 7 ok`,
// `seed 7 skip` where the pipeline itself is out of bounds at root, or `seed 7 WRONG` or
// `seed 7 ERROR` with what happened. It exits with 1 if any is wrong.
#include "Halide.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <vector>

using namespace Halide;

namespace {

// The sizes are those of outputs: some fit no tile, some are smaller than any.
const int sizes[][2] = {{64, 48}, {37, 21}, {5, 3}, {130, 70}, {257, 33}, {1, 40}};

class RandomPipeline {
public:
    explicit RandomPipeline(int seed)
        : rng(seed) {
        const int *size = sizes[seed % (sizeof sizes / sizeof *sizes)];
        width = size[0];
        height = size[1];
        const int n = draw(1, 10);
        for (int i = 0; i < n; i++) {
            define(i);
        }
        outputs.push_back(funcs.back());
        if (n > 2 && draw(0, 2) == 0) {
            outputs.push_back(funcs[n - 2]);
        }
    }

    int width, height;
    ImageParam image{UInt(8), 2}, table{Int(32), 1};
    std::vector<Func> funcs, outputs;

private:
    std::mt19937 rng;
    std::vector<bool> colour;  // by Func: it has a third dimension of 3
    Var x{"x"}, y{"y"}, c{"c"};

    int draw(int lo, int hi) {
        return lo + (int)(rng() % (unsigned)(hi - lo + 1));
    }

    // An index that stays inside: shifted, halved, doubled, mirrored.
    Expr index(Expr v, int extent) {
        Expr e = v + draw(-2, 2);
        switch (draw(0, 15)) {
        case 0:
            e = v / 2 + draw(-1, 1);
            break;
        case 1:
            e = v * 2 + draw(-1, 1);
            break;
        case 2:
            e = (v + draw(0, 2)) / 3;
            break;
        case 3:
            e = extent - 1 - v;
            break;
        case 4:
            e = v - v % 3;
            break;
        case 5:
            e = v + v % 2 - 1;
            break;
        }
        return clamp(e, 0, extent - 1);
    }

    Expr load(int from, Expr px, Expr py, Expr pc) {
        if (from < 0) {
            return cast<int>(image(index(px, width), index(py, height)));
        }
        Expr ix = draw(0, 3) ? index(px, width) : px + draw(-1, 1);
        Expr iy = draw(0, 3) ? index(py, height) : py + draw(-1, 1);
        if (draw(0, 15) == 0) {
            std::swap(ix, iy);
            ix = clamp(ix, 0, width - 1);
            iy = clamp(iy, 0, height - 1);
        }
        if (!colour[from]) {
            return funcs[from](ix, iy);
        }
        return funcs[from](ix, iy, pc.defined() && draw(0, 1) ? pc : Expr(draw(0, 2)));
    }

    void define(int i) {
        Func f("f" + std::to_string(i));
        const bool has_colour = draw(0, 5) == 0;
        const Expr channel = has_colour ? Expr(c) : Expr();
        const int last = (int)funcs.size() - 1;
        // The Func before is always read, so that all form one pipeline.
        Expr value = load(last, x, y, channel);
        for (int taps = draw(0, 4); taps > 0; taps--) {
            Expr v = load(draw(-1, last), x, y, channel);
            value = draw(0, 2) ? value + v * draw(1, 3) : max(value, v);
        }
        if (draw(0, 5) == 0) {
            value += table(clamp(value, 0, 255));
        }
        if (draw(0, 4) == 0) {
            value = select(x % 2 == 0, value, value + y);
        }
        if (draw(0, 7) == 0) {
            value = cast<int>(cast<uint8_t>(value));
        }
        if (has_colour) {
            f(x, y, c) = value + c;
            if (draw(0, 2) == 0) {
                f.bound(c, 0, 3);
            }
        } else {
            f(x, y) = value;
            update(f, last);
        }
        switch (draw(0, 19)) {
        case 0:
            f.align_bounds(x, 4);
            break;
        case 1:
            f.align_bounds(y, 2);
            break;
        }
        funcs.push_back(f);
        colour.push_back(has_colour);
    }

    // One update in every other Func: a window, a scan, a partial write, a scatter.
    void update(Func f, int last) {
        switch (draw(0, 9)) {
        case 0:
        case 4: {
            RDom r(-1, 3, -1, 3);
            f(x, y) += load(draw(-1, last), x + r.x, y + r.y, Expr());
            break;
        }
        case 1: {
            RDom r(1, std::max(height - 1, 1));
            f(x, r) = f(x, r) + f(x, r - 1) / 2;
            break;
        }
        case 2: {
            RDom r(0, width);
            r.where(r % 3 == 0);
            f(r, y) += r;
            break;
        }
        case 3: {
            RDom r(0, 5);
            f(cast<int>(image(clamp(r, 0, width - 1), clamp(y, 0, height - 1))) % width, y) += 1;
            break;
        }
        }
    }
};

std::vector<Buffer<>> results(const RandomPipeline &p) {
    std::vector<Buffer<>> out;
    for (const Func &f : p.outputs) {
        out.push_back(f.dimensions() == 3 ? Buffer<int>(p.width, p.height, 3) : Buffer<int>(p.width, p.height));
    }
    return out;
}

void estimate(RandomPipeline &p) {
    p.image.set_estimates({{0, p.width}, {0, p.height}});
    p.table.set_estimates({{0, 256}});
    for (Func &f : p.outputs) {
        Region region = {{0, p.width}, {0, p.height}};
        if (f.dimensions() == 3) {
            region.push_back({0, 3});
        }
        f.set_estimates(region);
    }
}

void realize(RandomPipeline &p, std::vector<Buffer<>> out, const Target &target, const AutoschedulerParams *scheduler) {
    std::mt19937 rng(1);
    Buffer<uint8_t> image(p.width, p.height);
    Buffer<int> table(256);
    image.for_each_value([&](uint8_t &v) { v = (uint8_t)rng(); });
    table.for_each_value([&](int &v) { v = (int)(rng() % 1000); });
    // for_each_value does not say that it writes.
    image.set_host_dirty();
    table.set_host_dirty();
    p.image.set(image);
    p.table.set(table);
    Pipeline pipeline(p.outputs);
    if (scheduler) {
        estimate(p);
        pipeline.apply_autoscheduler(target, *scheduler);
    } else {
        for (Func &f : p.funcs) {
            f.compute_root();
        }
    }
    pipeline.realize(Realization(out), target);
    for (Buffer<> &b : out) {
        b.copy_to_host();
    }
}

// Compiles for CUDA and says if a kernel checks something that it cannot be wrong about.
std::string trap(RandomPipeline &p, const Target &target, const AutoschedulerParams &scheduler) {
    estimate(p);
    Pipeline pipeline(p.outputs);
    pipeline.apply_autoscheduler(target, scheduler);
    Internal::TemporaryFile ptx("random", ".ptx");
    pipeline.compile_to({{OutputFileType::device_code, ptx.pathname()}}, {p.image, p.table}, "random", target);
    std::ifstream in(ptx.pathname());
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    if (text.find(".entry") == std::string::npos) {
        return " no kernel in the device code";
    }
    return text.find("trap;") == std::string::npos ? "" : " a trap in the PTX";
}

std::string differences(Buffer<int> got, Buffer<int> want, size_t output) {
    int n = 0;
    std::string first;
    want.for_each_element([&](const int *at) {
        if (got(at) == want(at)) {
            return;
        }
        if (n++ == 0) {
            first = "(" + std::to_string(at[0]) + ", " + std::to_string(at[1]) + "): " + std::to_string(got(at)) + ", want " + std::to_string(want(at));
        }
    });
    return n ? " output " + std::to_string(output) + ": " + std::to_string(n) + " points differ, first " + first : "";
}

}  // namespace

int main(int argc, char **argv) {
    if (argc < 5) {
        fprintf(stderr, "random FIRST LAST TARGET PLUGIN [KEY=VALUE...]\n");
        return 2;
    }
    std::map<std::string, std::string> extra;
    for (int i = 5; i < argc; i++) {
        const std::string word = argv[i];
        extra[word.substr(0, word.find('='))] = word.substr(word.find('=') + 1);
    }
    const AutoschedulerParams scheduler("gowarp", extra);
    bool bad = false;
    try {
        load_plugin(argv[4]);
        for (int seed = atoi(argv[1]); seed < atoi(argv[2]); seed++) {
            RandomPipeline plain(seed), scheduled(seed), compiled(seed);
            const std::vector<Buffer<>> want = results(plain), got = results(scheduled);
            try {
                realize(plain, want, Target("host"), nullptr);
            } catch (const Halide::Error &) {
                printf("seed %d skip\n", seed);
                continue;
            }
            std::string wrong;
            try {
                const Target target(argv[3]);
                if (target.has_feature(Target::CUDA)) {
                    wrong = trap(compiled, target, scheduler);
                }
                realize(scheduled, got, target, &scheduler);
                for (size_t i = 0; i < want.size(); i++) {
                    wrong += differences(got[i], want[i], i);
                }
                printf("seed %d %s%s\n", seed, wrong.empty() ? "ok" : "WRONG", wrong.c_str());
            } catch (const Halide::Error &e) {
                wrong = e.what();
                printf("seed %d ERROR %s\n", seed, e.what());
            }
            bad = bad || !wrong.empty();
            fflush(stdout);
        }
    } catch (const Halide::Error &e) {
        fprintf(stderr, "%s\n", e.what());
        return 1;
    }
    return bad;
}
