// Builds pipelines that it reads, one a line, has gowarp schedule them, and compares what they
// compute with every Func at root on the CPU, bit for bit.
//
//   random PLUGIN < LINES
//
// A line is a number and a pipeline, `17 (pipeline …)`, in the form that text.go writes. For each
// it prints `begin 17`, `root 17` once the plain pipeline has run, then one of
//   end 17 ok
//   end 17 skip TEXT     the pipeline is wrong at root, without gowarp
//   end 17 wrong TEXT    the results differ
//   end 17 error TEXT    Halide or gowarp failed
// It ends after the first that is wrong: a device may be unusable then.
#include "Halide.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>

using namespace Halide;
using Internal::make_const;

namespace {

// What every byte of an output holds before a run.
constexpr char unwritten = 0x55;

// A node of the text: a word, or a list.
struct Node {
    std::string word;
    std::vector<Node> list;

    const Node &operator[](size_t i) const {
        return list.at(i);
    }
    size_t size() const {
        return list.size();
    }
    int number() const {
        return std::stoi(word);
    }
    const std::string &head() const {
        return list.at(0).word;
    }
};

Node parse(const char *&p) {
    while (*p == ' ') p++;
    Node n;
    if (*p != '(') {
        while (*p && *p != ' ' && *p != '(' && *p != ')') n.word += *p++;
        return n;
    }
    p++;
    for (;;) {
        while (*p == ' ') p++;
        if (*p == ')' || !*p) break;
        n.list.push_back(parse(p));
    }
    if (*p) p++;
    return n;
}

Type type_of(const std::string &t) {
    const int bits = t == "b" ? 1 : std::stoi(t.substr(1));
    return t[0] == 'f' ? Float(bits) : t[0] == 'i' ? Int(bits) : UInt(bits);
}

using Spans = std::vector<std::pair<int, int>>;

Spans spans_of(const Node &n) {
    Spans s;
    for (const Node &d : n.list) {
        s.push_back({d[0].number(), d[1].number()});
    }
    return s;
}

// A buffer of a box with its dimensions in an order of their own and rows of their own length.
Buffer<> make_buffer(Type t, const Spans &box, const Node &order, int pad) {
    if (box.empty()) {
        return Buffer<>::make_scalar(t);
    }
    std::vector<int> extents, densest_first;
    for (const auto &d : box) {
        extents.push_back(d.second);
    }
    for (size_t i = 0; i < box.size(); i++) {
        densest_first.push_back(order.size() ? order[i].number() : (int)i);
    }
    std::vector<int> allocated = extents;
    allocated[densest_first[0]] += pad;
    Buffer<> b(t, allocated, densest_first);
    b.crop(densest_first[0], 0, extents[densest_first[0]]);
    for (size_t i = 0; i < box.size(); i++) {
        b.translate((int)i, box[i].first);
    }
    return b;
}

// Every element of a buffer, in the order of its coordinates.
template<typename F>
void each(Buffer<> &b, const F &f) {
    std::vector<int> at;
    for (int d = 0; d < b.dimensions(); d++) {
        if (b.dim(d).extent() < 1) return;
        at.push_back(b.dim(d).min());
    }
    for (;;) {
        char *p = (char *)b.data();
        for (int d = 0; d < b.dimensions(); d++) {
            p += (ptrdiff_t)(at[d] - b.dim(d).min()) * b.dim(d).stride() * b.type().bytes();
        }
        f(p, at);
        int d = 0;
        for (; d < b.dimensions(); d++) {
            if (++at[d] <= b.dim(d).max()) break;
            at[d] = b.dim(d).min();
        }
        if (d == b.dimensions()) return;
    }
}

void store(char *p, Type t, double v) {
    if (t == Float(16)) {
        const uint16_t bits = float16_t(v).to_bits();
        memcpy(p, &bits, 2);
    } else if (t == Float(32)) {
        *(float *)p = (float)v;
    } else if (t == Float(64)) {
        *(double *)p = v;
    } else {
        const int64_t n = (int64_t)v;  // little endian
        memcpy(p, &n, t.bytes());
    }
}

std::string show(const char *p, Type t) {
    if (t == Float(16)) {
        uint16_t bits;
        memcpy(&bits, p, 2);
        return std::to_string((double)float16_t::make_from_bits(bits));
    }
    if (t.is_float()) {
        return std::to_string(t == Float(32) ? (double)*(float *)p : *(double *)p);
    }
    int64_t n = 0;
    memcpy(&n, p, t.bytes());
    if (t.is_int() && t.bits() < 64) {
        n = (int64_t)((uint64_t)n << (64 - t.bits())) >> (64 - t.bits());
    }
    return t.is_int() ? std::to_string(n) : std::to_string((uint64_t)n);
}

struct Output {
    Func func;
    Spans estimate, run;
    Node order;
    int pad = 0;
};

struct Input {
    ImageParam image;
    int lo, hi, frac;
    Spans estimate, run;
    Node order;
    int pad;
};

// One building of a pipeline.
class Built {
public:
    Built(const Node &n, const std::string &prefix)
        : prefix(prefix) {
        for (size_t i = 1; i < n.size(); i++) {
            const Node &part = n[i];
            const std::string &what = part.head();
            if (what == "target") {
                target = part[1].word;
            } else if (what == "with") {
                const std::string &w = part[1].word;
                params[w.substr(0, w.find('='))] = w.substr(w.find('=') + 1);
            } else {
                define(what, part);
            }
        }
    }

    std::string target;
    std::map<std::string, std::string> params;
    std::map<std::string, Func> funcs;
    std::vector<std::string> order;
    std::vector<Output> outputs;
    std::map<std::string, Input> inputs;

    Pipeline pipeline() const {
        std::vector<Func> f;
        for (const Output &o : outputs) {
            f.push_back(o.func);
        }
        return Pipeline(f);
    }

    std::vector<Buffer<>> results(bool estimate) const {
        std::vector<Buffer<>> b;
        for (const Output &o : outputs) {
            for (const Type &t : o.func.types()) {
                b.push_back(make_buffer(t, estimate ? o.estimate : o.run, o.order, o.pad));
                memset(b.back().get()->begin(), unwritten, b.back().get()->size_in_bytes());
            }
        }
        return b;
    }

    void estimates(const std::map<std::string, Spans> &boxes) {
        for (const Output &o : outputs) {
            Region r;
            for (const auto &d : o.estimate) {
                r.push_back({d.first, d.second});
            }
            Func f = o.func;
            f.set_estimates(r);
        }
        for (auto &in : inputs) {
            const Spans &box = boxes.at(in.first);
            for (size_t d = 0; d < box.size(); d++) {
                in.second.image.dim((int)d).set_estimate(box[d].first, box[d].second);
            }
        }
    }

    // The boxes of the inputs at the estimated size or that of the run, given or as asked for.
    std::map<std::string, Spans> boxes(Pipeline &p, bool estimate, const Target &t) {
        bool ask = false;
        for (auto &in : inputs) {
            in.second.image.reset();
            if (in.second.estimate.empty() && in.second.image.dimensions() > 0) {
                ask = true;
            } else {
                Buffer<> b = make_buffer(in.second.image.type(), estimate ? in.second.estimate : in.second.run, in.second.order, in.second.pad);
                memset(b.get()->begin(), 0, b.get()->size_in_bytes());
                in.second.image.set(b);
            }
        }
        if (ask) {
            // A call that asks for no output of an input leaves it undefined.
            std::vector<Buffer<>> r = results(estimate);
            p.infer_input_bounds(Realization(r), t);
        }
        std::map<std::string, Spans> all;
        for (auto &in : inputs) {
            Buffer<> b = in.second.image.get();
            Spans s;
            for (int d = 0; d < in.second.image.dimensions(); d++) {
                s.push_back(b.defined() ? std::make_pair(b.dim(d).min(), std::max(b.dim(d).extent(), 1)) : std::make_pair(0, 1));
            }
            all[in.first] = s;
            in.second.image.reset();
        }
        return all;
    }

    void fill(const std::map<std::string, Spans> &boxes) {
        unsigned salt = 1;
        for (auto &in : inputs) {
            const Input &i = in.second;
            Buffer<> b = make_buffer(i.image.type(), boxes.at(in.first), i.order, i.pad);
            memset(b.get()->begin(), 0, b.get()->size_in_bytes());
            salt++;
            each(b, [&](char *p, const std::vector<int> &at) {
                unsigned h = salt * 2654435761u;
                for (int c : at) {
                    h = (h ^ (unsigned)c) * 2246822519u;
                    h ^= h >> 13;
                }
                const double v = i.lo + (double)(h % (unsigned)(i.hi - i.lo + 1));
                store(p, b.type(), v / (1 << i.frac));
            });
            b.set_host_dirty();
            in.second.image.set(b);
        }
    }

private:
    std::string prefix;
    std::map<std::string, Param<void>> scalars;
    std::vector<std::pair<Param<void>, std::pair<int, int>>> values;
    std::map<std::string, RDom> domains;
    std::map<std::string, Var> vars;

    Func &func(const std::string &name) {
        auto at = funcs.find(name);
        if (at == funcs.end()) {
            at = funcs.emplace(name, Func(prefix + name)).first;
            order.push_back(name);
        }
        return at->second;
    }

    std::vector<Expr> list(const Node &n, size_t from = 0) {
        std::vector<Expr> es;
        for (size_t i = from; i < n.size(); i++) {
            es.push_back(expr(n[i]));
        }
        return es;
    }

    void define(const std::string &what, const Node &n) {
        if (what == "input") {
            const Type t = type_of(n[2].word);
            const int dims = n[3].number();
            Input in{ImageParam(t, dims, prefix + n[1].word), n[4].number(), n[5].number(), n[6].number(), spans_of(n[7]), spans_of(n[8]), n[9], n[10].number()};
            if (dims > 0 && in.order.size()) {
                in.image.dim(0).set_stride(Expr());
            }
            inputs.emplace(n[1].word, in);
        } else if (what == "scalar") {
            Param<void> p(type_of(n[2].word), prefix + n[1].word);
            p.parameter().set_estimate(make_const(p.type(), n[3].number()));
            std::vector<char> raw(8);
            store(raw.data(), p.type(), n[4].number());
            p.parameter().set_scalar(p.type(), value(p.type(), raw));
            scalars.emplace(n[1].word, p);
        } else if (what == "rdom") {
            Region r;
            for (const Node &d : n[2].list) {
                r.push_back({expr(d[0]), expr(d[1])});
            }
            RDom d(r, prefix + n[1].word);
            domains[n[1].word] = d;
            for (const Node &w : n[3].list) {
                d.where(expr(w));
            }
        } else if (what == "boundary") {
            boundary(n);
        } else if (what == "func") {
            std::vector<Var> args;
            for (const Node &v : n[2].list) {
                args.push_back(var(v.word));
            }
            std::vector<Expr> values = list(n[3]);
            if (values.size() == 1) {
                func(n[1].word)(args) = values[0];
            } else {
                func(n[1].word)(args) = Tuple(values);
            }
        } else if (what == "update") {
            std::vector<Expr> values = list(n[3]);
            if (values.size() == 1) {
                func(n[1].word)(list(n[2])) = values[0];
            } else {
                func(n[1].word)(list(n[2])) = Tuple(values);
            }
        } else if (what == "bound") {
            func(n[1].word).bound(var(n[2].word), n[3].number(), n[4].number());
        } else if (what == "align_bounds") {
            func(n[1].word).align_bounds(var(n[2].word), n[3].number(), n[4].number());
        } else if (what == "bound_extent") {
            func(n[1].word).bound_extent(var(n[2].word), n[3].number());
        } else if (what == "wrapper") {
            if (n.size() > 2) {
                func(n[1].word).in(func(n[2].word));
            } else {
                func(n[1].word).in();
            }
        } else if (what == "output") {
            Output o;
            o.func = func(n[1].word);
            o.estimate = spans_of(n[2]);
            o.run = spans_of(n[3]);
            o.order = n[4];
            o.pad = n[5].number();
            if (o.func.dimensions() > 0 && o.order.size()) {
                for (OutputImageParam &b : o.func.output_buffers()) {
                    b.dim(0).set_stride(Expr());
                }
            }
            outputs.push_back(o);
        } else {
            throw std::runtime_error("no part " + what);
        }
    }

    static halide_scalar_value_t value(Type, const std::vector<char> &raw) {
        halide_scalar_value_t v;
        memcpy(&v, raw.data(), 8);
        return v;
    }

    void boundary(const Node &n) {
        using namespace BoundaryConditions;
        const std::string &kind = n[2].word, &source = n[3].word;
        Expr outside = n[5].size() ? expr(n[5]) : Expr();
        Func f;
        auto in = inputs.find(source);
        if (in != inputs.end()) {
            ImageParam im = in->second.image;
            f = kind == "repeat_edge"  ? repeat_edge(im) :
                kind == "repeat_image" ? repeat_image(im) :
                kind == "mirror_image" ? mirror_image(im) :
                kind == "mirror_interior" ? mirror_interior(im) :
                                            constant_exterior(im, outside);
        } else {
            Func src = func(source);
            Region r;
            for (const auto &d : spans_of(n[4])) {
                r.push_back({d.first, d.second});
            }
            f = kind == "repeat_edge"  ? repeat_edge(src, r) :
                kind == "repeat_image" ? repeat_image(src, r) :
                kind == "mirror_image" ? mirror_image(src, r) :
                kind == "mirror_interior" ? mirror_interior(src, r) :
                                            constant_exterior(src, outside, r);
        }
        funcs.emplace(n[1].word, f);
        order.push_back(n[1].word);
    }

    Var var(const std::string &name) {
        return vars.emplace(name, Var(name)).first->second;
    }

    Expr expr(const Node &n) {
        const std::string &op = n.head();
        if (op == "const") {
            const Type t = type_of(n[1].word);
            return t.is_float() ? make_const(t, std::stod(n[2].word)) : make_const(t, (int64_t)std::stod(n[2].word));
        }
        if (op == "var") return var(n[1].word);
        if (op == "rvar") return domains.at(n[1].word)[n[2].number()];
        if (op == "param") return scalars.at(n[1].word);
        if (op == "load") return inputs.at(n[1].word).image(list(n, 2));
        if (op == "dimmin") return inputs.at(n[1].word).image.dim(n[2].number()).min();
        if (op == "dimext") return inputs.at(n[1].word).image.dim(n[2].number()).extent();
        if (op == "call") {
            Func &f = func(n[1].word);
            std::vector<Expr> at = list(n, 3);
            return f.outputs() > 1 ? Expr(f(at)[n[2].number()]) : Expr(f(at));
        }
        if (op == "cast") return cast(type_of(n[1].word), expr(n[2]));
        if (op == "sum" || op == "product" || op == "maximum" || op == "minimum" || op == "argmin" || op == "argmax") {
            const RDom &r = domains.at(n[1].word);
            Expr e = expr(n[3]);
            const std::string name = prefix + op;
            if (op == "sum") return sum(r, e, name);
            if (op == "product") return product(r, e, name);
            if (op == "maximum") return maximum(r, e, name);
            if (op == "minimum") return minimum(r, e, name);
            return (op == "argmin" ? argmin(r, e, name) : argmax(r, e, name))[n[2].number()];
        }
        std::vector<Expr> a = list(n, 1);
        if (op == "!") return !a[0];
        if (op == "abs") return abs(a[0]);
        if (op == "floor") return floor(a[0]);
        if (op == "ceil") return ceil(a[0]);
        if (op == "round") return round(a[0]);
        if (op == "trunc") return trunc(a[0]);
        if (op == "wrap") {
            if (!a[0].type().is_float()) return a[0] % make_const(a[0].type(), 97);
            Expr v = floor(a[0]);
            return v - floor(v * make_const(v.type(), 1.0 / 32)) * make_const(v.type(), 32);
        }
        if (op == "select") return select(a.at(0), a.at(1), a.at(2));
        if (op == "clamp") return clamp(a.at(0), a.at(1), a.at(2));
        const Expr &x = a.at(0), &y = a.at(1);
        if (op == "+") return x + y;
        if (op == "-") return x - y;
        if (op == "*") return x * y;
        if (op == "/") return x / y;
        if (op == "%") return x % y;
        if (op == "min") return min(x, y);
        if (op == "max") return max(x, y);
        if (op == "<") return x < y;
        if (op == "<=") return x <= y;
        if (op == ">") return x > y;
        if (op == ">=") return x >= y;
        if (op == "==") return x == y;
        if (op == "!=") return x != y;
        if (op == "&&") return x && y;
        if (op == "||") return x || y;
        if (op == "&") return x & y;
        if (op == "|") return x | y;
        if (op == "^") return x ^ y;
        if (op == "<<") return x << y;
        if (op == ">>") return x >> y;
        if (op == "absd") return absd(x, y);
        throw std::runtime_error("no operator " + op);
    }
};

std::string differences(Buffer<> &got, Buffer<> &want, size_t output) {
    int n = 0, all = 0;
    std::string first;
    each(want, [&](const char *w, const std::vector<int> &at) {
        all++;
        char *g = (char *)got.data();
        for (int d = 0; d < got.dimensions(); d++) {
            g += (ptrdiff_t)(at[d] - got.dim(d).min()) * got.dim(d).stride() * got.type().bytes();
        }
        // Numbers, so that both zeros are the same.
        if (memcmp(g, w, want.type().bytes()) == 0 || (want.type().is_float() && std::stod(show(g, want.type())) == std::stod(show(w, want.type())))) {
            return;
        }
        if (n++ == 0) {
            for (int c : at) {
                first += (first.empty() ? "(" : ", ") + std::to_string(c);
            }
            first += (at.empty() ? "(): " : "): ") + show(g, want.type()) + ", want " + show(w, want.type());
        }
    });
    return n ? "buffer " + std::to_string(output) + ": " + std::to_string(n) + " of " + std::to_string(all) + " points differ, first " + first + "; " : "";
}

std::string one_line(std::string s) {
    for (char &c : s) {
        if (c == '\n') c = ' ';
    }
    return s;
}

// Whether an output still holds what results() filled it with.
bool untouched(const Buffer<> &b) {
    const auto *from = (const char *)b.get()->begin(), *to = (const char *)b.get()->end();
    return std::all_of(from, to, [](char c) { return c == unwritten; });
}

// Returns the word and the text of the line.
std::string test(const Node &n, const std::string &number) {
    const std::string prefix = "n" + number + "_";
    std::vector<Buffer<>> want;
    std::map<std::string, Spans> estimated, run;
    try {
        Built plain(n, prefix);
        for (const std::string &f : plain.order) {
            plain.funcs.at(f).compute_root();
        }
        const Target host("x86-64-linux");
        Pipeline p = plain.pipeline();
        estimated = plain.boxes(p, true, host);
        run = plain.boxes(p, false, host);
        plain.fill(run);
        want = plain.results(false);
        p.realize(Realization(want), host);
        if (std::all_of(want.begin(), want.end(), untouched)) {
            return "skip Halide computes nothing at root";
        }
    } catch (const Halide::Error &e) {
        return std::string("skip ") + e.what();
    }
    printf("root %s\n", number.c_str());
    fflush(stdout);
    try {
        Built b(n, prefix);
        b.estimates(estimated);
        Pipeline p = b.pipeline();
        const Target target(b.target);
        p.apply_autoscheduler(target, AutoschedulerParams("gowarp", b.params));
        b.fill(run);
        std::vector<Buffer<>> got = b.results(false);
        p.realize(Realization(got), target);
        std::string wrong;
        for (size_t i = 0; i < got.size(); i++) {
            got[i].copy_to_host();
            wrong += differences(got[i], want[i], i);
        }
        return wrong.empty() ? "ok" : "wrong " + wrong;
    } catch (const Halide::Error &e) {
        return std::string("error ") + e.what();
    }
}

}  // namespace

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "random PLUGIN < LINES\n");
        return 2;
    }
    try {
        load_plugin(argv[1]);
        std::string line;
        while (std::getline(std::cin, line)) {
            const std::string number = line.substr(0, line.find(' '));
            printf("begin %s\n", number.c_str());
            fflush(stdout);
            const char *text = line.c_str() + number.size();
            const std::string end = one_line(test(parse(text), number));
            printf("end %s %s\n", number.c_str(), end.c_str());
            fflush(stdout);
            if (end.compare(0, 5, "wrong") == 0 || end.compare(0, 5, "error") == 0) {
                return 0;
            }
        }
    } catch (const Halide::Error &e) {
        fprintf(stderr, "%s\n", e.what());
        return 1;
    } catch (const std::exception &e) {
        fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}
