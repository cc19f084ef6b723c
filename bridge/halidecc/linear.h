// Sums of products by constants, and how large they may be.
#ifndef GOWARP_LINEAR_H
#define GOWARP_LINEAR_H

#include <cstdint>
#include <limits>
#include <map>
#include <optional>

#include "Halide.h"

namespace gowarp {

// A sum of products by constants.
struct Linear {
    std::map<Halide::Expr, int64_t, Halide::Internal::IRDeepCompare> terms;
    int64_t constant = 0;

    void add(const Halide::Expr &e, int64_t times);
};

// What has to be at least 0 for a comparison of 32-bit integers to hold; nothing for other conditions.
std::optional<Linear> at_least_0(const Halide::Expr &condition);

// A bound of what a sum may be, whatever its variables are; nothing if none was found. Minima and maxima are taken apart case by case, and of differences of
// quotients (p / d - q / d) it knows that they are at most (p - q + d - 1) / d, which Halide 21 does not see where p and q have minima. Of bounds that are no more than
// enough any will do.
std::optional<int64_t> greatest(const Linear &sum, int64_t enough = std::numeric_limits<int64_t>::min());

}  // namespace gowarp

#endif
