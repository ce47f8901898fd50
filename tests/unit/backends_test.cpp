/* The table of backends, and the host's operations with their fallbacks: exact values, and the same
 * bits by each way. */
#include "tests/unit/data_fixture.h"
#include "tests/unit/nn_fixture.h"

#include <gtest/gtest.h>

#include <cmath>

extern "C" {
#include "sim/host_backend/operations.h"
}

namespace
{

constexpr uint32_t bit(enum backend_capability capability)
{
    return UINT32_C(1) << capability;
}

/* ---- the table ---- */

TEST(Backends, ReadsWhatIsSwitchedOff)
{
    struct diagnostic diagnostic = {};
    uint32_t without = 99;
    ASSERT_EQ(backend_read_without("", &without, &diagnostic), STATUS_OK);
    EXPECT_EQ(without, 0u);
    ASSERT_EQ(backend_read_without("gemv, softmax,gemv", &without, &diagnostic), STATUS_OK);
    EXPECT_EQ(without, bit(BACKEND_CAN_GEMV) | bit(BACKEND_CAN_SOFTMAX));
    ASSERT_EQ(backend_read_without("nothing", &without, &diagnostic), STATUS_OK);
    EXPECT_EQ(without, 0u);
    ASSERT_EQ(backend_read_without("gemv,softma", &without, &diagnostic), STATUS_CONFIGURATION);
    EXPECT_STREQ(diagnostic.text, "softma is no capability of a backend");
    EXPECT_STREQ(diagnostic.key, "run.without");
}

/* Each capability alone: what has a fallback goes on, what has none is named. */
TEST(Backends, SayWhatNothingIsLeftFor)
{
    const uint32_t all = backend_has(&OPERATIONS_INT16);
    EXPECT_EQ(all, (UINT32_C(1) << BACKEND_CAPABILITIES) - 1);
    for (uint32_t i = 0; i < BACKEND_CAPABILITIES; i++) {
        struct diagnostic diagnostic = {};
        const bool has_fallback = BACKEND_CAPABILITY[i].needs != 0;
        EXPECT_EQ(backend_check("toy", all, UINT32_C(1) << i, &diagnostic),
                  has_fallback ? STATUS_OK : STATUS_CONFIGURATION)
            << BACKEND_CAPABILITY[i].name;
        EXPECT_EQ(has_fallback, BACKEND_CAPABILITY[i].fallback[0] != '\0');
        if (!has_fallback) {
            EXPECT_EQ(diagnostic.text, "nothing is left of backend toy to make " +
                                           std::string(BACKEND_CAPABILITY[i].name) +
                                           " of: it has no fallback");
        }
    }
    struct diagnostic diagnostic = {};
    const uint32_t chain = bit(BACKEND_CAN_CONVOLUTION) | bit(BACKEND_CAN_GEMV) |
                           bit(BACKEND_CAN_REDUCE) | bit(BACKEND_CAN_SOFTMAX) |
                           bit(BACKEND_CAN_POOLING) | bit(BACKEND_CAN_OPTIMIZER);
    EXPECT_EQ(backend_check("toy", all, chain, &diagnostic), STATUS_OK);
    EXPECT_EQ(backend_check("toy", all & ~bit(BACKEND_CAN_CONVOLUTION), bit(BACKEND_CAN_DUMP),
                            &diagnostic),
              STATUS_CONFIGURATION);
    EXPECT_STREQ(diagnostic.text,
                 "nothing is left of backend toy to make dump of: it has no fallback");
}

TEST(Backends, HaveACellForEachPair)
{
    EXPECT_STREQ(backend_cell(BACKEND_ROW_HOST, BACKEND_CAN_LOAD), "yes");
    EXPECT_STREQ(backend_cell(BACKEND_ROW_SPINNAKER, BACKEND_CAN_GEMV), "yes");
    EXPECT_STREQ(backend_cell(BACKEND_ROW_SPINNAKER, BACKEND_CAN_OPTIMIZER), "switch");
    EXPECT_STREQ(backend_cell(BACKEND_ROW_HOST_FLOAT32, BACKEND_CAN_GEMV), "switch");
    EXPECT_STREQ(backend_cell(BACKEND_ROW_LIBRARY, BACKEND_CAN_GEMV), "required");
    EXPECT_STREQ(backend_cell(BACKEND_ROW_LIBRARY, BACKEND_CAN_OPTIMIZER), "optional");
    for (uint32_t row = 0; row < BACKEND_ROWS; row++) {
        const struct spinnsim_backend *operations = BACKEND_ROW[row].operations;
        for (uint32_t i = 0; operations != nullptr && i < BACKEND_CAPABILITIES; i++) {
            EXPECT_EQ(backend_has(operations) >> i & 1, 1u)
                << BACKEND_ROW[row].name << " " << BACKEND_CAPABILITY[i].name;
        }
    }
}

/* ---- operations ---- */

class opened
{
  public:
    explicit opened(const struct spinnsim_backend &backend, uint32_t without = 0,
                    size_t longest = 4096)
    {
        struct diagnostic diagnostic = {};
        EXPECT_EQ(operations_open(&on, &backend, without, longest, &log, &diagnostic), STATUS_OK);
    }
    ~opened()
    {
        for (struct spinnsim_memory *memory : owned) {
            operations_free(&on, memory);
        }
        operations_close(&on);
    }
    opened(const opened &) = delete;
    opened &operator=(const opened &) = delete;

    template <typename T>
    struct spinnsim_vector with(enum spinnsim_type type, const std::vector<T> &elements)
    {
        struct spinnsim_memory *memory = operations_allocate(&on, type, elements.size());
        owned.push_back(memory);
        operations_load(&on, memory, type, elements.size(), elements.data());
        return {memory, 0, 1};
    }
    struct spinnsim_vector values(const std::vector<int16_t> &elements)
    {
        return with(SPINNSIM_VALUE, elements);
    }
    struct spinnsim_vector totals(const std::vector<int32_t> &elements)
    {
        return with(SPINNSIM_TOTAL, elements);
    }

    template <typename T> std::vector<T> get(struct spinnsim_vector of, size_t count)
    {
        std::vector<T> elements(count);
        operations_dump(&on, of.memory,
                        sizeof(T) == sizeof(int16_t) ? SPINNSIM_VALUE : SPINNSIM_TOTAL, count,
                        elements.data());
        EXPECT_EQ(on.failed, nullptr);
        return elements;
    }

    void element(enum spinnsim_element_operation operation, struct spinnsim_vector to,
                 struct spinnsim_vector a, struct spinnsim_vector b, size_t count,
                 uint32_t shift = 0)
    {
        const struct spinnsim_elementwise call = {operation, to, a, b, count, shift};
        operations_elementwise(&on, &call);
    }

    struct operations_log log = {};
    struct operations on = {};

  private:
    std::vector<struct spinnsim_memory *> owned;
};

constexpr struct spinnsim_vector NONE = {nullptr, 0, 0};
using int16s = std::vector<int16_t>;
using int32s = std::vector<int32_t>;

TEST(BackendOperations, OfElementsAreExact)
{
    opened o(OPERATIONS_INT16);
    const auto a = o.values({1, -2, 32767, -32768});
    const auto b = o.values({1, 3, -1, -32768});
    const auto v = o.values({0, 0, 0, 0});
    const auto t = o.totals({5, -5, INT32_MAX, INT32_MIN});
    const auto one = o.totals({1, 1, 1, -1});
    const auto to = o.totals({0, 0, 0, 0});
    o.element(SPINNSIM_MULTIPLY, to, a, b, 4);
    EXPECT_EQ(o.get<int32_t>(to, 4), (int32s{1, -6, -32767, 1 << 30}));
    o.element(SPINNSIM_ADD, to, t, one, 4);
    EXPECT_EQ(o.get<int32_t>(to, 4), (int32s{6, -4, INT32_MIN, INT32_MAX})) << "they wrap";
    o.element(SPINNSIM_SUBTRACT, to, t, one, 4);
    EXPECT_EQ(o.get<int32_t>(to, 4), (int32s{4, -6, INT32_MAX - 1, INT32_MIN + 1}));
    o.element(SPINNSIM_MAXIMUM, v, a, b, 4);
    EXPECT_EQ(o.get<int16_t>(v, 4), (int16s{1, 3, 32767, -32768}));
    o.element(SPINNSIM_EQUAL, v, a, b, 4);
    EXPECT_EQ(o.get<int16_t>(v, 4), (int16s{1, 0, 0, 1}));
    o.element(SPINNSIM_SELECT, v, a, v, 4);
    EXPECT_EQ(o.get<int16_t>(v, 4), (int16s{1, 0, 0, -32768}));
    o.element(SPINNSIM_WIDEN, to, a, NONE, 4, 11);
    EXPECT_EQ(o.get<int32_t>(to, 4), (int32s{2048, -4096, 32767 * 2048, -32768 * 2048}));
    o.element(SPINNSIM_COPY, to, operations_at(t.memory, 1, 0), NONE, 4);
    EXPECT_EQ(o.get<int32_t>(to, 4), (int32s{-5, -5, -5, -5})) << "step 0: the same again";
}

/* To nearest, ties upwards; what is beyond the range is cut and counted. */
TEST(BackendOperations, RoundAsTheMachine)
{
    opened o(OPERATIONS_INT16);
    const int32s exact = {3, 1, -1, -3, 2, 131069, 131070, -131074, -131076, INT32_MAX};
    const auto v = o.values(int16s(10));
    o.element(SPINNSIM_ROUND, v, o.totals(exact), NONE, 10, 2);
    EXPECT_EQ(o.get<int16_t>(v, 10), (int16s{1, 0, 0, -1, 1, 32767, 32767, -32768, -32768, 32767}));
    EXPECT_EQ(o.on.events.cut, 3u);
}

/* The header's arithmetic for libraries is that of workloads/nn, for all of a table. */
TEST(BackendOperations, HaveTheExponentialsOfTheKernels)
{
    uint32_t header[SPINNSIM_EXPONENTIALS];
    uint32_t kernels[NN_EXP_STEPS + 1];
    static_assert(SPINNSIM_EXPONENTIALS == NN_EXP_STEPS + 1, "one table");
    spinnsim_exponentials(header);
    nn_exp_table(kernels);
    for (uint32_t i = 0; i <= NN_EXP_STEPS; i++) {
        ASSERT_EQ(header[i], kernels[i]) << i;
    }
    random_source random(1);
    for (uint32_t i = 0; i < 100000; i++) {
        const uint32_t below = random.between(UINT32_C(0), UINT32_MAX - 1) >> random.between(0, 31);
        const uint32_t fraction = random.between(UINT32_C(16), UINT32_C(28));
        ASSERT_EQ(static_cast<uint32_t>(
                      spinnsim_exponential(static_cast<int32_t>(below), fraction, header)),
                  nn_exponential(below, fraction, kernels))
            << below << " " << fraction;
    }
}

TEST(BackendOperations, MultiplyWithSteps)
{
    for (const uint32_t without :
         {UINT32_C(0), bit(BACKEND_CAN_GEMV), bit(BACKEND_CAN_GEMV) | bit(BACKEND_CAN_REDUCE)}) {
        opened o(OPERATIONS_INT16, without);
        /* columns of a 3 x 2 matrix as rows, times every second value, into every second total */
        const auto matrix = o.values({1, 2, 3, 4, 5, 6});
        const auto by = o.values({10, 0, 100, 0, 1000});
        const auto to = o.totals({7, -1, 8, -1});
        const struct spinnsim_gemv gemv = {
            {to.memory, 0, 2}, matrix.memory, 0, 1, 2, {by.memory, 0, 2}, 2, 3};
        operations_gemv(&o.on, &gemv);
        EXPECT_EQ(o.get<int32_t>(to, 4), (int32s{7 + 5310, -1, 8 + 6420, -1}));
        EXPECT_EQ(o.log.of[BACKEND_CAN_GEMV].fallbacks, without == 0 ? 0u : 1u);
        EXPECT_EQ(o.log.of[BACKEND_CAN_GEMV].calls, without == 0 ? 1u : 0u);
        EXPECT_EQ(o.log.of[BACKEND_CAN_GEMV].elements, without == 0 ? 6u : 0u);
        EXPECT_EQ(o.log.of[BACKEND_CAN_REDUCE].fallbacks,
                  (without & bit(BACKEND_CAN_REDUCE)) != 0 ? 2u : 0u);
    }
}

TEST(BackendOperations, CountSumsThatWrap)
{
    opened o(OPERATIONS_INT16);
    const auto matrix = o.values({32767, 32767, 32767, -32768});
    const auto by = o.values({32767, 32767});
    const auto to = o.totals({INT32_MAX, 0});
    const struct spinnsim_gemv gemv = {to, matrix.memory, 0, 2, 1, by, 2, 2};
    operations_gemv(&o.on, &gemv);
    EXPECT_EQ(o.on.events.wrapped, 1u);
    EXPECT_EQ(o.get<int32_t>(to, 2)[1], 32767 * 32767 - 32768 * 32767);
}

/* ---- windows: with and without convolution ---- */

struct window_case {
    uint32_t channels, height, width, maps, kernel, stride, padding;
};

const window_case WINDOWS[] = {{1, 6, 6, 1, 3, 1, 0}, {2, 7, 5, 3, 3, 1, 1}, {3, 8, 9, 2, 4, 2, 0},
                               {2, 5, 5, 2, 5, 1, 4}, {1, 9, 7, 4, 3, 3, 2}, {4, 4, 4, 3, 1, 1, 0}};

struct spinnsim_window window_of(const window_case &c)
{
    struct spinnsim_window w = {};
    w.channels = c.channels;
    w.height = c.height;
    w.width = c.width;
    w.maps = c.maps;
    w.kernel = c.kernel;
    w.stride = c.stride;
    w.padding = c.padding;
    w.out_height = (c.height + 2 * c.padding - c.kernel) / c.stride + 1;
    w.out_width = (c.width + 2 * c.padding - c.kernel) / c.stride + 1;
    return w;
}

/* The three ways through a layer: output, gradient, errors of the input. */
struct three {
    int32s output, gradient, back;
};

three through(const window_case &c, uint32_t without)
{
    opened o(OPERATIONS_INT16, without);
    random_source random(5);
    struct spinnsim_window w = window_of(c);
    const size_t inputs = size_t{c.channels} * c.height * c.width;
    const size_t outputs = size_t{c.maps} * w.out_height * w.out_width;
    const size_t weights = c.maps * operations_patch(&w);
    w.input = o.values(random.int16s(inputs, 3000));
    w.weights = o.values(random.int16s(weights, 3000));
    w.errors = o.values(random.int16s(outputs, 3000));
    w.output = o.totals(int32s(outputs, 11));
    const auto patches = o.values(int16s(operations_patches(&w)));
    operations_convolve(&o.on, &w, patches.memory);
    three result;
    result.output = o.get<int32_t>(w.output, outputs);
    w.result = o.totals(int32s(weights, -3));
    operations_convolve_gradient(&o.on, &w, patches.memory);
    result.gradient = o.get<int32_t>(w.result, weights);
    w.result = o.totals(int32s(inputs, 4));
    operations_convolve_back(&o.on, &w);
    result.back = o.get<int32_t>(w.result, inputs);
    EXPECT_EQ(o.log.of[BACKEND_CAN_CONVOLUTION].fallbacks,
              (without & bit(BACKEND_CAN_CONVOLUTION)) != 0 ? 3u : 0u);
    return result;
}

/* By definition. */
three defined(const window_case &c)
{
    random_source random(5);
    const struct spinnsim_window w = window_of(c);
    const size_t inputs = size_t{c.channels} * c.height * c.width;
    const size_t outputs = size_t{c.maps} * w.out_height * w.out_width;
    const size_t weights = c.maps * operations_patch(&w);
    const int16s input = random.int16s(inputs, 3000);
    const int16s weight = random.int16s(weights, 3000);
    const int16s error = random.int16s(outputs, 3000);
    three result = {int32s(outputs, 11), int32s(weights, -3), int32s(inputs, 4)};
    for (uint32_t m = 0; m < c.maps; m++) {
        for (uint32_t y = 0; y < w.out_height; y++) {
            for (uint32_t x = 0; x < w.out_width; x++) {
                const size_t out = (size_t{m} * w.out_height + y) * w.out_width + x;
                for (uint32_t n = 0; n < c.channels * c.kernel * c.kernel; n++) {
                    const int64_t row =
                        int64_t{y} * c.stride + n / c.kernel % c.kernel - int64_t{c.padding};
                    const int64_t column =
                        int64_t{x} * c.stride + n % c.kernel - int64_t{c.padding};
                    if (row < 0 || row >= c.height || column < 0 || column >= c.width) {
                        continue;
                    }
                    const auto in = static_cast<size_t>(
                        (int64_t{n / (c.kernel * c.kernel)} * c.height + row) * c.width + column);
                    const size_t at = m * operations_patch(&w) + n;
                    result.output[out] += weight[at] * input[in];
                    result.gradient[at] += error[out] * input[in];
                    result.back[in] += error[out] * weight[at];
                }
            }
        }
    }
    return result;
}

TEST(BackendOperations, ConvolveEachWayAlike)
{
    for (const window_case &c : WINDOWS) {
        const three right = defined(c);
        for (const uint32_t without :
             {UINT32_C(0), bit(BACKEND_CAN_CONVOLUTION),
              bit(BACKEND_CAN_CONVOLUTION) | bit(BACKEND_CAN_GEMV),
              bit(BACKEND_CAN_CONVOLUTION) | bit(BACKEND_CAN_GEMV) | bit(BACKEND_CAN_REDUCE)}) {
            const three one = through(c, without);
            EXPECT_EQ(one.output, right.output) << c.kernel << " " << without;
            EXPECT_EQ(one.gradient, right.gradient) << c.kernel << " " << without;
            EXPECT_EQ(one.back, right.back) << c.kernel << " " << without;
        }
    }
}

/* ---- pooling ---- */

/* An error goes to the first of equals by rows; values beyond the windows have none. */
TEST(BackendOperations, PoolEachWayAlike)
{
    for (const uint32_t without : {UINT32_C(0), bit(BACKEND_CAN_POOLING)}) {
        opened o(OPERATIONS_INT16, without);
        struct spinnsim_window w = window_of({1, 3, 5, 1, 2, 2, 0});
        w.input = o.values({4, 4, -1, -7, 9, /* */
                            4, 3, -1, -1, 9, /* */
                            8, 8, 8, 8, 8});
        w.output = o.values({0, 0});
        w.errors = o.values({5, 6});
        w.result = o.values(int16s(15));
        const auto scratch = o.values(int16s(4));
        operations_pool(&o.on, &w);
        EXPECT_EQ(o.get<int16_t>(w.output, 2), (int16s{4, -1}));
        operations_pool_back(&o.on, &w, scratch.memory);
        EXPECT_EQ(o.get<int16_t>(w.result, 15),
                  (int16s{5, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}))
            << without;
        EXPECT_EQ(o.log.of[BACKEND_CAN_POOLING].fallbacks, without == 0 ? 0u : 2u);
    }
}

/* ---- softmax ---- */

TEST(BackendOperations, MakeErrorsOfSoftmaxEachWayAlike)
{
    random_source random(8);
    for (uint32_t trial = 0; trial < 200; trial++) {
        const auto classes = random.between(UINT32_C(2), UINT32_C(16));
        const auto error_fraction = random.between(UINT32_C(8), UINT32_C(14));
        const auto label = random.between(UINT32_C(0), classes - 1);
        int32s logits(classes);
        for (int32_t &logit : logits) {
            logit = random.between(-(1 << 30), 1 << 30) >> random.between(0, 8);
        }
        std::vector<int16s> errors;
        for (const uint32_t without : {UINT32_C(0), bit(BACKEND_CAN_SOFTMAX),
                                       bit(BACKEND_CAN_SOFTMAX) | bit(BACKEND_CAN_REDUCE)}) {
            opened o(OPERATIONS_INT16, without);
            const auto to = o.values(int16s(classes));
            const auto scratch = o.totals(int32s(classes + 2));
            const auto one = o.values({static_cast<int16_t>(1 << error_fraction)});
            const struct spinnsim_softmax softmax = {o.totals(logits), to, classes, label, 24,
                                                     error_fraction};
            operations_softmax(&o.on, &softmax, scratch.memory, one.memory);
            errors.push_back(o.get<int16_t>(to, classes));
        }
        ASSERT_EQ(errors[1], errors[0]) << trial;
        ASSERT_EQ(errors[2], errors[0]) << trial;
    }
}

TEST(BackendOperations, MakeErrorsOfSoftmaxInDoubles)
{
    for (const uint32_t without : {UINT32_C(0), bit(BACKEND_CAN_SOFTMAX)}) {
        opened o(OPERATIONS_FLOAT64, without);
        const auto to = o.with<double>(SPINNSIM_VALUE, {0, 0, 0});
        const auto scratch = o.with<double>(SPINNSIM_TOTAL, std::vector<double>(5));
        const auto one = o.with<double>(SPINNSIM_VALUE, {1});
        const struct spinnsim_softmax softmax = {
            o.with<double>(SPINNSIM_TOTAL, {1, 2, 4}), to, 3, 2, 0, 0};
        operations_softmax(&o.on, &softmax, scratch.memory, one.memory);
        const auto errors = o.get<double>(to, 3);
        const double sum = std::exp(-3.0) + std::exp(-2.0) + 1;
        EXPECT_NEAR(errors[0], std::exp(-3.0) / sum, 1e-15);
        EXPECT_NEAR(errors[1], std::exp(-2.0) / sum, 1e-15);
        EXPECT_NEAR(errors[2], 1 / sum - 1, 1e-15);
    }
}

/* ---- a backend that fails ---- */

int fails(void *, const struct spinnsim_reduce *)
{
    return 7;
}

TEST(BackendOperations, NameTheOneThatFails)
{
    struct spinnsim_backend broken = OPERATIONS_INT16;
    struct diagnostic diagnostic = {};
    broken.name = "broken";
    broken.reduce = fails;
    opened o(broken);
    const auto a = o.totals({1, 2});
    const struct spinnsim_reduce sum = {SPINNSIM_SUM, a, a, 2};
    const auto calls = o.log.of[BACKEND_CAN_REDUCE].calls;
    operations_reduce(&o.on, &sum);
    operations_reduce(&o.on, &sum);
    EXPECT_EQ(o.log.of[BACKEND_CAN_REDUCE].calls, calls + 1) << "nothing more is asked of it";
    EXPECT_EQ(operations_check(&o.on, &diagnostic), STATUS_INTERNAL);
    EXPECT_STREQ(diagnostic.text, "reduce of backend broken has failed");
}

} // namespace
