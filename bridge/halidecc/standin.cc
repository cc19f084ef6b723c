//go:build halide

#include "standin.h"
#include "restate.h"

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

namespace {

const char *const opaque = "gowarp_other";

}  // namespace

void StandIn::enter(Definition &def) const {
    const Values selves = self(), others = other();
    for (size_t i = 0; i < selves.size(); i++) {
        const Expr &a = selves[i], &b = others[i];
        def.values()[i] = a;
        if (b.defined()) {
            const Expr unseen = Call::make(b.type(), opaque, {b}, Call::PureExtern);
            def.values()[i] = b.type().is_bool() ? Or::make(a, unseen) : Add::make(a, unseen);
        }
    }
}

void StandIn::leave(Function intm, Definition &over, std::optional<ArgExtreme> &how) const {
    const Values none = identity();
    for (size_t i = 0; i < none.size(); i++) {
        if (none[i].defined()) {
            intm.definition().values()[i] = none[i];
        }
    }
    replace(intm.update(0), false);
    replace(over, true);
    how = of_partial_results();
}

void StandIn::replace(Definition &def, bool partial_results) const {
    const Values others = other();
    Values a = def.values(), b(a.size());
    for (size_t i = 0; i < a.size(); i++) {
        if (!others[i].defined()) {
            continue;
        }
        const Expr e = substitute_in_all_lets(a[i]);
        const Add *sum = e.as<Add>();
        const Or *either = e.as<Or>();
        if (!sum && !either) {
            throw CompileError("what Halide made of it is no sum");
        }
        a[i] = sum ? sum->a : either->a;
        b[i] = sum ? sum->b : either->b;
        const Call *unseen = b[i].as<Call>();
        if (unseen && unseen->name == opaque) {
            b[i] = unseen->args[0];
        }
    }
    const Values all = combined(a, b, partial_results);
    for (size_t i = 0; i < all.size(); i++) {
        def.values()[i] = common_subexpression_elimination(all[i]);
    }
}

namespace {

// Of values that do not hang on each other.
class OfOperations final : public StandIn {
public:
    explicit OfOperations(std::vector<Operation> all) : all_(std::move(all)) {}

private:
    template<typename Of>
    Values each(Of of) const {
        Values values;
        for (const Operation &o : all_) {
            values.push_back(of(o));
        }
        return values;
    }

    Values self() const override { return each([](const Operation &o) { return o.self; }); }
    Values other() const override { return each([](const Operation &o) { return o.other; }); }
    Values identity() const override {
        return each([](const Operation &o) { return o.op == Operation::keep ? Expr() : gowarp::identity(o.op, o.other.type()); });
    }
    Values combined(const Values &self, const Values &other, bool) const override {
        Values values;
        for (size_t i = 0; i < all_.size(); i++) {
            values.push_back(gowarp::combined(all_[i].op, self[i], other[i]));
        }
        return values;
    }

    const std::vector<Operation> all_;
};

// Of the least or greatest with its place.
class OfArgExtreme final : public StandIn {
public:
    explicit OfArgExtreme(ArgElement element) : element_(std::move(element)) {}

private:
    Values self() const override { return element_.self; }
    Values other() const override { return element_.other; }
    Values identity() const override {
        std::vector<Type> types;
        for (const Expr &e : element_.self) {
            types.push_back(e.type());
        }
        return element_.how.identity(types);
    }
    Values combined(const Values &self, const Values &other, bool partial_results) const override {
        return (partial_results ? *of_partial_results() : element_.how).chosen(self, other);
    }

    std::optional<ArgExtreme> of_partial_results() const override {
        ArgExtreme how = element_.how;
        how.ties = true;
        return how;
    }

    const ArgElement element_;
};

// The least or greatest with its place, of elements or of partial results.
std::optional<ArgElement> arg_element(const FuncEntry &f, int stage, const Definition &def) {
    const auto over = f.over_partial.find(stage);
    if (over == f.over_partial.end() || !over->second) {
        return arg_extreme(f.original, def);
    }
    ArgElement e;
    e.how = *over->second;
    for (const Expr &v : def.values()) {
        const Expr value = substitute_in_all_lets(v);
        const Select *chosen = value.as<Select>();
        if (!chosen) {
            throw CompileError("what combines partial results is no choice");
        }
        e.other.push_back(chosen->true_value);
        e.self.push_back(chosen->false_value);
    }
    return e;
}

}  // namespace

std::unique_ptr<StandIn> stand_in(const FuncEntry &f, int stage, const Definition &def) {
    const std::vector<Operation> all = operations(f.original, def);
    if (!all.empty()) {
        const bool as_it_is = !conditions(def).loading.defined() && proven(f.original, def, all);
        return as_it_is ? nullptr : std::make_unique<OfOperations>(all);
    }
    const std::optional<ArgElement> arg = arg_element(f, stage, def);
    return arg ? std::make_unique<OfArgExtreme>(*arg) : nullptr;
}

}  // namespace gowarp
