// Windows that were timed with separate=1 and separate=0 on an H100 (benchmarks/results/gpu/h100/windows.jsonl): box filters, openings, Gaussians, disks, a guided filter, a structure tensor, and some that have little to
// share.
#include "Halide.h"

namespace {

using namespace Halide;
using Halide::ConciseCasts::f32;

class Windows : public Generator<Windows> {
public:
    enum class Kind { box, opening, gaussian, guided, disk, gradients, binomial, patches, pyramid };
    GeneratorParam<Kind> kind{"kind", Kind::box, {{"box", Kind::box}, {"opening", Kind::opening}, {"gaussian", Kind::gaussian}, {"guided", Kind::guided}, {"disk", Kind::disk}, {"gradients", Kind::gradients}, {"binomial", Kind::binomial}, {"patches", Kind::patches}, {"pyramid", Kind::pyramid}}};
    GeneratorParam<int> radius{"radius", 3};
    int R = 0;  // a constant of C++: arithmetic with a GeneratorParam is ambiguous beside Halide's
    GeneratorParam<int> width{"width", 1536};
    GeneratorParam<int> height{"height", 2560};
    Input<Buffer<uint8_t, 2>> input{"input"};
    Input<float> sigma{"sigma", 2.f};
    Output<Buffer<float, 2>> out{"out"};
    Func box(Func f, const std::string &n) {
        Func s(n);
        RDom r(-R, 2 * R + 1, -R, 2 * R + 1);
        s(x, y) += f(x + r.x, y + r.y);
        return s;
    }
    void generate() {
        R = radius;
        Func f("f");
        Func edge = BoundaryConditions::repeat_edge(input);
        f(x, y) = f32(edge(x, y)) / 255.f;
        RDom r(-R, 2 * R + 1, -R, 2 * R + 1, "r");
        float n = float((2 * R + 1) * (2 * R + 1));
        switch (kind) {
        case Kind::box: out(x, y) = box(f, "sum")(x, y) / n; break;
        case Kind::opening: {
            Func least("least"), most("most");
            least(x, y) = minimum(edge(x + r.x, y + r.y));
            most(x, y) = maximum(least(x + r.x, y + r.y));
            out(x, y) = f32(most(x, y));
            break;
        }
        case Kind::gaussian: {
            Func s("s");
            s(x, y) += exp(-f32(r.x * r.x + r.y * r.y) / (2.f * sigma * sigma)) * f(x + r.x, y + r.y);
            out(x, y) = s(x, y);
            break;
        }
        case Kind::guided: {
            Func f2("f2"), a("a"), b("b"), m = box(f, "m"), v("v");
            f2(x, y) = f(x, y) * f(x, y);
            Func s2 = box(f2, "s2");
            v(x, y) = s2(x, y) / n - (m(x, y) / n) * (m(x, y) / n);
            a(x, y) = v(x, y) / (v(x, y) + sigma);
            b(x, y) = (1 - a(x, y)) * m(x, y) / n;
            out(x, y) = (box(a, "sa")(x, y) * f(x, y) + box(b, "sb")(x, y)) / n;
            break;
        }
        case Kind::disk: {
            Func s("s");
            RDom d(-R, 2 * R + 1, -R, 2 * R + 1, "d");
            d.where(d.x * d.x + d.y * d.y <= R * R);
            s(x, y) += f(x + d.x, y + d.y);
            out(x, y) = s(x, y);
            break;
        }
        case Kind::gradients: {
            Func ix("ix"), iy("iy"), xx("xx"), yy("yy"), xy("xy");
            ix(x, y) = f(x + 1, y) - f(x - 1, y);
            iy(x, y) = f(x, y + 1) - f(x, y - 1);
            xx(x, y) = ix(x, y) * ix(x, y);
            yy(x, y) = iy(x, y) * iy(x, y);
            xy(x, y) = ix(x, y) * iy(x, y);
            Expr p = box(xx, "a")(x, y), q = box(yy, "b")(x, y), t = box(xy, "c")(x, y);
            out(x, y) = (p + q) / 2 - sqrt((p - q) * (p - q) / 4 + t * t);
            break;
        }
        case Kind::binomial: {
            const int w[5] = {1, 4, 6, 4, 1};
            Expr e = 0.f;
            for (int j = 0; j < 5; j++)
                for (int i = 0; i < 5; i++) e = e + f(x + i - 2, y + j - 2) * float(w[i] * w[j]);
            out(x, y) = e / 256.f;
            break;
        }
        case Kind::patches: {
            Func d("d"), e("e"), g("g");
            d(x, y) = abs(f(x, y) - f(x + 3, y + 1));
            e(x, y) = abs(f(x, y) - f(x - 2, y + 2));
            out(x, y) = box(d, "sd")(x, y) / (box(e, "se")(x, y) + 1.f);
            break;
        }
        case Kind::pyramid: {
            Func down("down");
            down(x, y) += exp(-f32(r.x * r.x + r.y * r.y) / 8.f) * f(2 * x + r.x, 2 * y + r.y);
            out(x, y) = down(x / 2, y / 2) - f(x, y);
            break;
        }
        }
        input.set_estimates({{0, width}, {0, height}});
        sigma.set_estimate(2.f);
        out.set_estimates({{0, width}, {0, height}});
    }
private:
    Var x{"x"}, y{"y"};
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Windows, windows)
