// A generator that holds conditions for multiples (bridge/halidecc/alignment.h) against counting, at random: where they hold, the sum is a multiple
// whatever differs from thread to thread.
#include <Halide.h>

#include "../halidecc/alignment.cc"
#include "../halidecc/polynomial.cc"
#include "evaluate.h"

#include <random>

using namespace Halide;
using namespace Halide::Internal;

namespace {

class Alignments : public Generator<Alignments> {
public:
    GeneratorParam<int> seed{"seed", 1};
    Output<Buffer<int, 1>> out{"out"};

    void generate() {
        rng_.seed(seed);
        int held = 0, failed = 0;
        for (int i = 0; i < 4000; i++) {
            const Expr e = sum(any(1, 3));
            const auto conditions = gowarp::multiple_if(of(e), multiple, {of, uniform});
            if (!conditions) {
                continue;
            }
            bool hold_somewhere = false, fail_somewhere = false;
            for (int at = 0; at < 16; at++) {
                const int64_t s = any(-8, 8), t = 4 * any(-2, 2);
                const auto same = [&](const std::string &name) { return name == "s" ? s : t; };
                bool hold = true;
                for (const Expr &c : *conditions) {
                    if (!uniform(c)) {
                        fail(c, "is not the same for all threads");
                    }
                    hold = hold && value(c, same);
                }
                (hold ? hold_somewhere : fail_somewhere) = true;
                for (int thread = 0; hold && thread < 8; thread++) {
                    const int64_t x = any(-20, 20), y = any(-20, 20);
                    if (value(e, [&](const std::string &name) { return name == "x" ? x : name == "y" ? y : same(name); }) % multiple != 0) {
                        fail(e, "is no multiple though all conditions hold");
                    }
                }
            }
            held += hold_somewhere;
            failed += fail_somewhere;
        }
        std::cout << "held " << held << " failed " << failed << "\n";
        out(Var()) = 0;
        out.set_estimates({{0, 1000}});
    }

private:
    static constexpr int multiple = 4;

    int any(int from, int to) { return std::uniform_int_distribution<int>(from, to)(rng_); }

    static gowarp::Polynomial of(const Expr &e) {
        return gowarp::polynomial(e, [](const std::string &) { return nullptr; }, 1000);
    }

    // x and y differ from thread to thread.
    static bool uniform(const Expr &e) { return !expr_uses_var(e, "x") && !expr_uses_var(e, "y"); }

    Expr variable() {
        const char *names[] = {"x", "y", "s", "t"};
        return Variable::make(Int(32), names[any(0, 3)]);
    }

    Expr sum(int terms) {
        Expr all = any(0, 2) ? 0 : any(-6, 6);
        for (; terms > 0; terms--) {
            Expr term = variable();
            switch (any(0, 6)) {
            case 0:
            case 1: term = term * multiple; break;
            case 2: term = term * variable(); break;
            case 3: term = term * any(-6, 6); break;
            case 4: term = Min::make(sum(1), sum(1)); break;
            case 5: term = Max::make(sum(1), sum(1)); break;
            case 6: term = Min::make(sum(1), sum(1)) * (any(0, 1) ? variable() : Expr(any(-6, 6))); break;
            }
            all = all + term;
        }
        return all;
    }

    std::mt19937 rng_;
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Alignments, alignment)
