// Histograms of the cells of an image, by what falls into them and how they are read.
#include <Halide.h>

using namespace Halide;

namespace {

class Cells : public Generator<Cells> {
public:
    // levels: sums and counts by as many levels as the scale has, as a bilateral grid has them; bins: counts by 16 bins, which are the first argument; pairs: the largest and the sum of each
    // bin; twice: a second update in the same cells; apart: cells that overlap; summaries: the median bin and the most frequent of the neighbourhood of each pixel.
    GeneratorParam<std::string> what{"what", "levels"};
    GeneratorParam<int> width{"width", 512}, height{"height", 384};
    Input<Buffer<uint8_t, 2>> image{"image"};
    Input<float> scale{"scale"};  // levels an intensity
    Output<Buffer<float, 2>> out{"out"};

    void generate() {
        Var x("x"), y("y"), z("z"), c("c"), b("b");
        const std::string how = what;
        Func in("in"), cells("cells"), blurred("blurred");
        in(x, y) = cast<float>(BoundaryConditions::repeat_edge(image)(x, y));
        if (how == "levels" || how == "twice" || how == "apart") {
            const int size = how == "apart" ? 12 : 8;
            RDom r(0, size, 0, size, "r");
            const Expr value = in(x * 8 + r.x - 4, y * 8 + r.y - 4);
            cells(x, y, z, c) = 0.0f;
            cells(x, y, cast<int>(value * scale), c) += mux(c, {value, 1.0f});
            if (how == "twice") {
                RDom few(0, 4, "few");
                cells(x, y, cast<int>(in(x * 8 + few, y * 8) * scale), c) *= 0.5f;
            }
            blurred(x, y, z, c) = cells(x, y, z - 1, c) + 2 * cells(x, y, z, c) + cells(x, y, z + 1, c);
            const Expr level = cast<int>(in(x, y) * scale);
            auto at = [&](Expr i, Expr j, int which) { return blurred(i, j, level, which); };
            out(x, y) = (at(x / 8, y / 8, 0) + at(x / 8 + 1, y / 8, 0) + at(x / 8, y / 8 + 1, 0)) / (at(x / 8, y / 8, 1) + at(x / 8 + 1, y / 8 + 1, 1) + 1);
        } else if (how == "summaries") {
            RDom r(-2, 5, -2, 5, "r"), bins(0, 16, "bins");
            Func counts("counts"), median("median"), most("most");
            counts(x, y, b) = cast<uint16_t>(0);
            counts(x, y, cast<int>(in(x + r.x, y + r.y) / 16)) += cast<uint16_t>(1);
            median(x, y) = {cast<uint16_t>(0), 0};
            const Expr so_far = median(x, y)[0] + counts(x, y, bins);
            median(x, y) = {so_far, select(so_far <= 12, bins + 1, median(x, y)[1])};
            most(x, y) = cast<uint16_t>(0);
            most(x, y) = max(most(x, y), counts(x, y, bins));
            out(x, y) = cast<float>(median(x, y)[1] * 100 + most(x, y)) + cast<float>(counts(x, y, 3)) / 32;
        } else {
            RDom r(0, 16, 0, 16, "r");
            const Expr value = in(x * 16 + r.x, y * 16 + r.y);
            const Expr bin = clamp(cast<int>(value / 16), 0, 15), low = max(b - 1, 0), high = min(b + 1, 15);
            if (how == "bins") {
                Func counts("counts");
                counts(b, x, y) = cast<uint32_t>(0);
                counts(bin, x, y) += cast<uint32_t>(1);
                cells(b, x, y) = cast<float>(counts(low, x, y)) + cast<float>(counts(b, x, y)) + cast<float>(counts(high, x, y));
            } else {
                Func both("both");
                both(x, y, b) = {cast<float>(b), 0.0f};
                both(x, y, bin) = {max(both(x, y, bin)[0], value), both(x, y, bin)[1] + value};
                cells(b, x, y) = both(x, y, low)[0] + both(x, y, b)[1] * 0.25f + both(x, y, high)[0];
            }
            blurred(b, x, y) = cells(b, x - 1, y) + 2 * cells(b, x, y) + cells(b, x + 1, y);
            out(x, y) = blurred(clamp(cast<int>(in(x, y) / 16), 0, 15), x / 16, y / 16);
        }
        image.set_estimates({{0, width}, {0, height}});
        scale.set_estimate(0.05f);
        out.set_estimates({{0, width}, {0, height}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Cells, cells)
