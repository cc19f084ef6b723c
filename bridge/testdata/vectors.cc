// Neighbours of 32 bits in memory in the forms that gowarp loads and stores together: along a thread's points, along a reduction, transposed, and of integers;
// beside them what it must not: pairs, points under conditions, and what a kernel reads and writes.
#include "Halide.h"

namespace {

using namespace Halide;

class Vectors : public Generator<Vectors> {
public:
    Input<Buffer<float, 2>> a{"a"};
    Input<Buffer<float, 2>> b{"b"};
    Input<Buffer<int, 2>> shifts{"shifts"};
    Output<Buffer<float, 2>> out{"out"};

    void generate() {
        Var x("x"), y("y");
        RDom k(0, a.width(), "k");
        Func product("product"), turned("turned"), stored("stored"), scan("scan");
        product(x, y) = 0.0f;
        product(x, y) += a(k, y) * b(x, k);
        stored(x, y) = sqrt(abs(product(x, y)));
        turned(x, y) = stored(y, x) + stored(x, y);
        scan(x, y) = turned(x, y);
        RDom s(1, out.height() - 1, "s");
        scan(x, s) += scan(x, s - 1) * 0.5f;
        out(x, y) = scan(x, y) + (shifts(x, y) * 2 - shifts(x, y) / 4);

        for (auto *in : {&a, &b}) {
            in->set_estimates({{0, 1024}, {0, 1024}});
        }
        shifts.set_estimates({{0, 1024}, {0, 1024}});
        out.set_estimates({{0, 1024}, {0, 1024}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Vectors, vectors)
