// What windows are combined from.
#ifndef GOWARP_WINDOWPARTS_H
#define GOWARP_WINDOWPARTS_H

#include "Halide.h"

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace gowarp {

// Which windows are separated besides those of integers with equal weights.
struct Separable {
    bool floats, weighted;
};

const int64_t most_apart = 1 << 20;  // points, of a value from the one that is computed

// Whether a value may be one of a window: little, and the same wherever it is computed.
bool is_term(const Halide::Expr &value);

// What combines the values of a window.
enum class Op { sum, least, greatest };

Halide::Expr combined(Op op, const Halide::Expr &a, const Halide::Expr &b);

// What a combination of no values is.
Halide::Expr neutral(Op op, Halide::Type t);

struct Weighted {
    double weight;
    Halide::Expr value;
};

// The values combined: their weighted sum, the first of those that are added before all others; minima and maxima have no weights.
Halide::Expr total(Halide::Type t, Op op, std::vector<Weighted> values);

Halide::Expr variable(const std::string &name);

// A value at a point beside the one that is computed.
Halide::Expr beside(const Halide::Expr &value, const std::string &var, int by);

// Asks about the places that a value reads something at, by how much they are apart from a variable: of each index the whole and then, in a boundary condition say, what
// it is made up of, down to the variable itself, until the answer is yes.
void each_place(const Halide::Expr &value, const std::string &var, const std::function<bool(const Halide::Expr &apart)> &ask);

// Values of a window that lie along one dimension, in order, each with its factor.
struct Row {
    int dim;
    std::vector<int> offsets;
    std::vector<double> factors;

    bool equal_factors() const;
    double factor(int offset) const;
    // The distance from each offset to the next; 0 if there are several.
    int step() const;
    // Whether values are combined two, four, eight at a time.
    bool halved() const;
};

// Funcs that combine parts of the windows of a pipeline.
class Parts {
public:
    struct Part {
        Halide::Internal::Function f;
        bool weighted;  // of a window that is
    };

    // The name of the Func that combines a Func's window along a dimension.
    static std::string name(const Halide::Internal::Function &f, Op op, const std::string &along);

    // The value of a part at the point that is computed. The same part is one Func.
    Halide::Expr call(const std::string &name, const std::vector<std::string> &vars, const Halide::Expr &value, bool weighted);
    // The same of a part that combines the values of a reduction's domain.
    Halide::Expr reduction(const std::string &name, const std::vector<std::string> &vars, Op op, const Halide::Expr &value, const Halide::Internal::ReductionDomain &domain, bool weighted);
    // A row, equal values of it from Funcs that combine two, four, eight of them.
    Halide::Expr row(Op op, const std::string &name, const std::vector<std::string> &vars, const Row &row, const Halide::Expr &value, bool weighted);

    // Values at any places beside the point, all of the same weight, by what lies in lines along one dimension, such as a disk's; undefined where that saves little.
    Halide::Expr lines(Op op, const Halide::Internal::Function &f, const std::set<std::vector<int>> &places, const Halide::Expr &value);

    const std::vector<Part> &made() const { return made_; }

private:
    Halide::Expr halved(Op op, const std::string &name, const std::vector<std::string> &vars, const Row &row, const Halide::Expr &value, bool weighted);

    std::vector<Part> made_;
};

}  // namespace gowarp

#endif
