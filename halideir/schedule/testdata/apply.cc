// The two pipelines of sample_test.go in Halide. Builds each twice, so that
// the second has other names ($1, $2, …), applies the text that CPlusPlus
// wrote, and lowers it for CUDA.
#include "Halide.h"

#include <iostream>

inline void apply_schedule_harris(
    ::Halide::Pipeline pipeline,
    ::Halide::Target target) {
    using ::Halide::Func;
    using ::Halide::MemoryType;
    using ::Halide::RVar;
    using ::Halide::TailStrategy;
    using ::Halide::Var;
#include "harris.inc"
}

inline void apply_schedule_harris_found(
    ::Halide::Pipeline pipeline,
    ::Halide::Target target) {
    using ::Halide::Func;
    using ::Halide::MemoryType;
    using ::Halide::RVar;
    using ::Halide::TailStrategy;
    using ::Halide::Var;
#include "harris_found.inc"
}

inline void apply_schedule_equalise(
    ::Halide::Pipeline pipeline,
    ::Halide::Target target) {
    using ::Halide::Func;
    using ::Halide::MemoryType;
    using ::Halide::RVar;
    using ::Halide::TailStrategy;
    using ::Halide::Var;
#include "equalise.inc"
}

using namespace Halide;

struct Built {
    Pipeline pipeline;
    std::vector<Argument> args;
};

// With other, the names are such that Pipeline::get_func has another order.
Built harris(bool other) {
    const auto name = [&](const char *a, const char *b) { return std::string(other ? b : a); };
    ImageParam input(Float(32), 3, "input");
    Var x("x"), y("y");
    Func gray("gray"), Ix(name("Ix", "lx")), Iy(name("Iy", "ly")), Ixx("Ixx"), Iyy("Iyy"), Ixy("Ixy");
    Func Sxx(name("Sxx", "third")), Syy(name("Syy", "second")), Sxy(name("Sxy", "first")), out("harris");
    gray(x, y) = input(x, y, 0) * .299f + input(x, y, 1) * .587f + input(x, y, 2) * .114f;
    Expr dx = 0.f, dy = 0.f;
    for (int i = -1; i <= 1; i++) {
        const float w = (2 - i * i) / 12.f;
        dx += (gray(x + 1, y + i) - gray(x - 1, y + i)) * w;
        dy += (gray(x + i, y + 1) - gray(x + i, y - 1)) * w;
    }
    Ix(x, y) = dx;
    Iy(x, y) = dy;
    Ixx(x, y) = Ix(x, y) * Ix(x, y);
    Iyy(x, y) = Iy(x, y) * Iy(x, y);
    Ixy(x, y) = Ix(x, y) * Iy(x, y);
    const auto box = [&](Func f) {
        Expr sum = 0.f;
        for (int i = 0; i < 9; i++) {
            sum += f(x + i % 3 - 1, y + i / 3 - 1);
        }
        return sum;
    };
    Sxx(x, y) = box(Ixx);
    Syy(x, y) = box(Iyy);
    Sxy(x, y) = box(Ixy);
    Expr trace = Sxx(x, y) + Syy(x, y);
    out(x, y) = Sxx(x, y) * Syy(x, y) - Sxy(x, y) * Sxy(x, y) - trace * trace * .04f;
    return {Pipeline(out), {input}};
}

Built equalise() {
    ImageParam input(UInt(8), 2, "input");
    Var i("i"), x("x"), y("y");
    RDom r(0, 640, 0, 480, "r"), s(1, 255, "s");
    Func hist("hist"), cdf("cdf"), out("equalised");
    hist(i) = cast<uint32_t>(0);
    hist(cast<int>(input(r.x, r.y))) += cast<uint32_t>(1);
    cdf(i) = hist(i);
    cdf(s.x) += cdf(s.x - 1);
    out(x, y) = cast<uint8_t>(cast<float>(cdf(clamp(cast<int>(input(x, y)), 0, 255))) * (255 / (640.f * 480.f)));
    return {Pipeline(out), {input}};
}

int main() {
    const Target target = Target("host-cuda-cuda_capability_75");
    try {
        for (int round = 0; round < 2; round++) {
            Built h = harris(false);
            apply_schedule_harris(h.pipeline, target);
            h.pipeline.compile_to_module(h.args, "h", target);
            Built f = harris(round == 1);
            apply_schedule_harris_found(f.pipeline, target);
            f.pipeline.compile_to_module(f.args, "f", target);
            std::cout << f.pipeline.get_func(3).name() << "\n";
            Built e = equalise();
            apply_schedule_equalise(e.pipeline, target);
            e.pipeline.compile_to_module(e.args, "e", target);
            std::cout << h.pipeline.get_func(1).name() << " " << e.pipeline.get_func(1).name() << "\n";
            if (round == 0) {
                h.pipeline.print_loop_nest();
                e.pipeline.print_loop_nest();
            }
        }
    } catch (const Halide::Error &e) {
        std::cerr << e.what();
        return 1;
    }
    return 0;
}
