// A generator that holds what a pass drops of assertions inside conditions and behind names (bridge/halidecc/extents.h) against counting, at random: it holds wherever the
// conditions around it do.
#include <Halide.h>

#include "../halidecc/extents.cc"
#include "../halidecc/linear.cc"
#include "evaluate.h"

#include <random>

using namespace Halide;
using namespace Halide::Internal;

namespace {

constexpr int reach = 9;  // variables are counted from -reach to reach

class Facts : public Generator<Facts> {
public:
    GeneratorParam<int> seed{"seed", 1};
    Output<Buffer<int, 1>> out{"out"};

    void generate() {
        rng_.seed(seed);
        int dropped = 0, kept = 0;
        for (int i = 0; i < 4000; i++) {
            // What is asserted follows from the conditions, or nearly so, or has nothing to do with them.
            std::vector<Expr> less = {sum(), sum(), sum()};
            less.resize(any(1, 3));
            Expr all = any(-3, 3), condition;
            for (const Expr &e : less) {
                all = all + e * any(0, 2);
                const Expr c = any(0, 1) ? e <= 0 : 0 < 1 - e;
                condition = condition.defined() ? condition && c : c;
            }
            const Expr asserted = any(0, 3) ? all <= any(0, 6) : sum() <= 0;
            const bool inside = any(0, 3);
            const Expr error = any(0, 1) ? Call::make(Int(32), "halide_error_explicit_bounds_too_small", {std::string("x"), std::string("f")}, Call::Extern) :
                                           Call::make(Int(32), "halide_error_storage_bound_too_small", {std::string("f.1"), std::string("x")}, Call::Extern);
            const Stmt check = AssertStmt::make(asserted, error);
            const Stmt other = Evaluate::make(1);
            // One name outside a kernel and one inside.
            const Expr x = Variable::make(Int(32), "x"), y = Variable::make(Int(32), "y");
            const Expr outside = any(0, 1) ? min(x, y) : max(x, y * any(1, 2)), within = min(y, Variable::make(Int(32), "m")) + any(-2, 2);
            const Stmt kernel = For::make("block", 0, 4, ForType::GPUBlock, Partition::Auto, DeviceAPI::CUDA,
                                          LetStmt::make("n", within, IfThenElse::make(condition, inside ? check : other, inside ? other : check)));
            const Stmt s = gowarp::Extents({"f"}).mutate(LetStmt::make("m", outside, kernel));
            const LetStmt *defined = s.as<LetStmt>();
            const For *loop = defined ? defined->body.as<For>() : nullptr;
            const LetStmt *in_loop = loop ? loop->body.as<LetStmt>() : nullptr;
            const IfThenElse *c = in_loop ? in_loop->body.as<IfThenElse>() : nullptr;
            if (!c) {
                fail(asserted, "what is around it is gone");
            }
            if ((inside ? c->then_case : c->else_case).as<AssertStmt>()) {
                kept++;
                continue;
            }
            dropped++;
            for (int x = -reach; x <= reach; x++) {
                for (int y = -reach; y <= reach; y++) {
                    for (int z = -reach; z <= reach; z++) {
                        const auto given = [&](const std::string &name) { return name == "x" ? x : name == "y" ? y : z; };
                        const int m = (int)value(outside, given);
                        const auto outer = [&](const std::string &name) { return name == "m" ? m : given(name); };
                        const int n = (int)value(within, outer);
                        const auto at = [&](const std::string &name) { return name == "n" ? n : outer(name); };
                        if (value(condition, at) == inside && !value(asserted, at)) {
                            fail(asserted, "it is dropped where it need not hold");
                        }
                    }
                }
            }
        }
        std::cout << "dropped " << dropped << " kept " << kept << "\n";
        out(Var()) = 0;
        out.set_estimates({{0, 1000}});
    }

private:
    int any(int from, int to) { return std::uniform_int_distribution<int>(from, to)(rng_); }

    Expr sum() {
        Expr all = any(-9, 9);
        for (const char *name : {"x", "y", "z", "m", "n"}) {
            const Expr v = Variable::make(Int(32), name);
            switch (any(0, 4)) {
            case 0: all = all + v * any(-3, 3); break;
            case 1: all = all + min(v, any(-3, 3)); break;
            }
        }
        return all;
    }

    std::mt19937 rng_;
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Facts, facts)
