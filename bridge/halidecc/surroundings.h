// What is known of a kernel from outside of it: its buffers' sizes as estimated, and what the host computes from sizes before.

#ifndef GOWARP_SURROUNDINGS_H
#define GOWARP_SURROUNDINGS_H

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "Halide.h"
#include "polynomial.h"

namespace gowarp {

class Surroundings {
public:
    using Definitions = std::map<std::string, Halide::Expr>;

    // Of a kernel that accesses these parameters' buffers, of all that the pipeline does, within these definitions. A stride of at most small elements, of a window of weights say, is fixed, if any may be.
    Surroundings(const std::vector<Halide::Parameter> &buffers, const std::vector<Halide::Parameter> &all, const Definitions &around, bool fix);

    // The strides that are taken for constants, and the conditions under which they are.
    std::vector<Halide::Expr> conditions() const;

    // What a name outside of the kernel stands for, with fixed strides: a constant, or another name and a constant distance. Null for itself.
    const Polynomial *value(const std::string &name);

    // A sum with what such names stand for in their places.
    Polynomial written_out(const Polynomial &sum);

    // What is written out said by a name whose value was asked for, and a constant, if any has that value or its negative.
    std::optional<Polynomial> named(const Polynomial &written_out) const;

    // A 32-bit integer of such names at the estimated sizes; nothing if those do not say.
    std::optional<int64_t> estimate(const Halide::Expr &e);

private:
    std::map<std::string, int64_t> sizes_, fixed_;
    const Definitions &around_;
    std::map<std::string, Polynomial> written_out_;  // definitions, of sizes
    std::map<std::string, std::optional<Polynomial>> values_;
    std::map<std::string, std::optional<int64_t>> estimates_;
    std::map<Polynomial, std::pair<std::string, int64_t>> first_;  // by what is written out, without the constant: whose value it was first, and the constant of that

    void add(const Halide::Parameter &buffer, bool fix);
    const Polynomial *written_out(const std::string &name);
    Polynomial written_out(const Halide::Expr &e);
    std::optional<int64_t> estimate(const std::string &name);
};

}  // namespace gowarp

#endif
