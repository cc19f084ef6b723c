//go:build halide

#include "given.h"

#include <fstream>
#include <iterator>
#include <vector>

// In the preload library, if that is in the process: the command line as it
// completed it, NULL where it did not.
extern "C" __attribute__((weak)) const char *const *gowarp_arguments();

namespace gowarp {

namespace {

std::vector<std::string> command_line() {
    std::vector<std::string> words;
    if (const char *const *argv = gowarp_arguments ? gowarp_arguments() : nullptr) {
        for (; *argv; argv++) {
            words.emplace_back(*argv);
        }
        return words;
    }
    std::ifstream f("/proc/self/cmdline", std::ios::binary);
    const std::string all{std::istreambuf_iterator<char>(f), std::istreambuf_iterator<char>()};
    for (size_t from = 0; from < all.size();) {
        const size_t to = std::min(all.find('\0', from), all.size());
        words.push_back(all.substr(from, to - from));
        from = to + 1;
    }
    return words;
}

}  // namespace

std::map<std::string, std::string> given_params(const Halide::AutoschedulerParams &params) {
    if (!params.extra.empty()) {
        return {params.extra.begin(), params.extra.end()};
    }
    const std::string prefix = "autoscheduler.";
    std::map<std::string, std::string> found;
    bool ours = false;
    for (const std::string &word : command_line()) {
        ours = ours || word == "autoscheduler=" + params.name;
        const size_t equals = word.find('=');
        if (word.compare(0, prefix.size(), prefix) == 0 && equals != std::string::npos && equals > prefix.size()) {
            found[word.substr(prefix.size(), equals - prefix.size())] = word.substr(equals + 1);
        }
    }
    return ours ? found : std::map<std::string, std::string>{};
}

}  // namespace gowarp
