/* hdf5_walk.cpp - an HDF5 file, walked as the reader's process walks it (sim/import/hdf5_walk.h),
 * but hundreds one after the other in one process.
 *
 * The HDF5 library crashes on some damaged files, and loops on one of a hundred.  Then that process
 * ends, another one goes on with the next input, and the first such inputs are given to
 * keras_h5_read(), which is to take or refuse them as ever; each that loops takes it half a second.
 * Records that no reader would take are faults. */
#include "tests/fuzz/models.h"

#include <algorithm>
#include <csetjmp>
#include <csignal>
#include <hdf5.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

extern "C" {
#include "sim/import/hdf5_walk.h"
#include "sim/import/keras_files.h"

/* hdf5_walk.c once more, by other names (CMakeLists.txt). */
void fuzz_walk(const uint8_t *bytes, size_t size, const struct hdf5_wanted *wanted, int pipe);
[[noreturn]] void fuzz_walk_exit(int status);
}

namespace
{

enum : size_t { BATCH = 512, READ_AGAIN = 10 /* of each kind */ };
constexpr suseconds_t MOST_US = 20000; /* of CPU, for an input; a good one takes 0.1 ms */
constexpr unsigned MOST_SECONDS = 60;  /* by the clock */
constexpr size_t MOST_RESIDENT_KIB = size_t{1} << 20; /* the driver limits addresses to the same */

const char *const ATTRIBUTES[] = {"model_config", "keras_version", nullptr};
const char *const GROUPS[] = {"model_weights", "layers", "_layer_checkpoint_dependencies", nullptr};

/* What the walking process tells of itself. */
struct shared {
    size_t next; /* the input at work */
    bool unsound;
};

jmp_buf ended; // NOLINT: where fuzz_walk_exit() goes

/* ---- in the process ---- */

/* The records of a walk, from the file that stood for the pipe. */
void check_records(int file, struct shared *shared)
{
    const auto size = static_cast<size_t>(lseek(file, 0, SEEK_CUR));
    size_t at = 0;
    struct hdf5_record record = {};
    do {
        const bool is_there = size - at >= sizeof record &&
                              pread(file, &record, sizeof record, static_cast<off_t>(at)) ==
                                  static_cast<ssize_t>(sizeof record);
        at += is_there ? sizeof record : 0;
        size_t values = 1;
        for (uint32_t i = 0; i < record.rank && i < MODEL_MOST_RANK; i++) {
            values *= record.shape[i];
        }
        if (!is_there || record.kind > HDF5_REFUSAL || record.name_bytes > HDF5_MOST_PATH_CHARS ||
            record.rank > MODEL_MOST_RANK || record.name_bytes > size - at ||
            record.bytes > size - at - record.name_bytes ||
            (record.kind == HDF5_ARRAY && record.bytes != values * sizeof(double))) {
            shared->unsound = true;
            abort();
        }
        at += record.name_bytes + record.bytes;
    } while (record.kind != HDF5_END && record.kind != HDF5_REFUSAL);
    if (at != size) {
        shared->unsound = true;
        abort();
    }
}

[[noreturn]] void walk_on(const std::vector<std::vector<uint8_t>> &batch, struct shared *shared)
{
    static const struct hdf5_wanted WANTED = {ATTRIBUTES, GROUPS};
    const int file = memfd_create("records", MFD_CLOEXEC);
    for (const int each : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGALRM}) {
        (void)signal(each, SIG_DFL);
    }
    const rlimit none = {0, 0};
    (void)setrlimit(RLIMIT_CORE, &none);
    for (; shared->next < batch.size(); shared->next++) {
        const std::vector<uint8_t> &input = batch[shared->next];
        const itimerval timer = {{0, 0}, {0, MOST_US}};
        (void)setitimer(ITIMER_PROF, &timer, nullptr);
        (void)alarm(MOST_SECONDS);
        (void)ftruncate(file, 0);
        (void)lseek(file, 0, SEEK_SET);
        if (setjmp(ended) == 0) { // NOLINT: C, as what it leaves
            fuzz_walk(input.data(), input.size(), &WANTED, file);
        }
        check_records(file, shared);
        (void)H5close(); /* what a walk leaves to the end of its process */
    }
    _exit(0);
}

/* ---- here ---- */

class walker
{
  public:
    walker()
        : shared_(static_cast<struct shared *>(mmap(nullptr, sizeof(struct shared),
                                                    PROT_READ | PROT_WRITE,
                                                    MAP_SHARED | MAP_ANONYMOUS, -1, 0)))
    {
        (void)fuzz_model_folder(); /* so that it outlasts this */
    }
    walker(const walker &) = delete;
    walker &operator=(const walker &) = delete;

    void add(const uint8_t *bytes, size_t size)
    {
        batch_.emplace_back(bytes, bytes + size);
        if (batch_.size() == BATCH) {
            walk();
        }
    }

    ~walker()
    {
        walk();
        (void)fprintf(stderr,
                      "hdf5_walk: %zu inputs; the HDF5 library ended its process %zu times by a "
                      "signal, %zu times by the limit of 20 ms; at most %zu MiB\n",
                      inputs_, signals_, late_, most_kib_ / 1024);
    }

  private:
    void walk()
    {
        shared_->next = 0;
        (void)alarm(0); /* the driver's is for one input, which has its own in the process */
        while (shared_->next < batch_.size()) {
            int status = 0;
            rusage used = {};
            (void)fflush(nullptr);
            const pid_t process = fork();
            if (process == 0) {
                walk_on(batch_, shared_);
            }
            if (process < 0 || wait4(process, &status, 0, &used) != process) {
                fuzz_fail("no process");
            }
            most_kib_ = std::max(most_kib_, static_cast<size_t>(used.ru_maxrss));
            if (shared_->unsound || (!FUZZ_SANITIZED && most_kib_ > MOST_RESIDENT_KIB)) {
                (void)fuzz_file("../spinnsim_fuzz_unsound", batch_[shared_->next].data(),
                                batch_[shared_->next].size());
                fuzz_fail("records that no reader takes, or more than 1 GiB: the input is kept as "
                          "spinnsim_fuzz_unsound beside " +
                          fuzz_folder());
            }
            if (WIFSIGNALED(status)) {
                look_at_end(WTERMSIG(status), batch_[shared_->next++]);
            }
        }
        inputs_ += batch_.size();
        batch_.clear();
    }

    void look_at_end(int signal, const std::vector<uint8_t> &input)
    {
        size_t &count = signal == SIGPROF ? late_ : signals_;
        if (count++ < READ_AGAIN) {
            fuzz_read_model("model.h5", keras_h5_read, input.data(), input.size());
        }
    }

    struct shared *shared_;
    std::vector<std::vector<uint8_t>> batch_;
    size_t inputs_ = 0, signals_ = 0, late_ = 0, most_kib_ = 0;
};

} // namespace

void fuzz_walk_exit(int status)
{
    (void)status;
    longjmp(ended, 1); // NOLINT
}

void fuzz_one(const uint8_t *bytes, size_t size)
{
    static walker walker;
    walker.add(bytes, size);
}
