// Pipelines whose members in shared memory have a size that Halide 21 does not prove, for it does not look behind names: a flow by gradients over two levels, in
// integers, and a sum of absolute differences.
#include <Halide.h>

using namespace Halide;

namespace {

class Flow : public Generator<Flow> {
public:
    Input<Buffer<uint8_t, 2>> left{"left"}, right{"right"};
    Output<Buffer<int32_t, 3>> out{"out"};

    void generate() {
        Var x("x"), y("y"), c("c");
        Func fa("fa"), fb("fb"), half_a("half_a"), half_b("half_b");
        fa(x, y) = cast<int>(BoundaryConditions::repeat_edge(left)(x, y));
        fb(x, y) = cast<int>(BoundaryConditions::repeat_edge(right)(x, y));
        half_a(x, y) = (fa(2 * x, 2 * y) + fa(2 * x + 1, 2 * y) + fa(2 * x, 2 * y + 1) + fa(2 * x + 1, 2 * y + 1)) / 4;
        half_b(x, y) = (fb(2 * x, 2 * y) + fb(2 * x + 1, 2 * y) + fb(2 * x, 2 * y + 1) + fb(2 * x + 1, 2 * y + 1)) / 4;
        Func coarse = step(half_a, half_b, [](const Expr &, const Expr &) { return Tuple(0, 0); }, "coarse");
        Func fine = step(fa, fb, [&](const Expr &x, const Expr &y) { return Tuple(2 * coarse(x / 2, y / 2)[0], 2 * coarse(x / 2, y / 2)[1]); }, "fine");
        out(x, y, c) = select(c == 0, fine(x, y)[0], fine(x, y)[1]);
        out.set_estimates({{0, 320}, {0, 240}, {0, 2}});
        left.set_estimates({{0, 320}, {0, 240}});
        right.set_estimates({{0, 320}, {0, 240}});
    }

private:
    // How far points move from one image to the other, from where it is guessed to be.
    template<typename Guess>
    Func step(Func from, Func to, Guess guess, const std::string &name) {
        Var x("x"), y("y");
        Func start(name + "_start"), dx(name + "_dx"), dy(name + "_dy"), dt(name + "_dt"), sums(name + "_sums"), flow(name);
        start(x, y) = guess(x, y);
        const Expr px = x + clamp(start(x, y)[0], -4, 4), py = y + clamp(start(x, y)[1], -4, 4);
        dx(x, y) = (from(x + 1, y) - from(x - 1, y)) / 2;
        dy(x, y) = (from(x, y + 1) - from(x, y - 1)) / 2;
        dt(x, y) = to(px, py) - from(x, y);
        RDom r(-3, 7, -3, 7);
        const Expr gx = dx(x + r.x, y + r.y), gy = dy(x + r.x, y + r.y), gt = dt(x + r.x, y + r.y);
        sums(x, y) = Tuple(0, 0, 0, 0, 0);
        sums(x, y) = Tuple(sums(x, y)[0] + gx * gx, sums(x, y)[1] + gx * gy, sums(x, y)[2] + gy * gy, sums(x, y)[3] + gx * gt, sums(x, y)[4] + gy * gt);
        const Expr xx = sums(x, y)[0] + 1, xy = sums(x, y)[1] / 16, yy = sums(x, y)[2] + 1, xt = sums(x, y)[3], yt = sums(x, y)[4];
        flow(x, y) = Tuple(start(x, y)[0] - (xt + xy) / xx, start(x, y)[1] - (yt + xy) / yy);
        return flow;
    }
};

class Disparity : public Generator<Disparity> {
public:
    Input<Buffer<uint8_t, 2>> left{"left"}, right{"right"};
    Output<Buffer<uint16_t, 2>> nearest{"nearest"};

    void generate() {
        Var x("x"), y("y"), d("d");
        Func l = BoundaryConditions::repeat_edge(left), r = BoundaryConditions::repeat_edge(right), apart("apart"), cost("cost");
        apart(x, y, d) = cast<uint16_t>(absd(l(x, y), r(x - d, y)));
        RDom window(-4, 9, -4, 9), all(0, 16);
        cost(x, y, d) += apart(x + window.x, y + window.y, d);
        nearest(x, y) = cast<uint16_t>(65535);
        nearest(x, y) = min(nearest(x, y), cost(x, y, all));
        nearest.set_estimates({{0, 450}, {0, 375}});
        left.set_estimates({{0, 450}, {0, 375}});
        right.set_estimates({{0, 450}, {0, 375}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Flow, flow)
HALIDE_REGISTER_GENERATOR(Disparity, disparity)
