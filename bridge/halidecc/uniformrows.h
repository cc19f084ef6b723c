// A lowering pass of gowarp's own: the row of threads that a warp is, as the same for all its lanes.
#ifndef GOWARP_UNIFORMROWS_H
#define GOWARP_UNIFORMROWS_H

#include <Halide.h>

#include <map>
#include <string>

namespace gowarp {

// In the kernels of these Funcs whose rows of threads are whole warps, threads take the indices of their row and layer from the first lane of their warp. They are what they were; but ptxas
// takes the indices of threads to differ from lane to lane, and what comes from one lane not to: what is computed from it goes into the registers that a warp has in common (capability 7.5 on).
class UniformRows : public Halide::Internal::IRMutator {
public:
    explicit UniformRows(std::map<std::string, int> funcs) : funcs_(std::move(funcs)) {}

protected:
    using Halide::Internal::IRMutator::visit;
    Halide::Internal::Stmt visit(const Halide::Internal::For *op) override;

private:
    const std::map<std::string, int> funcs_;
    bool within_ = false;  // a kernel of these
};

}  // namespace gowarp

#endif
