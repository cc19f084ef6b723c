// A blur by a first-order recursive filter that runs forwards and backwards along the
// columns and then along the rows, written as a user writes it: the algorithm,
// estimates, and no schedule but for comparison. Both directions share one Func by way of two transposes.
#include "Halide.h"

namespace {

using namespace Halide;

class IirBlur : public Generator<IirBlur> {
public:
    GeneratorParam<int> width{"width", 1536};
    GeneratorParam<int> height{"height", 2560};
    enum class Schedule { none, expert };  // expert: for GPUs, by hand
    GeneratorParam<Schedule> scheduled{"schedule", Schedule::none, {{"none", Schedule::none}, {"expert", Schedule::expert}}};

    Input<Buffer<float, 3>> input{"input"};
    // The weight of the new sample, above 0 and at most 1.
    Input<float> weight{"weight"};
    Output<Buffer<float, 3>> output{"output"};

    void generate() {
        Func columns = along_columns(input, input.height(), "columns");
        Func turned = transpose(columns, "turned");
        Func rows = along_columns(turned, input.width(), "rows");
        output(x, y, c) = rows(y, x, c);

        weight.set_estimate(0.25f);
        input.set_estimates({{0, width}, {0, height}, {0, 3}});
        output.set_estimates({{0, width}, {0, height}, {0, 3}});

        if (scheduled == Schedule::expert) {
            // Two kernels: a block runs both directions of a filter along 32 columns, a thread a
            // column, and then turns them by tiles in shared memory, whose pitch of 33 puts a
            // tile's column into 32 banks. There is no more parallelism without another algorithm.
            Var xi("xi"), yi("yi");
            for (auto [filtered, consumer] : {std::make_pair(columns, turned), std::make_pair(rows, Func(output))}) {
                consumer.compute_root()
                    .never_partition_all()
                    .tile(x, y, xi, yi, 32, 32)
                    .reorder(yi, xi, x, y, c)
                    .gpu_blocks(y, c)
                    .gpu_threads(xi)
                    .unroll(yi);
                filtered.compute_at(consumer, y)
                    .store_in(MemoryType::Heap)
                    .never_partition_all()
                    .reorder(y, x)
                    .unroll(y, 8, TailStrategy::ShiftInwards)
                    .gpu_threads(x);
                for (int direction = 0; direction < 2; direction++) {
                    RVar step = filtered.rvars(direction)[0];
                    filtered.update(direction).reorder(step, x).unroll(step, 8).gpu_threads(x);
                }
                filtered.in().compute_at(consumer, x).align_storage(x, 33).reorder(y, x).unroll(y).gpu_threads(x);
            }
        }
    }

private:
    Var x{"x"}, y{"y"}, c{"c"};

    // Each sample moves towards its filtered neighbour above, then towards the one
    // below; the first and the last start from themselves.
    Func along_columns(Func f, Expr extent, const std::string &name) {
        Func filtered(name);
        filtered(x, y, c) = f(x, y, c);
        RDom down(1, extent - 1, "down");
        filtered(x, down, c) = weight * filtered(x, down, c) + (1.0f - weight) * filtered(x, down - 1, c);
        RDom up(0, extent - 1, "up");
        Expr from_end = extent - 2 - up;
        filtered(x, from_end, c) = weight * filtered(x, from_end, c) + (1.0f - weight) * filtered(x, from_end + 1, c);
        return filtered;
    }

    Func transpose(Func f, const std::string &name) {
        Func turned(name);
        turned(x, y, c) = f(y, x, c);
        return turned;
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(IirBlur, iir_blur)
