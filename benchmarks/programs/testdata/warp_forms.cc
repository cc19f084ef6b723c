// Small groups of stages, each of a form that tiles of warps have to get right: boxes in three dimensions, halos on one side,
// images that are made smaller. In integers, so that a neighbour in the wrong lane or register shows.
#include "Halide.h"

namespace {

using namespace Halide;

class WarpForms : public Generator<WarpForms> {
public:
    GeneratorParam<std::string> form{"form", "box"};

    Input<Buffer<>> input{"input"};
    Output<Buffer<>> output{"output"};

    void configure() {
        input.set_type(Int(32));
        output.set_type(Int(32));
        input.set_dimensions(deep() ? 3 : 2);
        output.set_dimensions(deep() ? 3 : 2);
    }

    void generate() {
        const Func in = BoundaryConditions::repeat_edge(input);
        const std::string f = form;
        int across = 1, down = 1;
        if (f == "heat") {
            output(x, y, z) = step(step(in, "first"), "second")(x, y, z);
        } else if (f == "box") {
            Expr sum = 0;
            for (int i = 0; i < 27; i++) {
                sum += (i + 1) * in(x + i % 3 - 1, y + i / 3 % 3 - 1, z + i / 9 - 1);
            }
            output(x, y, z) = sum;
        } else if (f == "chain") {
            // Each stage one way, so that halos are odd and on one side.
            Func a("a"), b("b"), c("c");
            a(x, y) = in(x, y) * in(x, y) + in(x + 1, y);
            b(x, y) = a(x, y) * 3 + a(x + 1, y) * a(x - 2, y + 1);
            c(x, y) = b(x, y - 1) + b(x + 3, y) * b(x, y);
            output(x, y) = c(x, y) + c(x + 1, y) * 5 + c(x, y + 2) + c(x, y);
        } else if (f == "halves") {
            Func fine("fine"), narrow("narrow");
            // So much that no lane computes again what its neighbour has.
            fine(x, y) = in(x - 1, y) * in(x + 1, y) / (in(x, y) + 1) + in(x, y);
            narrow(x, y) = taps(fine(2 * x - 1, y), fine(2 * x, y), fine(2 * x + 1, y), fine(2 * x + 2, y));
            output(x, y) = taps(narrow(x, 2 * y - 1), narrow(x, 2 * y), narrow(x, 2 * y + 1), narrow(x, 2 * y + 2));
            across = down = 2;
        } else if (f == "quarters") {
            Func fine("fine"), half("half"), quarter("quarter");
            fine(x, y) = in(x - 1, y) * in(x + 1, y) + in(x, y);
            half(x, y) = taps(fine(2 * x - 1, y), fine(2 * x, y), fine(2 * x + 1, y), fine(2 * x + 2, y));
            quarter(x, y) = taps(half(2 * x - 1, y), half(2 * x, y), half(2 * x + 1, y), half(2 * x + 2, y)) + fine(4 * x, y);
            output(x, y) = quarter(x - 1, y) + 2 * quarter(x, y) + 3 * quarter(x + 1, y + 1);
            across = 4;
        } else {
            _halide_user_assert(false) << "no form " << f;
        }
        input.dim(0).set_estimate(0, across * 640);
        input.dim(1).set_estimate(0, down * 480);
        output.dim(0).set_estimate(0, 640);
        output.dim(1).set_estimate(0, 480);
        if (deep()) {
            input.dim(2).set_estimate(0, 96);
            output.dim(2).set_estimate(0, 96);
        }
    }

private:
    Var x{"x"}, y{"y"}, z{"z"};

    bool deep() const {
        const std::string f = form;
        return f == "heat" || f == "box";
    }

    static Expr taps(const Expr &a, const Expr &b, const Expr &c, const Expr &d) { return a + 3 * b + 5 * c + 7 * d; }

    Func step(const Func &f, const std::string &name) {
        Func next(name);
        next(x, y, z) = 2 * f(x, y, z) + 3 * f(x - 1, y, z) + 5 * f(x + 1, y, z) + 7 * f(x, y - 1, z) + 11 * f(x, y + 1, z) + 13 * f(x, y, z - 1) + 17 * f(x, y, z + 1);
        return next;
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(WarpForms, warp_forms)
