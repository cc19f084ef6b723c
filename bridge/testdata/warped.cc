// Colours of a picture that is moved by what another says, taken between four pixels each.
#include "Halide.h"

namespace {

using namespace Halide;

class Warped : public Generator<Warped> {
public:
    Input<Buffer<uint8_t, 3>> picture{"picture"};
    Input<Buffer<int32_t, 3>> flow{"flow"};
    Output<Buffer<uint8_t, 3>> out{"out"};

    void generate() {
        Var x("x"), y("y"), c("c");
        Func in = BoundaryConditions::repeat_edge(picture), near("near"), moved("moved");
        Expr at_x = clamp(x * 32 + flow(x, y, 0) / 8, -32, picture.width() * 32), at_y = clamp(y * 32 + flow(x, y, 1) / 8, -32, picture.height() * 32);
        Expr left = at_x / 32, top = at_y / 32, right_part = at_x % 32, bottom_part = at_y % 32;
        auto across = [&](const Expr &row) { return cast<int>(in(left, row, c)) * (32 - right_part) + cast<int>(in(left + 1, row, c)) * right_part; };
        moved(x, y, c) = (across(top) * (32 - bottom_part) + across(top + 1) * bottom_part) / 1024;
        near(x, y) = abs(flow(x, y, 0)) + abs(flow(x, y, 1)) + abs(flow(clamp(left, 0, flow.width() - 1), clamp(top, 0, flow.height() - 1), 0)) < 2000;
        out(x, y, c) = select(near(x, y), cast<uint8_t>(moved(x, y, c)), in(x, y, c));
        picture.set_estimates({{0, 1280}, {0, 720}, {0, 3}});
        flow.set_estimates({{0, 1280}, {0, 720}, {0, 2}});
        out.set_estimates({{0, 1280}, {0, 720}, {0, 3}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Warped, warped)
