// Places in memory in as many forms as the lowering pass of address chains tells apart: rows and planes of types of all widths, an input whose points
// need not lie side by side, places that the data tell, clamped ones, a scan that reads what it wrote, and sizes that are no multiple of anything.
#include "Halide.h"

namespace {

using namespace Halide;

class Strided : public Generator<Strided> {
public:
    Input<Buffer<uint8_t, 3>> input{"input"};
    Output<Buffer<float, 3>> out{"out"};

    void generate() {
        Var x("x"), y("y"), c("c");
        input.dim(0).set_stride(Expr());
        Func photo("photo"), wide("wide"), twice("twice"), scan("scan"), taps("taps");
        photo = BoundaryConditions::mirror_image(input);
        wide(x, y, c) = cast<int64_t>(photo(x, y, c)) * 3 + photo(x - 1, y + 2, c);
        twice(x, y, c) = cast<double>(wide(x, y, c) - wide(x + 1, y - 1, (c + 1) % 3));
        taps(x, y, c) = 0;
        RDom r(-1, 3, -2, 5);
        taps(x, y, c) += photo(x + r.x, y + r.y, c) * (r.x + 2 * r.y);
        scan(x, y, c) = taps(x, y, c);
        RDom s(1, input.height() - 1);
        scan(x, s, c) += scan(x, s - 1, c) / 2;
        const Expr told = clamp(cast<int>(photo(x, y, c)) % 7 + y - 3, 0, input.height() - 1);
        out(x, y, c) = cast<float>(twice(x + 2, y + 1, c)) + scan(x, y, c) + scan(x, told, 2 - c);

        input.set_estimates({{0, 1536}, {0, 2560}, {0, 3}});
        out.set_estimates({{0, 1536}, {0, 2560}, {0, 3}});
        out.bound(c, 0, 3);
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Strided, strided)
