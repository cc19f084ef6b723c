//go:build halide

#include "scanchunks.h"
#include "place.h"

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

namespace {

Expr var(const std::string &name, const Type &type = Int(32)) { return Variable::make(type, name); }

// A loop over a scan, run through by the threads of a column.
class Scan {
public:
    // Of the threads of a column this one has a chunk's number; those inside store. Lanes have places in the block's scratch.
    Scan(const For *loop, const std::string &func, int chunks, Expr chunk, Expr lane, int pitch, std::string scratch, Expr inside, const Surroundings::Definitions &around)
        : scan_(loop, func, around), chunks_(chunks), chunk_(std::move(chunk)), lane_(std::move(lane)), pitch_(pitch), scratch_(std::move(scratch)), inside_(std::move(inside)) {}

    Type type() const { return scan_.type; }

    Stmt chunks() const {
        ScanLoop::Sequence s;
        Expr power, square = scan_.recurrence.times;  // of times, by as many as a chunk has
        for (int n = chunk_iterations; square.defined(); n /= 2) {
            if (n % 2 != 0) {
                power = power.defined() ? s.let("power", power * square) : square;
            }
            if (n == 1) {
                break;
            }
            square = s.let("power", square * square);
        }
        return scan_.turns(s, chunk_iterations * chunks_, chunk_ == 0 && inside_, [&](const Expr &turn, const Expr &last, const std::string &carried) { return group(turn, last, power, carried); });
    }

private:
    // What a turn does. Threads behind the last iteration, where that is defined, load and store nothing: another stores what they would load.
    Stmt group(const Expr &turn, const Expr &last, const Expr &power, const std::string &carried) const {
        const Recurrence &r = scan_.recurrence;
        ScanLoop::Sequence s;
        const Expr first = s.let("at", scan_.loop->min + (turn * chunks_ + chunk_) * chunk_iterations);
        std::vector<Expr> at;
        for (int j = 0; j < chunk_iterations; j++) {
            at.push_back(first + j);
        }
        const std::vector<Expr> values = scan_.values(s, at, last);
        Expr total = values[0];
        for (int j = 1; j < chunk_iterations; j++) {
            total = s.let("total", r.with(values[j], r.times, total));
        }
        // Turns take halves of the scratch in turn: no thread is there again before all have read what it had told.
        const Expr place = s.let("place", (turn % 2) * (chunks_ * pitch_) + lane_);
        s.add(Store::make(scratch_, total, place + chunk_ * pitch_, {}, const_true(), {}));
        s.add(shared_barrier());
        Expr before = s.let("before", Load::make(scan_.type, carried, 0, {}, {}, const_true(), {})), own = before;
        for (int i = 0; i < chunks_; i++) {
            const Expr one = Load::make(scan_.type, scratch_, place + i * pitch_, {}, {}, const_true(), {});
            before = s.let("before", r.with(one, power, before));
            if (i + 1 < chunks_) {
                own = s.let("own", select(chunk_ > i, before, own));
            }
        }
        std::vector<Stmt> stores;
        for (int j = 0; j < chunk_iterations; j++) {
            own = s.let("value", r.with(values[j], r.times, own));
            stores.push_back(scan_.stored(at[j], own, last));
        }
        s.add(IfThenElse::make(inside_, Block::make(stores)));
        s.add(Store::make(carried, before, 0, {}, const_true(), {}));
        return s.build();
    }

    const ScanLoop scan_;
    const int chunks_;
    const Expr chunk_, lane_;
    const int pitch_;
    const std::string scratch_;
    const Expr inside_;
};

// A kernel whose threads are columns, with a block's dimension y for the chunks of each.
class Kernel : public ScanKernel {
public:
    Kernel(const std::string &func, int chunks, const Surroundings::Definitions &around) : ScanKernel(func, around), chunks_(chunks) {}

private:
    using ScanKernel::visit;

    Stmt visit(const For *op) override {
        if (op->for_type == ForType::GPUBlock && !thread_.defined()) {
            return IRMutator::visit(op);
        }
        if (op->for_type == ForType::Serial && thread_.defined()) {
            if (uses_thread(op->min) || uses_thread(op->extent)) {
                throw Unsuitable{"its threads run through different iterations"};
            }
            const Scan scan(op, func_, chunks_, chunk_, lane_, pitch_, scratch_, inside_, around_);
            scans = true;
            type_ = scan.type();
            return scan.chunks();
        }
        const std::string of_chunks = second(op, thread_.defined());
        const std::optional<int64_t> extent = as_const_int(op->extent);
        if (!extent) {
            throw Unsuitable{"its blocks have threads that only a run counts"};
        }
        pitch_ = (int)*extent;
        const std::string inside = unique_name("gowarp.scan.inside"), column = unique_name("gowarp.scan.column"), lane = unique_name("gowarp.scan.lane");
        scratch_ = unique_name("gowarp.scan.scratch");
        thread_ = var(op->name);
        lane_ = var(lane);
        chunk_ = var(of_chunks);
        inside_ = var(inside, Bool());
        // A thread behind the last column waits at barriers as others do, and computes what the block's first one does.
        Stmt body = substitute(op->name, var(column), mutate(op->body));
        if (!scans) {
            return op;
        }
        body = LetStmt::make(inside, tested_, LetStmt::make(lane, thread_, LetStmt::make(column, select(inside_, thread_, op->min), body)));
        body = IfThenElse::make(substitute(op->name, op->min, tested_), body);
        body = For::make(op->name, op->min, op->extent, op->for_type, op->partition_policy, op->device_api, body);
        body = For::make(of_chunks, 0, chunks_, op->for_type, op->partition_policy, op->device_api, body);
        return Allocate::make(scratch_, type_, MemoryType::GPUShared, {Expr(2 * chunks_ * pitch_)}, const_true(), Block::make(body, Free::make(scratch_)));
    }

    Stmt visit(const LetStmt *op) override {
        if (thread_.defined()) {
            lets_.emplace_back(op->name, in_full(op->value));
        }
        return ScanKernel::visit(op);
    }

    // Tests of columns are made of what threads store.
    Stmt visit(const IfThenElse *op) override {
        if (!thread_.defined() || !uses_thread(op->condition)) {
            return IRMutator::visit(op);
        }
        if (op->else_case.defined()) {
            throw Unsuitable{"its threads do different things"};
        }
        tested_ = tested_ && in_full(op->condition);
        return mutate(op->then_case);
    }

    bool uses_thread(const Expr &e) const { return expr_uses_var(in_full(e), thread_.as<Variable>()->name); }

    Expr in_full(Expr e) const {
        for (auto l = lets_.rbegin(); l != lets_.rend(); l++) {
            e = graph_substitute(l->first, l->second, e);
        }
        return e;
    }

    const int chunks_;
    Expr thread_, lane_, chunk_, inside_;  // a thread, and its name where another's column is computed
    Expr tested_ = const_true();  // of a thread, with the definitions in it put in
    int pitch_ = 0;
    Type type_;
    std::string scratch_;
    std::vector<std::pair<std::string, Expr>> lets_;  // inside the loop over threads, those before put in
};

}  // namespace

std::unique_ptr<ScanKernel> ScanChunks::kernel(const std::string &func, int chunks, const Surroundings::Definitions &around) { return std::make_unique<Kernel>(func, chunks, around); }

}  // namespace gowarp
