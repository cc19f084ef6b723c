// Reductions over most of an image in the forms in which people write them, a Func each. All come out exact, in whatever order, the floats'
// too: they are small integers.
#include <Halide.h>

using namespace Halide;

namespace {

class Forms : public Generator<Forms> {
public:
    // forms: what Halide's rfactor takes as it is written; restated: what it refuses; bits: what it has no operator for; order: what hangs on it.
    GeneratorParam<std::string> group{"group", "forms"};
    GeneratorParam<Type> type{"type", Int(32)};  // bool of forms and bits alone
    GeneratorParam<bool> rows{"rows", false};    // a value for each channel, in place of one
    GeneratorParam<std::string> where{"where", "all"};  // of the domain: some, a condition of places; read, one of what is read; both
    GeneratorParam<int> width{"width", 300}, height{"height", 200};
    Input<Buffer<uint8_t, 3>> image{"image"};
    Output<Buffer<int32_t, 2>> out{"out"};  // by channel, or twice the same, and by form

    void generate() {
        RDom r = rows ? RDom(0, image.width(), 0, image.height()) : RDom(0, image.width(), 0, image.height(), 0, image.channels());
        v = rows ? image(r[0], r[1], i) : image(r[0], r[1], r[2]);
        const std::string part = where;
        if (part == "some" || part == "both") {
            r.where(r[0] * 2 <= r[1] * 5 + 20);
        }
        if (part == "read" || part == "both") {
            r.where(v % 7 != 2);
        }
        const Type t = type;
        const bool truth = t.is_bool();
        const Expr place = r[0] + r[1];
        a = truth ? v == 7 : cast(t, v % 16);  // of bools a is rare and b is not
        b = truth ? v > 7 : cast(t, place % 5);
        c = v % 3 == 1;
        d = place % 2 == 0;
        // Rare factors leave floats exact.
        const Expr two = cast(t, select(v == 7 && r[0] % 64 == 3, 2, 1)), one = cast(t, 1);
        const Expr yes = Internal::const_true(), no = Internal::const_false(), high = cast(t, 100);
        const std::string which = group;
        if (which == "forms" && truth) {
            form(no, [&](Expr f) { return f | a; });
            form(yes, [&](Expr f) { return b & (f & !a); });
            form(no, [&](Expr f) { return a | ((c && a) | f); });
            form(no, [&](Expr f) { return select(a, yes, f); });
            form(yes, [&](Expr f) { return select(b, f, no); });
        } else if (which == "forms") {
            form(one, [&](Expr f) { return f + a + b; });
            form(one, [&](Expr f) { return a + (f + b); });
            form(one, [&](Expr f) { return a - b + f + a * a; });
            form(one, [&](Expr f) { return a - (b - f); });
            form(one, [&](Expr f) { return f * two * one; });
            form(one, [&](Expr f) { return select(c, f + one, f); });
            form(one, [&](Expr f) { return select(c, f, f + one); });
            form(one, [&](Expr f) { return select(c, f + a, f - b); });
            form(one, [&](Expr f) { return max(max(f, a), b); });
            form(one, [&](Expr f) { return select(a > f, a, f); });
            form(one, [&](Expr f) { return select(f >= a, f, a); });
            form(high, [&](Expr f) { return select(f < a, f, a); });
            form(high, [&](Expr f) { return select(f >= a, a, f); });  // of equal values either is the same
        } else if (which == "restated") {
            form(one, [&](Expr f) { return f - a; });
            form(one, [&](Expr f) { return f - a - b; });
            form(one, [&](Expr f) { return select(c, f + a, f); });
            form(one, [&](Expr f) { return select(c, f, b + f); });
            form(one, [&](Expr f) { return select(c, select(d, f + a, f), f); });
            form(one, [&](Expr f) { return select(c, f * two, f); });
            form(one, [&](Expr f) { return select(c, max(f, a), f); });
            form(high, [&](Expr f) { return select(c, f, min(a, f)); });
            Func f = next();
            f(i) = Tuple(cast(t, 5), high, cast<int16_t>(0), cast(t, 9));
            f(i) = Tuple(f(i)[0], select(a < f(i)[1], a, f(i)[1]), f(i)[2] + 1, f(i)[3] - a - b);
            all.push_back(cast<int>(f(i)[0]) + 2 * cast<int>(f(i)[1]) + 3 * cast<int>(f(i)[2]) + 5 * cast<int>(f(i)[3]));
        } else if (which == "bits" && truth) {
            form(no, [&](Expr f) { return f ^ a; });
            form(no, [&](Expr f) { return select(c, f || a, f); });
            form(yes, [&](Expr f) { return select(c, f && b, f); });
        } else if (which == "bits") {
            form(one, [&](Expr f) { return f | a; });
            form(one, [&](Expr f) { return f | (a - a); });  // nothing, as a sum would be
            form(cast(t, 79), [&](Expr f) { return (~a | b) & f & (~b | a); });
            form(one, [&](Expr f) { return f ^ a; });
            form(one, [&](Expr f) { return a ^ (b ^ f); });
            form(one, [&](Expr f) { return select(c, f | (one << (v % 7)), f); });
        } else {
            form(one, [&](Expr f) { return a - f; });
            form(one, [&](Expr f) { return f * cast(t, 2) + a; });
            form(one, [&](Expr f) { return select(c, a, f); });
            form(one, [&](Expr f) { return select(a > f, b, f); });
            form(one, [&](Expr f) { return select(f < b, f + a, f); });
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
    Func next() { return Func("f" + std::to_string(all.size())); }

    template<typename Form>
    void form(const Expr &first, Form of) {
        Func f = next();
        if (rows) {
            f(i) = first;
            f(i) = of(f(i));
            all.push_back(cast<int>(f(i)));
        } else {
            f() = first;
            f() = of(f());
            all.push_back(cast<int>(f()));
        }
    }

    Var i{"i"};
    Expr v, a, b, c, d;
    std::vector<Expr> all;
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Forms, forms)
