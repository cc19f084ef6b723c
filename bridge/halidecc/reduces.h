// Reductions that come to a value at each of their points, and what definitions read for that.
#ifndef GOWARP_REDUCES_H
#define GOWARP_REDUCES_H

#include "graph.h"

#include <map>
#include <string>

namespace gowarp {

// What all definitions of a Func read.
class ReadFuncs : public Halide::Internal::IRGraphVisitor {
public:
    explicit ReadFuncs(const Halide::Internal::Function &in);

    std::map<std::string, bool> elsewhere;  // by Func that is read: whether elsewhere than at the point that is computed
    bool undefined = false;

private:
    using IRGraphVisitor::visit;
    void visit(const Halide::Internal::Call *op) override;

    const Halide::Internal::Function &in_;
};

// Whether a Func's updates reduce to the points that they are about, each from what it was there.
bool reduces(const Halide::Internal::Function &f);

// Whether an output has so few points, by its estimates, that they leave most of a GPU idle: its reductions are better split among threads, in kernels of their own.
bool few_points(const Halide::Internal::Function &output);

}  // namespace gowarp

#endif
