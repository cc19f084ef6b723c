// A lowering pass of gowarp's own: what lanes do in the order in which it is demanded.
#ifndef GOWARP_DEMANDORDER_H
#define GOWARP_DEMANDORDER_H

#include <Halide.h>

#include <map>
#include <string>

namespace gowarp {

// Rewrites the kernels of warps' tiles that compute these Funcs, in rows of so many stores. Halide has a lane compute all rows of a stage before the next stage, and
// shuffles keep that order in the compiler: all rows of a tile are held at once. Afterwards a lane computes what it
// needs for a row of the output just before that row, and holds no more than the windows of the stages. A kernel that has not the
// form of gowarp's own keeps its order, which is right too, and a message says so.
class DemandOrder : public Halide::Internal::IRMutator {
public:
    explicit DemandOrder(std::map<std::string, int> funcs);

protected:
    using IRMutator::visit;
    Halide::Internal::Stmt visit(const Halide::Internal::For *op) override;

private:
    const std::map<std::string, int> funcs_;
};

}  // namespace gowarp

#endif
