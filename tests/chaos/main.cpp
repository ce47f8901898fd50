/* main.cpp - executes random programs in several ways each, in processes of their own, and reports
 * those that differ. */
#include "tests/chaos/investigation.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <new>
#include <sstream>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace
{

enum { SKIPPED = 77, SECONDS_OF_AN_EXECUTION = 300 };

struct options {
    uint32_t first = 0;
    uint32_t programs = 100;
    unsigned ways = 3;
    unsigned jobs = 1;
    long program = -1; /* one program only */
    long way = -1;     /* one way only */
    bool shrinks = false;
    bool lists = false;
    bool planted = false; /* a difference is expected */
    std::string keep;
    std::string name;
};

/* What happened in the executions: programs in which nothing happens find nothing. */
enum happening {
    INTERRUPTS,
    FAST_INTERRUPTS,
    MULTICAST,
    POINT_TO_POINT,
    NEIGHBOUR,
    DROPPED,
    DMA_BYTES,
    FAULTS,
    SLEEP,
    HAPPENINGS
};
const struct {
    const char *component, *counter, *text;
} HAPPENING[HAPPENINGS] = {
    {"core", "interrupts", "interrupts"},
    {"core", "fast_interrupts", "fast interrupts"},
    {"comms", "received_multicast", "multicast packets received"},
    {"comms", "received_point_to_point", "point-to-point packets received"},
    {"comms", "received_nearest_neighbour", "nearest-neighbour packets received"},
    {"router", "dumped_mc", "multicast packets dropped"},
    {"dma", "bytes_to_tcm", "bytes read by DMA"},
    {"core", "data_aborts", "data aborts"},
    {"core", "sleep_cycles", "cycles of sleep"},
};

/* Shared with a worker: where it is. */
struct place {
    uint32_t program, end; /* the programs from here on */
    unsigned way;
    uint64_t programs, executions, native_runs;
    uint64_t happened[HAPPENINGS];
};

double seconds_since(std::chrono::steady_clock::time_point begin)
{
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/* ---- a worker ---- */

std::string repeat_command(const options &options, uint32_t program, unsigned way)
{
    return options.name + " --program " + std::to_string(program) + " --way " + std::to_string(way);
}

/* Prints a report in one piece, and keeps it with the program. */
void tell(const options &options, uint32_t program, unsigned way, const std::string &what,
          const std::string &listing)
{
    std::ostringstream text;
    text << "program " << program << " DIFFERS\n"
         << what << "repeat: " << repeat_command(options, program, way) << "\n";
    std::cout << text.str() << std::flush;
    if (!options.keep.empty()) {
        std::filesystem::create_directories(options.keep);
        std::ofstream(options.keep + "/program-" + std::to_string(program) + ".txt")
            << text.str() << "\n"
            << listing;
    }
}

void count(const chaos_sight &sight, place *place)
{
    for (const machine_counter &counter : sight.counters) {
        for (unsigned i = 0; i < HAPPENINGS; i++) {
            if (strcmp(counter.component, HAPPENING[i].component) == 0 &&
                strcmp(counter.info->name, HAPPENING[i].counter) == 0) {
                place->happened[i] += counter.value;
            }
        }
    }
}

bool try_way(const options &options, const chaos_program &program, const chaos_sight &reference,
             place *place)
{
    const chaos_way way = way_of(program, place->way);
    alarm(SECONDS_OF_AN_EXECUTION);
    const chaos_sight sight = execute(program, way, program.end_ps);
    place->executions++;
    place->native_runs += sight.native_runs;
    if (difference(reference, sight, 1).empty()) {
        return true;
    }
    alarm(20 * SECONDS_OF_AN_EXECUTION);
    std::string what =
        program.what + "\nway " + std::to_string(place->way) + ": " + text_of(way) + "\n";
    what += options.planted ? difference(reference, sight) : investigate(program, way);
    std::string listing = listing_of(program);
    if (options.shrinks) {
        const chaos_program less = shrink(program, way);
        listing = listing_of(less);
        what += "shrunk to " + std::to_string(less.cores.size()) + " cores\n" +
                investigate(less, way) + listing;
    }
    tell(options, program.seed, place->way, what, listing);
    return false;
}

/* Tries programs from place->program on; returns at the first that differs. */
bool try_programs(const options &options, place *place)
{
    bool warm = false;
    for (; place->program < place->end; place->program++) {
        place->way = 0;
        alarm(SECONDS_OF_AN_EXECUTION);
        const chaos_program program = make_chaos_program(place->program);
        if (program.warm && !warm) {
            warm_up(program);
            warm = true;
        }
        if (options.lists) {
            std::cout << listing_of(program);
        }
        const chaos_sight reference = execute(program, reference_way(), program.end_ps);
        count(reference, place);
        place->executions++;
        for (unsigned way = 0; way < options.ways; way++) {
            place->way = options.way >= 0 ? static_cast<unsigned>(options.way) : way;
            if (!try_way(options, program, reference, place)) {
                return false;
            }
            if (options.way >= 0) {
                break;
            }
        }
        place->programs++;
    }
    return true;
}

/* ---- workers ---- */

/* Set by SIGINT and SIGTERM: no more programs, and the summary of what has been executed. */
volatile sig_atomic_t stopped = 0;

void stop(int)
{
    stopped = 1;
}

class crew
{
  public:
    explicit crew(const options &options)
        : options_(options), begin_(std::chrono::steady_clock::now()), next_(options.first),
          end_(options.first + options.programs)
    {
        void *shared = mmap(nullptr, options.jobs * sizeof(place), PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (shared == MAP_FAILED) {
            throw std::bad_alloc();
        }
        places_ = static_cast<place *>(shared);
        workers_.resize(options.jobs, -1);
    }
    ~crew()
    {
        (void)munmap(places_, options_.jobs * sizeof(place));
    }
    crew(const crew &) = delete;
    crew &operator=(const crew &) = delete;

    /* Executes everything, or up to the first difference if one is expected. */
    void run()
    {
        bool goes_on = true;
        while (goes_on && stopped == 0) {
            goes_on = false;
            for (unsigned i = 0; i < options_.jobs; i++) {
                goes_on = work(i) || goes_on;
            }
            show_progress();
            (void)usleep(2000);
        }
        for (const pid_t worker : workers_) {
            if (worker > 0) {
                (void)kill(worker, SIGKILL);
                (void)waitpid(worker, nullptr, 0);
            }
        }
        show_end();
    }

    unsigned differences() const
    {
        return differences_;
    }
    uint32_t first_program() const
    {
        return first_program_;
    }
    unsigned first_way() const
    {
        return first_way_;
    }

    place sum() const
    {
        place sum = {};
        for (unsigned i = 0; i < options_.jobs; i++) {
            add(&sum, places_[i]);
        }
        return sum;
    }

  private:
    static void add(place *sum, const place &part)
    {
        sum->programs += part.programs;
        sum->executions += part.executions;
        sum->native_runs += part.native_runs;
        for (unsigned i = 0; i < HAPPENINGS; i++) {
            sum->happened[i] += part.happened[i];
        }
    }

    /* True: there is more to do. */
    bool work(unsigned i)
    {
        if (workers_[i] >= 0) {
            int status = 0;
            if (waitpid(workers_[i], &status, WNOHANG) == 0) {
                return true;
            }
            workers_[i] = -1;
            end_of(i, status);
        }
        const bool enough = options_.planted && differences_ > 0;
        if (places_[i].program < places_[i].end && !enough) {
            start(i); /* the programs behind one that differs */
            return true;
        }
        if (next_ == end_ || enough) {
            return false;
        }
        const uint32_t behind = (next_ / PROGRAMS_OF_A_GUEST + 1) * PROGRAMS_OF_A_GUEST;
        places_[i].program = next_;
        places_[i].end = next_ = behind < end_ ? behind : end_;
        start(i);
        return true;
    }

    void start(unsigned i)
    {
        (void)fflush(nullptr);
        std::cout.flush();
        workers_[i] = fork();
        if (workers_[i] == 0) {
            (void)signal(SIGINT, SIG_IGN);
            (void)signal(SIGTERM, SIG_IGN);
            _exit(try_programs(options_, &places_[i]) ? 0 : 1);
        }
        if (workers_[i] < 0) {
            std::cerr << "chaos: fork: " << strerror(errno) << "\n";
            exit(3);
        }
    }

    void tell_of_end(const place &place, int signal) const
    {
        chaos_program program = make_chaos_program(place.program);
        const chaos_way way = way_of(program, place.way);
        std::string what = program.what + "\nway " + std::to_string(place.way) + ": " +
                           text_of(way) + "\nthe simulator was ended by signal " +
                           std::to_string(signal) + " (" + strsignal(signal) + ")\n";
        if (options_.shrinks) {
            program = shrink(program, way);
            what += listing_of(program);
        }
        tell(options_, place.program, place.way, what, listing_of(program));
    }

    void end_of(unsigned i, int status)
    {
        place &place = places_[i];
        if (WIFEXITED(status) && WEXITSTATUS(status) == 3) {
            exit(3);
        }
        if (!WIFEXITED(status) || WEXITSTATUS(status) > 1) {
            tell_of_end(place, WIFSIGNALED(status) ? WTERMSIG(status) : 0);
        }
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
            if (differences_++ == 0) {
                first_program_ = place.program;
                first_way_ = place.way;
            }
            place.programs++;
            place.program++;
        }
    }

    void show_progress()
    {
        if (isatty(STDERR_FILENO) == 0 || seconds_since(begin_) < shown_ + 1) {
            return;
        }
        shown_ = seconds_since(begin_);
        const place all = sum();
        const double rate = static_cast<double>(all.programs) / shown_;
        std::cerr << "\r" << all.programs << " of " << options_.programs << " programs, "
                  << differences_ << " differ, " << static_cast<uint64_t>(rate * 60)
                  << " a minute  " << std::flush;
    }

    void show_end() const
    {
        if (shown_ > 0) {
            std::cerr << "\n";
        }
        const place all = sum();
        std::cout << all.programs << " programs from " << options_.first << " on, "
                  << all.executions << " executions, " << differences_ << " differences, "
                  << static_cast<uint64_t>(seconds_since(begin_)) << " s\n";
        for (unsigned i = 0; i < HAPPENINGS; i++) {
            std::cout << "  " << all.happened[i] << " " << HAPPENING[i].text << "\n";
        }
        std::cout << "  " << all.native_runs << " entries into native code\n" << std::flush;
    }

    const options &options_;
    std::chrono::steady_clock::time_point begin_;
    uint32_t next_, end_;
    place *places_ = nullptr;
    std::vector<pid_t> workers_;
    unsigned differences_ = 0;
    uint32_t first_program_ = 0;
    unsigned first_way_ = 0;
    double shown_ = 0;
};

/* ---- options ---- */

[[noreturn]] void mistake(const std::string &what)
{
    std::cerr << "chaos: " << what << "\n"
              << "usage: chaos [--programs N] [--seed FIRST] [--ways N] [--jobs N] [--keep FOLDER] "
                 "[--shrink]\n"
              << "       chaos --program N [--way N] [--shrink] [--list]\n"
              << "       chaos --planted [--programs N]\n"
              << "  --planted   the simulator has a fault: succeeds if a program finds it, twice\n";
    exit(2);
}

unsigned long number_of(const char *text)
{
    char *end = nullptr;
    errno = 0;
    const unsigned long number = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end != '\0' || errno != 0 || number > UINT32_MAX / 2) {
        mistake(std::string("not a number: ") + text);
    }
    return number;
}

options parse(int argc, char **argv)
{
    options options;
    options.name = argv[0];
    for (int i = 1; i < argc; i++) {
        const std::string name = argv[i];
        if (name == "--planted" || name == "--shrink" || name == "--list") {
            options.planted = options.planted || name == "--planted";
            options.shrinks = options.shrinks || name == "--shrink";
            options.lists = options.lists || name == "--list";
            continue;
        }
        if (i + 1 == argc) {
            mistake(name + " needs a value, or is no option");
        }
        const char *value = argv[++i];
        if (name == "--programs") {
            options.programs = static_cast<uint32_t>(number_of(value));
        } else if (name == "--seed") {
            options.first = static_cast<uint32_t>(number_of(value));
        } else if (name == "--ways") {
            options.ways = static_cast<unsigned>(number_of(value));
        } else if (name == "--jobs") {
            options.jobs = static_cast<unsigned>(number_of(value));
        } else if (name == "--program") {
            options.program = static_cast<long>(number_of(value));
        } else if (name == "--way") {
            options.way = static_cast<long>(number_of(value));
        } else if (name == "--keep") {
            options.keep = value;
        } else {
            mistake("unknown option " + name);
        }
    }
    if (options.program >= 0) {
        options.first = static_cast<uint32_t>(options.program);
        options.programs = 1;
    }
    if (options.ways == 0 || options.jobs == 0 || options.jobs > 256) {
        mistake("at least one way and one job, at most 256 jobs");
    }
    return options;
}

/* Native code, and guests while they are compiled, are kept in a folder of this process. */
class cache
{
  public:
    cache() : path_((std::filesystem::temp_directory_path() / "spinnsim_cache_XXXXXX").string())
    {
        if (mkdtemp(path_.data()) == nullptr || setenv("XDG_CACHE_HOME", path_.c_str(), 1) != 0 ||
            setenv("TMPDIR", path_.c_str(), 1) != 0) {
            std::cerr << "chaos: no folder " << path_ << "\n";
            exit(3);
        }
    }
    ~cache()
    {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    cache(const cache &) = delete;
    cache &operator=(const cache &) = delete;

  private:
    std::string path_;
};

/* A planted fault is found, and found again by the command that was printed, with a report of what
 * differs first (unless each execution calls the compiler). */
int expect_difference(const options &asked, const crew &first)
{
    if (first.differences() == 0) {
        std::cout << "the planted fault was not found\n";
        return 1;
    }
    options again = asked;
    again.first = first.first_program();
    again.programs = 1;
    again.way = first.first_way();
    const chaos_program program = make_chaos_program(first.first_program());
    again.planted = way_of(program, first.first_way()).tier == TIER_EVERYTHING;
    crew second(again);
    second.run();
    std::cout << "found by program " << first.first_program() - asked.first + 1 << " of "
              << asked.programs << (second.differences() != 0 ? ", twice\n" : ", but not again\n");
    return second.differences() != 0 ? 0 : 1;
}

/* Of many programs, some do each thing that can happen. */
bool everything_happened(const options &options, const crew &crew)
{
    const place all = crew.sum();
    bool happened = options.programs < 100 || all.native_runs > 0;
    for (unsigned i = 0; i < HAPPENINGS; i++) {
        happened = happened && (options.programs < 100 || all.happened[i] > options.programs);
    }
    if (!happened) {
        std::cout << "too little happens in these programs\n";
    }
    return happened;
}

} // namespace

int main(int argc, char **argv)
{
    const options options = parse(argc, argv);
    if (!has_guest_compiler()) {
        std::cout << "skipped: arm-none-eabi-gcc is missing\n";
        return SKIPPED;
    }
    const cache cache;
    (void)signal(SIGINT, stop);
    (void)signal(SIGTERM, stop);
    crew crew(options);
    crew.run();
    if (options.planted) {
        return expect_difference(options, crew);
    }
    const bool enough = stopped != 0 || everything_happened(options, crew);
    return crew.differences() == 0 && enough ? 0 : 1;
}
