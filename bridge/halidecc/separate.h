// Windows, as combinations of smaller ones.
#ifndef GOWARP_SEPARATE_H
#define GOWARP_SEPARATE_H

#include "graph.h"
#include "windowparts.h"

#include <vector>

namespace gowarp {

// The definitions of Funcs as they are when windows are separated or, after an exchange, as they are otherwise.
class Separation {
public:
    int windows = 0;  // that are separated

    // Defines a Func anew, but for what its definitions schedule.
    void define(const Halide::Internal::Function &f, std::vector<Halide::Expr> values, std::vector<Halide::Internal::Definition> updates);
    // Has Funcs be defined as they are not now.
    void exchange();

private:
    struct Defined {
        Halide::Internal::Function f;
        std::vector<Halide::Expr> values;
        std::vector<Halide::Internal::Definition> updates;

        void exchange();
    };

    std::vector<Defined> other_;
};

// Has pure definitions combine windows of the same values by way of Funcs that combine parts of them:
//
//  - a sum over a box whose weights are products of one factor along each dimension (box filters, binomial ones, Sobel's derivatives), and minima and maxima over
//    a box: along one dimension after the other, the last one first;
//  - equal terms that are no box, such as a disk: along the lines that they make up;
//  - four and more equal terms in a row: from two, four, eight of them, each the combination of two of its predecessor's.
//
// s(x, y) = g(x - 1, y - 1) + g(x, y - 1) + ... + g(x + 1, y + 1) becomes s(x, y) = t(x - 1, y) + t(x, y) + t(x + 1, y) with t(x, y) = g(x, y - 1) + g(x, y) +
// g(x, y + 1): 4 operations a point in place of 8, if t is computed once a point. Whether it is the schedule says: inlined, t leaves 8, grouped otherwise.
// Integers come out the same; sums of floats round otherwise, and of their minima and maxima zeros and NaNs may differ.
//
// The same for windows that are reductions (separatereductions.h).
//
// The result is the pipeline's graph afterwards; before is the one that it had. Not for a pipeline of which
// the user has scheduled anything.
Graph separate_windows(const Halide::Pipeline &pipeline, const Graph &before, const Separable &which, Separation &separation);

}  // namespace gowarp

#endif
