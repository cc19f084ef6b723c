// Pipelines that are not like any other when they are run while they are compiled.
#include <Halide.h>

using namespace Halide;

namespace {

class Trials : public Generator<Trials> {
public:
    // layouts, extern, huge
    GeneratorParam<std::string> what{"what", "layouts"};
    Input<Buffer<uint8_t, 3>> image{"image"};
    Input<float> gain{"gain", 1.5f};
    Input<int> shift{"shift"};
    Output<Buffer<float, 3>> out{"out"};
    Output<Buffer<int16_t, 2>> other{"other"};

    void generate() {
        Var x("x"), y("y"), c("c");
        Buffer<float> table(256);
        for (int i = 0; i < 256; i++) {
            table(i) = i * .5f;
        }
        Func lit("lit"), sums("sums"), whole("whole");
        lit(x, y, c) = table(cast<int>(image(x, y, c))) * gain;
        sums(x, y) = lit(x, y, 0) + lit(x + 1, y, 1) + lit(x, y + 1, 2);
        if (what.value() == "extern") {
            Func ext("ext");
            ext.define_extern("nobody_has_this", {sums}, Float(32), {x, y});
            whole(x, y) = ext(x, y);
        } else {
            whole(x, y) = sums(x, y);
        }
        RDom r(-2, 5);
        out(x, y, c) = 0.f;
        out(x, y, c) += whole(x + r, y) * (c + 1);
        other(x, y) = cast<int16_t>(whole(x, y) + shift);
        const int side = what.value() == "huge" ? 1 << 15 : 96;
        // Pixels one after the other, and none at the origin.
        image.dim(0).set_stride(3);
        image.dim(2).set_stride(1).set_bounds(0, 3);
        image.set_estimates({{-8, side + 16}, {10, side + 8}, {0, 3}});
        shift.set_estimate(7);
        out.dim(0).set_stride(3);
        out.dim(2).set_stride(1).set_bounds(0, 3);
        out.set_estimates({{0, side}, {12, side}, {0, 3}});
        other.set_estimates({{0, side}, {12, side}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Trials, trials)
