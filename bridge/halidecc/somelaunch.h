// A lowering pass of gowarp's own: no launch of no blocks.
#ifndef GOWARP_SOMELAUNCH_H
#define GOWARP_SOMELAUNCH_H

#include <Halide.h>

#include <map>
#include <string>

namespace gowarp {

// Has the host launch the kernels of these stages, each "func.s1", where they have a block. Over a domain that a run's sizes leave empty there is none, and CUDA takes a launch of none for
// an error.
class SomeLaunch : public Halide::Internal::IRMutator {
public:
    explicit SomeLaunch(std::map<std::string, int> stages) : stages_(std::move(stages)) {}

protected:
    using Halide::Internal::IRMutator::visit;
    Halide::Internal::Stmt visit(const Halide::Internal::For *op) override;

private:
    const std::map<std::string, int> stages_;
};

}  // namespace gowarp

#endif
