// Two photographs blended by a mask without a seam, band by band (Burt and Adelson 1983),
// written as a user writes it: the algorithm, estimates, no schedule.
#include "Halide.h"

namespace {

using namespace Halide;

class PyramidBlend : public Generator<PyramidBlend> {
public:
    GeneratorParam<int> width{"width", 1536};
    GeneratorParam<int> height{"height", 2560};
    GeneratorParam<int> levels{"levels", 4};

    Input<Buffer<float, 3>> first{"first"};
    Input<Buffer<float, 3>> second{"second"};
    Input<Buffer<float, 2>> mask{"mask"};  // 1 where the first is seen, 0 where the second is
    Output<Buffer<float, 3>> output{"output"};

    void generate() {
        std::vector<Func> a = gaussian(BoundaryConditions::repeat_edge(first), "first");
        std::vector<Func> b = gaussian(BoundaryConditions::repeat_edge(second), "second");
        std::vector<Func> m = gaussian(BoundaryConditions::repeat_edge(mask), "mask");

        std::vector<Func> blended(levels);
        Func result;
        for (int l = levels - 1; l >= 0; l--) {
            const std::string level = std::to_string(l);
            Func band_a = band(a, l, "first_band_"), band_b = band(b, l, "second_band_");
            blended[l] = Func("blended_" + level);
            blended[l](x, y, c) = band_b(x, y, c) + m[l](x, y) * (band_a(x, y, c) - band_b(x, y, c));
            if (l == levels - 1) {
                result = blended[l];
                continue;
            }
            Func coarse = doubled(result, "grown_" + level);
            result = Func("result_" + level);
            result(x, y, c) = blended[l](x, y, c) + coarse(x, y, c);
        }
        output(x, y, c) = clamp(result(x, y, c), 0.0f, 1.0f);

        first.set_estimates({{0, width}, {0, height}, {0, 3}});
        second.set_estimates({{0, width}, {0, height}, {0, 3}});
        mask.set_estimates({{0, width}, {0, height}});
        output.set_estimates({{0, width}, {0, height}, {0, 3}});
    }

private:
    Var x{"x"}, y{"y"}, c{"c"};

    std::vector<Func> gaussian(Func f, const std::string &name) {
        std::vector<Func> out{f};
        for (int l = 1; l < levels; l++) {
            out.push_back(halved(out.back(), name + "_" + std::to_string(l)));
        }
        return out;
    }

    // What a level has and the next coarser one has not.
    Func band(const std::vector<Func> &f, int level, const std::string &name) {
        if (level == levels - 1) {
            return f[level];
        }
        const std::string full = name + std::to_string(level);
        Func coarse = doubled(f[level + 1], full + "_coarse"), out(full);
        out(x, y, c) = f[level](x, y, c) - coarse(x, y, c);
        return out;
    }

    // Coarse samples lie between two fine ones: (1 3 3 1) / 8 on the way down, (3 1) / 4 on
    // the way up.
    Func halved(Func f, const std::string &name) {
        Func across(name + "_across"), half(name);
        across(x, y, _) = 0.125f * (f(2 * x - 1, y, _) + f(2 * x + 2, y, _)) + 0.375f * (f(2 * x, y, _) + f(2 * x + 1, y, _));
        half(x, y, _) = 0.125f * (across(x, 2 * y - 1, _) + across(x, 2 * y + 2, _)) + 0.375f * (across(x, 2 * y, _) + across(x, 2 * y + 1, _));
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

HALIDE_REGISTER_GENERATOR(PyramidBlend, pyramid_blend)
