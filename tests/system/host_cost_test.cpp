/* host_cost_test.cpp - what a training costs the host: a ceiling on the instructions of one, so
 * that no change makes every training slower unseen. */
#include "tests/system/training_fixture.h"

#include <cerrno>
#include <cstring>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace
{

/* 2,250 million in user code, counted by cachegrind (valgrind --tool=cachegrind --cache-sim=no) on
 * the release build with gcc 12, x86-64, and 25 % above that.  408 million of them are SHA-256 in
 * plain C, which most processors do in their own instructions: cachegrind's has none.  Count again,
 * and lower this, whenever a change makes trainings cheaper. */
constexpr uint64_t CEILING_INSTRUCTIONS = UINT64_C(2250000000) / 4 * 5;

/* User instructions of this process and of all that it starts meanwhile. */
class instruction_counter
{
  public:
    instruction_counter()
    {
        struct perf_event_attr attributes = {};
        attributes.type = PERF_TYPE_HARDWARE;
        attributes.size = sizeof attributes;
        attributes.config = PERF_COUNT_HW_INSTRUCTIONS;
        attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
        attributes.disabled = 1;
        attributes.inherit = 1;
        attributes.exclude_kernel = 1;
        attributes.exclude_hv = 1;
        file = static_cast<int>(syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0));
        error = file < 0 ? errno : 0;
    }
    ~instruction_counter()
    {
        if (file >= 0) {
            close(file);
        }
    }
    instruction_counter(const instruction_counter &) = delete;
    instruction_counter &operator=(const instruction_counter &) = delete;

    /* Empty: it counts. */
    std::string why_not() const
    {
        return error == 0 ? "" : std::string("perf_event_open: ") + strerror(error);
    }
    void start() const
    {
        ASSERT_EQ(ioctl(file, PERF_EVENT_IOC_ENABLE, 0), 0);
    }

    struct counts {
        uint64_t instructions, enabled_ns, running_ns;
    };
    counts stop() const
    {
        counts value = {};
        EXPECT_EQ(ioctl(file, PERF_EVENT_IOC_DISABLE, 0), 0);
        EXPECT_EQ(read(file, &value, sizeof value), static_cast<ssize_t>(sizeof value));
        return value;
    }

  private:
    int file, error;
};

} // namespace

class HostCost : public TrainingTest
{
};

TEST_F(HostCost, ATrainingStaysBelowItsCeilingOfInstructions)
{
    if (!HOST_COST_KNOWN) {
        GTEST_SKIP() << "the ceiling is for the release build with gcc on x86-64";
    }
    const instruction_counter counter;
    if (!counter.why_not().empty()) {
        GTEST_SKIP() << "this host does not count instructions: " << counter.why_not();
    }
    counter.start();
    train("out",
          {"board.shape=spin5", "board.width=null", "board.height=null", "mapping.chips=3",
           "train.epochs=1", "data.train_images=96", "data.test_images=6"},
          {"--threads", "1", "--tier", "interpreter"});
    const instruction_counter::counts used = counter.stop();
    ASSERT_EQ(used.running_ns, used.enabled_ns) << "somebody else used the counter meanwhile";
    EXPECT_GT(used.instructions, number("out", "instructions"))
        << "an interpreted instruction takes more than one";
    EXPECT_LT(used.instructions, CEILING_INSTRUCTIONS);
}
