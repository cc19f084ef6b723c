// Lens blur of a stereo pair, written as a user writes it: the algorithm, estimates, and no
// schedule but for comparison. Depth is the disparity of least cost, the cost being smoothed over regions
// that match nothing in particular by push and pull through a pyramid (Gortler et al.
// 1996); then every pixel gathers samples from the circles of confusion around it.
//
// Everything up to the last division is in whole numbers, so that every device finds the
// same depth: in floats, ties between two depths are decided by rounding.
#include "Halide.h"

namespace {

using namespace Halide;

class LensBlur : public Generator<LensBlur> {
public:
    GeneratorParam<int> width{"width", 1536};
    GeneratorParam<int> height{"height", 2560};
    GeneratorParam<int> levels{"levels", 8};
    enum class Schedule { none, expert };  // expert: for GPUs, by hand
    GeneratorParam<Schedule> scheduled{"schedule", Schedule::none, {{"none", Schedule::none}, {"expert", Schedule::expert}}};

    Input<Buffer<uint8_t, 3>> left{"left"};
    Input<Buffer<uint8_t, 3>> right{"right"};
    Input<int> slices{"slices", 32, 1, 64};    // disparities that are tried, two pixels each
    Input<int> focus{"focus", 13, 0, 63};      // the slice that stays sharp
    Input<float> aperture{"aperture", 0.5f, 0.0f, 1.0f};  // pixels of radius a slice out of focus
    Input<int> samples{"samples", 32, 1, 64};  // a pixel
    Output<Buffer<float, 3>> output{"output"};

    void generate() {
        Func here = BoundaryConditions::repeat_edge(left);
        Func there = BoundaryConditions::repeat_edge(right);

        // A point of the left view lies further left in the right one. 0 to 765.
        Func difference("difference"), cost("cost");
        Expr seen = here(x, y, c), at = x - 2 * z;
        difference(x, y, z, c) = min(absd(seen, there(at, y, c)), absd(seen, there(at - 1, y, c)));
        cost(x, y, z) = cast<uint32_t>(difference(x, y, z, 0)) + difference(x, y, z, 1) + difference(x, y, z, 2);

        // A match is as sure as the costs of the slices vary. n^2 times their variance is at
        // most (64 * 765)^2, which 32 bits hold.
        RDom slice(0, slices, "slice");
        Func sums("sums"), confidence("confidence");
        Expr one = cost(x, y, slice), n = cast<uint32_t>(slices);
        sums(x, y) = Tuple(cast<uint32_t>(0), cast<uint32_t>(0));
        sums(x, y) = Tuple(sums(x, y)[0] + one, sums(x, y)[1] + one * one);
        confidence(x, y) = ((n * sums(x, y)[1] - sums(x, y)[0] * sums(x, y)[0]) / (n * n)) >> 8;

        // Costs by weight, and weights, in 1/16: 765 * 572 * 16 at most. What lies outside
        // the right view is not known to match.
        std::vector<Func> push(levels), pull(levels);
        push[0] = Func("push_0");
        Expr weight = (select(at > 0, confidence(x, y), 0) + 1) << 4;
        push[0](x, y, z, c) = select(c == 0, cost(x, y, z), 1) * weight;
        for (int l = 1; l < levels; l++) {
            push[l] = halved(within(push[l - 1], l - 1), "push_" + std::to_string(l));
        }
        pull[levels - 1] = push[levels - 1];
        for (int l = levels - 2; l >= 0; l--) {
            Func coarse = doubled(within(pull[l + 1], l + 1), "spread_" + std::to_string(l));
            pull[l] = Func("pull_" + std::to_string(l));
            pull[l](x, y, z, c) = (push[l](x, y, z, c) + coarse(x, y, z, c) + 1) >> 1;
        }

        // In 1/256: the product stays below 2^31.
        Func smooth("smooth"), least("least"), nearest("nearest"), radius("radius");
        smooth(x, y, z) = (pull[0](x, y, z, 0) << 8) / pull[0](x, y, z, 1);
        nearest(x, y) = argmin(slice, smooth(x, y, slice), least)[0];
        Func depth = within(nearest, 0);
        radius(x, y) = cast<int>(abs(depth(x, y) - focus) * aperture);

        // The largest circle that may reach a pixel.
        Expr reach = cast<int>(max(slices - 1 - focus, focus) * aperture);
        RDom r(-reach, 2 * reach + 1, "r");
        Func tallest_of("tallest_of"), tallest("tallest"), largest_of("largest_of"), largest("largest");
        tallest(x, y) = maximum(r, radius(x, y + r), tallest_of);
        largest(x, y) = maximum(r, tallest(x + r, y), largest_of);

        // Where a pixel looks: the R2 sequence (Roberts 2018) in 1/2^32, begun elsewhere at
        // every pixel (Cranley and Patterson 1976), over a square around it.
        Func offset("offset");
        Expr scattered = cast<uint32_t>(x) * Expr(0x9e3779b1u) ^ cast<uint32_t>(y) * Expr(0x85ebca77u);
        scattered = (scattered ^ (scattered >> 15)) * Expr(0x2c1b3c6du);
        scattered = scattered ^ (scattered >> 13);
        Expr side = cast<uint32_t>(2 * largest(x, y) + 1);
        auto along = [&](Expr begin, uint32_t step) {
            return cast<int>((((begin + cast<uint32_t>(z) * Expr(step)) >> 16) * side) >> 16) - largest(x, y);
        };
        offset(x, y, z) = Tuple(along(scattered, 0xc13fa9a9u), along(scattered << 16 ^ scattered, 0x91e10da5u));

        // A sample counts if its circle reaches here, and it lies in this pixel's circle or
        // in front of it. There is none outside the picture.
        auto sample = [&](Expr k) {
            return std::make_pair(clamp(x + offset(x, y, k)[0], 0, left.width() - 1), clamp(y + offset(x, y, k)[1], 0, left.height() - 1));
        };
        Func counts("counts");
        auto [there_x, there_y] = sample(z);
        Expr apart = offset(x, y, z)[0] * offset(x, y, z)[0] + offset(x, y, z)[1] * offset(x, y, z)[1];
        auto reaches = [&](Expr radius) { return apart <= radius * radius; };
        counts(x, y, z) = reaches(radius(there_x, there_y)) && (reaches(radius(x, y)) || depth(there_x, there_y) > depth(x, y));

        // Samples are counted as a fourth channel, and the pixel itself is always one.
        RDom s(0, samples, "s");
        Func light("light"), gathered("gathered");
        auto [from_x, from_y] = sample(s);
        light(x, y, c) = select(c < 3, cast<int>(here(x, y, min(c, 2))), 1);
        gathered(x, y, c) = light(x, y, c);
        gathered(x, y, c) += select(counts(x, y, s), light(from_x, from_y, c), 0);

        output(x, y, c) = cast<float>(gathered(x, y, c)) / (255.0f * cast<float>(gathered(x, y, 3)));

        slices.set_estimate(32);
        focus.set_estimate(13);
        aperture.set_estimate(0.5f);
        samples.set_estimate(32);
        left.set_estimates({{0, width}, {0, height}, {0, 3}});
        right.set_estimates({{0, width}, {0, height}, {0, 3}});
        output.set_estimates({{0, width}, {0, height}, {0, 3}});

        if (scheduled == Schedule::expert) {
            // The finest level of the cost volume is stored as costs and weights apart, and
            // computed from them where it is read. A thread takes both channels of two rows
            // on the way down and of 2x2 points on the way up, where the next coarser level
            // is the same for all four.
            Var xi("xi"), yi("yi"), xt("xt"), yt("yt"), zt("zt");
            cost.compute_root().never_partition_all().reorder(z, x, y).gpu_tile(x, y, xt, yt, 32, 8);
            confidence.compute_root().never_partition_all().gpu_tile(x, y, xt, yt, 32, 8);
            sums.compute_at(confidence, xt);
            for (int l = 1; l < levels; l++) {
                const int across = l < 4 ? 32 : 8;
                push[l].compute_root()
                    .never_partition_all()
                    .bound(c, 0, 2)
                    .split(y, y, yi, 2)
                    .reorder(c, yi, x, y, z)
                    .unroll(c)
                    .unroll(yi)
                    .gpu_tile(x, y, z, xt, yt, zt, across, 4, 32 / across);
                halves[l - 1].compute_at(push[l], xt).unroll(y).unroll(c);
                if (l < levels - 1) {
                    pull[l].compute_root()
                        .never_partition_all()
                        .bound(c, 0, 2)
                        .align_bounds(x, 2)
                        .align_bounds(y, 2)
                        .tile(x, y, xi, yi, 2, 2)
                        .reorder(c, xi, yi, x, y, z)
                        .unroll(c)
                        .unroll(xi)
                        .unroll(yi)
                        .gpu_tile(x, y, z, xt, yt, zt, across, 4, 32 / across);
                }
            }
            nearest.compute_root()
                .never_partition_all()
                .align_bounds(x, 2)
                .align_bounds(y, 2)
                .tile(x, y, xi, yi, 2, 2)
                .unroll(xi)
                .unroll(yi)
                .gpu_tile(x, y, xt, yt, 32, 4);
            least.compute_at(nearest, xt).unroll(x).unroll(y).update().reorder(x, y, slice).unroll(x).unroll(y);
            for (auto [f, reduction] : {std::pair(tallest, tallest_of), std::pair(largest, largest_of)}) {
                f.compute_root().never_partition_all().gpu_tile(x, y, xt, yt, 32, 8);
                reduction.compute_at(f, xt);
            }
            output.never_partition_all()
                .bound(c, 0, 3)
                .reorder(c, x, y)
                .unroll(c)
                .gpu_tile(x, y, xt, yt, 32, 8, TailStrategy::GuardWithIf);
            gathered.compute_at(output, xt).unroll(c).update().reorder(c, x, y, s).unroll(c);
            offset.compute_at(gathered, x);
            counts.compute_at(gathered, x);
        }
    }

private:
    Var x{"x"}, y{"y"}, z{"z"}, c{"c"};
    std::vector<Func> halves;  // levels halved in x alone

    // A level of the pyramid with its edge repeated.
    Func within(Func f, int level) {
        Expr round = (1 << level) - 1;
        return BoundaryConditions::repeat_edge(f, {{0, (left.width() + round) >> level}, {0, (left.height() + round) >> level}});
    }

    // Coarse samples lie between two fine ones: (1 3 3 1) / 8 on the way down, (3 1) / 4 on
    // the way up, rounded to the nearest.
    Func halved(Func f, const std::string &name) {
        Func across(name + "_across"), half(name);
        across(x, y, z, c) = (f(2 * x - 1, y, z, c) + 3 * (f(2 * x, y, z, c) + f(2 * x + 1, y, z, c)) + f(2 * x + 2, y, z, c) + 4) >> 3;
        half(x, y, z, c) = (across(x, 2 * y - 1, z, c) + 3 * (across(x, 2 * y, z, c) + across(x, 2 * y + 1, z, c)) + across(x, 2 * y + 2, z, c) + 4) >> 3;
        halves.push_back(across);
        return half;
    }

    Func doubled(Func f, const std::string &name) {
        Func across(name + "_across"), twice(name);
        across(x, y, z, c) = (3 * f(x / 2, y, z, c) + f(x / 2 - 1 + 2 * (x % 2), y, z, c) + 2) >> 2;
        twice(x, y, z, c) = (3 * across(x, y / 2, z, c) + across(x, y / 2 - 1 + 2 * (y % 2), z, c) + 2) >> 2;
        return twice;
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(LensBlur, lens_blur)
