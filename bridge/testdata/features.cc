// A generator that means nothing and uses everything: each kind of expression
// node, definition, input and constraint that a front end can make.
#include <Halide.h>

#include <cmath>
#include <limits>

using namespace Halide;
using namespace Halide::ConciseCasts;

namespace {

class Features : public Generator<Features> {
public:
    // Other names, which sort the other way round, for the same pipeline.
    GeneratorParam<bool> renamed{"renamed", false};
    Input<Buffer<uint8_t, 2>> image{"image"};
    Input<Buffer<float, 3>> planes{"planes"};
    Input<float> gain{"gain", 0.5f, 0.0f, 2.0f};
    Input<int32_t> radius{"radius"};
    Input<void *> context{"context"};
    Output<Buffer<float, 2>> smooth{"smooth"};
    Output<Buffer<uint32_t, 1>> histogram{"histogram"};
    Output<Func> pair{"pair", {Int(64), Float(16)}, 2};

    std::string n(std::string name) {
        if (renamed) {
            for (char &c : name) {
                c = c >= 'a' && c <= 'z' ? 'a' + 'z' - c : c;
            }
            name = "z" + name;
        }
        return name;
    }

    void generate() {
        Var x(n("x")), y(n("y"));

        // A boundary condition, and an embedded table with a corner off zero.
        Func clamped = BoundaryConditions::repeat_edge(image);
        Buffer<int16_t> table(4, 3, n("table"));
        table.set_min(-1, 2);
        table.fill(7);

        // Separable blur over a scalar parameter's radius, behind a predicate.
        RDom r(-2, 5, -2, 5, n("r"));
        r.where(r.x + r.y < radius || r.x == -r.y);
        Func sum_(n("sum_"));
        sum_(x, y) = 0.0f;
        sum_(x, y) += cast<float>(clamped(x + r.x, y + r.y)) * gain;

        // Every operator on integers, with Euclidean division.
        Func ops(n("ops"));
        Expr a = i32(clamped(x, y)), b = x - 2 * y;
        Expr all = (a + b) * (a - b) / (b + 300) % 17 + min(a, b) - max(a, 3) + select(a == b || a != 7, a << 2, b >> 1) +
                   select(a < b && !(a <= 5), 1, -1) + select(a > b, abs(b), absd(a, b)) + select(a >= 9, a & 12, a ^ b);
        ops(x, y) = all + i32(table(clamp(x, -1, 2), 2 + y % 3)) + ~a;

        // Numbers at the edges of their types.
        Func numbers(n("numbers"));
        numbers(x, y) = select(x == 0, std::numeric_limits<float>::infinity(),
                               x == 1, -std::numeric_limits<float>::infinity(),
                               x == 2, Expr(std::nanf("")), x == 3, -0.0f, x == 4, 1e-45f, 0.1f);
        Func wide(n("wide"));
        Expr biggest = Internal::UIntImm::make(UInt(64), 18446744073709551615ull);
        wide(x, y) = Tuple(i64(x) * Expr(int64_t(-9007199254740993)) + i64(biggest >> 3),
                           f16(sqrt(cast<float>(x)) + sin(cast<float>(y))), reinterpret<uint32_t>(numbers(x, y)));

        // A tuple reduction that updates both of its components.
        RDom q(0, planes.dim(0).extent(), 0, 3, n("q"));
        Func best(n("best"));
        best(y) = Tuple(-1.0f, 0);
        Expr v = planes(q.x, y, q.y);
        best(y) = Tuple(max(best(y)[0], v), select(v > best(y)[0], q.x, best(y)[1]));

        // A histogram: where it writes depends on data.
        RDom h(0, 64, 0, 48, n("h"));
        histogram(x) = u32(0);
        histogram(clamp(cast<int>(image(h.x, h.y)), 0, 255)) += u32(1);

        // A scan: this loop must run in order.
        RDom s(1, 63, n("s"));
        Func scan(n("scan"));
        scan(x, y) = cast<float>(ops(x, y));
        scan(s, y) += scan(s - 1, y);
        scan(x, y) = scan(x, y) * 0.25f;

        // A wrapper for one consumer and one for everybody else.
        Func base(n("base")), left(n("left")), right(n("right"));
        base(x, y) = scan(x, y) + sum_(x, y);
        left(x, y) = base(x - 1, y) + base(x + 1, y);
        right(x, y) = base(x, y - 1);
        base.in(left);
        base.in();
        sum_.clone_in(base);

        // Vectors inside a definition.
        Func vectors(n("vectors"));
        Expr ramp = Internal::Ramp::make(x, 2, 4), same = Internal::Broadcast::make(y, 4);
        Expr mixed = Internal::Shuffle::make({ramp + same, same}, {0, 5, 2, 7});
        vectors(x, y) = Internal::VectorReduce::make(Internal::VectorReduce::Add, mixed, 1);

        // An extern stage with every kind of argument.
        Func outside(n("outside"));
        outside.define_extern("features_extern", {left, image, Expr(radius + 1), table},
                              Float(32), {x, y}, NameMangling::C);

        // Strings and calls with side effects on nothing.
        Func noted(n("noted"));
        noted(x, y) = require(radius < 100, right(x, y), "radius is too large") + print_when(x == -12345, outside(x, y), "saw \"it\"\n\ttwice", x);

        smooth(x, y) = noted(x, y) + cast<float>(vectors(x, y)) + best(y)[0] + cast<float>(best(y)[1]) +
                       cast<float>(reinterpret<uint64_t>(context) & 1) + cast<float>(planes.dim(2).stride());
        pair(x, y) = Tuple(wide(x, y)[0] + cast<int64_t>(random_int()), wide(x, y)[1] + cast(Float(16), wide(x, y)[2]));

        left.bound(y, 0, 48);
        left.align_bounds(x, 8, 1);
        image.set_estimates({{0, 64}, {0, 48}});
        image.set_host_alignment(64);
        planes.set_estimates({{0, 64}, {0, 48}, {0, 3}});
        planes.dim(0).set_stride(3);
        planes.dim(2).set_bounds(0, 3).set_stride(1);
        gain.set_estimate(0.75f);
        radius.set_estimate(3);
        smooth.set_estimates({{0, 64}, {0, 48}});
        histogram.set_estimates({{0, 256}});
        histogram.dim(0).set_bounds(0, 256);
        pair.set_estimates({{0, 64}, {0, 48}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Features, features)
