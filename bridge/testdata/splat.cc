// Scatters whose places and values share work: what is loaded says both where something is added and how much.
#include "Halide.h"

namespace {

using namespace Halide;

class Splat : public Generator<Splat> {
public:
    enum class Kind { weighted, bilinear, subtracted, moment };
    GeneratorParam<Kind> kind{"kind", Kind::weighted, {{"weighted", Kind::weighted}, {"bilinear", Kind::bilinear}, {"subtracted", Kind::subtracted}, {"moment", Kind::moment}}};

    Input<Buffer<uint16_t, 2>> places{"places"};  // the coordinates of a point, and the points
    Output<Buffer<int32_t, 2>> out{"out"};

    void generate() {
        Var x("x"), y("y");
        Func sums("sums");
        RDom r(0, places.dim(1).extent(), "r"), corners(0, 2, 0, 2, 0, places.dim(1).extent(), "corners");
        const auto coordinate = [&](int d, const Expr &point) { return cast<int>(places(d, point)); };
        const Expr px = coordinate(0, r), py = coordinate(1, r);
        const auto cell = [](const Expr &p) { return clamp(p / 1024, 0, 62); };
        sums(x, y) = x + 3 * y;
        switch (kind) {
        case Kind::weighted:
            sums(cell(px), cell(py)) += px % 1024 + py;
            break;
        case Kind::subtracted:
            sums(cell(px), cell(py)) -= px / 1024;
            break;
        case Kind::moment:  // a place that is computed from what is added
            sums(cell(px + py), cell(py)) = (px + py) * (px + py) + sums(cell(px + py), cell(py));
            break;
        case Kind::bilinear: {
            const Expr bx = coordinate(0, corners.z), by = coordinate(1, corners.z);
            const auto weight = [](const Expr &p, const Expr &corner) { return select(corner == 0, 1024 - p % 1024, p % 1024) / 8; };
            sums(cell(bx) + corners.x, cell(by) + corners.y) += weight(bx, corners.x) * weight(by, corners.y);
            break;
        }
        }
        out(x, y) = sums(x, y);
        places.dim(0).set_estimate(0, 2);
        places.dim(1).set_estimate(0, 50000);
        out.set_estimates({{0, 64}, {0, 64}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Splat, splat)
