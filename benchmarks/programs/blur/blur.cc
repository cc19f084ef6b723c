// 3x3 box blur in two passes of one or more channels, for 16-bit and for f32 samples, written
// as a user writes it: the algorithm, estimates, no schedule. The input is two samples wider
// and higher.
#include "Halide.h"

namespace {

using namespace Halide;

// Sum is wide enough for three samples.
template<typename Sample, typename Sum>
class Blur : public Generator<Blur<Sample, Sum>> {
public:
    GeneratorParam<int> width{"width", 1536};
    GeneratorParam<int> height{"height", 2560};

    GeneratorInput<Buffer<Sample, 3>> input{"input"};
    GeneratorOutput<Buffer<Sample, 3>> output{"output"};

    void generate() {
        Var x("x"), y("y"), c("c");
        auto mean = [](Expr a, Expr b, Expr c) {
            return cast<Sample>((cast<Sum>(a) + cast<Sum>(b) + cast<Sum>(c)) / cast<Sum>(3));
        };
        Func across("across");
        across(x, y, c) = mean(input(x, y, c), input(x + 1, y, c), input(x + 2, y, c));
        output(x, y, c) = mean(across(x, y, c), across(x, y + 1, c), across(x, y + 2, c));

        input.set_estimates({{0, width + 2}, {0, height + 2}, {0, 3}});
        output.set_estimates({{0, width}, {0, height}, {0, 3}});
    }
};

using Blur16 = Blur<uint16_t, uint32_t>;
using BlurFloat = Blur<float, float>;

}  // namespace

HALIDE_REGISTER_GENERATOR(Blur16, blur)
HALIDE_REGISTER_GENERATOR(BlurFloat, blur_f32)
