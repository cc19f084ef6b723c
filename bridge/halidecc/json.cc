//go:build halide

#include "json.h"

#include <cmath>
#include <cstdio>

namespace gowarp {

namespace {

// Length of the UTF-8 sequence that starts at s[i], or 0 if it is malformed
// (RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF).
size_t utf8_sequence(const std::string &s, size_t i) {
    const auto at = [&](size_t k) -> unsigned { return k < s.size() ? (unsigned char)s[k] : 0; };
    const auto continues = [&](size_t k) { return (at(k) & 0xC0) == 0x80; };
    const unsigned c = at(i);
    if (c < 0x80) {
        return 1;
    }
    if (c >= 0xC2 && c <= 0xDF) {
        return continues(i + 1) ? 2 : 0;
    }
    if (c >= 0xE0 && c <= 0xEF) {
        const unsigned low = c == 0xE0 ? 0xA0 : 0x80, high = c == 0xED ? 0x9F : 0xBF;
        return at(i + 1) >= low && at(i + 1) <= high && continues(i + 2) ? 3 : 0;
    }
    if (c >= 0xF0 && c <= 0xF4) {
        const unsigned low = c == 0xF0 ? 0x90 : 0x80, high = c == 0xF4 ? 0x8F : 0xBF;
        return at(i + 1) >= low && at(i + 1) <= high && continues(i + 2) && continues(i + 3) ? 4 : 0;
    }
    return 0;
}

}  // namespace

std::string json_quote(const std::string &s) {
    std::string out = "\"";
    for (size_t i = 0; i < s.size();) {
        const unsigned char c = s[i];
        if (c == '"' || c == '\\') {
            out += '\\';
            out += (char)c;
            i++;
        } else if (c == '\n') {
            out += "\\n";
            i++;
        } else if (c == '\t') {
            out += "\\t";
            i++;
        } else if (c < 0x20 || c == 0x7F) {
            char buf[8];
            snprintf(buf, sizeof buf, "\\u%04x", c);
            out += buf;
            i++;
        } else if (size_t n = utf8_sequence(s, i)) {
            out.append(s, i, n);
            i += n;
        } else {
            out += "\\ufffd";
            i++;
        }
    }
    out += '"';
    return out;
}

std::string json_double(double v) {
    if (std::isnan(v)) {
        return "\"nan\"";
    }
    if (std::isinf(v)) {
        return v > 0 ? "\"inf\"" : "\"-inf\"";
    }
    char buf[40];
    snprintf(buf, sizeof buf, "%.17g", v);
    // A host may have set a locale whose decimal sign is a comma.
    for (char *p = buf; *p; p++) {
        if (*p == ',') {
            *p = '.';
        }
    }
    return buf;
}

}  // namespace gowarp
