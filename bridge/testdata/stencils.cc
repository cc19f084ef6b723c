// Stencils, each in two forms of the same sums: as reductions over a short domain, and written out in the definition.

#include "Halide.h"

#include <functional>

namespace {

using namespace Halide;
using BoundaryConditions::repeat_edge;

class Stencil {
public:
    GeneratorParam<int> width{"width", 1536};
    GeneratorParam<int> height{"height", 2560};
    GeneratorParam<bool> written{"written", false};

protected:
    Var x{"x"}, y{"y"}, c{"c"};

    // The estimates of a picture and of what comes of it, with dimensions behind those of a plane.
    template<typename In, typename Out>
    void sized(In &input, Out &output, const Region &more = {}) {
        Region all{{0, (int)width}, {0, (int)height}};
        all.insert(all.end(), more.begin(), more.end());
        input.set_estimates(all);
        output.set_estimates(all);
    }

    using Term = std::function<Expr(Expr, Expr)>;

    // The sum of a term over a box around each point.
    Func box_sum(const std::string &name, int reach_x, int reach_y, const Term &term) {
        Func f(name);
        if (written) {
            Expr sum;
            for (int j = -reach_y; j <= reach_y; j++) {
                for (int i = -reach_x; i <= reach_x; i++) {
                    sum = sum.defined() ? sum + term(i, j) : term(i, j);
                }
            }
            f(x, y) = sum;
            return f;
        }
        RDom r(-reach_x, 2 * reach_x + 1, -reach_y, 2 * reach_y + 1, "r");
        f(x, y) = cast(term(0, 0).type(), 0);
        f(x, y) += term(r.x, r.y);
        return f;
    }

    // The greatest, or the least, of a box around each point, by Halide's inline reductions.
    Expr extreme(Func g, int reach, bool greatest, const std::string &name) {
        if (written) {
            Expr e;
            for (int j = -reach; j <= reach; j++) {
                for (int i = -reach; i <= reach; i++) {
                    Expr v = g(x + i, y + j);
                    e = !e.defined() ? v : greatest ? max(e, v) : min(e, v);
                }
            }
            return e;
        }
        RDom r(-reach, 2 * reach + 1, -reach, 2 * reach + 1, "r");
        Expr v = g(x + r.x, y + r.y);
        return greatest ? maximum(r, v, name) : minimum(r, v, name);
    }

    static Buffer<float> table(const std::vector<float> &weights, int size) {
        Buffer<float> b(size, size);
        b.set_min(-(size / 2), -(size / 2));
        for (int i = 0; i < size * size; i++) {
            b(i % size - size / 2, i / size - size / 2) = weights[i];
        }
        return b;
    }
};

// Conway's: the neighbours are counted without the cell itself.
class Life : public Generator<Life>, public Stencil {
public:
    Input<Buffer<uint8_t, 2>> input{"input"};
    Output<Buffer<uint8_t, 2>> output{"output"};

    void generate() {
        Func cell = repeat_edge(input);
        Func alive("alive");
        alive(x, y) = cell(x, y) & 1;
        Func count = box_sum("count", 1, 1, [&](Expr i, Expr j) { return alive(x + i, y + j); });
        Expr n = count(x, y) - alive(x, y);
        output(x, y) = cast<uint8_t>(n == 3 || (n == 2 && alive(x, y) == 1));
        sized(input, output);
    }
};

// Two convolutions, one behind the other, with weights from a table.
class Twice : public Generator<Twice>, public Stencil {
public:
    Input<Buffer<float, 2>> input{"input"};
    Output<Buffer<float, 2>> output{"output"};

    void generate() {
        Buffer<float> smooth = table({.06f, .12f, .07f, .13f, .24f, .13f, .06f, .12f, .07f}, 3);
        Buffer<float> sharp = table({-.1f, -.15f, -.1f, -.2f, 2.1f, -.2f, -.1f, -.15f, -.1f}, 3);
        Func in = repeat_edge(input);
        Func first = box_sum("first", 1, 1, [&](Expr i, Expr j) { return smooth(i, j) * in(x + i, y + j); });
        Func second = box_sum("second", 1, 1, [&](Expr i, Expr j) { return sharp(i, j) * first(x + i, y + j); });
        output(x, y) = max(second(x, y), 0.0f);
        sized(input, output);
    }
};

// A blur whose weights a Func computes.
class Gauss : public Generator<Gauss>, public Stencil {
public:
    Input<Buffer<float, 2>> input{"input"};
    Output<Buffer<float, 2>> output{"output"};

    void generate() {
        Func in = repeat_edge(input), weight("weight");
        weight(x, y) = exp(cast<float>(x * x + y * y) * -.3f) * .1f;
        Func blurred = box_sum("blurred", 2, 2, [&](Expr i, Expr j) { return weight(i, j) * in(x + i, y + j); });
        output(x, y) = in(x, y) + .7f * (in(x, y) - blurred(x, y));
        sized(input, output);
    }
};

// The greatest of a box, then the least of one.
class Closing : public Generator<Closing>, public Stencil {
public:
    Input<Buffer<uint8_t, 2>> input{"input"};
    Output<Buffer<uint8_t, 2>> output{"output"};

    void generate() {
        Func in = repeat_edge(input);
        Func grown("grown");
        grown(x, y) = extreme(in, 2, true, "greatest");
        output(x, y) = extreme(grown, 2, false, "least") - in(x, y);
        sized(input, output);
    }
};

// The least of 25 neighbours in an image with a boundary condition: minima 24 deep.
class Erosion : public Generator<Erosion>, public Stencil {
public:
    Input<Buffer<uint8_t, 2>> input{"input"};
    Output<Buffer<uint8_t, 2>> output{"output"};

    void generate() {
        output(x, y) = extreme(repeat_edge(input), 2, false, "least");
        sized(input, output);
    }
};

// A mean over a disk: the domain has a condition, which its literal points decide.
class Disk : public Generator<Disk>, public Stencil {
public:
    Input<Buffer<float, 2>> input{"input"};
    Output<Buffer<float, 2>> output{"output"};

    void generate() {
        const int reach = 3;
        Func in = repeat_edge(input), sum("sum");
        if (written) {
            Expr all;
            for (int j = -reach; j <= reach; j++) {
                for (int i = -reach; i <= reach; i++) {
                    if (i * i + j * j <= reach * reach) {
                        all = all.defined() ? all + in(x + i, y + j) : in(x + i, y + j);
                    }
                }
            }
            sum(x, y) = all;
        } else {
            RDom r(-reach, 2 * reach + 1, -reach, 2 * reach + 1, "r");
            r.where(r.x * r.x + r.y * r.y <= reach * reach);
            sum(x, y) += in(x + r.x, y + r.y);
        }
        output(x, y) = sum(x, y) / 29;
        sized(input, output);
    }
};

// Corners: derivatives and sums of their products, by reductions throughout.
class Corners : public Generator<Corners>, public Stencil {
public:
    Input<Buffer<float, 2>> input{"input"};
    Output<Buffer<float, 2>> output{"output"};

    void generate() {
        Func in = repeat_edge(input);
        Buffer<float> across = table({-1, 0, 1, -2, 0, 2, -1, 0, 1}, 3);
        Func gx = box_sum("gx", 1, 1, [&](Expr i, Expr j) { return across(i, j) * in(x + i, y + j); });
        Func gy = box_sum("gy", 1, 1, [&](Expr i, Expr j) { return across(j, i) * in(x + i, y + j); });
        Func xx("xx"), xy("xy"), yy("yy");
        xx(x, y) = gx(x, y) * gx(x, y);
        xy(x, y) = gx(x, y) * gy(x, y);
        yy(x, y) = gy(x, y) * gy(x, y);
        const auto around = [&](const std::string &name, Func f) {
            return box_sum(name, 1, 1, [=](Expr i, Expr j) mutable { return f(x + i, y + j); });
        };
        Func sxx = around("sxx", xx), sxy = around("sxy", xy), syy = around("syy", yy);
        Expr trace = sxx(x, y) + syy(x, y);
        output(x, y) = sxx(x, y) * syy(x, y) - sxy(x, y) * sxy(x, y) - .04f * trace * trace;
        sized(input, output);
    }
};

// A separable blur of 16 bits in fixed point.
class Fixed : public Generator<Fixed>, public Stencil {
public:
    Input<Buffer<uint16_t, 2>> input{"input"};
    Output<Buffer<uint16_t, 2>> output{"output"};

    void generate() {
        Func in = repeat_edge(input);
        Buffer<uint32_t> taps(7);
        taps.set_min(-3);
        for (int i = -3; i <= 3; i++) {
            taps(i) = 1 << (4 - std::abs(i));
        }
        Func across = box_sum("across", 3, 0, [&](Expr i, Expr) { return taps(i) * cast<uint32_t>(in(x + i, y)); });
        Func down = box_sum("down", 0, 3, [&](Expr, Expr j) { return taps(j) * across(x, y + j); });
        output(x, y) = cast<uint16_t>(down(x, y) / (44 * 44));
        sized(input, output);
    }
};

// Colours, and the output is the reduction itself.
class Colours : public Generator<Colours>, public Stencil {
public:
    Input<Buffer<float, 3>> input{"input"};
    Output<Buffer<float, 3>> output{"output"};

    void generate() {
        Func in = repeat_edge(input);
        Buffer<float> smooth = table({.06f, .12f, .07f, .13f, .24f, .13f, .06f, .12f, .07f}, 3);
        if (written) {
            Expr sum = 0.0f;
            for (int j = -1; j <= 1; j++) {
                for (int i = -1; i <= 1; i++) {
                    sum += smooth(i, j) * in(x + i, y + j, c);
                }
            }
            output(x, y, c) = sum;
        } else {
            RDom r(-1, 3, -1, 3, "r");
            output(x, y, c) += smooth(r.x, r.y) * in(x + r.x, y + r.y, c);
        }
        sized(input, output, {{0, 3}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Life, life)
HALIDE_REGISTER_GENERATOR(Twice, twice)
HALIDE_REGISTER_GENERATOR(Gauss, gauss)
HALIDE_REGISTER_GENERATOR(Closing, closing)
HALIDE_REGISTER_GENERATOR(Erosion, erosion)
HALIDE_REGISTER_GENERATOR(Disk, disk)
HALIDE_REGISTER_GENERATOR(Corners, corners)
HALIDE_REGISTER_GENERATOR(Fixed, fixed)
HALIDE_REGISTER_GENERATOR(Colours, colours)
