//go:build halide

#include "stack.h"

#include <Halide.h>

#include <exception>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

namespace gowarp {

namespace {

// Enough for a definition a million operations deep, tried. Only the pages that
// are touched cost memory.
constexpr size_t deep_stack_bytes = 512u << 20;

struct Call {
    const std::function<void()> *action;
    std::exception_ptr thrown;
};

thread_local Call *current = nullptr;

void trampoline() {
    Call *call = current;
    try {
        (*call->action)();
    } catch (...) {
        call->thrown = std::current_exception();
    }
}

class Mapping {
public:
    explicit Mapping(size_t bytes)
        : bytes_(bytes),
          at_(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0)) {
        // A stack grows downwards: its lowest page catches an overflow.
        if (ok() && mprotect(at_, (size_t)sysconf(_SC_PAGESIZE), PROT_NONE) != 0) {
            munmap(at_, bytes_);
            at_ = MAP_FAILED;
        }
    }
    ~Mapping() {
        if (ok()) {
            munmap(at_, bytes_);
        }
    }
    Mapping(const Mapping &) = delete;
    Mapping &operator=(const Mapping &) = delete;
    bool ok() const { return at_ != MAP_FAILED; }
    void *at() const { return at_; }
    size_t bytes() const { return bytes_; }

private:
    size_t bytes_;
    void *at_;
};

}  // namespace

void with_deep_stack(const std::function<void()> &action) {
    const Mapping stack(deep_stack_bytes);
    ucontext_t here, there;
    if (!stack.ok() || getcontext(&there) != 0) {
        Halide::Internal::run_with_large_stack(action);  // a limit on address space, perhaps
        return;
    }
    there.uc_stack.ss_sp = stack.at();
    there.uc_stack.ss_size = stack.bytes();
    there.uc_link = &here;
    Call call{&action, nullptr};
    current = &call;
    makecontext(&there, trampoline, 0);
    swapcontext(&here, &there);
    current = nullptr;
    if (call.thrown) {
        std::rethrow_exception(call.thrown);
    }
}

}  // namespace gowarp
