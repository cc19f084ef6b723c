// One algorithm under the habits that generators have.
#include <Halide.h>

using namespace Halide;

namespace {

template<typename T>
class Sums : public Generator<T> {
public:
    using Base = Generator<T>;
    GeneratorInput<Buffer<uint8_t, 2>> image{"image"};
    GeneratorOutput<Buffer<float, 2>> out{"out"};

    Var x{"x"}, y{"y"}, xo{"xo"}, yo{"yo"}, xi{"xi"}, yi{"yi"};
    Func rows{"rows"};

    void generate() {
        Func clamped = BoundaryConditions::repeat_edge(image);
        rows(x, y) = cast<float>(clamped(x - 1, y)) + clamped(x, y) + clamped(x + 1, y);
        out(x, y) = rows(x, y - 1) + rows(x, y) + rows(x, y + 1);
        image.set_estimates({{0, 200}, {0, 100}});
        out.set_estimates({{0, 200}, {0, 100}});
    }

    void by_hand() {
        out.gpu_tile(x, y, xo, yo, xi, yi, 8, 4, TailStrategy::GuardWithIf);
        rows.compute_root();
    }
};

struct Plain : Sums<Plain> {};

struct ByHand : Sums<ByHand> {
    void schedule() { by_hand(); }
};

struct Polite : Sums<Polite> {
    void schedule() {
        if (!using_autoscheduler()) {
            by_hand();
        }
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Plain, plain)
HALIDE_REGISTER_GENERATOR(ByHand, byhand)
HALIDE_REGISTER_GENERATOR(Polite, polite)
