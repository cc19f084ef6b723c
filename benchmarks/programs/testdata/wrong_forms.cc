// Schedules by hand that Halide 21 compiles without a word to something else than they say, or refuses when the code is
// made, each with its right neighbour: what gowarp must emit for nobody (halideir/schedule/wrong.go).
#include "Halide.h"

namespace {

using namespace Halide;

enum class Form {
    none,
    block_shared,           // right: a tile a block
    lanes_registers,        // right: a tile a warp
    one_warp_shared,        // right: one-warp blocks of threads
    shared_in_thread,       // shared memory at the loop over a block's warps
    register_over_threads,  // registers over threads that are no lanes
    shared_over_lanes,      // shared memory in a serial loop of a block of lanes
    one_lane,               // a loop over one lane
    wide_in_lanes,          // values of 64 bits in lanes
    thread_dimensions,      // three dimensions of threads beside the lanes
    lanes_width,            // 64 lanes
};

class WrongForms : public Generator<WrongForms> {
public:
    GeneratorParam<Form> form{"form", Form::none, {
        {"none", Form::none}, {"block_shared", Form::block_shared}, {"lanes_registers", Form::lanes_registers}, {"one_warp_shared", Form::one_warp_shared},
        {"shared_in_thread", Form::shared_in_thread}, {"register_over_threads", Form::register_over_threads}, {"shared_over_lanes", Form::shared_over_lanes},
        {"one_lane", Form::one_lane}, {"wide_in_lanes", Form::wide_in_lanes}, {"thread_dimensions", Form::thread_dimensions}, {"lanes_width", Form::lanes_width}}};

    GeneratorParam<bool> rows{"rows", false};  // a second stage, which reads three rows of the first

    Input<Buffer<int32_t, 2>> input{"input"};
    Output<Buffer<int32_t, 2>> output{"output"};

    void generate() {
        Var x("x"), y("y"), xo("xo"), yo("yo"), xi("xi"), yi("yi"), ya("ya"), yb("yb");
        Func in = BoundaryConditions::repeat_edge(input), f("f"), g("g");
        const Type t = form == Form::wide_in_lanes ? Int(64) : Int(32);
        f(x, y) = cast(t, in(x, y)) * 3 + x;
        g(x, y) = cast<int32_t>(f(x, y) + 5 * f(x + 1, y) + 7 * f(x + 2, y));
        output(x, y) = rows ? g(x, y - 1) + 2 * g(x, y) + 3 * g(x, y + 1) : g(x, y);
        input.set_estimates({{0, 512}, {0, 384}});
        output.set_estimates({{0, 512}, {0, 384}});

        const int lanes = form == Form::one_lane ? 1 : form == Form::lanes_width ? 62 : 30;
        if (form == Form::none) {
            f.compute_root();
            return;
        }
        output.compute_root().split(x, xo, xi, lanes, TailStrategy::GuardWithIf).split(y, yo, yi, 4, TailStrategy::GuardWithIf).reorder(xi, yi, xo, yo);
        switch (form) {
        case Form::none:
            break;
        case Form::block_shared:
            output.gpu_blocks(xo, yo).gpu_threads(xi, yi);
            f.compute_at(output, xo).store_in(MemoryType::GPUShared).bound_storage(x, lanes + 2).gpu_threads(x, y);
            break;
        case Form::one_warp_shared:
            output.gpu_blocks(xo, yo).gpu_threads(xi);
            f.compute_at(output, yi).store_in(MemoryType::GPUShared).bound_storage(x, lanes + 2).gpu_threads(x);
            break;
        case Form::register_over_threads:
            output.gpu_blocks(xo, yo).gpu_threads(xi, yi);
            f.compute_at(output, xo).store_in(MemoryType::Register).bound_extent(x, lanes + 2).bound_extent(y, 4).gpu_threads(x, y);
            break;
        case Form::shared_over_lanes:
            output.gpu_blocks(xo, yo).gpu_lanes(xi);
            f.compute_at(output, yi).store_in(MemoryType::GPUShared).bound_extent(x, lanes + 2).gpu_lanes(x);
            break;
        case Form::thread_dimensions:
            output.split(yi, ya, yi, 2, TailStrategy::GuardWithIf).split(yo, yo, yb, 2, TailStrategy::GuardWithIf).reorder(xi, yi, ya, yb, xo, yo).gpu_blocks(xo, yo).gpu_threads(yi, ya, yb).gpu_lanes(xi);
            f.compute_at(output, yi).store_in(MemoryType::Register).align_storage(x, 32).bound_extent(x, 32).gpu_lanes(x);
            break;
        default:
            output.gpu_blocks(xo, yo).gpu_threads(yi).gpu_lanes(xi);
            f.compute_at(output, yi).align_storage(x, 32).bound_extent(x, lanes + 2).gpu_lanes(x);
            f.store_in(form == Form::shared_in_thread ? MemoryType::GPUShared : MemoryType::Register);
            if (rows) {
                g.compute_at(output, yi).store_in(MemoryType::Register).align_storage(x, 32).bound_extent(x, lanes).bound_extent(y, 3).reorder(y, x).gpu_lanes(x).unroll(y);
                f.bound_extent(y, 3).reorder(y, x).unroll(y);
            }
        }
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(WrongForms, wrong_forms)
