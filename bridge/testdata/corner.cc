// Sums over a corner of a domain that a predicate cuts off, which reads less than the domain is wide.
#include <Halide.h>

using namespace Halide;

namespace {

class Corner : public Generator<Corner> {
public:
    GeneratorParam<bool> triangle{"triangle", false};
    Input<Buffer<uint8_t, 2>> image{"image"};
    Output<Buffer<int32_t, 1>> out{"out"};

    void generate() {
        Var i("i");
        RDom r(0, 101, 0, 70);
        if (triangle) {
            r.where(r.x <= r.y);
        } else {
            r.where(r.x + r.y < 90);
        }
        Func f("f");
        f() = 0;
        f() += cast<int32_t>(image(r.x, r.y));
        out(i) = f() + i;
        image.set_estimates({{0, triangle ? 70 : 90}, {0, 70}});
        out.set_estimates({{0, 8}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Corner, corner)
