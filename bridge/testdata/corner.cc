// Sums over a corner of a domain that a predicate cuts off, which reads less than the domain is wide.
#include <Halide.h>

using namespace Halide;

namespace {

class Corner : public Generator<Corner> {
public:
    GeneratorParam<std::string> which{"which", "sum"};  // of its two places; triangle; band: two conditions
    GeneratorParam<int> scale{"scale", 1};
    Input<Buffer<uint8_t, 2>> image{"image"};
    Output<Buffer<int32_t, 1>> out{"out"};

    void generate() {
        Var i("i");
        const int k = scale;
        RDom r(0, 101 * k, 0, 70 * k);
        int width = 70 * k;
        if ((std::string)which == "triangle") {
            r.where(r.x <= r.y);
        } else if ((std::string)which == "band") {
            r.where(r.x < 51 * k);
            r.where(r.x >= 2 * r.y);
            width = 51 * k;
        } else {
            r.where(r.x + r.y < 90 * k);
            width = 90 * k;
        }
        Func f("f");
        f() = 0;
        f() += cast<int32_t>(image(r.x, r.y));
        out(i) = f() + i;
        image.set_estimates({{0, width}, {0, 70 * k}});
        out.set_estimates({{0, 8}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Corner, corner)
