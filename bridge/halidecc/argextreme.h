// The least or greatest of values together with where it is (argmin, argmax), as a reduction whose result no order changes.
#ifndef GOWARP_ARGEXTREME_H
#define GOWARP_ARGEXTREME_H

#include <Halide.h>

#include <optional>
#include <vector>

namespace gowarp {

// An update of a Tuple that takes all values of another element where that has a lesser (or greater) one: of equal elements the first in the
// domain stays.
struct ArgExtreme {
    int value = 0;            // which of the Func's values is compared
    bool greatest = false;    // the greatest is looked for, not the least
    std::vector<int> places;  // values that are variables of the domain, all that there are, the outermost loop's first
    bool ties = false;        // elements do not come in their order: of equal ones that with the first place is taken

    // What any element takes the place of, and never does so itself.
    std::vector<Halide::Expr> identity(const std::vector<Halide::Type> &types) const;

    // One's values where that is to be taken, otherwise those of self.
    std::vector<Halide::Expr> chosen(const std::vector<Halide::Expr> &self, const std::vector<Halide::Expr> &other) const;

private:
    Halide::Expr better(const std::vector<Halide::Expr> &self, const std::vector<Halide::Expr> &other) const;
};

// What an element of the domain has, in place of the Func's values.
struct ArgElement {
    ArgExtreme how;
    std::vector<Halide::Expr> self, other;
};

// An update in this form, if partial results of it, taken together, are to the last bit what it gives in order: where it is the Func's first update, has all of its domain,
// and starts with an element before all of the domain or one that all others are as good as. What a condition that loads something rules out is never taken.
std::optional<ArgElement> arg_extreme(const Halide::Internal::Function &f, const Halide::Internal::Definition &def);

}  // namespace gowarp

#endif
