// The body of a lane as a straight line: what lanes do under conditions, in runs between which all
// lanes of all warps come by.
#ifndef GOWARP_STRAIGHT_H
#define GOWARP_STRAIGHT_H

#include <Halide.h>

#include <string>
#include <vector>

namespace gowarp {

// Statements in order. A run is a list of statements under the same conditions, with the definitions that they need,
// which are computed without condition, before it.
class StraightLine {
public:
    using Guards = std::vector<Halide::Expr>;

    // Puts a definition that all lanes may compute before the present run.
    void let(const std::string &name, const Halide::Expr &value);
    // Adds a statement, to the present run if that is under the same conditions.
    void add(const Guards &guards, const Halide::Internal::Stmt &s);
    // Ends the present run, so that definitions come behind it.
    void end_run();
    // Ends the present run, and has what comes behind it in a basic block of its own.
    void end_part();
    // A barrier of the whole block.
    void barrier();

    struct Run {
        std::vector<std::pair<std::string, Halide::Expr>> lets;
        Guards guards;
        std::vector<Halide::Internal::Stmt> body;
        bool part = false;  // begins one
    };
    const std::vector<Run> &runs() const { return runs_; }
    int barriers() const { return barriers_; }
    // Everything, as one statement. Parts are kept apart by conditions on the index of a block, which all of them fulfil; without one they are not.
    Halide::Internal::Stmt build(const std::string &block = "") const;

private:
    std::vector<Run> runs_{1};
    int barriers_ = 0;
};

// All conditions as one; undefined if there is none.
Halide::Expr conjunction(const std::vector<Halide::Expr> &conditions);

}  // namespace gowarp

#endif
