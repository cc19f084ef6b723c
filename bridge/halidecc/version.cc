//go:build halide

#include "version.h"

#include <Halide.h>

#include <cctype>
#include <cstdlib>
#include <vector>

namespace gowarp {

namespace {

// The version strings in the serialised form of a pipeline without a Func: that of Halide,
// and that of the format, which is far lower. Nothing else in libHalide says its version. A
// string there has its length in front, in four bytes.
std::vector<std::string> versions_in(const std::vector<uint8_t> &data) {
    std::vector<std::string> found;
    for (size_t i = 4; i < data.size(); i++) {
        size_t n = 0;
        int dots = 0;
        while (i + n < data.size() && (isdigit(data[i + n]) || data[i + n] == '.')) {
            dots += data[i + n++] == '.';
        }
        if (dots == 2 && data[i - 4] == n && isdigit(data[i])) {
            found.emplace_back(data.begin() + i, data.begin() + i + n);
        }
        i += n;
    }
    return found;
}

std::string loaded_version() {
    std::vector<uint8_t> data;
    try {
        Halide::serialize_pipeline(Halide::Pipeline(std::vector<Halide::Func>()), data);
    } catch (const Halide::Error &) {
        return "";  // a Halide that was built without serialisation
    }
    std::string newest;
    for (const std::string &v : versions_in(data)) {
        if (newest.empty() || atoi(v.c_str()) > atoi(newest.c_str())) {
            newest = v;
        }
    }
    return newest;
}

}  // namespace

std::string version_mismatch() {
    const std::string built = std::to_string(HALIDE_VERSION_MAJOR) + "." + std::to_string(HALIDE_VERSION_MINOR) + ".";
    const std::string loaded = loaded_version();
    if (loaded.empty() || loaded.compare(0, built.size(), built) == 0) {
        return "";
    }
    return "this plugin was built for Halide " + built + std::to_string(HALIDE_VERSION_PATCH) + ", and the loaded Halide is " + loaded +
           ". Build gowarp with that Halide, or use the one it was built for.";
}

}  // namespace gowarp
