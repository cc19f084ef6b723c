// What a lane's expressions read of other lanes.
#ifndef GOWARP_SHUFFLE_H
#define GOWARP_SHUFFLE_H

#include <Halide.h>

#include <string>
#include <vector>

namespace gowarp {

// A shuffle of Halide's: its value, and of which lane it is.
struct Shuffle {
    const Halide::Internal::Call *call = nullptr;
    size_t value = 0;  // the position of the argument
    enum { down, up, index } kind = index;
    explicit operator bool() const { return call; }
    Halide::Expr by() const { return call->args[value + 1]; }
};

// The shuffle that an expression is, if it is one.
Shuffle as_shuffle(const Halide::Expr &e);

// A value of 32 bits from another lane, by one of the ways of PTX' shfl.sync ("up", "idx").
Halide::Expr shuffle(const std::string &way, const Halide::Expr &value, int by, int clamp);

// A condition that is the same in all lanes of a warp, so that the compiler knows it to be, in a kernel whose lanes exchange values: no warp parts at a
// branch on it, and the compiler need not bring lanes together again behind it.
Halide::Expr all_of_warp(const Halide::Internal::Stmt &kernel, const Halide::Expr &condition);

// Whether there is anything in an expression that depends on when it is computed, or by which lanes.
class Reads : public Halide::Internal::IRGraphVisitor {
public:
    bool any = false;
    std::vector<const Halide::Internal::Load *> loads;

private:
    using IRGraphVisitor::visit;

    void visit(const Halide::Internal::Load *op) override;
    void visit(const Halide::Internal::Call *op) override;
};

}  // namespace gowarp

#endif
