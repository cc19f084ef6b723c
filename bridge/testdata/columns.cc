// Funcs whose updates write to other places than their loops' own, by what they do.
#include <Halide.h>

using namespace Halide;

namespace {

class Columns : public Generator<Columns> {
public:
    GeneratorParam<std::string> what{"what", "down"};  // down, there_and_back, ends, bins, pair
    GeneratorParam<int> width{"width", 300}, height{"height", 200};
    Input<Buffer<uint8_t, 2>> image{"image"};
    Input<float> scale{"scale"};  // bins an intensity
    Output<Buffer<float, 2>> out{"out"};

    void generate() {
        Var x("x"), y("y");
        const std::string how = what;
        Func in = BoundaryConditions::repeat_edge(image), f("f");
        const Expr v = cast<float>(in(x, y));
        RDom r(1, image.height() - 1, "r");
        if (how == "bins") {
            // Of each column of the image, by intensity; as many as the scale has it.
            RDom rows(0, image.height(), "rows");
            f(x, y) = 0.0f;
            f(x, cast<int>(cast<float>(in(x, rows)) * scale)) += cast<float>(in(x, rows + 1));
            out(x, y) = f(x, y) + 2 * f(x, y + 1);
        } else if (how == "pair") {
            f(x, y) = {v, 255 - v};
            f(x, r) = {0.5f * f(x, r)[0] + 0.25f * f(x, r - 1)[1], 0.5f * f(x, r)[1] + 0.125f * f(x, r - 1)[0]};
            out(x, y) = f(x, y)[0] - f(x, y)[1];
        } else {
            f(x, y) = v;
            f(x, r) = 0.5f * f(x, r) + 0.25f * f(x, r - 1);
            if (how == "there_and_back") {
                const Expr back = image.height() - 1 - r;
                f(x, back) = 0.5f * f(x, back) + 0.25f * f(x, back + 1);
            }
            out(x, y) = how == "ends" ? f(x, y) + f(x, 0) * f(x, image.height() - 1) : how == "down" ? f(x, y) : f(y, x);
        }
        image.set_estimates({{0, width}, {0, height}});
        scale.set_estimate(0.125f);
        const int most = how == "bins" ? 30 : (int)height;
        if (how == "there_and_back") {
            out.set_estimates({{0, most}, {0, width}});
        } else {
            out.set_estimates({{0, width}, {0, most}});
        }
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Columns, columns)
