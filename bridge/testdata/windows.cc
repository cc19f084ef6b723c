// Windows in the forms in which they are combined from parts, and some that must not be.
#include "Halide.h"

#include <functional>

namespace {

using namespace Halide;

class Windows : public Generator<Windows> {
public:
    enum class Kind { box, sobel, binomial, tall, row, seven, least, bytes, wrapped, layers, dilated, beside, twice, products, pair, updated, scaled, cross, unequal, by_data, four, away, disk };
    GeneratorParam<Kind> kind{"kind",
                              Kind::box,
                              {{"box", Kind::box},
                               {"sobel", Kind::sobel},
                               {"binomial", Kind::binomial},
                               {"tall", Kind::tall},
                               {"row", Kind::row},
                               {"seven", Kind::seven},
                               {"least", Kind::least},
                               {"bytes", Kind::bytes},
                               {"wrapped", Kind::wrapped},
                               {"layers", Kind::layers},
                               {"dilated", Kind::dilated},
                               {"beside", Kind::beside},
                               {"twice", Kind::twice},
                               {"products", Kind::products},
                               {"pair", Kind::pair},
                               {"updated", Kind::updated},
                               {"scaled", Kind::scaled},
                               {"cross", Kind::cross},
                               {"unequal", Kind::unequal},
                               {"by_data", Kind::by_data},
                               {"four", Kind::four},
                               {"away", Kind::away},
                               {"disk", Kind::disk}}};

    Input<Buffer<uint8_t, 2>> input{"input"};
    Output<Buffer<float, 2>> out{"out"};

    void generate() {
        Var x("x"), y("y"), c("c");
        Func in = BoundaryConditions::mirror_image(input), f("f"), s("s");
        f(x, y) = cast<float>(in(x, y));
        // The sum of weight(i, j) * value(i, j) over a box.
        const auto all = [](int left, int right, int up, int down, const std::function<Expr(int, int)> &term) {
            Expr sum;
            for (int j = up; j <= down; j++) {
                for (int i = left; i <= right; i++) {
                    const Expr t = term(i, j);
                    if (t.defined()) {
                        sum = sum.defined() ? sum + t : t;
                    }
                }
            }
            return sum;
        };
        const auto at = [&](int i, int j) { return f(x + i, y + j); };
        switch (kind) {
        case Kind::box: s(x, y) = all(-1, 1, -1, 1, at) / 9; break;
        case Kind::sobel: s(x, y) = (f(x + 1, y - 1) - f(x - 1, y - 1)) + 2.f * (f(x + 1, y) - f(x - 1, y)) + (f(x + 1, y + 1) - f(x - 1, y + 1)); break;
        case Kind::binomial: {
            const int w[] = {1, 4, 6, 4, 1};
            s(x, y) = all(-2, 2, -2, 2, [&](int i, int j) -> Expr { return cast<int>(in(x + i, y + j)) * (w[i + 2] * w[j + 2]); }) >> 8;
            break;
        }
        case Kind::tall: s(x, y) = all(0, 0, -4, 4, at) * .125f; break;
        case Kind::row: s(x, y) = all(-5, 6, 0, 0, at) + x; break;
        case Kind::seven: s(x, y) = all(-3, 3, -3, 3, at); break;
        case Kind::least: {
            Expr low = in(x, y), high = in(x, y);
            for (int j = -2; j <= 2; j++) {
                for (int i = -1; i <= 1; i++) {
                    low = min(low, in(x + i, y + j));
                    high = max(in(x + i, y + j), high);
                }
            }
            s(x, y) = high - low;
            break;
        }
        case Kind::bytes: s(x, y) = cast<uint8_t>(all(-1, 1, -1, 1, [&](int i, int j) -> Expr { return cast<uint16_t>(in(x + i, y + j)); }) / 9); break;
        case Kind::wrapped: s(x, y) = all(-1, 2, 0, 1, [&](int i, int j) -> Expr { return j ? -in(x + i, y + j) * cast<uint8_t>(3) : in(x + i, y + j) * cast<uint8_t>(2); }); break;
        case Kind::layers: {
            Func g("g");
            g(x, y, c) = f(x, y) * (c + 1);
            Expr sum = 0.f;
            for (int k = -1; k <= 1; k++) {
                for (int j = 0; j <= 1; j++) {
                    for (int i = -1; i <= 0; i++) {
                        sum += g(x + i, y + j, c + k) * (i ? .5f : .25f);
                    }
                }
            }
            Func layered("layered");
            layered(x, y, c) = sum;
            s(x, y) = layered(x, y, 0) - layered(x, y, 2);
            break;
        }
        case Kind::dilated: s(x, y) = all(-1, 1, -1, 1, [&](int i, int j) -> Expr { return f(x + 3 * i, y + 2 * j); }); break;
        case Kind::beside: s(x, y) = all(-1, 1, -1, 1, at) * (1.f / 9) + f(x + 9, y) * x - all(0, 1, 2, 3, [&](int i, int j) -> Expr { return cast<float>(in(y + j, x + i)); }); break;
        case Kind::twice: {  // the same sums of columns, for two
            Func a("a"), b("b");
            a(x, y) = all(-1, 1, -1, 1, at);
            b(x, y) = all(-2, 2, -1, 1, at);
            s(x, y) = a(x, y) * 2 - b(x, y);
            break;
        }
        case Kind::products: {
            Func g("g");
            g(x, y) = f(x + 1, y) - f(x - 1, y);
            s(x, y) = all(-1, 1, -1, 1, [&](int i, int j) -> Expr { return g(x + i, y + j) * g(x + i, y + j); }) - all(-1, 1, -1, 1, [&](int i, int j) -> Expr { return abs(f(x + i, y + j) - f(x + i + 2, y + j)); });
            break;
        }
        case Kind::pair: {
            Func p("p");
            p(x, y) = Tuple(all(-1, 1, -1, 1, at), all(-1, 1, 0, 3, at));
            s(x, y) = p(x, y)[0] - p(x + 1, y)[1];
            break;
        }
        case Kind::updated: {
            s(x, y) = all(-1, 1, -1, 1, at);
            s(x, 0) = s(x, 1) + 1;
            s(x, y) = s(x, y) * 2 + all(-1, 1, -1, 1, at);
            break;
        }
        case Kind::scaled: s(x, y) = all(-1, 1, -1, 1, [&](int i, int j) -> Expr { return f(2 * x + i, y + j); }); break;
        case Kind::cross: s(x, y) = all(-1, 1, -1, 1, [&](int i, int j) -> Expr { return i * j == 0 ? at(i, j) : Expr(); }); break;
        case Kind::unequal: s(x, y) = all(-1, 1, -1, 1, [&](int i, int j) -> Expr { return at(i, j) * (float)(1 + i * i + j * j); }); break;
        case Kind::by_data: s(x, y) = all(-1, 1, -1, 1, [&](int i, int j) -> Expr { return f(x + i, y + j) * f(x + cast<int>(in(x, y)) % 4, y); }); break;
        case Kind::away: s(x, y) = all(2, 5, -3, -3, at) + all(7, 7, -9, -5, [&](int i, int j) -> Expr { return at(i, j) * at(i, j); }) * 2.f; break;
        case Kind::disk: {
            const auto inside = [&](int i, int j) { return i * i + j * j < 10 ? f(x - j, y + i) * 2.f : Expr(); };
            const auto outside = [&](int i, int j) { return i * i + j * j < 10 ? in(x + i, y + j + 1) : Expr(); };
            Expr most = in(x, y);
            for (int j = -3; j <= 3; j++) {
                for (int i = -3; i <= 3; i++) {
                    const Expr v = outside(i, j);
                    most = v.defined() ? max(most, v) : most;
                }
            }
            s(x, y) = all(-3, 3, -3, 3, inside) - most;
            break;
        }
        case Kind::four: s(x, y) = all(-1, 2, 0, 0, at); break;
        }
        out(x, y) = cast<float>(s(x, y));
        input.set_estimates({{0, 1536}, {0, 2560}});
        out.set_estimates({{0, 1536}, {0, 2560}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Windows, windows)
