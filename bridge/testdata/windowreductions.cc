// Windows that are reductions, in the forms in which they are combined from parts, and some that must not be.
#include "Halide.h"

namespace {

using namespace Halide;
using Halide::ConciseCasts::f32;
using Halide::ConciseCasts::i32;

class WindowReductions : public Generator<WindowReductions> {
public:
    enum class Kind { box, small, radius, gaussian, product, factors, long_row, least, inline_sum, channels, turned, dilated, clamped, squares, twice, started, bytes, halves, strided, pyramid, tiles, mixed, disk, wedge, patch, range, unequal, scan };
    GeneratorParam<Kind> kind{"kind",
                              Kind::box,
                              {{"box", Kind::box},
                               {"small", Kind::small},
                               {"radius", Kind::radius},
                               {"gaussian", Kind::gaussian},
                               {"product", Kind::product},
                               {"factors", Kind::factors},
                               {"long_row", Kind::long_row},
                               {"least", Kind::least},
                               {"inline_sum", Kind::inline_sum},
                               {"channels", Kind::channels},
                               {"turned", Kind::turned},
                               {"dilated", Kind::dilated},
                               {"clamped", Kind::clamped},
                               {"squares", Kind::squares},
                               {"twice", Kind::twice},
                               {"started", Kind::started},
                               {"bytes", Kind::bytes},
                               {"halves", Kind::halves},
                               {"strided", Kind::strided},
                               {"pyramid", Kind::pyramid},
                               {"tiles", Kind::tiles},
                               {"mixed", Kind::mixed},
                               {"disk", Kind::disk},
                               {"wedge", Kind::wedge},
                               {"patch", Kind::patch},
                               {"range", Kind::range},
                               {"unequal", Kind::unequal},
                               {"scan", Kind::scan}}};

    Input<Buffer<uint8_t, 2>> input{"input"};
    Input<int> radius{"radius", 2};
    Output<Buffer<float, 2>> out{"out"};

    void generate() {
        Var x("x"), y("y"), c("c"), i("i"), j("j");
        Func in = BoundaryConditions::mirror_image(input), f("f"), s("s"), k("k");
        f(x, y) = f32(in(x, y));
        RDom r(-4, 9, -3, 8, "r");
        const Expr there = f(x + r.x, y + r.y);
        switch (kind) {
        case Kind::box: s(x, y) = 0.f; s(x, y) += there; break;
        case Kind::small: {
            RDom q(-2, 5, -2, 5, "q");
            k(i, j) = exp(f32(-(i * i + j * j)) / f32(radius));
            s(x, y) = 0.f;
            s(x, y) += k(q.x, q.y) * f(x + q.x, y + q.y);
            s(x, y) = s(x, y) / 25;
            break;
        }
        case Kind::radius: {
            RDom q(-radius, 2 * radius + 1, -radius, radius + 3, "q");
            s(x, y) = 0.f;
            s(x, y) += f(x + q.x, y + q.y);
            break;
        }
        case Kind::gaussian: s(x, y) = 0.f; s(x, y) += exp(-f32(r.x * r.x + r.y * r.y) / (2.f * f32(radius + 1) * f32(radius + 1))) * there; break;
        case Kind::product: k(i, j) = exp(f32(-i * i) / 9) * (10.f - f32(abs(j))); s(x, y) = 0.f; s(x, y) += k(r.x, r.y) * there; break;
        case Kind::factors: {
            Func l("l");
            k(i) = f32(i + radius);
            l(i) = sin(f32(i)) + 2;
            s(x, y) = 0.f;
            s(x, y) += there * k(r.x) * .125f * l(r.y);
            break;
        }
        case Kind::long_row: {
            RDom q(-17, 35, -20, 41, "q");
            k(i) = exp(f32(-i * i) / 90);
            s(x, y) = 0.f;
            s(x, y) += f(x + q.x, y + q.y) * k(q.x);
            break;
        }
        case Kind::least: {
            Func low("low"), high("high");
            low(x, y) = cast<uint8_t>(255);
            low(x, y) = min(low(x, y), in(x + r.x, y + r.y));
            high(x, y) = maximum(r, in(x + r.x, y + r.y));
            s(x, y) = f32(high(x, y)) - low(x, y);
            break;
        }
        case Kind::inline_sum: s(x, y) = sum(r, there) / 72 - f(x, y); break;
        case Kind::channels: {
            Func g("g");
            RDom q(-2, 5, -2, 5, 0, 3, "q");
            g(x, y, c) = f(x + c, y) * (c + 1);
            s(x, y) = 0.f;
            s(x, y) += g(x + q.x, y + q.y, q.z) * f32(q.z + 1) * f32(q.x + 3);
            break;
        }
        case Kind::turned: k(i) = f32(i + 5); s(x, y) = 0.f; s(x, y) += f(x - r.x, y - r.y) * k(r.x); break;
        case Kind::dilated: s(x, y) = 0.f; s(x, y) += f(x + 3 * r.x, y - 2 * r.y); break;
        case Kind::clamped: s(x, y) = 0.f; s(x, y) += f32(input(clamp(x + r.x, 0, input.width() - 1), clamp(y + r.y, 0, input.height() - 1))); break;
        case Kind::squares: s(x, y) = 0.f; s(x, y) += there * there - abs(f(x + r.x + 1, y + r.y)); break;
        case Kind::twice: {
            RDom q(-3, 7, -3, 7, "q");
            s(x, y) = 1.f;
            s(x, y) += there;
            s(x, y) += f(x + q.x, y + q.y) * 2.f;
            s(x, y) = s(x, y) * .5f;
            break;
        }
        case Kind::started: s(x, y) = f(x, y) * 3; s(x, y) = max(s(x, y), there); break;
        case Kind::bytes: {
            Func b("b");
            b(x, y) = cast<uint8_t>(3);
            b(x, y) += in(x + r.x, y + r.y) * cast<uint8_t>(r.x + 7);
            s(x, y) = f32(b(x, y));
            break;
        }
        case Kind::halves: s(x, y) = 0.f; s(x, y) += f((x + r.x) / 2, y + r.y); break;
        case Kind::strided: s(x, y) = 0.f; s(x, y) += f(2 * x + r.x, 3 * y - r.y) * f32(r.x + 5); break;
        case Kind::pyramid: {
            RDom q(0, 4, 0, 4, "q");
            k(i) = select(i == 1 || i == 2, 3.f, 1.f) / 8;
            s(x, y) = sum(k(q.x) * k(q.y) * f(2 * x + q.x - 1, 2 * y + q.y - 1));
            break;
        }
        case Kind::tiles: {
            RDom q(0, 6, 0, 6, "q");
            s(x, y) = sum(f(6 * x + q.x, 6 * y + q.y));
            break;
        }
        case Kind::mixed: {  // along one dimension alone
            s(x, y) = 0.f;
            s(x, y) += f(x + r.x, y + r.y) * f(x, y + r.y);
            break;
        }
        case Kind::disk: r.where(r.x * r.x + r.y * r.y < 16); s(x, y) = 0.f; s(x, y) += f(x + r.x, y + r.y); break;
        case Kind::wedge: r.where(r.x < r.y + radius); s(x, y) = 0.f; s(x, y) += f(x + r.x, y + r.y); break;
        case Kind::patch: s(x, y) = 0.f; s(x, y) += abs(f(x + r.x, y + r.y) - f(r.x + 5, r.y + 5)); break;
        case Kind::range: s(x, y) = 0.f; s(x, y) += there * exp(-abs(there - f(x, y)) / 20); break;
        case Kind::unequal: s(x, y) = 0.f; s(x, y) += there / (1.f + f32(r.x * r.x + r.y * r.y)); break;
        case Kind::scan: {
            RDom q(1, 40, "q");
            s(x, y) = f(x, y);
            s(x, q) += s(x, q - 1);
            break;
        }
        }
        out(x, y) = s(x, y);
        radius.set_estimate(2);
        input.set_estimates({{0, 1536}, {0, 2560}});
        out.set_estimates({{0, 1536}, {0, 2560}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(WindowReductions, windowreductions)
