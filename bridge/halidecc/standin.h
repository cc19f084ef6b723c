// Reductions that Halide's rfactor refuses, as one that it takes.
#ifndef GOWARP_STANDIN_H
#define GOWARP_STANDIN_H

#include <memory>

#include "graph.h"

namespace gowarp {

// A reduction while Halide's rfactor is at it: its values are sums, or for bools alternatives, of the old ones and of what Halide sees
// nothing of, and what it does with them is put in its place again in what Halide makes of it.
class StandIn {
public:
    using Values = std::vector<Halide::Expr>;

    virtual ~StandIn() = default;

    void enter(Halide::Internal::Definition &def) const;

    // over is the update that partial results are combined by, and how is what is known of it, if it is to be factored again.
    void leave(Halide::Internal::Function intm, Halide::Internal::Definition &over, std::optional<ArgExtreme> &how) const;

protected:
    // By value; other and identity are undefined for a value that is kept.
    virtual Values self() const = 0;
    virtual Values other() const = 0;
    virtual Values identity() const = 0;
    virtual Values combined(const Values &self, const Values &other, bool partial_results) const = 0;
    virtual std::optional<ArgExtreme> of_partial_results() const { return {}; }

private:
    void replace(Halide::Internal::Definition &def, bool partial_results) const;
};

// What has to stand in for an update; nothing for one that Halide takes as it is.
std::unique_ptr<StandIn> stand_in(const FuncEntry &f, int stage, const Halide::Internal::Definition &def);

}  // namespace gowarp

#endif
