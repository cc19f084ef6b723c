// Several Funcs of 8 or 16 bits that read one image, each around places of its own, so that their regions differ, and a scan that reads all of them, in which none can be
// computed: their kernels load the same. One of them is read by another.
#include "Halide.h"

#include <random>

namespace {

using namespace Halide;

class Siblings : public Generator<Siblings> {
public:
    GeneratorParam<int> seed{"seed", 0};
    GeneratorParam<int> count{"count", 5};
    Input<Buffer<uint8_t, 2>> input{"input"};
    Output<Buffer<int32_t, 2>> out{"out"};

    void generate() {
        Var x("x"), y("y");
        std::mt19937 rng((int)seed);
        const auto draw = [&](int lo, int hi) { return lo + (int)(rng() % (unsigned)(hi - lo + 1)); };
        Func photo = BoundaryConditions::repeat_edge(input);
        Func clean("clean"), scan("scan");
        clean(x, y) = cast<int16_t>(max(photo(x - 1, y), photo(x + 1, y)) * 2 + photo(x, y + 1));
        std::vector<Func> all;
        const int scale = draw(1, 2);
        for (int i = 0; i < (int)count; i++) {
            Func f("f" + std::to_string(i));
            const Func from = i > 2 && i % 2 ? all[1] : clean;
            const int s = i > 2 && i % 2 ? 1 : scale;
            Expr e = cast<int16_t>(0);
            for (int k = 0; k < 12; k++) {
                const Expr at = from(x * s + draw(-3, 3), y * s + draw(-3, 3));
                e = draw(0, 1) ? max(e, at) : e + at;
            }
            f(x, y) = cast<int16_t>(e);
            all.push_back(f);
        }
        RDom r(1, out.height() - 1, -2, 5, "r");
        scan(x, y) = cast<int32_t>(clean(x, y));
        Expr sum = scan(x, r.x - 1) / 3;
        for (int i = 0; i < (int)count; i++) {
            sum += cast<int32_t>(all[i](x + r.y + draw(-2, 2), r.x + draw(-4, 4))) * (i + 1);
        }
        scan(x, r.x) += sum % 1009;
        out(x, y) = scan(x, y);

        input.set_estimates({{0, 1536}, {0, 1024}});
        out.set_estimates({{0, 1536}, {0, 1024}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Siblings, siblings)
