// Images whose edges hang on what was computed on the GPU before them.
#include <Halide.h>

using namespace Halide;

namespace {

class EndByData : public Generator<EndByData> {
public:
    GeneratorParam<std::string> what{"what", "shift"};  // shift, wrapped, border, called, table, none
    Input<Buffer<uint8_t, 2>> image{"image"};
    Output<Buffer<uint8_t, 2>> out{"out"};

    void generate() {
        Var x("x"), y("y"), i("i");
        const std::string how = what;
        Func in = BoundaryConditions::repeat_edge(image);
        Func most("most"), table("table");
        RDom r(0, image.width(), 0, image.height(), "r");
        most() = cast<uint8_t>(0);
        most() = max(most(), image(r.x, r.y));
        table(i) = most() / (i + 2);
        table(i) += cast<uint8_t>(1);
        if (how == "shift") {
            out(x, y) = in(x, y + cast<int>(most()));
        } else if (how == "wrapped") {
            // The edge is behind Funcs that have none of their own.
            Func one("one"), other("other");
            one(x, y) = in(x, y) / 2;
            other(x, y) = one(x, y) + one(y, x);
            out(x, y) = other(x, y + cast<int>(most()));
        } else if (how == "border") {
            // Not Halide's own, but marked like those.
            out(x, y) = select(likely(y < cast<int>(most())), image(x, y), cast<uint8_t>(7));
        } else if (how == "called") {
            Func from("from");
            from(i) = clamp(cast<int>(table(i)), 0, 60);
            out(x, y) = in(x, y - from(1)) + in(x - from(3), y);
        } else if (how == "table") {
            out(x, y) = in(x, y + clamp(cast<int>(table(2)), 0, 60));
        } else {
            // Weights of what is read at an edge: nothing hangs on them.
            out(x, y) = cast<uint8_t>(in(x, y + 1) * table(0) + in(x + 1, y) * table(1));
        }
        image.set_estimates({{0, 200}, {0, 120}});
        out.set_estimates({{0, 200}, {0, 120}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(EndByData, end_by_data)
