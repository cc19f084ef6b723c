// Writing JSON text. A Json appends to one string; the caller keeps the
// nesting right. Numbers and strings are written so that any JSON reader
// accepts them, whatever bytes a Halide name holds.
#ifndef GOWARP_JSON_H
#define GOWARP_JSON_H

#include <cstdint>
#include <string>

namespace gowarp {

// s as a JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD.
std::string json_quote(const std::string &s);

// A double as a JSON number that reads back to the same bits; "nan", "inf" and
// "-inf" as strings, because JSON has no such numbers.
std::string json_double(double v);

// An object or array under construction, in one line of text.
class Json {
public:
    explicit Json(std::string &out) : out_(out) {}

    void open(char bracket) {
        separate();
        out_ += bracket;
        first_ = true;
    }
    void close(char bracket) {
        out_ += bracket;
        first_ = false;
    }
    void key(const char *name) {
        separate();
        out_ += '"';
        out_ += name;
        out_ += "\":";
        first_ = true;  // no comma before the value
    }
    void raw(const std::string &text) {
        separate();
        out_ += text;
    }
    void integer(int64_t v) { raw(std::to_string(v)); }
    void string(const std::string &s) { raw(json_quote(s)); }
    void boolean(bool b) { raw(b ? "true" : "false"); }
    // A line break after a comma, so that a dump has a Func or a node a line.
    void newline() {
        if (!first_) {
            out_ += ',';
        }
        out_ += '\n';
        first_ = true;
    }

    void field(const char *name, int64_t v) {
        key(name);
        integer(v);
    }
    void field(const char *name, const std::string &s) {
        key(name);
        string(s);
    }
    void flag(const char *name, bool b) {
        key(name);
        boolean(b);
    }

private:
    void separate() {
        if (!first_) {
            out_ += ',';
        }
        first_ = false;
    }
    std::string &out_;
    bool first_ = true;
};

}  // namespace gowarp

#endif
