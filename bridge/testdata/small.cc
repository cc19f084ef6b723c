// A small generator with the mistakes that users make, one at a time.
#include <Halide.h>

using namespace Halide;

namespace {

class Small : public Generator<Small> {
public:
    // plain, scheduled, touched (a directive that leaves everything as it was), estimates
    GeneratorParam<std::string> mistake{"mistake", "plain"};
    Input<Buffer<uint8_t, 2>> image{"image"};
    Output<Buffer<float, 2>> out{"out"};

    void generate() {
        Var x("x"), y("y");
        Func sums("sums");
        sums(x, y) = cast<float>(image(x, y)) + image(x + 1, y);
        out(x, y) = sums(x, y) + sums(x, y + 1);
        out(x, y) += 1.0f;
        image.set_estimates({{0, 65}, {0, 49}});
        if (mistake.value() != "estimates") {
            out.set_estimates({{0, 64}, {0, 48}});
        }
        if (mistake.value() == "scheduled") {
            Var xo("xo"), xi("xi");
            sums.compute_root().split(x, xo, xi, 8).vectorize(xi).reorder_storage(y, x);
            sums.store_in(MemoryType::Heap);
            out.update().parallel(y);
        } else if (mistake.value() == "traced") {
            sums.trace_stores();
        } else if (mistake.value() == "touched") {
            out.update().unscheduled();
        }
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Small, small)
