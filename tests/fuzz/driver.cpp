/* driver.cpp - runs a harness where there is no libFuzzer: the inputs of the given folders as they
 * are, then so many made from them.  No coverage guides it.
 *
 *     fuzz_KIND [--inputs N] [--seconds N] [--seed N] [--words FILE] [--keep FOLDER] FOLDER|FILE...
 *
 * An input that crashes, takes longer than 5 s or needs more than 1 GiB ends the process; it is
 * kept as FOLDER/crash-KIND-SEED-NUMBER, to be run again by its name. */
#include "tests/fuzz/harness.h"
#include "tests/fuzz/mutate.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/resource.h>
#include <unistd.h>

namespace fs = std::filesystem;

/* A report ends with a signal, so that the input is kept. */
extern "C" const char *__asan_default_options(); // NOLINT: the name is the sanitizer's
extern "C" const char *__asan_default_options()  // NOLINT
{
    return "abort_on_error=1";
}
extern "C" const char *__ubsan_default_options(); // NOLINT
extern "C" const char *__ubsan_default_options()  // NOLINT
{
    return "abort_on_error=1:print_stacktrace=1";
}

namespace
{

constexpr unsigned MOST_SECONDS = 5;           /* for one input */
constexpr size_t MOST_BYTES = size_t{1} << 30; /* of memory, for all of them together */
enum : size_t { STACK_BYTES = 0x10000 };

struct options {
    uint64_t inputs = 0, seed = 1; /* 0: the given ones only */
    double seconds = 0;            /* 0: no limit but the inputs */
    std::string kind, keep = ".";
    std::vector<fuzz_input> words, seeds;
};

/* What a signal handler needs of the input at work. */
struct at_work {
    const fuzz_input *input;
    char path[4096];
};
at_work now; // NOLINT: a signal handler has no other way to it

void say(const char *text)
{
    (void)!write(2, text, strlen(text));
}

void keep_input(int signal)
{
    say(signal == SIGALRM ? "\nfuzz: an input takes longer than 5 s" : "\nfuzz: an input crashes");
    const int file = open(now.path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    const bool kept = file >= 0 && write(file, now.input->data(), now.input->size()) ==
                                       static_cast<ssize_t>(now.input->size());
    say(kept ? "; it is kept as " : "; it cannot be kept as ");
    say(now.path);
    say("\n");
    struct sigaction usual = {};
    usual.sa_handler = SIG_DFL;
    const int last = signal == SIGALRM ? SIGABRT : signal;
    (void)sigaction(last, &usual, nullptr);
    (void)raise(last);
}

/* Sanitizers report signals of the processor themselves, and abort. */
void watch_signals()
{
    static char room[STACK_BYTES];
    stack_t stack = {};
    stack.ss_sp = room;
    stack.ss_size = sizeof room;
    (void)sigaltstack(&stack, nullptr);
    struct sigaction action = {};
    action.sa_handler = keep_input;
    action.sa_flags = SA_ONSTACK | SA_NODEFER;
    for (const int signal : {SIGABRT, SIGALRM, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
        if (signal == SIGABRT || signal == SIGALRM || !FUZZ_SANITIZED) {
            (void)sigaction(signal, &action, nullptr);
        }
    }
    if (!FUZZ_SANITIZED) { /* their shadow alone is larger */
        const rlimit most = {MOST_BYTES, MOST_BYTES};
        (void)setrlimit(RLIMIT_AS, &most);
    }
}

std::string content(const fs::path &path)
{
    std::ifstream file(path, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    if (!file) {
        (void)fprintf(stderr, "fuzz: cannot read %s\n", path.c_str());
        exit(2);
    }
    return text.str();
}

/* Files of a folder in the order of their names, or the file itself. */
void add_seeds(options *options, const fs::path &path)
{
    std::vector<fs::path> files;
    if (fs::is_directory(path)) {
        for (const auto &entry : fs::directory_iterator(path)) {
            files.push_back(entry.path());
        }
        std::sort(files.begin(), files.end());
    } else {
        files.push_back(path);
    }
    for (const fs::path &file : files) {
        const std::string text = content(file);
        options->seeds.emplace_back(text.begin(), text.end());
    }
}

[[noreturn]] void usage()
{
    (void)fputs("usage: fuzz_KIND [--inputs N] [--seconds N] [--seed N] [--words FILE] "
                "[--keep FOLDER] FOLDER|FILE...\n",
                stderr);
    exit(2);
}

options read_arguments(int argc, char **argv)
{
    options read;
    read.kind = fs::path(argv[0]).filename().string();
    for (int i = 1; i < argc; i++) {
        const std::string name = argv[i];
        if (name.compare(0, 2, "--") != 0) {
            add_seeds(&read, name);
            continue;
        }
        if (++i == argc) {
            usage();
        }
        if (name == "--inputs") {
            read.inputs = strtoull(argv[i], nullptr, 10);
        } else if (name == "--seconds") {
            read.seconds = strtod(argv[i], nullptr);
        } else if (name == "--seed") {
            read.seed = strtoull(argv[i], nullptr, 10);
        } else if (name == "--words") {
            read.words = fuzz_words(content(argv[i]));
        } else if (name == "--keep") {
            read.keep = argv[i];
        } else {
            usage();
        }
    }
    if (read.seeds.empty()) {
        read.seeds.emplace_back();
    }
    return read;
}

double seconds_since(std::chrono::steady_clock::time_point start)
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

size_t peak_bytes()
{
    rusage usage = {};
    (void)getrusage(RUSAGE_SELF, &usage);
    return static_cast<size_t>(usage.ru_maxrss) * 1024;
}

class runner
{
  public:
    explicit runner(const options &options) : options_(options)
    {
    }

    void run(const fuzz_input &input)
    {
        (void)snprintf(now.path, sizeof now.path, "%s/crash-%s-%llu-%llu", options_.keep.c_str(),
                       options_.kind.c_str(), static_cast<unsigned long long>(options_.seed),
                       static_cast<unsigned long long>(inputs_));
        now.input = &input;
        const uint64_t good = fuzz_good();
        const auto start = std::chrono::steady_clock::now();
        (void)alarm(MOST_SECONDS);
        /* Behind its last byte is no memory of ours: reading on is seen by a sanitizer. */
        const std::vector<uint8_t> exact(input);
        fuzz_one(exact.data(), exact.size());
        (void)alarm(0);
        slowest_ = std::max(slowest_, seconds_since(start));
        inputs_++;
        good_ += fuzz_good() > good ? 1 : 0;
        if (!FUZZ_SANITIZED && inputs_ % 64 == 0 && peak_bytes() > MOST_BYTES) {
            fuzz_fail("more than 1 GiB of memory");
        }
    }

    bool goes_on() const
    {
        return inputs_ < options_.inputs &&
               (options_.seconds <= 0 || seconds_since(start_) < options_.seconds);
    }

    void report() const
    {
        (void)fprintf(stderr,
                      "%s: %llu inputs in %.1f s, %llu of them good, 0 crashes, slowest %.1f ms, "
                      "peak %zu MiB, no coverage\n",
                      options_.kind.c_str(), static_cast<unsigned long long>(inputs_),
                      seconds_since(start_), static_cast<unsigned long long>(good_), 1e3 * slowest_,
                      peak_bytes() >> 20);
    }

  private:
    const options &options_;
    uint64_t inputs_ = 0, good_ = 0; /* good: at least a part was taken */
    double slowest_ = 0;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

} // namespace

int main(int argc, char **argv)
{
    const options options = read_arguments(argc, argv);
    watch_signals();
    runner runner(options);
    for (const fuzz_input &seed : options.seeds) {
        runner.run(seed);
    }
    mutator mutator(options.seeds, options.words, options.seed);
    while (runner.goes_on()) {
        runner.run(mutator.next());
    }
    runner.report();
    return 0;
}
