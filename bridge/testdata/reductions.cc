// Reductions over most of an image, by operator and by what is left of it.
#include <Halide.h>

using namespace Halide;

namespace {

class Reductions : public Generator<Reductions> {
public:
    GeneratorParam<std::string> op{"op", "sum"};      // sum, count, product, min, max, all, any, histogram, weighted
    GeneratorParam<std::string> left{"left", "none"};  // none, x, y, c: the coordinate that is left
    GeneratorParam<int> width{"width", 300}, height{"height", 200};
    Input<Buffer<uint8_t, 3>> image{"image"};
    Output<Buffer<float, 1>> out{"out"};

    void generate() {
        Var i("i");
        const std::string keep = left;
        RDom r = keep == "x" ? RDom(0, image.height(), 0, image.channels()) :
                 keep == "y" ? RDom(0, image.width(), 0, image.channels()) :
                 keep == "c" ? RDom(0, image.width(), 0, image.height()) :
                               RDom(0, image.width(), 0, image.height(), 0, image.channels());
        const Expr v = keep == "x" ? image(i, r[0], r[1]) :
                       keep == "y" ? image(r[0], i, r[1]) :
                       keep == "c" ? image(r[0], r[1], i) :
                                     image(r[0], r[1], r[2]);
        Func f("f");
        const auto at = [&]() -> FuncRef { return keep == "none" ? f() : f(i); };
        const std::string what = op;
        if (what == "histogram" || what == "weighted") {
            // Of 64 bins, which an output of any size reads some of.
            Var b("b");
            Func bins("bins");
            const Expr bin = cast<int>(v / 4), at = cast<int>(cast<uint8_t>(i * 37) / 4);
            const Expr more = what == "weighted" ? -3 : 1;
            if (keep == "c" && what == "weighted") {
                bins(b, i) = 5;
                bins(bin, i) += more;
                out(i) = cast<float>(bins(at, i % 3));
            } else if (keep == "c") {
                bins(i, b) = 5;
                bins(i, bin) += more;
                out(i) = cast<float>(bins(i % 3, at));
            } else {
                bins(b) = 5;
                bins(bin) += more;
                out(i) = cast<float>(bins(at));
            }
            image.set_estimates({{0, width}, {0, height}, {0, 3}});
            out.set_estimates({{0, keep == "c" ? 3 : 100}});
            return;
        }
        if (what == "sum") {
            at() = 0.0f;
            at() += cast<float>(v) * 0.25f;
        } else if (what == "count") {
            at() = 0;
            at() += select(v > 128, 1, 0);
        } else if (what == "product") {
            at() = 1.0f;
            at() *= select(v == 17, 1.01f, 1.0f);
        } else if (what == "min") {
            at() = cast<uint8_t>(255);
            at() = min(at(), v);
        } else if (what == "max") {
            at() = 0.5f;
            at() = max(at(), cast<float>(v) * 0.5f);
        } else if (what == "all") {
            at() = Internal::const_true();
            at() = at() && v > 0;
        } else {
            at() = Internal::const_false();
            at() = at() || v > 254;
        }
        out(i) = cast<float>(at());
        image.set_estimates({{0, width}, {0, height}, {0, 3}});
        out.set_estimates({{0, keep == "x" ? (int)width : keep == "y" ? (int)height : 3}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Reductions, reductions)
