// Reductions of several values at once over most of an image, by what they are and by what is left of it. All come out exact, in whatever
// order, the floats' too: they are small integers.
#include <Halide.h>

using namespace Halide;

namespace {

class Tuples : public Generator<Tuples> {
public:
    GeneratorParam<std::string> op{"op", "moments"};  // moments, ends, complex, mean, mixed; last, first: the least with its place; rotation: a product of complex numbers
    GeneratorParam<std::string> left{"left", "none"};  // none, x, y, c: the coordinate that is left
    GeneratorParam<int> width{"width", 300}, height{"height", 200};
    Input<Buffer<uint8_t, 3>> image{"image"};
    Output<Buffer<int32_t, 2>> out{"out"};

    void generate() {
        Var i("i"), k("k");
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
        const Expr small = cast<int>(v) % 16;
        int values = 2;
        if (what == "moments") {
            at() = Tuple(3, cast<uint64_t>(5));
            at() = Tuple(at()[0] + v, at()[1] + cast<uint64_t>(v) * v);
        } else if (what == "ends") {
            at() = Tuple(cast<uint8_t>(240), 17.0f);
            at() = Tuple(min(at()[0], v), max(at()[1], cast<float>(v)));
        } else if (what == "complex") {
            at() = Tuple(0.0f, 0.0f);
            at() = Tuple(at()[0] + small * (1 - r[0] % 3), small * (r[1] % 3 - 1) + at()[1]);
        } else if (what == "mean") {
            at() = Tuple(0, cast<uint16_t>(0));
            at() = Tuple(at()[0] + select(v > 128, cast<int>(v), 0), at()[1] + cast<uint16_t>(v > 128));
        } else if (what == "mixed") {
            at() = Tuple(cast<uint32_t>(1), Internal::const_true(), 0.0f, cast<int16_t>(-7), Internal::const_false());
            at() = Tuple(at()[0] * (2 * cast<uint32_t>(v) + 1), at()[1] && v != 255, at()[2] + small, max(at()[3], cast<int16_t>(v) - 100), at()[4] || v == 0);
            values = 5;
        } else if (what == "last") {
            at() = Tuple(cast<uint8_t>(255), -1);
            at() = Tuple(min(at()[0], v), select(at()[0] < v, at()[1], r[0] + 1000 * r[1]));
        } else if (what == "first") {
            at() = Tuple(cast<uint8_t>(255), -1);
            at() = Tuple(min(at()[0], v), select(v < at()[0], r[0] + 1000 * r[1], at()[1]));
        } else {
            const Expr re = cast<uint32_t>(2 * small + 1), im = cast<uint32_t>(2 * (r[0] % 5)); // never nothing, modulo 2^32
            at() = Tuple(cast<uint32_t>(1), cast<uint32_t>(0));
            at() = Tuple(at()[0] * re - at()[1] * im, at()[1] * re + at()[0] * im);
        }
        Expr e = 0;
        for (int n = values; n-- > 0;) {
            e = select(k == n, cast<int>(at()[n]), e);
        }
        out(i, k) = e;
        image.set_estimates({{0, width}, {0, height}, {0, 3}});
        out.set_estimates({{0, keep == "x" ? (int)width : keep == "y" ? (int)height : 3}, {0, values}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Tuples, tuples)
