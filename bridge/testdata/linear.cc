// A generator that holds bounds of sums (bridge/halidecc/linear.h) against the greatest value that counting finds, for expressions at random.
#include <Halide.h>

#include "../halidecc/linear.cc"
#include "evaluate.h"

#include <random>

using namespace Halide;
using namespace Halide::Internal;

namespace {

constexpr int reach = 24;  // variables are counted from -reach to reach

class Linears : public Generator<Linears> {
public:
    GeneratorParam<int> seed{"seed", 1};
    Output<Buffer<int, 1>> out{"out"};

    void generate() {
        rng_.seed(seed);
        int bounded = 0, exact = 0;
        for (int i = 0; i < 4000; i++) {
            // Ends of tiles: what they have in common cancels.
            const Expr base = expression(2), e = around(base, 3) - around(base, 3);
            gowarp::Linear l;
            l.add(e, 1);
            const auto most = gowarp::greatest(l);
            if (!most) {
                continue;
            }
            int64_t found = INT64_MIN;
            for (int x = -reach; x <= reach; x++) {
                for (int y = -reach; y <= reach; y++) {
                    found = std::max(found, value(e, [&](const std::string &name) { return name == "x" ? x : y; }));
                }
            }
            // Any will do that is no more than the best of all is.
            for (const auto &bound : {most, gowarp::greatest(l, *most), gowarp::greatest(l, 0)}) {
                if (!bound || found > *bound || (*bound > *most && *bound > 0)) {
                    fail(e, "it is up to " + std::to_string(found) + ", not " + (bound ? std::to_string(*bound) : "of no bound") + "; " + std::to_string(*most) + " at best");
                }
            }
            bounded++;
            exact += found == *most;
        }
        std::cout << "bounded " << bounded << " exact " << exact << "\n";
        out(Var()) = 0;
        out.set_estimates({{0, 1000}});
    }

private:
    int any(int from, int to) { return std::uniform_int_distribution<int>(from, to)(rng_); }

    Expr expression(int depth) {
        const Expr x = Variable::make(Int(32), "x"), y = Variable::make(Int(32), "y");
        if (depth == 0) {
            return any(0, 1) ? x * any(1, 4) + any(-9, 9) : y + any(-9, 9);
        }
        return around(expression(depth - 1), 1);
    }

    // Something that moves with an expression.
    Expr around(const Expr &e, int depth) {
        if (depth == 0) {
            return e;
        }
        const Expr inner = around(e, depth - 1);
        const int d = 1 << any(1, 3);
        switch (any(0, 6)) {
        case 0: return Add::make(inner, any(-9, 9));
        case 1: return Div::make(Add::make(inner, any(-9, 9)), d);
        case 2: return Mul::make(Div::make(inner, d), any(-3, 3));
        case 3: return Min::make(inner, Add::make(around(e, depth - 1), any(-9, 9)));
        case 4: return Max::make(inner, Add::make(around(e, depth - 1), any(-9, 9)));
        case 5: return Min::make(inner, Variable::make(Int(32), "y"));
        }
        return Sub::make(inner, Div::make(around(e, depth - 1), d));
    }

    std::mt19937 rng_;
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Linears, linear)
