// A loop each of whose iterations takes what the one before has stored, read as a scan.
#ifndef GOWARP_SCANLOOP_H
#define GOWARP_SCANLOOP_H

#include <Halide.h>

#include "surroundings.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace gowarp {

// A value as times * before + rest, or as the smaller or greater of before and rest.
struct Recurrence {
    enum { sum, least, greatest } kind = sum;
    bool before_first = true;    // of the two that the smaller or greater is of
    Halide::Expr times, rest;    // times is undefined for 1

    // Of a value with the iteration before as a variable. Throws Unsuitable if it is none.
    Recurrence(const Halide::Expr &value, const std::string &before);

    // A value with what is before it, which is multiplied by times if that is defined.
    Halide::Expr with(const Halide::Expr &value, const Halide::Expr &times, const Halide::Expr &before) const;
};

// A serial loop that stores one value of a Func at a time, a recurrence of the one before.
struct ScanLoop {
    const Halide::Internal::For *loop;
    const Halide::Internal::Store *store = nullptr;
    Halide::Expr before;  // the load of what the iteration before has stored
    Halide::Expr index;   // where an iteration stores
    Recurrence recurrence;
    Halide::Type type;

    // Within some definitions. Throws Unsuitable if it is none.
    ScanLoop(const Halide::Internal::For *loop, const std::string &func, const Surroundings::Definitions &around) : loop(loop), recurrence(read(func, around)), type(store->value.type()) {}

    class Sequence;

    // What a turn of so many iterations does, by its number. The iteration before is in the register carried, which it leaves its last in; where last is defined it goes no further than that.
    using Turn = std::function<Halide::Internal::Stmt(const Halide::Expr &number, const Halide::Expr &last, const std::string &carried)>;

    // All turns, behind what a sequence has. Where the absolute of times is above 1, powers of which may overflow, one thread runs through the loop alone.
    Halide::Internal::Stmt turns(Sequence s, int iterations, const Halide::Expr &alone, const Turn &turn) const;

    // What iterations at some places add, each let in a sequence before any of them stores, which the compiler would not move a load over. Where last is defined those behind
    // it load nothing and are 0.
    std::vector<Halide::Expr> values(Sequence &s, const std::vector<Halide::Expr> &at, const Halide::Expr &last) const;

    // The store of an iteration, where last is defined if it is not behind that.
    Halide::Internal::Stmt stored(const Halide::Expr &at, const Halide::Expr &value, const Halide::Expr &last) const;

private:
    Recurrence read(const std::string &func, const Surroundings::Definitions &around);
};

// Definitions and statements, one after the other.
class ScanLoop::Sequence {
public:
    // Names a value.
    Halide::Expr let(const std::string &what, const Halide::Expr &value);
    void add(const Halide::Internal::Stmt &s);
    Halide::Internal::Stmt build() const;

private:
    struct Part {
        std::string name;
        Halide::Expr value;
        Halide::Internal::Stmt stmt;
    };
    std::vector<Part> all_;
};

// A kernel in which a thread runs through a scan, as a pass of scans rewrites it. Throws Unsuitable for what is to stay as it is.
class ScanKernel : public Halide::Internal::IRMutator {
public:
    // Of a Func, within some definitions.
    ScanKernel(std::string func, Surroundings::Definitions around) : func_(std::move(func)), around_(std::move(around)) {}

    bool scans = false;  // whether it has a loop over a scan

protected:
    using IRMutator::visit;
    Halide::Internal::Stmt visit(const Halide::Internal::LetStmt *op) override;
    // What all threads would do, or not wait for.
    Halide::Internal::Stmt visit(const Halide::Internal::Store *op) override;
    Halide::Internal::Stmt visit(const Halide::Internal::Block *op) override;
    Halide::Internal::Stmt visit(const Halide::Internal::Allocate *op) override;

    // The name of a block's second dimension of threads, where a loop is over its first, within no other loop over threads; throws if it is not.
    static std::string second(const Halide::Internal::For *op, bool within);

    const std::string func_;
    Surroundings::Definitions around_;
};

// A lowering pass that rewrites the kernels of some stages, each "func.s1" with a number, in which a thread runs through a scan.
class ScanPass : public Halide::Internal::IRMutator {
public:
    explicit ScanPass(std::map<std::string, int> stages) : stages_(std::move(stages)) {}

protected:
    using IRMutator::visit;
    Halide::Internal::Stmt visit(const Halide::Internal::LetStmt *op) override;
    Halide::Internal::Stmt visit(const Halide::Internal::For *op) override;

private:
    // What rewrites a kernel of a Func's stage that has a number, within some definitions, from its outermost loop over blocks on.
    virtual std::unique_ptr<ScanKernel> kernel(const std::string &func, int n, const Surroundings::Definitions &around) = 0;

    const std::map<std::string, int> stages_;
    Surroundings::Definitions around_;
};

}  // namespace gowarp

#endif
