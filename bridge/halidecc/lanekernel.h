// A kernel of warps' tiles as passes find it.
#ifndef GOWARP_LANEKERNEL_H
#define GOWARP_LANEKERNEL_H

#include "lanebody.h"

#include <set>
#include <string>

namespace gowarp {

// The loops over warps and lanes of a kernel, and what the lanes hold.
class LaneKernel : public Halide::Internal::IRVisitor {
public:
    explicit LaneKernel(const Halide::Internal::Stmt &kernel) { kernel.accept(this); }

    Held held;
    const Halide::Internal::For *lanes = nullptr, *warps = nullptr;
    std::set<std::string> blocks;  // the loops over them
    bool under_condition = false;  // which stands between the loop over warps and the lanes
    std::string why;               // for which it is no kernel of warps' tiles

private:
    using IRVisitor::visit;

    void visit(const Halide::Internal::For *op) override;
    void visit(const Halide::Internal::IfThenElse *op) override;
    void visit(const Halide::Internal::Call *op) override;
    void visit(const Halide::Internal::Allocate *op) override;
};

}  // namespace gowarp

#endif
