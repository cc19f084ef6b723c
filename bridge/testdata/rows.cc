// Windows of an input whose rows are longer than the output's by a number given: where that is no multiple of four, each begins elsewhere in a vector.
#include "Halide.h"

namespace {

using namespace Halide;

class Rows : public Generator<Rows> {
public:
    GeneratorParam<int> more{"more", 2};
    Input<Buffer<float, 2>> in{"in"};
    Output<Buffer<float, 2>> out{"out"};

    void generate() {
        Var x("x"), y("y");
        Expr sum = 0.0f;
        for (int dy = 0; dy < 3; dy++) {
            for (int dx = 0; dx < 9; dx++) {
                sum = sum * 0.5f + in(x + dx, y + dy);
            }
        }
        out(x, y) = sum;
        in.set_estimates({{0, 1032 + more}, {0, 1026}});
        out.set_estimates({{0, 1024}, {0, 1024}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Rows, rows)
