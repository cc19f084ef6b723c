// Histogram equalisation of the luminance of an RGB photograph, written as a user
// writes it: the algorithm, estimates, and no schedule but for comparison. All arithmetic is on integers
// (16 fractional bits), so that every device gives the same bytes.
#include "Halide.h"

namespace {

using namespace Halide;

class Hist : public Generator<Hist> {
public:
    GeneratorParam<int> width{"width", 1536};
    GeneratorParam<int> height{"height", 2560};
    enum class Schedule { none, expert };  // expert: for GPUs, by hand
    GeneratorParam<Schedule> scheduled{"schedule", Schedule::none, {{"none", Schedule::none}, {"expert", Schedule::expert}}};

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

        if (scheduled == Schedule::expert) {
            // A block counts 16 rows in shared memory, by atomic additions; a thread sums the
            // blocks' counts of a brightness.
            Var ii("ii"), part("part"), xi("xi"), yi("yi"), yt("yt");
            RVar rows("rows"), row("row"), xo("xo"), xt("xt");
            histogram.update().split(r.y, rows, row, 16);
            Func counts = histogram.update().rfactor(rows, part);
            Func counted = counts.in();
            counted.compute_root().split(i, i, ii, 256).reorder(ii, i, part).gpu_blocks(part).gpu_threads(ii);
            counts.compute_at(counted, part).store_in(MemoryType::GPUShared).split(i, i, ii, 256).gpu_threads(ii);
            counts.update()
                .split(r.x, xo, xt, 256)
                .reorder(xt, xo, row)
                .atomic()
                .gpu_threads(xt);
            histogram.compute_root().gpu_tile(i, ii, 32).update().gpu_tile(i, ii, 32);
            cdf.compute_root().gpu_tile(i, ii, 32).update().gpu_single_thread();
            output.never_partition_all()
                .bound(c, 0, 3)
                .split(y, y, yt, 4)
                .reorder(c, yt, x, y)
                .gpu_tile(x, y, xi, yi, 64, 4, TailStrategy::GuardWithIf)
                .unroll(yt)
                .unroll(c);
        }
    }

private:
    // Drops 16 fractional bits, rounding to nearest.
    static Expr fixed(Expr e) {
        return (e + 32768) >> 16;
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Hist, hist)
