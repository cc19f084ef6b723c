// A lowering pass of gowarp's own: special cases for whole groups of points serve all other sizes too.
#ifndef GOWARP_ANYSIZE_H
#define GOWARP_ANYSIZE_H

#include <Halide.h>

#include <map>
#include <string>
#include <vector>

namespace gowarp {

// The special case of an output for extents that are multiples of the points that a thread has side by side.
struct WholeGroups {
    // Along one dimension the points of a thread are a group; so many threads make a block.
    struct Along {
        int dim;            // of the output
        int points;         // of a group, the last of which is shifted inwards
        std::string block;  // the loop over blocks
        int threads;        // 1 where each has a block of its own
        int thread;         // which of a block's dimensions they are; -1 then
        std::string fused;  // the loop that the one over blocks is the inner part of, "" where it is a loop by itself

        // The loop of the grid that runs over them.
        const std::string &of_grid() const { return fused.empty() ? block : fused; }
    };
    std::string func;          // the output's name
    std::vector<Along> along;  // the innermost loop over points first
};

// Has a special case run wherever there are as many points as a group has. Where an extent is no multiple the last group
// begins earlier and computes points of the one before again. Two threads would store those, and floats need not be the
// same to the last bit; so here the last group does not store what the one before does, and the special case is as exact as the general one and
// several times as fast. What has not the form of gowarp's own schedules stays as it is, which is right too.
class AnySize : public Halide::Internal::IRMutator {
public:
    explicit AnySize(std::vector<WholeGroups> cases);

protected:
    using IRMutator::visit;
    Halide::Internal::Stmt visit(const Halide::Internal::LetStmt *op) override;
    Halide::Internal::Stmt visit(const Halide::Internal::IfThenElse *op) override;

private:
    const std::vector<WholeGroups> cases_;
    std::map<std::string, Halide::Expr> lets_;
};

}  // namespace gowarp

#endif
