// A Fourier transform of rows (radix 2, decimation in time) whose elements are first put in the order of their reversed bits: Halide sees that a clamp of such a place changes nothing, and then has no bounds of it.
#include "Halide.h"

#include <cmath>

namespace {

using namespace Halide;

class BitReversal : public Generator<BitReversal> {
public:
    GeneratorParam<int> bits{"bits", 6};

    Input<Buffer<float, 3>> input{"input"};  // real and imaginary parts
    Output<Buffer<float, 3>> out{"out"};

    void generate() {
        Var n("n"), row("row"), c("c");
        Expr reversed = 0;
        for (int b = 0; b < bits; b++) {
            reversed = reversed | (((n >> b) & 1) << (bits - 1 - b));
        }
        const int all = 1 << bits;
        Func now("reversed");
        const Expr place = clamp(reversed, 0, all - 1);
        now(n, row) = Tuple(input(place, row, 0), input(place, row, 1));
        for (int s = 1; s <= bits; s++) {
            const int m = 1 << s, half = m / 2;
            Func next("stage" + std::to_string(s));
            const Expr first = (n / m) * m + n % half, second = first + half;
            const Expr turn = cast<float>(n % half) * (float)(-2 * M_PI / m);
            const Expr re = now(second, row)[0] * cos(turn) - now(second, row)[1] * sin(turn), im = now(second, row)[0] * sin(turn) + now(second, row)[1] * cos(turn);
            const Expr sign = select(n % m < half, 1.f, -1.f);
            next(n, row) = Tuple(now(first, row)[0] + sign * re, now(first, row)[1] + sign * im);
            now = next;
        }
        out(n, row, c) = mux(c, {now(n, row)[0], now(n, row)[1]});
        input.set_estimates({{0, all}, {0, 16384}, {0, 2}});
        out.set_estimates({{0, all}, {0, 16384}, {0, 2}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(BitReversal, bit_reversal)
