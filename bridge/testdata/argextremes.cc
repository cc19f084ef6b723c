// The least and greatest with their places, in the forms in which people write them, a Func each; equal elements are many.
#include <Halide.h>

using namespace Halide;

namespace {

class ArgExtremes : public Generator<ArgExtremes> {
public:
    // trees: of which partial results give what is right in order; order: of which they would not, or that it is not seen of.
    GeneratorParam<std::string> group{"group", "trees"};
    GeneratorParam<Type> type{"type", UInt(8)};
    GeneratorParam<bool> rows{"rows", false};  // those of each channel, in place of one
    GeneratorParam<std::string> where{"where", "all"};  // of the domain: some, a condition of places; read, one of what is read; both
    GeneratorParam<int> width{"width", 300}, height{"height", 200};
    Input<Buffer<uint8_t, 3>> image{"image"};
    Output<Buffer<int32_t, 2>> out{"out"};  // by channel, or twice the same, and by value

    void generate() {
        RDom r(0, image.width(), 0, image.height());
        RDom shifted(1, image.width() - 1, -2, image.height());
        const std::string part = where;
        if (part == "some" || part == "both") {
            r.where(r[0] * 2 <= r[1] * 5 + 20);
            shifted.where(shifted[0] + shifted[1] > 4);
        }
        if (part == "read" || part == "both") {
            r.where(image(r[0], r[1], 1) % 7 != 2);
            shifted.where(image(clamp(shifted[0], 0, image.width() - 1), clamp(shifted[1], 0, image.height() - 1), 1) > 100);
        }
        const auto at = [&](const RDom &d) {
            const Expr x = clamp(d[0], 0, image.width() - 1), y = clamp(d[1], 0, image.height() - 1);
            return cast(type, image(x, y, rows ? Expr(i) : Expr(0)) / 3 + 50);
        };
        const Expr v = at(r), most = cast(type, 255), least = cast(type, 0);
        using Old = const FuncRef &;
        if (std::string(group) == "trees") {
            reduction(Tuple(0, 0, most), [&](Old f) { return chosen(v < f[2], Tuple(r[0], r[1], v), f); });
            reduction(Tuple(0, 0, least), [&](Old f) { return chosen(v > f[2], Tuple(r[0], r[1], v), f); });
            reduction(Tuple(most, 0, 0), [&](Old f) { return chosen(f[0] > v, Tuple(v, r[1], r[0]), f); });
            reduction(Tuple(0, least, 0), [&](Old f) { return Tuple(select(f[1] < v, r[1], f[0]), max(v, f[1]), select(v > f[1], r[0], f[2])); });
            // What is first is an element like others; it is before all of them.
            reduction(Tuple(0, 0, at_zero()), [&](Old f) { return chosen(v < f[2], Tuple(r[0], r[1], v), f); });
            // Nothing is worse than what is first, wherever it is said to be.
            reduction(Tuple(70, 80, type.value().min()), [&](Old f) { return chosen(v > f[2], Tuple(r[0], r[1], v), f); });
            // Of 64 bits, and more that goes with it.
            reduction(Tuple(cast<int64_t>(0), most, cast<int16_t>(5), 0, cast<uint16_t>(9)),
                      [&](Old f) { return chosen(v < f[1], Tuple(cast<int64_t>(r[0]), v, cast<int16_t>(v) * 2, r[1], cast<uint16_t>(r[0] * 3)), f); });
            const Expr w = at(shifted);
            reduction(Tuple(1, -2, least), [&](Old f) { return chosen(w > f[2], Tuple(shifted[0], shifted[1], w), f); });
            const Tuple inlined = argmin(r, v);
            for (size_t k = 0; k < inlined.size(); k++) {
                all.push_back(cast<int>(inlined[k]));
            }
        } else {
            // Of equal ones the last.
            reduction(Tuple(0, 0, most), [&](Old f) { return chosen(v <= f[2], Tuple(r[0], r[1], v), f); });
            // One that is as good as an element stands behind it.
            reduction(Tuple(0, 9, most), [&](Old f) { return chosen(v < f[2], Tuple(r[0], r[1], v), f); });
            reduction(Tuple(0, 0, cast(type, 60)), [&](Old f) { return chosen(at(shifted) < f[2], Tuple(shifted[0], shifted[1], at(shifted)), f); });
            // No place of a row, and places that are computed.
            reduction(Tuple(0, most), [&](Old f) { return chosen(v < f[1], Tuple(r[0], v), f); });
            reduction(Tuple(0, most), [&](Old f) { return chosen(v < f[1], Tuple(r[1] * 1000 + r[0], v), f); });
            reduction(Tuple(cast<int16_t>(0), cast<int16_t>(0), most), [&](Old f) { return chosen(v < f[2], Tuple(cast<int16_t>(r[0]), cast<int16_t>(r[1]), v), f); });
            // Another condition, another element's value, values of each other.
            reduction(Tuple(0, 0, most), [&](Old f) { return Tuple(select(v < f[2], r[0], f[0]), select(v + 1 < f[2], r[1], f[1]), select(v < f[2], v, f[2])); });
            reduction(Tuple(0, 0, most), [&](Old f) { return chosen(v < f[2], Tuple(r[0], r[1], v / 2), f); });
            reduction(Tuple(0, 0, most), [&](Old f) { return Tuple(select(v < f[2], r[0], f[1]), select(v < f[2], r[1], f[0]), select(v < f[2], v, f[2])); });
        }
        Var k("k");
        Expr e = 0;
        for (int n = (int)all.size(); n-- > 0;) {
            e = select(k == n, all[n], e);
        }
        out(i, k) = e;
        image.set_estimates({{0, width}, {0, height}, {0, 3}});
        out.set_estimates({{0, rows ? 3 : 2}, {0, (int)all.size()}});
    }

private:
    Expr at_zero() { return cast(type, image(0, 0, rows ? Expr(i) : Expr(0)) / 3 + 50); }

    static Tuple chosen(const Expr &better, const Tuple &other, const FuncRef &f) {
        std::vector<Expr> values;
        for (int k = 0; k < (int)other.size(); k++) {
            values.push_back(select(better, other[k], f[k]));
        }
        return Tuple(values);
    }

    template<typename Of>
    void reduction(const Tuple &first, Of of) {
        Func f("f" + std::to_string(count++));
        const std::vector<Expr> at = rows ? std::vector<Expr>{i} : std::vector<Expr>{};
        if (rows) {
            f(i) = first;
            f(i) = of(f(i));
        } else {
            f() = first;
            f() = of(f());
        }
        for (int k = 0; k < f.outputs(); k++) {
            all.push_back(cast<int>(f(at)[k]));
        }
    }

    Var i{"i"};
    int count = 0;
    std::vector<Expr> all;
};

}  // namespace

HALIDE_REGISTER_GENERATOR(ArgExtremes, argextremes)
