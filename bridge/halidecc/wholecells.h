// A lowering pass of gowarp's own: the kernel of an output that begins at whole cells.
#ifndef GOWARP_WHOLECELLS_H
#define GOWARP_WHOLECELLS_H

#include <Halide.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace gowarp {

// By the name of an output of how many points its cells are, by argument; 1 for none.
using Moduli = std::map<std::string, std::vector<int>>;

// An output begins where its caller has it, so that Halide does not know which of its points is even: each computes what even ones do and what odd ones do. Of the kernels of these outputs the first
// (the special case, where there is one) stands twice. In the one that the host launches where the output begins and ends at whole cells, it is so many times a number that it begins and ends
// at, and all that is computed from those is in terms of these numbers, as far as it is a multiple or a constant more: of each point is known then what it is. The other is as it was.
class WholeCells : public Halide::Internal::IRMutator {
public:
    explicit WholeCells(Moduli moduli) : moduli_(std::move(moduli)) {}

protected:
    using Halide::Internal::IRMutator::visit;
    Halide::Internal::Stmt visit(const Halide::Internal::LetStmt *op) override;
    Halide::Internal::Stmt visit(const Halide::Internal::For *op) override;

private:
    const Moduli moduli_;
    std::vector<std::pair<std::string, Halide::Expr>> lets_;  // around the statement, outermost first
    std::set<std::string> done_;
};

// Whether a statement is the choice between those two forms of one kernel.
bool chooses_cells(const Halide::Internal::IfThenElse *op);

}  // namespace gowarp

#endif
