//go:build halide

#include "forked.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gowarp {

namespace {

// Processor time that a child gets: many times what schedules take to lower (stencil_chain 12 to 30 s by the machine), so that a slow machine finds what a fast one does.
constexpr rlim_t cpu_seconds = 150;

// A child that used no processor time in so many seconds waits for a lock whose
// holder was another thread of the host, and will never get it.
constexpr int idle_seconds = 5;

// The first byte of what a child writes; a NUL ends it.
enum Tag : char { tag_answer = 'A', tag_signal = 'S', tag_cpu = 'C', tag_stuck = 'I' };

int answer_fd = -1;  // in the child

void write_all(const char *data, size_t n) {
    while (n > 0) {
        const ssize_t done = write(answer_fd, data, n);
        if (done < 0 && errno == EINTR) {
            continue;
        }
        if (done <= 0) {
            return;  // nobody reads any more
        }
        data += done;
        n -= (size_t)done;
    }
}

// The parent learns from the pipe, not from waitpid: a host may reap every child
// that it sees.
void on_signal(int sig) {
    if (sig == SIGALRM) {
        static timespec last;
        static int idle;
        timespec now;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
        const long used = (now.tv_sec - last.tv_sec) * 1000 + (now.tv_nsec - last.tv_nsec) / 1000000;
        last = now;
        idle = used > 0 ? 0 : idle + 1;
        if (idle < idle_seconds) {
            return;
        }
    }
    const char tag = sig == SIGXCPU ? tag_cpu : sig == SIGALRM ? tag_stuck : tag_signal;
    const char text[] = {tag, (char)sig, 0};
    write_all(text, sizeof text);
    _exit(1);
}

// Every handler of the host's and of the Go runtime's goes.
void take_signals() {
    static char stack[64 << 10];  // a crash may be an overflow of the stack
    stack_t alternate{};
    alternate.ss_sp = stack;
    alternate.ss_size = sizeof stack;
    sigaltstack(&alternate, nullptr);
    for (int sig = 1; sig < NSIG; sig++) {
        struct sigaction old;
        if (sigaction(sig, nullptr, &old) == 0 && old.sa_handler != SIG_IGN) {
            signal(sig, SIG_DFL);
        }
    }
    struct sigaction mine{};
    mine.sa_handler = on_signal;
    mine.sa_flags = SA_ONSTACK | SA_RESTART;
    sigfillset(&mine.sa_mask);
    for (int sig : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTRAP, SIGXCPU, SIGALRM}) {
        sigaction(sig, &mine, nullptr);
    }
    sigset_t none;
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, nullptr);
}

void take_limits() {
    rlimit cpu;
    if (getrlimit(RLIMIT_CPU, &cpu) == 0 && cpu.rlim_cur > cpu_seconds) {
        cpu.rlim_cur = cpu_seconds;
        setrlimit(RLIMIT_CPU, &cpu);
    }
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    const itimerval every_second{{1, 0}, {1, 0}};
    setitimer(ITIMER_REAL, &every_second, nullptr);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    // Where memory runs out the kernel takes the child first.
    const int oom = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (oom >= 0) {
        (void)!write(oom, "1000", 4);
        close(oom);
    }
}

// Leaves the child three descriptors that go nowhere and its own: somebody may be waiting
// for the end of one of the host's.
void take_descriptors(int answers, int prints) {
    answer_fd = fcntl(answers, F_DUPFD_CLOEXEC, 3);
    const int printed = fcntl(prints, F_DUPFD_CLOEXEC, 3), nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    dup2(nothing, STDIN_FILENO);
    dup2(printed, STDOUT_FILENO);
    dup2(printed, STDERR_FILENO);
#ifdef SYS_close_range
    if (answer_fd > 3) {
        syscall(SYS_close_range, 3u, (unsigned)answer_fd - 1, 0u);
    }
    syscall(SYS_close_range, (unsigned)answer_fd + 1, ~0u, 0u);
#endif
}

class Pipe {
public:
    explicit Pipe(int flags) {
        if (pipe2(ends, O_CLOEXEC | flags) != 0) {
            ends[0] = ends[1] = -1;
        }
    }
    ~Pipe() {
        shut(0);
        shut(1);
    }
    Pipe(const Pipe &) = delete;
    Pipe &operator=(const Pipe &) = delete;
    bool ok() const { return ends[0] >= 0; }
    void shut(int end) {
        if (ends[end] >= 0) {
            close(ends[end]);
            ends[end] = -1;
        }
    }
    // What is there now.
    void drain(std::string &out) {
        fcntl(ends[0], F_SETFL, O_NONBLOCK);
        while (more(out) > 0) {
        }
    }
    ssize_t more(std::string &out) {
        char block[4096];
        ssize_t n;
        do {
            n = read(ends[0], block, sizeof block);
        } while (n < 0 && errno == EINTR);
        if (n > 0) {
            out.append(block, (size_t)n);
        }
        return n;
    }
    int ends[2];
};

bool complete(const std::string &s) {
    return !s.empty() && s.back() == 0;
}

bool reaped(pid_t child, int options) {
    pid_t r;
    int status;
    do {
        r = waitpid(child, &status, options);
    } while (r < 0 && errno == EINTR);
    return r != 0;  // ECHILD: the host was faster
}

// Reads until the message ends or the child is gone. The end of the pipe is no sign: a
// process that another thread of the host forked meanwhile may hold it.
std::string listen(Pipe &answers, pid_t child) {
    std::string text;
    while (!complete(text)) {
        pollfd p{answers.ends[0], POLLIN, 0};
        const int n = poll(&p, 1, 50);
        if (n > 0 && answers.more(text) <= 0) {
            break;
        }
        if (n == 0 && reaped(child, WNOHANG)) {
            answers.drain(text);
            return text;
        }
    }
    reaped(child, 0);
    return text;
}

Forked judge(const std::string &text) {
    if (!complete(text)) {
        return {Forked::unfinished, "it was killed", ""};
    }
    switch (text[0]) {
    case tag_answer: return {Forked::answered, text.substr(1, text.size() - 2), ""};
    case tag_cpu: return {Forked::unfinished, "it used up its processor time", ""};
    case tag_stuck: return {Forked::unfinished, "it waits for a lock", ""};
    default: return {Forked::crashed, std::string("it died: ") + strsignal(text[1]), ""};
    }
}

}  // namespace

void answer(const std::string &text) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, nullptr);
    const char tag = tag_answer;
    write_all(&tag, 1);
    write_all(text.c_str(), text.size() + 1);
    _exit(0);
}

Forked in_child(const std::function<void()> &work) {
    // What it prints is cut off where the pipe is full.
    Pipe answers(0), prints(O_NONBLOCK);
    if (!answers.ok() || !prints.ok()) {
        return {Forked::impossible, strerror(errno), ""};
    }
    // No handler of the host's may run in the child.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const pid_t child = fork();
    const int error = errno;
    if (child == 0) {
        take_descriptors(answers.ends[1], prints.ends[1]);
        take_limits();
        take_signals();
        work();
        _exit(1);
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (child < 0) {
        return {Forked::impossible, strerror(error), ""};
    }
    answers.shut(1);
    prints.shut(1);
    Forked f = judge(listen(answers, child));
    prints.drain(f.said);
    return f;
}

}  // namespace gowarp
