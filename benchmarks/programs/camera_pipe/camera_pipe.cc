// From the raw samples of a Bayer sensor to an RGB photograph, written as a user
// writes it: the algorithm, estimates, and no schedule but for comparison. Hot pixels are suppressed, the
// mosaic is interpolated along edges with the colour-difference rule (Hamilton and
// Adams 1997), colours are corrected by a matrix, a curve brings gamma and contrast,
// and the result is sharpened. All arithmetic on samples is on integers.
#include "Halide.h"

namespace {

using namespace Halide;

class CameraPipe : public Generator<CameraPipe> {
public:
    GeneratorParam<int> width{"width", 1536};
    GeneratorParam<int> height{"height", 2560};
    enum class Schedule { none, expert };  // expert: for GPUs, by hand
    GeneratorParam<Schedule> scheduled{"schedule", Schedule::none, {{"none", Schedule::none}, {"expert", Schedule::expert}}};

    // Samples of 10 bits under a mosaic that starts with green, red / blue, green.
    Input<Buffer<uint16_t, 2>> raw{"raw"};
    // Rows are output channels: three weights and an offset, for two temperatures of the light.
    Input<Buffer<float, 2>> matrix_warm{"matrix_warm"};
    Input<Buffer<float, 2>> matrix_cold{"matrix_cold"};
    Input<float> kelvin{"kelvin"};
    Input<float> gamma{"gamma"};
    Input<float> contrast{"contrast"};  // 0 is none
    Input<int> sharpness{"sharpness"};  // in 1/32
    Input<int> black{"black"};
    Input<int> white{"white"};
    Output<Buffer<uint8_t, 3>> output{"output"};

    void generate() {
        // Mirrored at the edge pixel, which keeps the colours of the mosaic in place.
        Func sensor("sensor");
        sensor = BoundaryConditions::mirror_interior(raw);

        Func clean = suppress_hot_pixels(sensor);
        Func rgb = demosaic(clean);
        Func picture = apply_curve(correct_colours(rgb));
        output(x, y, c) = sharpen(picture)(x, y, c);

        kelvin.set_estimate(4200.0f);
        gamma.set_estimate(2.2f);
        contrast.set_estimate(0.4f);
        sharpness.set_estimate(24);
        black.set_estimate(25);
        white.set_estimate(1023);
        raw.set_estimates({{0, width}, {0, height}});
        matrix_warm.set_estimates({{0, 4}, {0, 3}});
        matrix_cold.set_estimates({{0, 4}, {0, 3}});
        output.set_estimates({{0, width}, {0, height}, {0, 3}});

        if (scheduled == Schedule::expert) {
            // Three kernels: the matrix and the curve, then all else. A thread computes cells of
            // 2x4 samples of each of five stages, which are in shared memory.
            Var xo("xo"), yo("yo"), xi("xi"), yi("yi"), xt("xt"), yt("yt");
            matrix.compute_root().gpu_tile(x, y, xi, yi, 4, 3);
            curve.compute_root().gpu_tile(x, xi, 64);
            // The mosaic's cells are whole.
            output.dim(0).set_min(0).set_extent(output.width() / 2 * 2);
            output.dim(1).set_min(0).set_extent(output.height() / 2 * 2);
            output.bound(c, 0, 3)
                .never_partition_all()
                .tile(x, y, xo, yo, xi, yi, 52, 52)
                .tile(xi, yi, xt, yt, xi, yi, 2, 4)
                .reorder(xi, yi, c, xt, yt, xo, yo)
                .gpu_blocks(xo, yo)
                .gpu_threads(xt, yt)
                .unroll(xi)
                .unroll(yi)
                .unroll(c);
            Func window = picture.in();
            window.compute_at(output, c).unroll(x).unroll(y);
            blur_y.compute_at(output, c).unroll(x).unroll(y);
            for (Func f : {picture, clean, sensor}) {
                f.compute_at(output, xo)
                    .never_partition_all()
                    .align_bounds(f.args()[0], 2)
                    .align_bounds(f.args()[1], 2)
                    .tile(f.args()[0], f.args()[1], xt, yt, xi, yi, 2, 4)
                    .reorder(xi, yi, xt, yt)
                    .gpu_threads(xt, yt)
                    .unroll(xi)
                    .unroll(yi);
            }
            picture.bound(c, 0, 3).reorder(c, xi, yi, xt, yt).unroll(c);
            for (Func f : {red_less_green, blue_less_green}) {
                f.compute_at(output, xo).never_partition_all().split(y, yt, yi, 2).reorder(yi, x, yt).gpu_threads(x, yt).unroll(yi);
            }
        }
    }

private:
    Var x{"x"}, y{"y"}, c{"c"};
    static constexpr int most = 1023;
    // What the expert schedule names besides what generate() holds.
    Func red_less_green{"red_less_green"}, blue_less_green{"blue_less_green"}, matrix{"matrix"}, curve{"curve"}, blur_y{"blur_y"};

    // Nothing is above or below all four neighbours of its colour.
    Func suppress_hot_pixels(Func f) {
        Expr left = f(x - 2, y), right = f(x + 2, y), above = f(x, y - 2), below = f(x, y + 2);
        Func clean("clean");
        clean(x, y) = clamp(f(x, y), min(left, right, above, below), max(left, right, above, below));
        return clean;
    }

    // The mean, rounded up. Samples and differences are 16 bits, their sums are not.
    static Expr mean(Expr a, Expr b) {
        return cast<int16_t>((cast<int>(a) + cast<int>(b) + 1) >> 1);
    }

    // The mean of the pair that differs less, of the first where both differ alike.
    static Expr along_edge(Expr a0, Expr a1, Expr b0, Expr b1) {
        return select(absd(a0, a1) <= absd(b0, b1), mean(a0, a1), mean(b0, b1));
    }

    // Four Funcs of a quarter of the image each: (x, y) is the cell of 2x2 samples.
    Func cell(Func f, int dx, int dy, const std::string &name) {
        Func plane(name);
        plane(x, y) = cast<int16_t>(f(2 * x + dx, 2 * y + dy));
        return plane;
    }

    // The image whose cells are {a b / c d}.
    Func interleaved(Func a, Func b, Func c, Func d, const std::string &name) {
        Func top(name + "_top"), bottom(name + "_bottom"), whole(name);
        top(x, y) = select(x % 2 == 0, a(x / 2, y), b(x / 2, y));
        bottom(x, y) = select(x % 2 == 0, c(x / 2, y), d(x / 2, y));
        whole(x, y) = select(y % 2 == 0, top(x, y / 2), bottom(x, y / 2));
        return whole;
    }

    Func demosaic(Func clean) {
        // g_r is green in rows of red, r_b would be red where blue was sampled, and so on.
        Func g_r = cell(clean, 0, 0, "g_r"), r = cell(clean, 1, 0, "r");
        Func b = cell(clean, 0, 1, "b"), g_b = cell(clean, 1, 1, "g_b");

        // Green first, along the edge: left and right, or above and below.
        Func green_at_r("green_at_r"), green_at_b("green_at_b");
        green_at_r(x, y) = along_edge(g_r(x, y), g_r(x + 1, y), g_b(x, y - 1), g_b(x, y));
        green_at_b(x, y) = along_edge(g_b(x - 1, y), g_b(x, y), g_r(x, y), g_r(x, y + 1));

        // Red and blue follow green: their difference from it is what is interpolated.
        red_less_green(x, y) = r(x, y) - green_at_r(x, y);
        blue_less_green(x, y) = b(x, y) - green_at_b(x, y);

        Func red_at_g_r("red_at_g_r"), red_at_g_b("red_at_g_b"), red_at_b("red_at_b");
        red_at_g_r(x, y) = g_r(x, y) + mean(red_less_green(x - 1, y), red_less_green(x, y));
        red_at_g_b(x, y) = g_b(x, y) + mean(red_less_green(x, y), red_less_green(x, y + 1));
        red_at_b(x, y) = green_at_b(x, y) + along_edge(red_less_green(x - 1, y), red_less_green(x, y + 1),
                                                       red_less_green(x, y), red_less_green(x - 1, y + 1));

        Func blue_at_g_r("blue_at_g_r"), blue_at_g_b("blue_at_g_b"), blue_at_r("blue_at_r");
        blue_at_g_r(x, y) = g_r(x, y) + mean(blue_less_green(x, y - 1), blue_less_green(x, y));
        blue_at_g_b(x, y) = g_b(x, y) + mean(blue_less_green(x, y), blue_less_green(x + 1, y));
        blue_at_r(x, y) = green_at_r(x, y) + along_edge(blue_less_green(x, y - 1), blue_less_green(x + 1, y),
                                                        blue_less_green(x + 1, y - 1), blue_less_green(x, y));

        Func red = interleaved(red_at_g_r, r, red_at_b, red_at_g_b, "red");
        Func green = interleaved(g_r, green_at_r, green_at_b, g_b, "green");
        Func blue = interleaved(blue_at_g_r, blue_at_r, b, blue_at_g_b, "blue");

        Func rgb("rgb");
        rgb(x, y, c) = mux(c, {red(x, y), green(x, y), blue(x, y)});
        return rgb;
    }

    Func correct_colours(Func rgb) {
        // Matrices are interpolated over the inverse of the temperature, in 1/256.
        Expr cold = (1.0f / kelvin - 1.0f / 3200) / (1.0f / 7000 - 1.0f / 3200);
        matrix(x, y) = cast<int>(floor((matrix_cold(x, y) * cold + matrix_warm(x, y) * (1.0f - cold)) * 256.0f + 0.5f));

        Func corrected("corrected");
        Expr sum = matrix(3, c) + 128;
        for (int from = 0; from < 3; from++) {
            sum += matrix(from, c) * cast<int>(rgb(x, y, from));
        }
        corrected(x, y, c) = cast<int16_t>(clamp(sum >> 8, 0, most));
        return corrected;
    }

    Func apply_curve(Func corrected) {
        Expr linear = clamp(cast<float>(x - black) / cast<float>(white - black), 0.0f, 1.0f);
        Expr bright = pow(linear, 1.0f / gamma);
        // Two parabolas that meet in the middle with the same slope, above 1 for contrast.
        Expr dark = min(bright, 1.0f - bright);
        Expr bent = dark * (1.0f + contrast * (2.0f * dark - 1.0f));
        Expr contrasted = select(bright > 0.5f, 1.0f - bent, bent);
        curve(x) = cast<uint8_t>(clamp(floor(contrasted * 255.0f + 0.5f), 0.0f, 255.0f));

        Func curved("curved");
        curved(x, y, c) = curve(clamp(cast<int>(corrected(x, y, c)), 0, most));
        return curved;
    }

    Func sharpen(Func f) {
        Func blur("blur"), sharp("sharp");
        blur_y(x, y, c) = cast<uint16_t>(f(x, y - 1, c)) + cast<uint16_t>(2) * f(x, y, c) + f(x, y + 1, c);
        blur(x, y, c) = cast<uint8_t>((blur_y(x - 1, y, c) + cast<uint16_t>(2) * blur_y(x, y, c) + blur_y(x + 1, y, c) + cast<uint16_t>(8)) >> 4);
        Expr detail = cast<int>(f(x, y, c)) - cast<int>(blur(x, y, c));
        sharp(x, y, c) = cast<uint8_t>(clamp(cast<int>(f(x, y, c)) + ((detail * sharpness + 16) >> 5), 0, 255));
        return sharp;
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(CameraPipe, camera_pipe)
