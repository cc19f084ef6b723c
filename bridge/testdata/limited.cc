// Reductions over domains larger than their input, of which conditions rule out what lies beyond it.
#include "Halide.h"

namespace {

using namespace Halide;

class Limited : public Generator<Limited> {
public:
    GeneratorParam<std::string> by{"by", "histogram"};
    Input<Buffer<uint8_t, 2>> input{"input"};
    Input<int> count{"count"};
    Output<Buffer<int, 1>> out{"out"};

    void generate() {
        Var x("x");
        Func counts("counts");
        counts(x) = 0;
        if (by.value() == "histogram") {
            RDom r(0, 1024);
            r.where(r < count);
            counts(cast<int>(input(r, 0)) % 16) += 1;
        } else {
            RDom r(0, 1024, 0, 2);
            r.where(r.x + r.y < count);
            counts(x) += input(r.x, r.y) * (x + 1);
        }
        out(x) = counts(x);

        input.set_estimates({{0, 1024}, {0, 64}});
        count.set_estimate(1000);
        out.set_estimates({{0, 16}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Limited, limited)
