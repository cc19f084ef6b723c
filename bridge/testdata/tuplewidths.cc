// A sum of two values of different widths that one kernel would hold in shared memory beside a minimum.
#include "Halide.h"

namespace {

using namespace Halide;

class TupleWidths : public Generator<TupleWidths> {
public:
    Input<Buffer<int32_t, 2>> input{"input"};
    Output<Buffer<int32_t, 2>> out{"out"};

    void generate() {
        Func in = BoundaryConditions::repeat_edge(input), wide("wide"), least("least"), sums("sums");
        wide(x, y) = cast<int64_t>(in(x, y)) * in(y, x);
        RDom r(0, 64, 0, 7), s(0, 64, 0, 7);
        least() = cast<uint64_t>(1000000);
        least() = min(least(), cast<uint64_t>(wide(r.x, r.y)));
        sums() = Tuple(cast<int64_t>(5), 0.0f);
        sums() = Tuple(sums()[0] + wide((s.x + 1) / 2, s.y / 2), sums()[1] + cast<float>(in(s.x, s.y)));
        out(x, y) = cast<int32_t>(least() + wide(x, y) + sums()[0]);
        input.set_estimates({{0, 64}, {0, 64}});
        out.set_estimates({{0, 64}, {0, 9}});
    }

private:
    Var x{"x"}, y{"y"};
};

}  // namespace

HALIDE_REGISTER_GENERATOR(TupleWidths, tuplewidths)
