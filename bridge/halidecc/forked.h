// Work done in a child process, so that whatever happens to it the host lives on
// and nothing of the host has changed.
#ifndef GOWARP_FORKED_H
#define GOWARP_FORKED_H

#include <functional>
#include <string>

namespace gowarp {

// How the work ended.
struct Forked {
    enum Kind {
        answered,    // text is what it answered
        crashed,     // by a signal of its own making
        unfinished,  // out of processor time, stuck, or killed from outside
        impossible,  // there was no child
    };
    Kind kind;
    std::string text;  // the answer, or what happened
    std::string said;  // the beginning of what it printed
};

// Runs work in a forked child and waits for it to call answer. The child has the
// calling thread only: work may use C++ and Halide, never Go, Python or anything
// else that has threads.
Forked in_child(const std::function<void()> &work);

// Hands the answer to the parent and ends the child. The text holds no NUL.
[[noreturn]] void answer(const std::string &text);

}  // namespace gowarp

#endif
