// Histogram equalisation of the luminance of an RGB photograph, written as a user
// writes it: the algorithm, estimates, no schedule. All arithmetic is on integers
// (16 fractional bits), so that every device gives the same bytes.
#include "Halide.h"

namespace {

using namespace Halide;

class Hist : public Generator<Hist> {
public:
    GeneratorParam<int> width{"width", 1536};
    GeneratorParam<int> height{"height", 2560};

    Input<Buffer<uint8_t, 3>> input{"input"};
    Output<Buffer<uint8_t, 3>> output{"output"};

    void generate() {
        Var x("x"), y("y"), c("c"), i("i");

        // RGB to YCbCr, full range, ITU-R BT.601; chroma around 0.
        Expr red = cast<int>(input(x, y, 0)), green = cast<int>(input(x, y, 1)), blue = cast<int>(input(x, y, 2));
        Func luma("luma"), cb("cb"), cr("cr");
        luma(x, y) = cast<uint8_t>(fixed(19595 * red + 38470 * green + 7471 * blue));
        cb(x, y) = cast<int16_t>(fixed(-11059 * red - 21709 * green + 32768 * blue));
        cr(x, y) = cast<int16_t>(fixed(32768 * red - 27439 * green - 5329 * blue));

        Func histogram("histogram");
        RDom r(0, input.width(), 0, input.height());
        histogram(i) = cast<uint32_t>(0);
        histogram(cast<int>(luma(r.x, r.y))) += cast<uint32_t>(1);

        // The number of pixels that are at most as bright.
        Func cdf("cdf");
        RDom b(1, 255);
        cdf(i) = histogram(i);
        cdf(b) += cdf(b - 1);

        // Rounded to nearest; 255 times the number of pixels has to fit 32 bits.
        Func equalized("equalized");
        Expr pixels = cast<uint32_t>(input.width() * input.height());
        equalized(x, y) = cast<int16_t>((cdf(cast<int>(luma(x, y))) * 255 + pixels / 2) / pixels);

        Expr l = cast<int>(equalized(x, y)), u = cast<int>(cb(x, y)), v = cast<int>(cr(x, y));
        Expr rgb = mux(c, {l + fixed(91881 * v),
                           l - fixed(22554 * u + 46802 * v),
                           l + fixed(116130 * u)});
        output(x, y, c) = cast<uint8_t>(clamp(rgb, 0, 255));

        input.set_estimates({{0, width}, {0, height}, {0, 3}});
        output.set_estimates({{0, width}, {0, height}, {0, 3}});
    }

private:
    // Drops 16 fractional bits, rounding to nearest.
    static Expr fixed(Expr e) {
        return (e + 32768) >> 16;
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Hist, hist)
