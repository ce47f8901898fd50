/* The float32 comparator: its trainings against doubles, and the same bits on any number of threads
 * and however a batch is shared. */
#include "tests/unit/data_fixture.h"
#include "tests/unit/integer_fixture.h"

#include <cmath>
#include <thread>

extern "C" {
#include "sim/host_backend/float32_plan.h"
#include "sim/host_backend/format_float32.h"
}

namespace
{

const std::string TWO_HIDDEN = HEAD +
                               "  - {name: h, type: dense, units: 30, activation: relu}\n"
                               "  - {name: i, type: dense, units: 13, activation: relu}\n"
                               "  - {name: out, type: dense, units: 10, activation: softmax}\n";
/* Borders of both convolutions, on both ways. */
const std::string PADDED =
    HEAD + "  - {name: p, type: max_pool2d, size: 2}\n"
           "  - {name: a, type: conv2d, maps: 6, kernel: 5, padding: 2, activation: relu}\n"
           "  - {name: q, type: max_pool2d, size: 2}\n"
           "  - {name: b, type: conv2d, maps: 5, kernel: 3, padding: 1, activation: relu}\n"
           "  - {name: r, type: max_pool2d, size: 3, stride: 2}\n"
           "  - {name: out, type: dense, units: 10, activation: softmax}\n";
/* A layer without ReLU; convolutions that follow each other and a dense layer behind them. */
const std::string CONVOLUTIONS =
    HEAD + "  - {name: p, type: max_pool2d, size: 2}\n"
           "  - {name: a, type: conv2d, maps: 3, kernel: 3, activation: relu}\n"
           "  - {name: b, type: conv2d, maps: 4, kernel: 3}\n"
           "  - {name: c, type: conv2d, maps: 3, kernel: 5, activation: relu}\n"
           "  - {name: out, type: dense, units: 10, activation: softmax}\n";

/* The same training by float32 and in doubles. */
class twins
{
  public:
    twins(const std::string &yaml, uint32_t image_count, uint32_t batch)
        : network(yaml), train("synthetic", DATASET_TRAIN, image_count),
          test("synthetic", DATASET_TEST, 100), initial(network.parameters())
    {
        reference_draw(&network.network, CONFIG_INITIALIZER_HE, 5, initial.data());
        for (double &value : initial) {
            value = static_cast<float>(value);
        }
        learning.epochs = 20;
        learning.batch = batch;
        learning.updates_per_epoch = (image_count + batch - 1) / batch;
        learning.order = {7, image_count, 8};
        learning.schedule = training_schedule_of(learning.updates_per_epoch, learning.epochs, 0.5,
                                                 CONFIG_DECAY_LINEAR, 1);
        request.format = &FORMAT_FLOAT32;
        request.network = &network.network;
        request.table = network.table;
        request.learning = &learning;
        request.reals.optimizer = CONFIG_OPTIMIZER_MOMENTUM;
        request.reals.rate = 0x1p-9;
        request.reals.momentum = 0.9;
        request.train = &train.dataset;
        request.threads = 1;
    }

    /* The parameters after some updates, and the score of a test (nullptr: none). */
    template <typename Value>
    std::vector<Value> trained(const struct host_format *format, unsigned updates,
                               struct host_score *tested)
    {
        const std::vector<Value> begin(initial.begin(), initial.end());
        struct host_training training = request;
        struct trainer *trainer = nullptr;
        struct diagnostic said_of = {};
        training.format = format;
        training.initial = begin.data();
        EXPECT_EQ(trainer_open(&training, &trainer, &said_of), STATUS_OK) << said(said_of);
        for (unsigned i = 0; i < updates; i++) {
            EXPECT_EQ(trainer_step(trainer, &said_of), STATUS_OK) << said(said_of);
        }
        const auto *found = static_cast<const Value *>(trainer_parameters(trainer));
        const std::vector<Value> parameters(found, found + initial.size());
        if (tested != nullptr) {
            EXPECT_EQ(trainer_test(trainer, &test.dataset, nullptr, tested, &said_of), STATUS_OK);
        }
        trainer_close(trainer);
        return parameters;
    }

    std::vector<float> floats(unsigned updates)
    {
        return trained<float>(request.format, updates, &score);
    }

    std::vector<double> doubles(unsigned updates)
    {
        return trained<double>(&HOST_FORMAT_FLOAT64, updates, &exact_score);
    }

    test_network network;
    images train, test;
    std::vector<double> initial;
    struct learning learning = {};
    struct host_training request = {};
    struct host_score score = {};
    struct host_score exact_score = {};
};

/* Root of the sum of squares of a - b. */
template <typename A, typename B> double apart(const std::vector<A> &a, const std::vector<B> &b)
{
    double sum = 0;
    for (size_t i = 0; i < a.size(); i++) {
        sum += std::pow(static_cast<double>(a[i]) - static_cast<double>(b[i]), 2);
    }
    return std::sqrt(sum);
}

const char *const SETS[] = {"plain", "avx2", "avx512"};

/* Trains both for 20 updates; the parameters may differ by a share of the way that they have gone.
 */
void expect_the_same(twins &pair, const std::string &yaml, double share)
{
    const std::vector<double> exact = pair.doubles(20);
    const double moved = apart(exact, pair.initial);
    for (const char *set : SETS) {
        pair.request.instructions = set;
        if (float32_kernels_of(set) == nullptr) {
            continue; /* this processor does not have it */
        }
        const std::vector<float> found = pair.floats(20);
        EXPECT_LT(apart(found, exact), share * moved) << set << yaml;
        EXPECT_EQ(pair.score.correct, pair.exact_score.correct) << set << yaml;
        EXPECT_NEAR(pair.score.loss, pair.exact_score.loss, share / 10 * pair.exact_score.loss)
            << set << yaml;
    }
}

/* 40 images in batches of 13 and of one: blocks that are not full, several parts. */
TEST(Float32, TrainsAsTheDoublesDo)
{
    for (const std::string *yaml : {&SMALL, &TWO_HIDDEN, &PADDED, &CONVOLUTIONS, &ALL_KINDS}) {
        twins pair(*yaml, 40, 13);
        expect_the_same(pair, *yaml, 1e-4);
    }
}

/* A step of AcceleGrad is as long for small gradients as for large ones, and so are its errors. */
TEST(Float32, AcceleratesAsTheDoublesDo)
{
    for (const std::string *yaml : {&SMALL, &TWO_HIDDEN, &PADDED, &CONVOLUTIONS}) {
        twins pair(*yaml, 40, 13);
        pair.request.reals = {CONFIG_OPTIMIZER_ACCELEGRAD, 0.01, 0};
        expect_the_same(pair, *yaml, 1e-3);
    }
}

TEST(Float32, ThreadsChangeNoBit)
{
    for (const std::string *yaml : {&TWO_HIDDEN, &PADDED}) {
        twins pair(*yaml, 200, 100);
        const std::vector<float> one = pair.floats(6);
        const double loss = pair.score.loss;
        for (const unsigned threads : {2u, 3u, 7u}) {
            pair.request.threads = threads;
            EXPECT_EQ(pair.floats(6), one) << threads;
            EXPECT_EQ(pair.score.loss, loss) << threads;
        }
    }
}

/* ---- shares of a batch ---- */

/* The format float32, but a batch's gradients are the sum of so many sums, one after the other: as
 * if as many processes had each trained its share. */
unsigned sums_of_a_batch;
size_t parameter_count;
const void *parameters_now;

size_t one_part(const void *, uint32_t, bool)
{
    return 1;
}

size_t one_piece(const void *)
{
    return 1;
}

void begin_sums(void *pass, const void *parameters)
{
    parameters_now = parameters;
    FORMAT_FLOAT32.begin(pass, parameters);
}

void train_nothing(void *, unsigned, size_t, const struct host_batch *, const void *, void *,
                   struct host_score *)
{
}

void gather_sums(void *pass, unsigned, size_t, const struct host_batch *batch, void *gradients)
{
    std::vector<float> one(parameter_count);
    auto *sum = static_cast<float *>(gradients);
    std::fill_n(sum, parameter_count, 0.0F);
    for (unsigned i = 0; i < sums_of_a_batch; i++) {
        const uint32_t first = share_first(batch->count, sums_of_a_batch, i);
        struct host_batch share = *batch;
        struct host_score score = {};
        share.image += first;
        share.label += first;
        share.count = share_first(batch->count, sums_of_a_batch, i + 1) - first;
        for (size_t k = 0; k < FORMAT_FLOAT32.parts(pass, share.count, true); k++) {
            FORMAT_FLOAT32.train(pass, 0, k, &share, parameters_now, nullptr, &score);
        }
        for (size_t k = 0; k < FORMAT_FLOAT32.pieces(pass); k++) {
            FORMAT_FLOAT32.gather(pass, 0, k, &share, one.data());
        }
        for (size_t k = 0; k < parameter_count; k++) {
            sum[k] += one[k];
        }
    }
}

/* Members of an exchange that each train a share of every batch end with the bits of one training
 * that adds up as many sums. */
TEST(Float32, MembersOfAnExchangeGetTheBitsOfOne)
{
    for (const unsigned members : {2u, 3u}) {
        twins whole(PADDED, 60, 31);
        struct host_format sums = FORMAT_FLOAT32;
        sums.parts = one_part;
        sums.pieces = one_piece;
        sums.begin = begin_sums;
        sums.train = train_nothing;
        sums.gather = gather_sums;
        sums_of_a_batch = members;
        parameter_count = whole.initial.size();
        const std::vector<float> one = whole.trained<float>(&sums, 4, nullptr);
        struct exchange exchange;
        struct diagnostic said_of = {};
        ASSERT_EQ(exchange_init(&exchange, members, 4 * one.size(), &said_of), STATUS_OK);
        std::vector<std::vector<float>> found(members);
        std::vector<std::thread> member;
        for (unsigned rank = 0; rank < members; rank++) {
            member.emplace_back([&, rank] {
                twins part(PADDED, 60, 31);
                struct exchange own = exchange;
                own.rank = rank;
                part.request.exchange = &own;
                found[rank] = part.floats(4);
            });
        }
        for (std::thread &thread : member) {
            thread.join();
        }
        for (unsigned rank = 0; rank < members; rank++) {
            EXPECT_EQ(found[rank], one) << rank << " of " << members;
        }
        exchange_deinit(&exchange);
    }
}

TEST(Float32, NamesWhatItDoesNotHave)
{
    const struct {
        const std::string &yaml;
        const char *layer;
    } cases[] = {{OPERATORS, "layer a"}, {AVERAGES, "layer p"}, {BITMAPS, "layer h"}};
    for (const auto &c : cases) {
        test_network network(c.yaml);
        struct diagnostic said_of = {};
        EXPECT_EQ(float32_check(&network.network, &said_of), STATUS_CONFIGURATION);
        EXPECT_TRUE(contains(said(said_of), c.layer)) << said(said_of);
        EXPECT_TRUE(contains(said(said_of), "int16 and float64 have more")) << said(said_of);
    }
    test_network squares(SMALL);
    squares.network.loss = NN_SQUARE;
    struct diagnostic said_of = {};
    EXPECT_EQ(float32_check(&squares.network, &said_of), STATUS_CONFIGURATION);
    EXPECT_TRUE(contains(said(said_of), "train.loss")) << said(said_of);
}

TEST(Float32, ThereIsAlwaysAnInstructionSet)
{
    EXPECT_NE(float32_kernels_of(nullptr), nullptr);
    EXPECT_EQ(float32_kernels_of("plain")->lanes, 4u);
    EXPECT_EQ(float32_kernels_of("mmx"), nullptr);
}

} // namespace
