// A program that uses the plugin as a library user does, without a generator:
// driver COMMAND PLUGIN [KEY=VALUE…]. It exits 0, or 1 after printing the error.
#include <Halide.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

using namespace Halide;

namespace {

Var x("x"), y("y");
const Target target("x86-64-linux-opencl");

AutoschedulerParams parse(int argc, char **argv, int first) {
    AutoschedulerParams p("gowarp");
    for (int i = first; i < argc; i++) {
        const char *equals = strchr(argv[i], '=');
        p.extra[std::string(argv[i], equals - argv[i])] = equals + 1;
    }
    return p;
}

struct Blur {
    ImageParam image{Float(32), 2, "image"};
    Func blur_x{"blur_x"}, blur_y{"blur_y"};
    RDom r{0, 16, "r"};
    Pipeline pipeline;

    Blur() {
        blur_x(x, y) = image(x, y) + image(x + 1, y);
        blur_y(x, y) = blur_x(x, y) + blur_x(x, y + 1);
        blur_y(0, y) += cast<float>(r);  // one place, sixteen times
        blur_y.set_estimates({{0, 64}, {0, 48}});
        image.set_estimates({{0, 65}, {0, 49}});
        pipeline = Pipeline(blur_y);
    }

    // What the schedules say, by Halide's own accessors.
    bool touched() {
        bool any = false;
        for (Func f : {blur_x, blur_y}) {
            const auto &s = f.function().schedule();
            any = any || s.compute_level().var_name() != LoopLevel::inlined().var_name() ||
                  s.memory_type() != MemoryType::Auto || !s.bounds().empty();
            std::vector<Internal::Definition> defs = {f.function().definition()};
            for (const auto &u : f.function().updates()) {
                defs.push_back(u);
            }
            for (const auto &d : defs) {
                any = any || d.schedule().touched() || !d.schedule().splits().empty();
                for (const auto &dim : d.schedule().dims()) {
                    any = any || dim.for_type != Internal::ForType::Serial;
                }
            }
        }
        return any;
    }
};

// What print_loop_nest does not show.
void print_storage(Func f) {
    const auto &s = f.function().schedule();
    std::ostringstream text;
    text << f.name() << ": compute at " << s.compute_level().func_name() << "." << s.compute_level().var_name()
         << ", store at " << s.store_level().func_name() << "." << s.store_level().var_name() << ", memory "
         << (int)s.memory_type() << ", storage";
    for (const auto &d : s.storage_dims()) {
        text << " " << d.var;
        if (d.alignment.defined()) {
            text << " align " << d.alignment;
        }
        if (d.bound.defined()) {
            text << " bound " << d.bound;
        }
    }
    fprintf(stderr, "%s\n", text.str().c_str());
}

// A definition DEPTH nodes deep; and one that has 2^200 leaves as a tree, of
// shared nodes.
int deep(const AutoschedulerParams &given) {
    AutoschedulerParams params = given;
    const int depth = std::stoi(params.extra["depth"]);
    params.extra.erase("depth");
    ImageParam image(Float(32), 2, "image");
    Func chain("chain"), doubled("doubled"), out("out");
    Expr e = image(x, y);
    for (int i = 0; i < depth / 2; i++) {
        e = e * 0.5f + cast<float>(i % 7);
    }
    // Behind the front end's back, whose search for common subexpressions takes
    // a minute for this.
    chain(x, y) = image(x, y);
    chain.function().definition().values()[0] = e;
    e = chain(x, y);
    for (int i = 0; i < 200; i++) {
        e = e * e + cast<float>(i);
    }
    doubled(x, y) = e;
    out(x, y) = doubled(x, y) + 1.0f;
    image.set_estimates({{0, 64}, {0, 48}});
    out.set_estimates({{0, 64}, {0, 48}});
    Pipeline(out).apply_autoscheduler(target, params);
    return 0;
}

// Fails, shows that nothing was applied, and succeeds with script=then.
int untouched(AutoschedulerParams params) {
    Blur b;
    const std::string then = params.extra["then"];
    params.extra.erase("then");
    try {
        b.pipeline.apply_autoscheduler(target, params);
        fprintf(stderr, "no error\n");
        return 1;
    } catch (const Error &e) {
        printf("%s\n", e.what());
    }
    if (b.touched()) {
        fprintf(stderr, "the failure left a schedule behind\n");
        return 1;
    }
    params.extra["script"] = then;
    b.pipeline.apply_autoscheduler(target, params);
    if (!b.touched()) {
        fprintf(stderr, "the second schedule was not applied\n");
        return 1;
    }
    return 0;
}

// Takes every child that ends, as servers do, and never restarts what it interrupts.
void reap(int) {
    const int kept = errno;
    while (waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    errno = kept;
}

void on_children(void (*handler)(int)) {
    struct sigaction a {};
    a.sa_handler = handler;
    sigaction(SIGCHLD, &a, nullptr);
}

// The numbers in "0,64,0,48".
std::vector<int> numbers(const std::string &s) {
    std::vector<int> all;
    for (size_t at = 0; at < s.size(); at = s.find(',', at) == std::string::npos ? s.size() : s.find(',', at) + 1) {
        all.push_back((int)std::stoll(s.substr(at)));
    }
    return all;
}

// Other estimates: out= and image= are those of x and y, bound= bounds x of the output.
int estimates(AutoschedulerParams params) {
    Blur b;
    const auto given = [&](const char *key) {
        const std::vector<int> n = numbers(params.extra[key]);
        params.extra.erase(key);
        return n;
    };
    const std::vector<int> out = given("out"), image = given("image"), bound = given("bound");
    if (!out.empty()) {
        b.blur_y.set_estimates({{out[0], out[1]}, {out[2], out[3]}});
    }
    if (!image.empty()) {
        b.image.set_estimates({{image[0], image[1]}, {image[2], image[3]}});
    }
    if (!bound.empty()) {
        b.blur_y.bound(x, bound[0], bound[1]);
    }
    b.pipeline.apply_autoscheduler(target, params);
    printf("scheduled\n");
    return 0;
}

// Schedules in a child that was forked after the plugin was loaded and used.
int forked(const AutoschedulerParams &params) {
    Blur().pipeline.apply_autoscheduler(target, params);
    const pid_t child = fork();
    if (child == 0) {
        try {
            Blur().pipeline.apply_autoscheduler(target, params);
        } catch (const Error &e) {
            fprintf(stderr, "%s\n", e.what());
            _exit(7);
        }
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

}  // namespace

int main(int argc, char **argv) {
    try {
        const std::string command = argv[1];
        load_plugin(argv[2]);
        if (command == "twice") {
            load_plugin(argv[3]);
            Blur b;
            b.pipeline.apply_autoscheduler(target, parse(argc, argv, 4));
            return b.touched() ? 0 : 1;
        }
        const AutoschedulerParams params = parse(argc, argv, 3);
        if (command == "reaping" || command == "ignoring") {
            on_children(command == "reaping" ? reap : SIG_IGN);
        }
        if (command == "schedule" || command == "reaping" || command == "ignoring") {
            Blur b;
            const AutoSchedulerResults results = b.pipeline.apply_autoscheduler(target, params);
            printf("%s", results.schedule_source.c_str());
            fflush(stdout);
            b.blur_y.print_loop_nest();
            print_storage(b.blur_x);
            print_storage(b.blur_y);
            return b.touched() ? 0 : 1;
        }
        return command == "estimates" ? estimates(params) : command == "deep" ? deep(params) : command == "untouched" ? untouched(params) : command == "fork" ? forked(params) : 2;
    } catch (const Error &e) {
        fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}
