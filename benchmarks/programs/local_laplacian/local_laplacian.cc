// Local Laplacian filter (Paris, Hasinoff and Kautz 2011, in the fast form of Aubry et
// al. 2014) of an RGB image: detail is enhanced around every brightness without halos.
// Written as a user writes it: the algorithm, estimates, and no schedule but for comparison.
#include "Halide.h"

namespace {

using namespace Halide;

class LocalLaplacian : public Generator<LocalLaplacian> {
public:
    GeneratorParam<int> width{"width", 1536};
    GeneratorParam<int> height{"height", 2560};
    GeneratorParam<int> levels{"levels", 8};
    // Brightnesses for which the whole pyramid is computed; others lie between two.
    GeneratorParam<int> remappings{"remappings", 8};
    enum class Schedule { none, expert };  // expert: for GPUs, by hand
    GeneratorParam<Schedule> scheduled{"schedule", Schedule::none, {{"none", Schedule::none}, {"expert", Schedule::expert}}};

    Input<Buffer<uint16_t, 3>> input{"input"};
    Input<float> detail{"detail"};      // how much detail is added
    Input<float> contrast{"contrast"};  // what large differences are multiplied by
    Output<Buffer<float, 3>> output{"output"};

    void generate() {
        Func image("image");
        image = BoundaryConditions::repeat_edge(input);

        // ITU-R BT.601, in 1/256: whole numbers, so that every device takes the same
        // entry of the table below.
        Func luma("luma"), bright("bright");
        luma(x, y) = (77 * cast<int>(image(x, y, 0)) + 150 * cast<int>(image(x, y, 1)) + 29 * cast<int>(image(x, y, 2))) >> 8;
        bright(x, y) = cast<float>(luma(x, y)) * (1.0f / most);

        // The change of a difference d: a Gaussian's derivative, so that it fades where
        // the difference is an edge.
        const int step = most / (remappings - 1), coarseness = 32, entries = 2 * (most / coarseness + 1);
        Func boost("boost");
        Expr d = cast<float>((i - entries / 2) * coarseness) * (1.0f / step);
        boost(i) = detail * d * exp(-0.5f * d * d) * (1.0f / (remappings - 1));

        std::vector<Func> remapped(levels), guide(levels), laplacian(levels), chosen(levels), result(levels);
        remapped[0] = Func("remapped_0");
        Expr apart = luma(x, y) - k * step;
        Expr entry = clamp((apart >> 5) + entries / 2, 0, entries - 1);
        remapped[0](x, y, k) = (cast<float>(k * step) + contrast * cast<float>(apart)) * (1.0f / most) + boost(entry);
        guide[0] = bright;
        for (int l = 1; l < levels; l++) {
            remapped[l] = halved(seen(remapped[l - 1], l - 1), "remapped_" + std::to_string(l));
            guide[l] = halved(seen(guide[l - 1], l - 1), "guide_" + std::to_string(l));
        }

        laplacian[levels - 1] = remapped[levels - 1];
        for (int l = levels - 2; l >= 0; l--) {
            Func coarser = doubled(remapped[l + 1], "stretched_" + std::to_string(l));
            laplacian[l] = Func("laplacian_" + std::to_string(l));
            laplacian[l](x, y, k) = remapped[l](x, y, k) - coarser(x, y, k);
        }

        // Each pixel of each level takes the two pyramids whose brightness is nearest.
        for (int l = 0; l < levels; l++) {
            Expr at = guide[l](x, y) * (float(most) / step);
            Expr below = clamp(cast<int>(at), 0, remappings - 2);
            Expr above = at - cast<float>(below);
            chosen[l] = Func("chosen_" + std::to_string(l));
            chosen[l](x, y) = (1.0f - above) * laplacian[l](x, y, below) + above * laplacian[l](x, y, below + 1);
        }

        result[levels - 1] = chosen[levels - 1];
        for (int l = levels - 2; l >= 0; l--) {
            Func coarser = doubled(result[l + 1], "grown_" + std::to_string(l));
            result[l] = Func("result_" + std::to_string(l));
            result[l](x, y) = coarser(x, y) + chosen[l](x, y);
        }

        // The colours keep their ratios.
        const float dark = 0.01f;
        output(x, y, c) = cast<float>(image(x, y, c)) * (1.0f / most) * (result[0](x, y) + dark) / (bright(x, y) + dark);

        detail.set_estimate(1.0f);
        contrast.set_estimate(1.0f);
        input.set_estimates({{0, width}, {0, height}, {0, 3}});
        output.set_estimates({{0, width}, {0, height}, {0, 3}});

        if (scheduled == Schedule::expert) {
            // A kernel a level and pyramid. The first level of the remapped ones is made of the
            // remapped image a brightness at a time, in shared memory: 31x14 points of 64x30 pixels.
            Var xo("xo"), yo("yo"), xi("xi"), yi("yi"), xt("xt"), yt("yt");
            luma.compute_root().never_partition_all().gpu_tile(x, y, xi, yi, 32, 8, TailStrategy::GuardWithIf);
            boost.compute_root().gpu_tile(i, xi, 64, TailStrategy::GuardWithIf);
            Var at = remapped[1].args()[2];  // which brightness
            Func pixels = remapped[0].in(narrowed[0]);
            remapped[1].compute_root()
                .never_partition_all()
                .tile(x, y, xo, yo, xi, yi, 31, 14, TailStrategy::RoundUp)
                .split(yi, yt, yi, 2)
                .reorder(yi, xi, yt, at, xo, yo)
                .gpu_blocks(xo, yo)
                .gpu_threads(xi, yt)
                .unroll(yi);
            pixels.compute_at(remapped[1], at)
                .never_partition_all()
                .tile(x, y, xt, yt, xi, yi, 2, 4, TailStrategy::RoundUp)
                .gpu_threads(xt, yt)
                .unroll(xi)
                .unroll(yi);
            auto by_tiles = [&](Func f) {
                f.compute_root().never_partition_all().gpu_tile(x, y, xi, yi, 32, 4, TailStrategy::GuardWithIf);
                return f;
            };
            for (int l = 1; l < levels; l++) {
                by_tiles(guide[l]);
                by_tiles(result[l]);
                if (l > 1) {
                    by_tiles(remapped[l]).gpu_blocks(at);
                }
            }
            output.never_partition_all()
                .bound(c, 0, 3)
                .reorder(c, x, y)
                .unroll(c)
                .gpu_tile(x, y, xi, yi, 32, 8, TailStrategy::GuardWithIf);
            result[0].compute_at(output, xi);
        }
    }

private:
    Var x{"x"}, y{"y"}, c{"c"}, k{"k"}, i{"i"};
    static constexpr int most = 65535;
    static constexpr int edge_level = 2;
    std::vector<Func> narrowed;  // what halved() makes on its way

    // Samples of the edge level that lie within the image.
    static Expr coarse(Expr extent) {
        return ((extent - 1) >> edge_level) + 1;
    }

    // The level that coarser ones are made from. At one level the image ends, or the
    // finest would be asked for hundreds of pixels around it.
    Func seen(Func f, int level) {
        if (level != edge_level) {
            return f;
        }
        return BoundaryConditions::repeat_edge(f, {{0, coarse(input.width())}, {0, coarse(input.height())}});
    }

    // Coarse samples lie between two fine ones: (1 3 3 1) / 8 on the way down, the
    // same weights on the way up.
    Func halved(Func f, const std::string &name) {
        Func across(name + "_across"), half(name);
        across(x, y, _) = (f(2 * x - 1, y, _) + 3.0f * (f(2 * x, y, _) + f(2 * x + 1, y, _)) + f(2 * x + 2, y, _)) * 0.125f;
        narrowed.push_back(across);
        half(x, y, _) = (across(x, 2 * y - 1, _) + 3.0f * (across(x, 2 * y, _) + across(x, 2 * y + 1, _)) + across(x, 2 * y + 2, _)) * 0.125f;
        return half;
    }

    Func doubled(Func f, const std::string &name) {
        Func across(name + "_across"), twice(name);
        across(x, y, _) = 0.75f * f(x / 2, y, _) + 0.25f * f(x / 2 - 1 + 2 * (x % 2), y, _);
        twice(x, y, _) = 0.75f * across(x, y / 2, _) + 0.25f * across(x, y / 2 - 1 + 2 * (y % 2), _);
        return twice;
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(LocalLaplacian, local_laplacian)
