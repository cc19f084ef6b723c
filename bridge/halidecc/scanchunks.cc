//go:build halide

#include "scanchunks.h"
#include "place.h"

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

namespace {

const std::string of_x = ".thread_id_x", of_y = ".thread_id_y";

Expr var(const std::string &name, const Type &type = Int(32)) { return Variable::make(type, name); }

// A loop over a scan, run through by the threads of a column.
class Scan {
public:
    // Of the threads of a column this one has a chunk's number; those inside store. Lanes have places in the block's scratch.
    Scan(const For *loop, const std::string &func, int chunks, Expr chunk, Expr lane, int pitch, std::string scratch, Expr inside, const Surroundings::Definitions &around)
        : scan_(loop, func, around), chunks_(chunks), chunk_(std::move(chunk)), lane_(std::move(lane)), pitch_(pitch), scratch_(std::move(scratch)), inside_(std::move(inside)) {}

    Type type() const { return scan_.type; }

    Stmt chunks() const {
        const For *loop = scan_.loop;
        const Expr &times = scan_.recurrence.times;
        ScanLoop::Sequence s;
        const Expr last = s.let("last", loop->min + loop->extent - 1);
        Expr power, square = times;  // of times, by as many as a chunk has
        for (int n = chunk_iterations; times.defined(); n /= 2) {
            if (n % 2 != 0) {
                power = power.defined() ? s.let("power", power * square) : square;
            }
            if (n == 1) {
                break;
            }
            square = s.let("power", square * square);
        }
        const std::string carried = unique_name("gowarp.scan.carried"), turn = unique_name("gowarp.scan.turn");
        s.add(Store::make(carried, graph_substitute(loop->name, loop->min, scan_.before), 0, {}, const_true(), {}));
        const Expr whole = s.let("whole", loop->extent / (chunk_iterations * chunks_));
        s.add(For::make(turn, 0, whole, ForType::Serial, loop->partition_policy, loop->device_api, group(var(turn), Expr(), power, carried)));
        s.add(IfThenElse::make(whole * (chunk_iterations * chunks_) < loop->extent, group(whole, last, power, carried)));
        Stmt all = Allocate::make(carried, scan_.type, MemoryType::Register, {Expr(1)}, const_true(), s.build());
        if (times.defined()) {
            all = IfThenElse::make(abs(times) <= make_one(scan_.type), all, IfThenElse::make(chunk_ == 0 && inside_, Stmt(loop)));
        }
        return IfThenElse::make(loop->extent > 0, all);
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
class Kernel : public IRMutator {
public:
    Kernel(std::string func, int chunks, Surroundings::Definitions around) : func_(std::move(func)), chunks_(chunks), around_(std::move(around)) {}

    bool scans = false;

private:
    using IRMutator::visit;

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
        if (op->for_type != ForType::GPUThread || thread_.defined() || !ends_with(op->name, of_x)) {
            throw Unsuitable{"it has another loop, " + op->name};
        }
        const std::optional<int64_t> extent = as_const_int(op->extent);
        if (!extent) {
            throw Unsuitable{"its blocks have threads that only a run counts"};
        }
        pitch_ = (int)*extent;
        const std::string of_chunks = op->name.substr(0, op->name.size() - of_x.size()) + of_y;
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
        around_[op->name] = op->value;
        if (thread_.defined()) {
            lets_.emplace_back(op->name, in_full(op->value));
        }
        return LetStmt::make(op->name, op->value, mutate(op->body));
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

    // What all threads of a column would do, or not wait for.
    Stmt visit(const Store *op) override { throw Unsuitable{"it stores outside of its loop"}; }
    Stmt visit(const Block *op) override { throw Unsuitable{"it does one thing after the other"}; }
    Stmt visit(const Allocate *op) override { throw Unsuitable{"it allocates " + op->name}; }

    bool uses_thread(const Expr &e) const { return expr_uses_var(in_full(e), thread_.as<Variable>()->name); }

    Expr in_full(Expr e) const {
        for (auto l = lets_.rbegin(); l != lets_.rend(); l++) {
            e = graph_substitute(l->first, l->second, e);
        }
        return e;
    }

    const std::string func_;
    const int chunks_;
    Surroundings::Definitions around_;
    Expr thread_, lane_, chunk_, inside_;  // a thread, and its name where another's column is computed
    Expr tested_ = const_true();  // of a thread, with the definitions in it put in
    int pitch_ = 0;
    Type type_;
    std::string scratch_;
    std::vector<std::pair<std::string, Expr>> lets_;  // inside the loop over threads, those before put in
};

}  // namespace

Stmt ScanChunks::kernel(const For *op, const std::string &func, int chunks, const Surroundings::Definitions &around) {
    Kernel kernel(func, chunks, around);
    const Stmt s = kernel.mutate(Stmt(op));
    if (!kernel.scans) {
        throw Unsuitable{"it has no loop in order"};
    }
    return s;
}

}  // namespace gowarp
