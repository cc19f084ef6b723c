// Windows that are reductions, as combinations of smaller ones.
#ifndef GOWARP_SEPARATEREDUCTIONS_H
#define GOWARP_SEPARATEREDUCTIONS_H

#include "windowparts.h"

namespace gowarp {

// Takes over the first updates of a Func that combine windows: those that add to each point by itself (or take the least, the greatest) a value for each place of a domain.
//
// s(x, y) += k(r.x) * k(r.y) * g(x + r.x, y + r.y), whose domain may have any bounds, becomes s(x, y) = t(x, y) with t(x, y) += k(r.x) * u(x + r.x, y) and
// u(x, y) += k(r.y) * g(x, y + r.y). Along each dimension the domain's variable has to come with the point's, as one place and not beside it (times a number it may be: f(2x + r.x)); weights are products of
// a factor for each variable, exponentials of sums and Funcs that are products among them. Variables of the domain that come with none of the point's are gone through
// first. Where the bounds are literal, short rows are written out, and equal values are added two, four, eight at a time. Of a domain with a literal condition, such as a disk, the lines that are left are combined.
//
// An update after them that divides a sum by its size, say, is written into the definition as well.
//
// values are those of the pure definition, and become those of the definition which is left; the result is the number of updates that it stands for, of which so many are windows.
int separate_reductions(const Halide::Internal::Function &f, const std::vector<Halide::Internal::Definition> &updates, const Separable &which, Parts &parts, std::vector<Halide::Expr> &values, int &windows);

}  // namespace gowarp

#endif
