// Scatters over most of an image that no atomic operations make, a Func each. All come out exact, in whatever order, the floats' too: they are small integers.
#include <Halide.h>

using namespace Halide;

namespace {

class Scatters : public Generator<Scatters> {
public:
    GeneratorParam<Type> type{"type", Float(32)};
    GeneratorParam<std::string> where{"where", "all"};  // of the domain: some, a condition of places; read, one of what is read; both
    GeneratorParam<int> width{"width", 300}, height{"height", 200};
    Input<Buffer<uint8_t, 3>> image{"image"};
    Output<Buffer<int32_t, 2>> out{"out"};  // by place and by scatter

    void generate() {
        const int bins = 13;
        RDom r(0, image.width(), 0, image.height());
        const Expr v = image(r.x, r.y, 0), w = image(r.x, r.y, 1);
        const std::string part = where;
        if (part == "some" || part == "both") {
            r.where(r.x * 2 <= r.y * 5 + 20);
        }
        if (part == "read" || part == "both") {
            r.where(image(r.x, r.y, 2) % 7 != 2);
        }
        const Type t = type;
        const Expr a = cast(t, w % 8), one = cast(t, 1), bin = cast<int>(v % bins);
        const Expr two = cast(t, select(w == 7 && r.x % 64 == 3, 2, 1));
        const auto form = [&](const Expr &first, const std::function<Expr(Expr)> &of) {
            Func f = next();
            f(i) = first;
            f(bin) = of(f(bin));
            all.push_back(cast<int>(f(i)));
        };
        form(one, [&](Expr f) { return f + a; });
        form(one, [&](Expr f) { return f - a - one; });
        form(one, [&](Expr f) { return f * two; });
        form(one, [&](Expr f) { return max(f, a); });
        form(cast(t, 100), [&](Expr f) { return min(a, f); });
        form(one, [&](Expr f) { return select(w % 3 == 1, f + a, f); });
        form(one, [&](Expr f) { return select(a > f, a, f); });
        // Place and value have what is read in common.
        Func common = next();
        common(i) = one;
        common(bin) += cast(t, v % 8);
        all.push_back(cast<int>(common(i)));
        // The place is a variable of the domain: of each other one a partial result.
        Func cols = next();
        RDom s(0, bins, 0, image.height());
        if (part == "some" || part == "both") {
            s.where(s.x * 3 <= s.y + 5);
        }
        cols(i) = one;
        cols(s.x) += cast(t, image(clamp(s.x, 0, image.width() - 1), s.y, 1) % 8);
        all.push_back(cast<int>(cols(i)));
        Func many = next(), rows = next(), grid = next();
        many(i) = Tuple(one, cast<uint8_t>(3), cast<int64_t>(0));
        many(bin) = Tuple(many(bin)[0] + a, max(many(bin)[1], w), many(bin)[2] + 1);
        all.push_back(cast<int>(many(i)[0]) + 3 * cast<int>(many(i)[1]) + 7 * cast<int>(many(i)[2]));
        rows(i, j) = one;
        rows(bin, j) += a + cast(t, j);
        all.push_back(cast<int>(rows(i, 0) + rows(i, 2)));
        grid(i, j) = one;
        grid(bin, r.y % 3) += a;
        all.push_back(cast<int>(grid(i, 0) + 2 * grid(i, 2)));
        // What is in a place twice Halide gives names to, others where it is stored and where it is read.
        Func squared = next(), shared = next();
        const Expr square = cast<int>(v) * cast<int>(v);
        squared(i) = one;
        squared(square % bins) += one;
        all.push_back(cast<int>(squared(i)));
        shared(i) = one;
        shared(square % bins) = max(shared(square % bins), cast(t, square % 8));
        all.push_back(cast<int>(shared(i)));
        Var k("k");
        Expr e = 0;
        for (int n = (int)all.size(); n-- > 0;) {
            e = select(k == n, all[n], e);
        }
        out(i, k) = e;
        image.set_estimates({{0, width}, {0, height}, {0, 3}});
        out.set_estimates({{0, bins}, {0, (int)all.size()}});
    }

private:
    Func next() { return Func("f" + std::to_string(names++)); }

    Var i{"i"}, j{"j"};
    int names = 0;
    std::vector<Expr> all;
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Scatters, scatters)
