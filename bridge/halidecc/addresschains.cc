//go:build halide

#include "addresschains.h"
#include "alignment.h"
#include "conversions.h"
#include "kernelof.h"
#include "polynomial.h"
#include "shuffle.h"
#include "small.h"
#include "straight.h"
#include "surroundings.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <tuple>

using namespace Halide;
using namespace Halide::Internal;

namespace gowarp {

namespace {

constexpr size_t most_terms = 24;    // of an index; what has more stays as it is
constexpr int most_nodes = 400;      // of an index with definitions in the place of their names
constexpr size_t most_distance = 2;  // terms of a distance; one of more is no less than an address anew
constexpr int most_held = 12;  // addresses at once: two registers each, of the 64 that Halide's runtime lets a thread have
constexpr int never = 1 << 30;

// What becomes of an address that is not needed for a while.
struct Keeping {
    bool latest;  // of addresses as near the latest is gone on from, and the others are held no longer
    int idle;     // after so many accesses that do not need it it is computed again
    bool apart = false;  // none is known from one statement to the next, which so share no loads either: the compiler cannot know that they are of the same places
};
constexpr Keeping keepings[] = {{false, never}, {true, never}, {true, 48}, {true, 16}, {true, 8}};  // the first that keeps to most_held is taken
constexpr Keeping last_keeping = {false, never, true};  // of code whose definitions are registers, where none of those does

constexpr int vector_lanes = 4;    // of an access that is one instruction
constexpr int own_bits = 32;       // of those that Halide's code generator for CUDA makes one of itself; narrower ones its general path does
constexpr int vector_address = 3;  // instructions: LLVM shares less of those in units of vectors

// Whether as many elements as a vector has are one access.
bool in_vectors(const Type &t) { return t.is_scalar() && (t.bits() == own_bits || ((t.bits() == 16 || t.bits() == 8) && t.is_int_or_uint())); }

// The parameter of a vector of so many: without it in the general path, which would assume what it says of the host's memory.
Parameter parameter_of(const Type &t, int lanes, const Parameter &p) { return lanes == vector_lanes && t.bits() == own_bits ? p : Parameter(); }

// What a kernel loads and stores.
class Accesses : public IRVisitor {
public:
    explicit Accesses(const Stmt &kernel) { kernel.accept(this); }

    // The buffers that are allocated within, whose addresses stay.
    const std::set<std::string> &own() const { return own_; }

    // The others that are both read and written.
    std::set<std::string> both() const {
        std::set<std::string> read, all;
        for (const Load *op : loads_) {
            read.insert(op->name);
        }
        for (const Store *op : stores_) {
            if (read.count(op->name) && !own_.count(op->name)) {
                all.insert(op->name);
            }
        }
        return all;
    }

    // How many there are of the memory of all threads, of what is loaded from one place one.
    int count() const {
        std::set<Expr, IRDeepCompare> places;
        for (const Load *op : loads_) {
            if (!own_.count(op->name)) {
                places.insert(op);
            }
        }
        return (int)places.size() + (int)std::count_if(stores_.begin(), stores_.end(), [&](const Store *op) { return !own_.count(op->name); });
    }

    // The registers of 32-bit integers that are set once, by a place that is a number: the definitions of a straight line (StraightLine::build).
    std::set<std::string> set_once() const {
        std::set<std::string> arrays = registers_, once, again;
        for (const Store *op : stores_) {
            if (op->value.type() != Int(32) || !as_const_int(op->index) || !is_const_one(op->predicate)) {
                arrays.erase(op->name);
            }
        }
        for (const Store *op : stores_) {
            if (arrays.count(op->name)) {
                const std::string name = register_name(op->name, op->index);
                (once.insert(name).second ? once : again).insert(name);
            }
        }
        for (const std::string &name : again) {
            once.erase(name);
        }
        return once;
    }

    // What stands for a register where indices are compared: no name of Halide's has a bracket.
    static std::string register_name(const std::string &array, const Expr &index) {
        return array + "[" + std::to_string(*as_const_int(index)) + "]";
    }

    // The pipeline's inputs and outputs among them, once each.
    const std::vector<Parameter> &parameters() const { return parameters_; }

private:
    using IRVisitor::visit;
    void visit(const Allocate *op) override {
        own_.insert(op->name);
        if (op->memory_type == MemoryType::Register) {
            registers_.insert(op->name);
        }
        IRVisitor::visit(op);
    }
    void visit(const Load *op) override {
        loads_.push_back(op);
        add(op->param);
        IRVisitor::visit(op);
    }
    void visit(const Store *op) override {
        stores_.push_back(op);
        add(op->param);
        IRVisitor::visit(op);
    }

    void add(const Parameter &p) {
        if (p.defined() && std::none_of(parameters_.begin(), parameters_.end(), [&](const Parameter &q) { return p.same_as(q); })) {
            parameters_.push_back(p);
        }
    }
    std::vector<Parameter> parameters_;
    std::set<std::string> own_, registers_;
    std::vector<const Load *> loads_;
    std::vector<const Store *> stores_;
};

// Where an access is: in which buffer, and the part of its index that differs from thread to thread or turn to turn.
struct Place {
    std::string buffer;
    Polynomial variant;
    bool operator<(const Place &p) const { return buffer != p.buffer ? buffer < p.buffer : variant < p.variant; }
};

// A number for each of what are compared often and take long to, in the order in which they are first seen.
template<typename T>
class Numbers {
public:
    int of(const T &one) {
        const auto [at, fresh] = numbers_.try_emplace(one, (int)all_.size());
        if (fresh) {
            all_.push_back(&at->first);
        }
        return at->second;
    }
    const T &operator[](int number) const { return *all_[number]; }

private:
    std::map<T, int> numbers_;
    std::vector<const T *> all_;
};

// What has a name: an index, that of a vector in units of vectors, or the value of half a vector or a whole one.
enum class Of { element, vector, half, whole };

// An index taken apart: what is the same for all threads, without the constant, tells accesses of a place apart. Both have numbers.
struct Index {
    int place;
    Of of;
    int uniform;
    int64_t constant = 0;
    bool both = false;  // of a buffer that is both read and written
};

// The remainder that tells an element's place in its vector.
int64_t lane_of(int64_t at, int lanes = vector_lanes) {
    return (at % lanes + lanes) % lanes;
}

// Elements of one row that one body of a loop or condition loads: the body, the place, and what is the same for all threads.
using Row = std::tuple<int, int, int>;
struct Loads {
    std::set<int64_t> constants;
    int64_t phase = 0;                            // the row's beginning in its vector
    std::optional<std::vector<Expr>> conditions;  // under which that is so

    // Where the vector begins that an element is of.
    int64_t first_of(int64_t constant, int lanes = vector_lanes) const { return constant - lane_of(constant + phase, lanes); }

    // How many elements the vector has that one is loaded with: those of the longest all of which are loaded anyway, else one.
    int lanes(int64_t constant) const {
        for (int lanes = conditions ? vector_lanes : 1; lanes > 1; lanes /= 2) {
            const auto first = constants.lower_bound(first_of(constant, lanes));
            if (std::distance(first, constants.lower_bound(first_of(constant, lanes) + lanes)) == lanes) {
                return lanes;
            }
        }
        return 1;
    }

    // Where the first vector begins that is no half.
    std::optional<int64_t> whole() const {
        const auto c = std::find_if(constants.begin(), constants.end(), [&](int64_t c) { return lanes(c) == vector_lanes; });
        return c == constants.end() ? std::nullopt : std::make_optional(first_of(*c));
    }

    bool any_vector() const {
        return std::any_of(constants.begin(), constants.end(), [&](int64_t c) { return lanes(c) > 1; });
    }
};

// What is found of expressions by all who come by the same ones in the same order: it is found once.
template<typename T>
class InOrder {
public:
    template<typename Find>
    const T &of(const Expr &e, const Find &find) {
        if (next_ == all_.size()) {
            all_.emplace_back(e, find());
        } else if (!all_[next_].first.same_as(e)) { // it is made anew each time
            all_[next_] = {e, find()};
        }
        return all_[next_++].second;
    }

    void from_the_first() { next_ = 0; }

private:
    std::deque<std::pair<Expr, T>> all_;  // what is found stays where it is
    size_t next_ = 0;
};

// What one sum is more than another, said as shortly as can be.
struct Distance {
    int sum;
    size_t terms;
    int64_t size;
};

// What is known of a kernel whichever addresses are kept.
struct Survey {
    Numbers<Place> places;
    Numbers<Polynomial> sums;                           // of what is the same for all threads
    std::map<int, std::set<int>> uses;                  // by place
    std::map<std::pair<int, int>, std::set<int>> written;  // by turn and place
    std::map<Row, Loads> rows;
    std::map<Polynomial, std::pair<int, int64_t>> said, first;  // sums as they were said first, by how they are said and written out
    std::map<std::pair<int, int>, Distance> distances;          // what one sum is more than another
    InOrder<std::optional<Index>> indices;                             // of accesses
    InOrder<std::optional<Polynomial>> values;                         // of definitions
};

class Kernel : public IRMutator {
public:
    Kernel(const Accesses &all, const std::set<std::string> &set_once, Surroundings &around, int longest, bool vectors, Keeping keeping, Survey &survey)
        : own_(all.own()), both_(all.both()), set_once_(set_once), around_(around), longest_(longest), vectors_(vectors), keeping_(keeping), survey_(survey) {}

    // First all places are counted, and nothing is changed; then addresses are made of them, for one way to keep them after the other.
    void count(const Stmt &kernel) {
        counting_ = true;
        traversed(kernel);
        if (vectors_) { // stores stand together then, and so in another order
            survey_.indices = {};
            survey_.values = {};
        }
    }
    Stmt chained(const Stmt &kernel) { return traversed(kernel); }

    // What has to hold for the vectors to begin at multiples of their size; undefined if there are none.
    Expr aligned() const {
        if (aligned_.empty()) {
            return Expr();
        }
        std::vector<Expr> all(aligned_.begin(), aligned_.end());
        const std::vector<Expr> fixed = around_.conditions();
        all.insert(all.end(), fixed.begin(), fixed.end());
        return simplify(conjunction(all));
    }

    // What all addresses cost together.
    int addresses() const { return addresses_; }

    // How many addresses are held at once at most, each from where it is computed to where it is last used.
    int held() const {
        std::map<int, int> change;
        for (const auto &[name, span] : spans_) {
            change[span.first]++;
            change[span.second]--;
        }
        int most = 0, now = 0;
        for (const auto &[when, by] : change) {
            most = std::max(most, now += by);
        }
        return most;
    }

    using IRMutator::mutate;

private:
    using IRMutator::visit;

    using At = std::pair<int, Of>;  // a place, and what there has a name

    // A definition that is not in the code yet.
    struct Made {
        At at;
        int uniform;
        std::string name;
        Expr value;
    };
    // An index that a name stands for, with the constant that it includes.
    struct Name {
        std::string name;
        int64_t constant;
    };
    struct Known : Name {
        int depth;                         // additions since one was computed anew
        int last, statement;               // the access for which it was last needed, and where that is
        std::map<int64_t, Name> elements;  // by what each was accessed first: by the same again the compiler sees that it is the same
    };

    const std::set<std::string> own_, both_, set_once_;
    Surroundings &around_;
    const int longest_;
    const bool vectors_;
    const Keeping keeping_;
    Survey &survey_;
    bool counting_ = false;
    bool conditional_ = false;  // within an expression, of which only one side is computed
    int bodies_ = 0, body_ = 0, turn_ = 0;  // turn_: the body of the loop around
    std::set<Expr, IRDeepCompare> aligned_;  // conditions
    bool in_statement_ = false;  // of a block: it will be known where what is made for it is defined
    Scope<std::optional<Polynomial>> names_;  // bound in the kernel; the value of those that have one
    Scope<> in_expression_;                   // bound within an expression
    std::vector<std::string> set_;            // those of names_ that are registers, in the order in which they were set
    std::map<At, std::map<int, Known>> known_;
    std::map<int, int> distances_;  // that were added already, and the access for which each was last
    std::map<std::string, std::pair<int, int>> spans_;  // of names, in accesses: from the definition to the last use
    int next_ = 0, addresses_ = 0, now_ = 0, statement_ = 0;
    std::vector<Made> made_;          // in the order in which they are to be defined
    const std::string prefix_ = unique_name("gowarp.at");

    Stmt traversed(const Stmt &kernel) {
        survey_.indices.from_the_first();
        survey_.values.from_the_first();
        return within(kernel);
    }

    const std::optional<Index> &index_of(const std::string &buffer, const Expr &index, const Expr &predicate) {
        return survey_.indices.of(index, [&] { return taken_apart(buffer, index, predicate); });
    }

    std::optional<Index> taken_apart(const std::string &buffer, const Expr &index, const Expr &predicate) {
        if (own_.count(buffer) || index.type() != Int(32) || !is_const_one(predicate) || expr_uses_vars(index, in_expression_)) {
            return {};
        }
        const std::optional<Polynomial> known = computed(index);
        if (!known) {
            return {};
        }
        const Polynomial &p = *known;
        const auto [uniform, variant] = by_threads(p);
        const auto &[first, further] = first_said(uniform.plus(Polynomial(-p.constant())));
        return Index{survey_.places.of({buffer, variant}), Of::element, first, p.constant() + further, both_.count(buffer) > 0};
    }

    // What of a sum is the same for all threads, and what is not.
    std::pair<Polynomial, Polynomial> by_threads(const Polynomial &p) const {
        return p.split([&](const Factors &factors) {
            return std::none_of(factors.begin(), factors.end(), [&](const Expr &f) { return expr_uses_vars(f, names_); });
        });
    }

    // A sum of what is the same for all threads as it was said first, and how much more it is than that.
    const std::pair<int, int64_t> &first_said(const Polynomial &uniform) {
        const auto [said, fresh] = survey_.said.try_emplace(uniform);
        if (fresh) {
            const Polynomial all = around_.written_out(uniform);
            const auto &[first, constant] = survey_.first.try_emplace(all.plus(Polynomial(-all.constant())), survey_.sums.of(uniform), all.constant()).first->second;
            said->second = {first, all.constant() - constant};
        }
        return said->second;
    }

    // What one sum is more than another, said by a name that the host has computed, where that is shorter.
    const Distance &distance(int to, int from) {
        const auto [at, fresh] = survey_.distances.try_emplace({to, from});
        if (fresh) {
            Polynomial d = survey_.sums[to].plus(survey_.sums[from], -1);
            if (d.terms().size() > 1) {
                const auto named = around_.named(around_.written_out(d));
                d = named && named->terms().size() < d.terms().size() ? *named : d;
            }
            int64_t size = 0;
            for (const auto &term : d.terms()) {
                size += std::abs(term.second);
            }
            at->second = {survey_.sums.of(d), d.terms().size(), size};
        }
        return at->second;
    }

    // What the value of a definition is, if that is computed.
    const std::optional<Polynomial> &known(const Expr &e) {
        return survey_.values.of(e, [&] { return computed(e); });
    }

    // A value that no memory is read for, but registers that were set already; nothing for others.
    std::optional<Polynomial> computed(const Expr &e, bool outside = true) const {
        class Named : public IRMutator {
        public:
            explicit Named(const Scope<std::optional<Polynomial>> &names) : names_(names) {}

        private:
            using IRMutator::visit;
            Expr visit(const Load *op) override {
                if (as_const_int(op->index)) {
                    const std::string name = Accesses::register_name(op->name, op->index);
                    if (names_.contains(name)) {
                        return Variable::make(op->type, name);
                    }
                }
                return op;
            }
            const Scope<std::optional<Polynomial>> &names_;
        };
        const Expr named = set_.empty() ? e : Named(names_).mutate(e);
        Reads reads;
        named.accept(&reads);
        return reads.any ? std::nullopt : std::make_optional(value_of(named, outside));
    }

    // With what the host has computed said by as few names as there are, or by those that it has.
    Polynomial value_of(const Expr &e, bool outside = true) const {
        return polynomial(e, [&](const std::string &name) -> const Polynomial * {
            const std::optional<Polynomial> *known = names_.find(name);
            return known ? (*known ? &**known : nullptr) : outside ? around_.value(name) : nullptr;
        }, most_terms);
    }

    // The index of an access; undefined if it stays.
    Expr at(const Index &i, const Expr &index) {
        if (counting_) {
            const Polynomial said = *computed(index, false);
            survey_.uses[i.place].insert(survey_.sums.of(by_threads(said).first.plus(Polynomial(-said.constant()))));
            return Expr();
        }
        // That what one turn of a loop writes the next one reads, the compiler sees by whole sums. Where a body stores two rows and more, of several turns, the addresses have names, the same for the same.
        if (const auto w = survey_.written.find({turn_, i.place}); i.both && (w == survey_.written.end() || w->second.size() < 2)) {
            return Expr();
        }
        if (const auto r = vectors_ ? survey_.rows.find({body_, i.place, i.uniform}) : survey_.rows.end(); r != survey_.rows.end() && r->second.any_vector()) {
            // One address for the vectors of a row and its other elements.
            const int64_t lane = i.constant - r->second.first_of(i.constant);
            const Index vector{i.place, Of::vector, i.uniform, i.constant - lane};
            return elements(from_known(vector, index - Expr((int)lane)), lane);
        }
        return longest_ == 0 || survey_.uses[i.place].size() < 2 ? Expr() : from_known(i, index);
    }

    // An index in elements of one in vectors.
    static Expr elements(const Expr &vectors, int64_t lane) {
        const Expr first = Mul::make(vectors, IntImm::make(Int(64), vector_lanes));
        return lane == 0 ? first : Add::make(first, IntImm::make(Int(64), lane));
    }

    // An index from one that is known, in 64 bits and in units of the place.
    Expr from_known(const Index &i, const Expr &index) {
        auto &known = known_[{i.place, i.of}];
        auto at = known.find(i.uniform);
        if (at == known.end()) {
            at = known.emplace(i.uniform, make(i, index)).first;
        } else if (idle(at->second) && !at->second.elements.count(i.constant)) {
            Known held = std::move(at->second);
            known.erase(at);
            const Step s = nearest(i);
            const auto d = distances_.find(s.distance.sum);
            if (s.from && d != distances_.end() && now_ - d->second <= keeping_.idle) {
                at = known.emplace(i.uniform, make(i, index)).first;
                at->second.elements = std::move(held.elements);
            } else {  // a distance is held as an address is
                at = known.emplace(i.uniform, std::move(held)).first;
            }
        }
        Known &k = at->second;
        const auto [element, fresh] = k.elements.emplace(i.constant, k);
        const Name by = element->second;
        if (fresh) {  // else it is the value that is held
            k.last = now_;
            k.statement = statement_;
            use(by.name);
        }
        now_++;
        const Expr name = Variable::make(Int(64), by.name);
        return i.constant == by.constant ? name : Add::make(name, IntImm::make(Int(64), (i.constant - by.constant) / unit(i.of)));
    }

    // Whether an address is better computed again. Of one statement all stand before it.
    bool idle(const Known &k) const { return now_ - k.last > keeping_.idle && k.statement != statement_; }

    void use(const std::string &name) {
        spans_.emplace(name, std::make_pair(now_, now_)).first->second.second = now_;
    }

    static int unit(Of of) { return of == Of::vector ? vector_lanes : 1; }

    // An element of a vector that is loaded whole; undefined if it is not.
    Expr element(const Load *op, const Index &i) {
        if (!vectors_ || !in_vectors(op->type) || conditional_ || i.both) {
            return Expr();
        }
        const Row row{body_, i.place, i.uniform};
        if (counting_) {
            const auto [r, fresh] = survey_.rows.try_emplace(row);
            if (fresh) {
                r->second.phase = phase(survey_.sums[i.uniform]);
                r->second.conditions = begins(variant_and_uniform(i), r->second.phase);
            }
            r->second.constants.insert(i.constant);
            return Expr();
        }
        const auto r = survey_.rows.find(row);
        if (r == survey_.rows.end()) {
            return Expr();
        }
        int lanes = r->second.lanes(i.constant);
        if (lanes == 1) {
            return Expr();
        }
        // What the body around has loaded whole is there.
        lanes = known_[value_of(i, vector_lanes)].count(sum(i.uniform, r->second.first_of(i.constant))) ? vector_lanes : lanes;
        const int64_t first = r->second.first_of(i.constant, lanes);
        if (const auto whole = lanes < vector_lanes ? r->second.whole() : std::nullopt) {
            loaded(op, i, r->second, *whole, vector_lanes);
        }
        const std::string name = loaded(op, i, r->second, first, lanes);
        return Halide::Internal::Shuffle::make_extract_element(Variable::make(op->type.with_lanes(lanes), name), (int)(i.constant - first));
    }

    static At value_of(const Index &i, int lanes) { return {i.place, lanes == vector_lanes ? Of::whole : Of::half}; }

    // The number of a sum and so much more.
    int sum(int of, int64_t more) { return survey_.sums.of(survey_.sums[of].plus(Polynomial(more))); }

    Polynomial variant_and_uniform(const Index &i) const { return survey_.places[i.place].variant.plus(survey_.sums[i.uniform]); }

    // The name of a vector of a row from the element first on, of which op loads one.
    std::string loaded(const Load *op, const Index &i, const Loads &row, int64_t first, int lanes) {
        const At at = value_of(i, lanes);
        const int where = sum(i.uniform, first);
        auto &known = known_[at];
        if (!known.count(where)) {
            align(survey_.places[i.place].buffer, op->type, *row.conditions);
            const Index vector{i.place, Of::vector, i.uniform, row.first_of(first)};
            const Expr begin = elements(from_known(vector, op->index - Expr((int)(i.constant - vector.constant))), first - vector.constant);
            const Expr value = Load::make(op->type.with_lanes(lanes), op->name, Ramp::make(begin, IntImm::make(Int(64), 1), lanes), op->image, parameter_of(op->type, lanes, op->param),
                                          const_true(lanes), ModulusRemainder(vector_lanes, first - vector.constant));
            known[where] = {{prefix_ + "." + std::to_string(next_++), 0}, 0, now_, statement_, {}};
            made_.push_back({at, where, known[where].name, value});
        }
        return known[where].name;
    }

    // Where a store of stored_together's begins, computed as the addresses of all vectors are; undefined for others.
    Expr vector_index(const Store *op) {
        const Ramp *r = op->index.as<Ramp>();
        if (!vectors_ || !r || r->lanes != vector_lanes || !is_const_one(r->stride) || op->alignment.modulus % vector_lanes != 0 || op->alignment.remainder % vector_lanes != 0) {
            return Expr();
        }
        const std::optional<Index> &of = index_of(op->name, r->base, const_true());
        if (!of || of->both) {
            return Expr();
        }
        Index i = *of;
        i.of = Of::vector;
        return elements(from_known(i, r->base), 0);
    }

    // Where a row begins in its vector, by the sizes estimated: rows that are no multiple of a vector long begin elsewhere than their neighbours.
    int64_t phase(const Polynomial &uniform) const {
        int64_t sum = 0;
        for (const auto &[factors, times] : uniform.terms()) {
            int64_t product = lane_of(times);
            for (const Expr &f : factors) {
                product *= lane_of(around_.estimate(f).value_or(0));
            }
            sum += product;
        }
        return lane_of(sum);
    }

    // The conditions under which it does; none if they do not hold by the sizes estimated.
    std::optional<std::vector<Expr>> begins(const Polynomial &row, int64_t phase) const {
        auto conditions = multiple_if(row.plus(Polynomial(-phase)), vector_lanes, meaning());
        if (conditions && std::any_of(conditions->begin(), conditions->end(), [&](const Expr &c) { return around_.estimate(cast<int>(c)) == 0; })) {
            return {};
        }
        return conditions;
    }

    Meaning meaning() const {
        return {[this](const Expr &e) { return value_of(e); }, [this](const Expr &e) { return !expr_uses_vars(e, names_); }};
    }

    // Vectors of a buffer need it to begin at a multiple of their size, and these conditions.
    void align(const std::string &buffer, const Type &element, const std::vector<Expr> &conditions) {
        aligned_.insert(conditions.begin(), conditions.end());
        const Expr pointer = Call::make(UInt(64), Call::buffer_get_device, {Variable::make(type_of<halide_buffer_t *>(), buffer + ".buffer")}, Call::Extern);
        aligned_.insert(pointer % make_const(UInt(64), vector_lanes * element.bytes()) == make_const(UInt(64), 0));
    }

    // A store, and the definitions that its value stands within.
    struct Single {
        std::vector<std::pair<std::string, Expr>> within;  // from the outermost on, by names of their own
        Stmt store;
    };

    // Whether something that is loaded says where something else is.
    class PlacesFrom : public IRVisitor {
    public:
        explicit PlacesFrom(const Scope<> &loaded)
            : loaded_(loaded) {}
        bool any = false;

    private:
        using IRVisitor::visit;
        void visit(const Load *op) override {
            any = any || expr_uses_vars(op->index, loaded_);
            IRVisitor::visit(op);
        }
        const Scope<> &loaded_;
    };

    static bool places_from(const Scope<> &loaded, const Expr &e) {
        PlacesFrom places(loaded);
        e.accept(&places);
        return places.any;
    }

    // A statement that is a store within definitions, of which its index needs none; without a store for others, and where what is loaded says where something is: that is better off in
    // the order in which it was.
    static Single by_itself(const Stmt &s) {
        Scope<> loaded;
        return by_itself(s, loaded);
    }

    static Single by_itself(const Stmt &s, Scope<> &loaded) {
        if (const Store *st = s.as<Store>()) {
            return {{}, places_from(loaded, st->value) || expr_uses_vars(st->index, loaded) ? Stmt() : s};
        }
        const LetStmt *let = s.as<LetStmt>();
        if (!let || places_from(loaded, let->value)) {
            return {};
        }
        Reads reads;
        let->value.accept(&reads);
        const ScopedBinding<> bind(reads.any || expr_uses_vars(let->value, loaded), loaded, let->name);
        Single of = by_itself(let->body, loaded);
        const Store *st = of.store.as<Store>();
        if (!st) {
            return {};
        }
        const std::string name = unique_name(let->name);
        const Expr now = Variable::make(let->value.type(), name);
        for (auto &inner : of.within) {
            inner.second = substitute(let->name, now, inner.second);
        }
        of.within.insert(of.within.begin(), {name, let->value});
        const Expr index = substitute(let->name, let->value, st->index);
        of.store = Small::is(index, most_nodes) ? Store::make(st->name, substitute(let->name, now, st->value), index, st->param, st->predicate, st->alignment) : Stmt();
        return of;
    }

    // A block that begins with stores to one buffer, with those of neighbouring elements together.
    Stmt stored_together(const Block *block) {
        std::vector<Stmt> stores;  // as they stand
        std::vector<Single> run;
        std::vector<const Store *> of;
        Stmt rest = block;
        while (rest.defined()) {
            const Block *b = rest.as<Block>();
            const Stmt first = b ? b->first : rest;
            Single single = by_itself(first);
            const Store *s = single.store.as<Store>();
            if (!s || !in_vectors(s->value.type()) || (!of.empty() && s->name != of[0]->name)) {
                break;
            }
            stores.push_back(first);
            run.push_back(std::move(single));
            of.push_back(s);
            rest = b ? b->rest : Stmt();
        }
        if (run.size() < vector_lanes) {
            return block;
        }
        std::map<std::pair<int, int>, std::map<int64_t, std::vector<size_t>>> rows;
        for (size_t k = 0; k < of.size(); k++) {
            if (const std::optional<Index> &i = index_of(of[k]->name, of[k]->index, of[k]->predicate); i && !i->both) {
                rows[{i->place, i->uniform}][i->constant].push_back(k);
            }
        }
        for (const auto &[row, at] : rows) {
            const int64_t before = phase(survey_.sums[row.second]);
            const auto conditions = begins(survey_.places[row.first].variant.plus(survey_.sums[row.second]), before);
            for (const auto &first : at) {
                std::vector<size_t> lanes;
                for (auto e = at.find(first.first); e != at.end() && e->first == first.first + (int64_t)lanes.size() && e->second.size() == 1 && lanes.size() < vector_lanes; e++) {
                    lanes.push_back(e->second[0]);
                }
                if (!conditions || lane_of(first.first + before) != 0 || lanes.size() < vector_lanes) {
                    continue;
                }
                const Store *begin = of[lanes[0]];
                const Type element = begin->value.type();
                align(survey_.places[row.first].buffer, element, *conditions);
                std::vector<Expr> values;
                for (size_t k : lanes) {
                    values.push_back(of[k]->value);
                    stores[k] = Stmt();
                }
                Stmt together =
                    Store::make(begin->name, Halide::Internal::Shuffle::make_concat(values), Ramp::make(begin->index, 1, vector_lanes), parameter_of(element, vector_lanes, begin->param), const_true(vector_lanes), ModulusRemainder(vector_lanes, 0));
                for (auto k = lanes.rbegin(); k != lanes.rend(); k++) {
                    for (auto d = run[*k].within.rbegin(); d != run[*k].within.rend(); d++) {
                        together = LetStmt::make(d->first, d->second, together);
                    }
                }
                stores[*std::max_element(lanes.begin(), lanes.end())] = together;
            }
        }
        stores.erase(std::remove_if(stores.begin(), stores.end(), [](const Stmt &s) { return !s.defined(); }), stores.end());
        if (rest.defined()) {
            stores.push_back(rest);
        }
        return Block::make(stores);
    }

    // From where an address is computed: undefined if none is near.
    struct Step {
        const Known *from = nullptr;
        Distance distance{};
    };

    Step nearest(const Index &i) {
        std::optional<std::tuple<size_t, bool, bool, int, int, int64_t>> least;  // terms, whether it is too deep, whether the distance is new, then depth, how long ago, and size
        Step step;
        int of = 0;  // of which sum
        for (const auto &[uniform, k] : known_[{i.place, i.of}]) {
            const Distance &d = distance(i.uniform, uniform);
            const bool fresh = !distances_.count(d.sum);
            const std::tuple<size_t, bool, bool, int, int, int64_t> cost{d.terms, k.depth >= longest_, fresh, fresh ? k.depth : 0, keeping_.latest ? -k.last : 0, d.size};
            if (d.terms <= most_distance && (!least || cost < *least || (cost == *least && survey_.sums[uniform] < survey_.sums[of]))) {
                least = cost;
                step = {&k, d};
                of = uniform;
            }
        }
        return step;
    }

    Known make(const Index &i, const Expr &index) {
        const auto [from, distance] = nearest(i);
        addresses_ += i.of == Of::vector ? vector_address : 1;
        const std::string name = prefix_ + "." + std::to_string(next_++);
        const int64_t further = from && i.of == Of::vector ? lane_of(i.constant - from->constant) : 0;  // to where a vector begins
        if (from) {
            use(from->name);
        }
        const Known made{{name, from ? from->constant + further : i.constant}, from ? from->depth + 1 : 0, now_, statement_, {}};
        Expr value = Cast::make(Int(64), unit(i.of) == 1 ? index : index / unit(i.of));
        if (from) {
            distances_[distance.sum] = now_;
            const Expr d = survey_.sums[distance.sum].plus(Polynomial(further)).expr();
            value = Add::make(Variable::make(Int(64), from->name), Cast::make(Int(64), unit(i.of) == 1 ? d : d / unit(i.of)));
        }
        made_.push_back({{i.place, i.of}, i.uniform, name, value});
        return made;
    }
    // Defines around a statement what was made for it, and forgets that.
    Stmt define(size_t from, Stmt s) {
        for (; made_.size() > from; made_.pop_back()) {
            s = define(made_.back(), s);
        }
        return s;
    }

    Stmt define(const Made &m, const Stmt &s) {
        known_[m.at].erase(m.uniform);
        return LetStmt::make(m.name, m.value, s);
    }

    // Defines around what a definition is for that part of what was made for it which cannot be without it.
    Stmt define_with(const LetStmt *op, bool movable, size_t from, Stmt body) {
        std::vector<Made> here, further;
        Scope<> bound;
        bound.push(op->name);
        for (size_t i = from; i < made_.size(); i++) {
            Made &m = made_[i];
            if (movable && expr_uses_var(m.value, op->name)) {
                const Expr without = substitute(op->name, op->value, m.value);
                m.value = Small::is(without, most_nodes) ? without : m.value;
            }
            if (expr_uses_vars(m.value, bound)) {
                bound.push(m.name);
                here.push_back(m);
            } else {
                further.push_back(m);
            }
        }
        made_.resize(from);
        made_.insert(made_.end(), further.begin(), further.end());
        for (auto m = here.rbegin(); m != here.rend(); m++) {
            body = define(*m, body);
        }
        return body;
    }

    // The body of a loop, or what is under a condition: nothing made for it is known outside.
    Stmt within(const Stmt &s) {
        const size_t before = made_.size(), set = set_.size();
        const ScopedValue<bool> outside(in_statement_, false);
        const ScopedValue<int> body_of(body_, bodies_++);
        const Stmt body = mutate(s);
        forget(set);
        return define(before, body);
    }

    // Of registers that were set behind so many nothing is known any more.
    void forget(size_t from) {
        for (; set_.size() > from; set_.pop_back()) {
            names_.pop(set_.back());
        }
    }

    // What is made for a statement of a block is known to those behind it. It is not made earlier, since it takes registers.
    Stmt visit(const Block *block) override {
        const Stmt together = vectors_ && !counting_ ? stored_together(block) : Stmt(block);
        const Block *op = together.as<Block>();
        if (!op) {
            return mutate(together);
        }
        if (in_statement_) {
            return IRMutator::visit(op);
        }
        const size_t before = made_.size();
        in_statement_ = true;
        statement_++;
        Stmt first = mutate(op->first);
        in_statement_ = false;
        statement_++;
        if (keeping_.apart) {
            first = define(before, first);
        }
        const Stmt *first_of = &op->first;
        while (const LetStmt *let = first_of->as<LetStmt>()) {
            first_of = &let->body;
        }
        const Store *store = first_of->as<Store>();
        if (store) {
            set(store, first_of == &op->first);
        }
        const size_t between = made_.size();
        Stmt rest = mutate(op->rest);
        if (store) { // what is made for the last statement may need what this one sets
            rest = define(between, rest);
        }
        return define(before, Block::make(first, rest));
    }

    // Notes what a register is set to, if that is known behind the statement: by names that are.
    void set(const Store *op, bool behind) {
        const std::string name = as_const_int(op->index) ? Accesses::register_name(op->name, op->index) : "";
        if (set_once_.count(name)) {
            names_.push(name, behind ? known(op->value) : std::nullopt);
            set_.push_back(name);
        }
    }

    Stmt visit(const Store *op) override {
        const Stmt s = IRMutator::visit(op);
        if (const Expr first = vector_index(op); first.defined()) {
            return Store::make(op->name, s.as<Store>()->value, Ramp::make(first, IntImm::make(Int(64), 1), vector_lanes), op->param, op->predicate, op->alignment);
        }
        const std::optional<Index> &i = index_of(op->name, op->index, op->predicate);
        if (i && counting_) {
            survey_.written[{turn_, i->place}].insert(i->uniform);
        }
        const Expr index = i ? at(*i, op->index) : Expr();
        if (!index.defined()) {
            return s;
        }
        return Store::make(op->name, s.as<Store>()->value, index, op->param, op->predicate, op->alignment);
    }

    Expr visit(const Load *op) override {
        const Expr e = IRMutator::visit(op);
        const std::optional<Index> &i = index_of(op->name, op->index, op->predicate);
        if (!i) {
            return e;
        }
        if (const Expr of_vector = element(op, *i); of_vector.defined()) {
            return of_vector;
        }
        const Expr index = at(*i, op->index);
        return index.defined() ? Load::make(op->type, op->name, index, op->image, op->param, op->predicate, op->alignment) : e;
    }

    Expr visit(const Call *op) override {
        const ScopedValue<bool> side(conditional_, conditional_ || op->is_intrinsic(Call::if_then_else));
        return IRMutator::visit(op);
    }

    Expr visit(const Let *op) override {
        // What indices have in common within one expression Halide gives a name there: without it they are known outside too.
        if (op->value.type() == Int(32) && Small::is(op->value, most_nodes) && !expr_uses_vars(op->value, in_expression_) && known(op->value)) {
            return mutate(substitute(op->name, op->value, op->body));
        }
        const Expr value = mutate(op->value);
        ScopedBinding<> bind(in_expression_, op->name);
        return Let::make(op->name, value, mutate(op->body));
    }

    Stmt visit(const IfThenElse *op) override {
        const Expr condition = mutate(op->condition);
        return IfThenElse::make(condition, within(op->then_case), op->else_case.defined() ? within(op->else_case) : Stmt());
    }

    Stmt visit(const LetStmt *op) override {
        if (names_.contains(op->name)) {
            return op;  // the name means something else further out, and there may be an address of it
        }
        const Expr value = mutate(op->value);
        const std::optional<Polynomial> is = op->value.type() == Int(32) ? known(op->value) : std::nullopt;
        const size_t before = made_.size(), set = set_.size();
        ScopedBinding<std::optional<Polynomial>> bind(names_, op->name, is);
        const Stmt body = mutate(op->body);
        forget(set);
        return LetStmt::make(op->name, value, define_with(op, is.has_value(), before, body));
    }

    Stmt visit(const For *op) override {
        if (names_.contains(op->name)) {
            return op;
        }
        const Expr min = mutate(op->min), extent = mutate(op->extent);
        ScopedBinding<std::optional<Polynomial>> bind(names_, op->name, std::nullopt);
        const ScopedValue<int> turn_of(turn_, bodies_);
        return For::make(op->name, min, extent, op->for_type, op->partition_policy, op->device_api, within(op->body));
    }
};

}  // namespace

Stmt AddressChains::mutate(const Stmt &s) {
    if (!parameters_) {
        parameters_ = Accesses(s).parameters();
    }
    return IRMutator::mutate(s);
}

Stmt AddressChains::visit(const LetStmt *op) {
    definitions_[op->name] = op->value;
    const Stmt body = mutate(op->body);
    definitions_.erase(op->name);
    return LetStmt::make(op->name, op->value, body);
}

Stmt AddressChains::visit(const For *given) {
    const For *op = given;
    if (op->for_type != ForType::GPUBlock) {
        return IRMutator::visit(op);
    }
    const auto f = kernel_of(funcs_, op);
    if (f == funcs_.end() || op->device_api != DeviceAPI::CUDA) {
        return op;
    }
    const std::set<std::string> set_once = Accesses(op).set_once();
    const Stmt apart = with_conversions_apart(Stmt(op), [&](const Load *l) { return as_const_int(l->index) && set_once.count(Accesses::register_name(l->name, l->index)); });
    op = apart.as<For>();
    const Accesses all(op);
    Surroundings around(all.parameters(), *parameters_, definitions_, false), fixed(all.parameters(), *parameters_, definitions_, true);
    struct Chained {
        Stmt kernel;
        Expr aligned;
        int addresses = 0;
    };
    const auto chain = [&](bool vectors) {
        Chained out;
        // Whether any way to keep addresses fits, with definitions known through these registers.
        const auto any_fits = [&](const std::set<std::string> &through, bool last) {
            Survey survey;
            std::optional<Kernel> k;
            const auto make = [&](const Keeping &keeping) -> Kernel & { return k.emplace(all, through, vectors ? fixed : around, f->second.longest, vectors, keeping, survey); };
            make(keepings[0]).count(op);
            const auto fits = [&](const Keeping &keeping) {
                out.kernel = make(keeping).chained(op);
                return k->held() <= most_held;
            };
            const bool any = std::any_of(std::begin(keepings), std::end(keepings), fits) || (last && fits(last_keeping));
            out.aligned = k->aligned();
            out.addresses = k->addresses();
            return any;
        };
        if (!any_fits(set_once, !set_once.empty()) && !set_once.empty()) {
            any_fits({}, false);
        }
        return out;
    };
    const Chained without = chain(false);
    if (!f->second.vectors) {
        return without.kernel;
    }
    const Chained with = chain(true);
    // Where only a part of what is accessed is vectors, more may go into their addresses than is saved.
    if (!with.aligned.defined() || is_const_zero(with.aligned) || Accesses(with.kernel).count() + with.addresses >= Accesses(without.kernel).count() + without.addresses) {
        return without.kernel;
    }
    return is_const_one(with.aligned) ? with.kernel : IfThenElse::make(with.aligned, with.kernel, without.kernel);
}

}  // namespace gowarp
