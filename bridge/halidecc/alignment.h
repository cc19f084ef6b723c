// What has to hold for an index to be a multiple of a number.
#ifndef GOWARP_ALIGNMENT_H
#define GOWARP_ALIGNMENT_H

#include <functional>
#include <optional>
#include <vector>

#include "Halide.h"
#include "polynomial.h"

namespace gowarp {

// What expressions mean at a place in a kernel.
struct Meaning {
    std::function<Polynomial(const Halide::Expr &)> value;  // of a 32-bit integer
    std::function<bool(const Halide::Expr &)> uniform;      // whether it is the same for all threads
};

// Conditions on what is the same for all threads, under which a sum is a multiple of n for all of them; nothing if none are known. They need not be
// necessary: each minimum is taken for any of what it is of.
std::optional<std::vector<Halide::Expr>> multiple_if(const Polynomial &sum, int n, const Meaning &m);

}  // namespace gowarp

#endif
