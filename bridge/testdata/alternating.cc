// Stored Funcs whose points alternate in what they compute.
#include "Halide.h"

namespace {

using namespace Halide;

class Alternating : public Generator<Alternating> {
public:
    enum class Kind { mosaic, doubled, thirds, shifted, inner, bare, output, enlarged, tuple };
    GeneratorParam<Kind> kind{"kind", Kind::mosaic, {{"mosaic", Kind::mosaic}, {"doubled", Kind::doubled}, {"thirds", Kind::thirds}, {"shifted", Kind::shifted}, {"inner", Kind::inner}, {"bare", Kind::bare}, {"output", Kind::output}, {"enlarged", Kind::enlarged}, {"tuple", Kind::tuple}}};

    Input<Buffer<int32_t, 2>> input{"input"};
    Output<Buffer<int32_t, 2>> out{"out"};

    void generate() {
        Func in = BoundaryConditions::repeat_edge(input), f("f");
        Expr odd_x = x % 2 != 0, odd_y = y % 2 != 0;
        switch (kind) {
        case Kind::mosaic:  // four kinds of points
            f(x, y) = select(odd_y, select(odd_x, cross(in), row(in)), select(odd_x, column(in), diagonal(in)));
            break;
        case Kind::doubled:  // twice as large as what is read, linear between
            f(x, y) = 3 * in(x / 2, y / 2) + in(x / 2 - 1 + 2 * (x % 2), y / 2) + in(x / 2, y / 2 - 1 + 2 * (y % 2));
            break;
        case Kind::thirds:  // cells of three points, which no thread computes
            f(x, y) = select(x % 3 == 0, cross(in), x % 3 == 1, row(in), column(in));
            break;
        case Kind::shifted:  // cells that begin elsewhere
            f(x, y) = select((x + 1) % 2 == 0, cross(in), row(in)) + select((y - 3) % 4 == 0, column(in), diagonal(in));
            break;
        case Kind::inner:  // in what is inlined, read beside the point
        {
            Func g("g");
            g(x, y) = select(odd_x, in(x, y), -in(x, y));
            f(x, y) = g(x - 1, y) * 3 + g(x, y) * 5 + g(x + 1, y) * 7;
            break;
        }
        case Kind::bare:  // an input that ends where it is read no more
            f(x, y) = select(odd_x, cross(input), row(input)) + select(odd_y, column(input), diagonal(input));
            break;
        case Kind::enlarged:  // twice, linear between, of what a block keeps
        {
            Func less("less"), half("half");
            less(x, y) = row(in) * 3 + column(in) * 5 + diagonal(in);
            half(x, y) = less(x / 2, y / 2) + less((x + 1) / 2, (y + 1) / 2);
            out(x, y) = half(x / 2, y / 2) + 3 * half((x + 1) / 2, y / 2) - half(x / 2, (y + 1) / 2);
            break;
        }
        case Kind::tuple:  // two results
        {
            Func both("both");
            both(x, y) = Tuple(select(odd_x, cross(in), row(in)), select(odd_y, column(in), diagonal(in)));
            out(x, y) = both(x, y)[0] + both(x, y)[1] * (x % 4);
            break;
        }
        case Kind::output:
            out(x, y) = select(odd_y, select(odd_x, cross(in), row(in)), select(odd_x, column(in), diagonal(in)));
            break;
        }
        if (kind < Kind::output) {
            // Read so often, and so far apart, that it is stored.
            Expr sum = f(x, y);
            for (int i = -4; i < 5; i++) {
                sum += f(x + 37 * i, y - 41 * i) * i + f(x - 35 * i, y) * (i * i);
            }
            out(x, y) = sum;
        }
        const bool bare = kind == Kind::bare;
        const int halved = kind == Kind::doubled ? 2 : 1;
        input.set_estimates({{bare ? -149 : 0, bare ? 1834 : 1536 / halved}, {bare ? -165 : 0, bare ? 1354 : 1024 / halved}});
        out.set_estimates({{0, 1536}, {0, 1024}});
    }

private:
    Var x{"x"}, y{"y"};

    template<typename F>
    Expr row(F &&f) {
        return (f(x - 1, y) + f(x + 1, y)) / 2;
    }
    template<typename F>
    Expr column(F &&f) {
        return max(f(x, y - 1), f(x, y + 1)) - f(x, y) / 3;
    }
    template<typename F>
    Expr cross(F &&f) {
        return min(f(x - 1, y), f(x + 1, y)) * max(f(x, y - 1), f(x, y + 1));
    }
    template<typename F>
    Expr diagonal(F &&f) {
        return select(absd(f(x - 1, y - 1), f(x + 1, y + 1)) < absd(f(x - 1, y + 1), f(x + 1, y - 1)), f(x - 1, y - 1), f(x + 1, y - 1));
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Alternating, alternating)
