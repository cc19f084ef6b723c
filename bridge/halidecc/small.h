// Sizes of expressions written out.
#ifndef GOWARP_SMALL_H
#define GOWARP_SMALL_H

#include "Halide.h"

namespace gowarp {

// Whether an expression has no more than most nodes, each as often as it is used.
class Small : public Halide::Internal::IRMutator {
public:
    static bool is(const Halide::Expr &e, int most) {
        Small s(most);
        s.mutate(e);
        return s.left_ >= 0;
    }

    using Halide::Internal::IRMutator::mutate;
    Halide::Expr mutate(const Halide::Expr &e) override { return --left_ >= 0 ? Halide::Internal::IRMutator::mutate(e) : e; }

private:
    explicit Small(int most)
        : left_(most) {}
    int left_;
};

}  // namespace gowarp

#endif
