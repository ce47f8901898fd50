/* Collective operations equal what one computer does alone: any number of ranks, any length, and
 * whatever packet is lost. */
#include "tests/unit/collectives_network.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>

namespace
{

using array = std::vector<int32_t>;

int32_t value_of(uint32_t rank, uint32_t word)
{
    uint32_t x = rank * 0x9e3779b9U + word * 0x85ebca6bU + 1;
    x = (x ^ x >> 15) * 0x2c1b3c6dU;
    return static_cast<int32_t>(x ^ x >> 13);
}

array own_of(uint32_t rank, uint32_t words)
{
    array own(words);
    for (uint32_t i = 0; i < words; i++) {
        own[i] = value_of(rank, i);
    }
    return own;
}

array combined(uint32_t size, uint32_t words, enum frames_operation operation)
{
    array all = own_of(0, words);
    for (uint32_t r = 1; r < size; r++) {
        for (uint32_t i = 0; i < words; i++) {
            const int32_t value = value_of(r, i);
            all[i] = operation == FRAMES_SUM ? static_cast<int32_t>(static_cast<uint32_t>(all[i]) +
                                                                    static_cast<uint32_t>(value))
                     : operation == FRAMES_MIN ? std::min(all[i], value)
                                               : std::max(all[i], value);
        }
    }
    return all;
}

/* What all ranks have, and what they should have behind an operation. */
struct trial {
    std::vector<array> own, arrays;
    std::vector<collective_call> calls;

    trial(uint32_t size, uint32_t words, uint32_t peer, uint32_t arrays_each = 1,
          enum frames_operation operation = FRAMES_STORE)
        : own(size), arrays(size), calls(size)
    {
        for (uint32_t r = 0; r < size; r++) {
            own[r] = own_of(r, words);
            arrays[r] =
                arrays_each == 1 ? own[r] : array(static_cast<size_t>(words) * arrays_each, -1);
            calls[r].peer = peer;
            calls[r].words = words;
            calls[r].array = arrays[r].data();
            calls[r].own = own[r].data();
            calls[r].operation = operation;
        }
    }
};

struct operation_case {
    const char *name;
    /* Runs it on a network; empty when all is right, else what is wrong. */
    std::string (*check)(collectives_network &network, uint32_t size, uint32_t words);
};

std::string wrong(const char *what, uint32_t rank)
{
    return std::string(what) + " at rank " + std::to_string(rank);
}

std::string check_broadcast(collectives_network &network, uint32_t size, uint32_t words)
{
    const uint32_t root = size / 3;
    trial t(size, words, root);
    if (!network.run(collective_broadcast, t.calls)) {
        return "no end";
    }
    for (uint32_t r = 0; r < size; r++) {
        if (t.arrays[r] != t.own[root]) {
            return wrong("array", r);
        }
    }
    return "";
}

std::string check_gather(collectives_network &network, uint32_t size, uint32_t words)
{
    const uint32_t root = size / 2;
    trial t(size, words, root, size);
    if (!network.run(collective_gather, t.calls)) {
        return "no end";
    }
    for (uint32_t r = 0; r < size; r++) {
        if (!std::equal(t.own[r].begin(), t.own[r].end(),
                        t.arrays[root].begin() + static_cast<ptrdiff_t>(r) * words)) {
            return wrong("array", r);
        }
    }
    return "";
}

template <enum frames_operation OPERATION>
std::string check_reduce(collectives_network &network, uint32_t size, uint32_t words)
{
    const uint32_t root = size - 1;
    trial t(size, words, root, 1, OPERATION);
    if (!network.run(collective_reduce, t.calls)) {
        return "no end";
    }
    return t.arrays[root] == combined(size, words, OPERATION) ? "" : wrong("sum", root);
}

template <collective_step *STEP, enum frames_operation OPERATION>
std::string check_allreduce(collectives_network &network, uint32_t size, uint32_t words)
{
    trial t(size, words, 0, 1, OPERATION);
    if (!network.run(STEP, t.calls)) {
        return "no end";
    }
    const array all = combined(size, words, OPERATION);
    for (uint32_t r = 0; r < size; r++) {
        if (t.arrays[r] != all) {
            return wrong("sum", r);
        }
    }
    return "";
}

std::string check_reduce_scatter(collectives_network &network, uint32_t size, uint32_t words)
{
    trial t(size, words, 0, 1, FRAMES_SUM);
    if (!network.run(collective_reduce_scatter, t.calls)) {
        return "no end";
    }
    const array all = combined(size, words, FRAMES_SUM);
    uint32_t next = 0;
    for (uint32_t r = 0; r < size; r++) {
        const collective_slice slice = collective_slice_of(words, size, r);
        if (slice.first != next || slice.end < slice.first ||
            slice.end - slice.first > words / size + 1) {
            return wrong("bounds", r);
        }
        next = slice.end;
        for (uint32_t i = slice.first; i < slice.end; i++) {
            if (t.arrays[r][i] != all[i]) {
                return wrong("sum", r);
            }
        }
    }
    return next == words ? "" : "words without a rank";
}

std::string check_all_gather(collectives_network &network, uint32_t size, uint32_t words)
{
    trial t(size, words, 0);
    array expected(words);
    for (uint32_t r = 0; r < size; r++) {
        const collective_slice slice = collective_slice_of(words, size, r);
        std::copy(t.own[r].begin() + slice.first, t.own[r].begin() + slice.end,
                  expected.begin() + slice.first);
    }
    if (!network.run(collective_all_gather, t.calls)) {
        return "no end";
    }
    for (uint32_t r = 0; r < size; r++) {
        if (t.arrays[r] != expected) {
            return wrong("array", r);
        }
    }
    return "";
}

std::string check_neighbours(collectives_network &network, uint32_t size, uint32_t words)
{
    trial t(size, words, 0, COLLECTIVES_LINKS);
    if (!network.run(collective_neighbours, t.calls)) {
        return "no end";
    }
    for (uint32_t r = 0; r < size; r++) {
        for (uint32_t link = 0; link < COLLECTIVES_LINKS; link++) {
            const uint32_t other = network.of(r).plan->neighbour[link];
            const array expected = other == COLLECTIVES_NOBODY ? array(words, -1) : t.own[other];
            if (!std::equal(expected.begin(), expected.end(),
                            t.arrays[r].begin() + static_cast<ptrdiff_t>(link) * words)) {
                return wrong("array", r);
            }
        }
    }
    return "";
}

/* Rank r sends to rank r + 1 where r is even. */
std::string check_pairs(collectives_network &network, uint32_t size, uint32_t words)
{
    trial t(size, words, 0);
    std::vector<collective_step *> steps(size, nullptr);
    for (uint32_t r = 0; r + 1 < size; r += 2) {
        steps[r] = collective_send;
        steps[r + 1] = collective_receive;
        t.calls[r].peer = r + 1;
        t.calls[r + 1].peer = r;
    }
    if (!network.run_each(steps, t.calls)) {
        return "no end";
    }
    for (uint32_t r = 0; r < size; r++) {
        if (t.arrays[r] != (steps[r] == nullptr ? t.own[r] : t.own[r & ~1U])) {
            return wrong("array", r);
        }
    }
    return "";
}

const std::vector<operation_case> &operations()
{
    static const std::vector<operation_case> ALL = {
        {"pairs", check_pairs},
        {"broadcast", check_broadcast},
        {"gather", check_gather},
        {"reduce sum", check_reduce<FRAMES_SUM>},
        {"reduce min", check_reduce<FRAMES_MIN>},
        {"reduce max", check_reduce<FRAMES_MAX>},
        {"reduce_scatter", check_reduce_scatter},
        {"all_gather", check_all_gather},
        {"allreduce sum", check_allreduce<collective_allreduce, FRAMES_SUM>},
        {"allreduce min", check_allreduce<collective_allreduce, FRAMES_MIN>},
        {"allreduce max", check_allreduce<collective_allreduce, FRAMES_MAX>},
        {"allreduce_ring sum", check_allreduce<collective_allreduce_ring, FRAMES_SUM>},
        {"allreduce_ring min", check_allreduce<collective_allreduce_ring, FRAMES_MIN>},
        {"neighbours", check_neighbours},
    };
    return ALL;
}

/* All operations, one after the other on the same network. */
void expect_all(uint32_t size, uint32_t words, const network_conditions &conditions = {})
{
    collectives_network network(size, conditions);
    for (const operation_case &operation : operations()) {
        ASSERT_EQ(operation.check(network, size, words), "")
            << operation.name << ", " << size << " ranks, " << words << " words";
    }
    const bool calm = conditions.lose == 0 && conditions.repeat == 0 && conditions.jitter == 0 &&
                      conditions.transmit == 0;
    if (calm && size <= 8 && words <= 65) { /* none waits as long as a timeout */
        EXPECT_EQ(network.late(), 0U);
        EXPECT_EQ(network.again(), 0U);
    }
}

} // namespace

TEST(Collectives, OfOneToFortyEightRanksEqualOneComputer)
{
    for (uint32_t size = 1; size <= 48; size++) {
        for (const uint32_t words :
             {0U, 1U, 2U, 15U, 16U, 17U, 31U, 32U, 33U, 47U, 63U, 64U, 65U}) {
            ASSERT_NO_FATAL_FAILURE(expect_all(size, words));
        }
    }
}

TEST(Collectives, OfLongArraysEqualOneComputer)
{
    for (const uint32_t size : {1U, 2U, 3U, 7U, 16U, 17U, 31U, 48U}) {
        for (const uint32_t words : {129U, 1000U, 4095U, 4096U}) {
            ASSERT_NO_FATAL_FAILURE(expect_all(size, words));
        }
    }
}

TEST(Collectives, OfEveryLengthEqualOneComputer)
{
    for (uint32_t words = 1; words <= 4096; words++) {
        collectives_network network(3);
        ASSERT_EQ((check_allreduce<collective_allreduce, FRAMES_SUM>(network, 3, words)), "")
            << words;
    }
}

TEST(Collectives, OfABoardEqualOneComputer)
{
    for (const uint32_t size : {767U, 816U}) {
        for (const uint32_t words : {1U, 40U}) {
            ASSERT_NO_FATAL_FAILURE(expect_all(size, words));
        }
        collectives_network network(size);
        EXPECT_EQ((check_allreduce<collective_allreduce, FRAMES_SUM>(network, size, 4096)), "");
        EXPECT_EQ((check_allreduce<collective_allreduce_ring, FRAMES_SUM>(network, size, 4096)),
                  "");
    }
}

/* Each packet of each operation in turn. */
TEST(Collectives, RecoverFromTheLossOfAnySinglePacket)
{
    for (const uint32_t size : {2U, 3U, 5U, 8U}) {
        for (const uint32_t words : {0U, 1U, 33U, 70U}) {
            for (const operation_case &operation : operations()) {
                collectives_network whole(size);
                ASSERT_EQ(operation.check(whole, size, words), "") << operation.name;
                const uint64_t packets = whole.packets();
                ASSERT_GT(packets, 0U);
                for (uint64_t lost = 1; lost <= packets; lost++) {
                    network_conditions conditions;
                    conditions.lose_one = lost;
                    collectives_network network(size, conditions);
                    ASSERT_EQ(operation.check(network, size, words), "")
                        << operation.name << ", " << size << " ranks, " << words
                        << " words, without packet " << lost << " of " << packets;
                    ASSERT_EQ(operation.check(network, size, words), "") << "once more";
                    ASSERT_GE(network.packets(), 2 * packets);
                }
            }
        }
    }
}

TEST(Collectives, RecoverFromManyLossesRepetitionsAndDisorder)
{
    for (uint32_t seed = 1; seed <= 20; seed++) {
        network_conditions conditions;
        conditions.seed = seed;
        conditions.lose = 0.1;
        conditions.repeat = 0.1;
        conditions.jitter = 100;
        conditions.transmit = 3;
        ASSERT_NO_FATAL_FAILURE(expect_all(11, 100, conditions)) << seed;
    }
}

TEST(Collectives, WaitForTheTransmitter)
{
    for (const uint32_t transmit : {1U, 7U, 50U}) {
        network_conditions conditions;
        conditions.transmit = transmit;
        ASSERT_NO_FATAL_FAILURE(expect_all(9, 100, conditions)) << transmit;
    }
}

/* What one packet of each kind costs: a frame of n words, sent when its receiver waits. */
TEST(Collectives, SendOnePacketForAWordAndFewOfControl)
{
    for (const auto &[words, control] : {std::pair<uint32_t, uint32_t>{0, 2},
                                         {1, 3},
                                         {32, 3},
                                         {33, 4},
                                         {48, 4},
                                         {49, 5},
                                         {320, 21}}) {
        collectives_network network(2);
        EXPECT_EQ(check_pairs(network, 2, words), "");
        EXPECT_EQ(network.packets(), words + control) << words;
    }
}

uint32_t added_halves(const collective_call *call, uint32_t step, frames_transfer *transfer)
{
    const uint32_t step_of = collective_receive(call, step, transfer);
    transfer->operation = FRAMES_ADD_HALVES;
    return step_of;
}

TEST(Collectives, AddTheHalvesOfWords)
{
    for (const uint32_t words : {1U, 40U, 70000U}) {
        collectives_network network(2);
        trial t(2, words, 0, 2);
        t.calls[0].peer = 1;
        t.calls[0].array = t.own[0].data();
        ASSERT_TRUE(network.run_each({collective_send, added_halves}, t.calls));
        for (uint32_t i = 0; i < words; i++) {
            const auto word = static_cast<uint32_t>(t.own[0][i]);
            ASSERT_EQ(t.arrays[1][2 * i], static_cast<int16_t>(word) - 1) << i;
            ASSERT_EQ(t.arrays[1][2 * i + 1], static_cast<int16_t>(word >> 16) - 1) << i;
        }
    }
}

TEST(Collectives, SendArraysLongerThanAFrame)
{
    collectives_network network(2);
    EXPECT_EQ(check_pairs(network, 2, 2 * FRAMES_WORDS_MOST + 5), "");
    EXPECT_EQ(network.of(0).sent[1], 3U);
}

/* The numbers of frames have 16 bits, those in keys 3. */
TEST(Collectives, GoOnWhenTheNumbersOfFramesBeginAgain)
{
    collectives_network network(2);
    for (uint32_t i = 0; i < 66000; i++) {
        ASSERT_EQ(check_pairs(network, 2, i % 2), "") << i;
    }
    EXPECT_EQ(network.of(0).sent[1], 66000U - 65536U);
    EXPECT_EQ(network.late() + network.again(), 0U);
}

TEST(Collectives, DoNotUseWordsOfAnotherStepOrSender)
{
    collectives_network network(3);
    ASSERT_EQ(check_pairs(network, 3, 40), "");
    const uint32_t key = collectives_key(network.of(1).plan, 0, 1);
    network.inject(1, key, 123);                                /* step 0, which is complete */
    network.inject(1, key | 2U << COLLECTIVES_STEP_SHIFT, 123); /* step 2, not begun */
    network.inject(1, collectives_key(network.of(1).plan, 2, 1) | 1, 123);
    EXPECT_EQ(check_pairs(network, 3, 40), "");
    EXPECT_EQ(network.late(), 3U);
    EXPECT_EQ(network.again(), 0U);
}

TEST(Collectives, NameThePacketThatASilentRankDoesNotSend)
{
    network_conditions conditions;
    conditions.dead = 0;
    collectives_network network(2, conditions);
    EXPECT_EQ(check_pairs(network, 2, 40), "no end");
    const frames_lost &lost = network.of(1).lost;
    EXPECT_EQ(lost.from, 0U);
    EXPECT_EQ(lost.key, collectives_key(network.of(1).plan, 0, 1));
    EXPECT_EQ(lost.word, 0U);
    EXPECT_EQ(lost.words, 40U);
    EXPECT_LT(network.now(), 200000U);
}

TEST(Collectives, NameTheAnswerThatASilentRankDoesNotSend)
{
    network_conditions conditions;
    conditions.dead = 1;
    collectives_network network(2, conditions);
    EXPECT_EQ(check_pairs(network, 2, 40), "no end");
    const frames_lost &lost = network.of(0).lost;
    EXPECT_EQ(lost.from, 1U);
    EXPECT_EQ(lost.key,
              collectives_key(network.of(0).plan, 1, 0) | COLLECTIVES_CONTROL | COLLECTIVES_DONE);
    EXPECT_EQ(lost.words, 40U);
}

/* Rank 1: from rank 2, then from rank 0. */
uint32_t from_two_ranks(const collective_call *call, uint32_t step, frames_transfer *transfer)
{
    *transfer = {COLLECTIVES_NOBODY, nullptr,     0,           step == 0 ? 2U : 0U,
                 call->array,        call->words, FRAMES_STORE};
    return step < 2 ? 1 : 0;
}

/* A rank that answers is waited for, far longer than one that does not. */
TEST(Collectives, WaitForARankThatComesLate)
{
    network_conditions conditions;
    conditions.transmit = 10;
    collectives_network network(3, conditions);
    trial t(3, 50000, 1);
    EXPECT_TRUE(network.run_each({collective_send, from_two_ranks, collective_send}, t.calls));
    EXPECT_EQ(t.arrays[1], t.own[0]);
    EXPECT_GT(network.now(), 1000000U);
    EXPECT_EQ(network.of(2).again + network.of(1).late, 0U);
}

TEST(Collectives, EndWhenLengthsDiffer)
{
    for (const auto &[sent, awaited] :
         {std::pair<uint32_t, uint32_t>{20, 10}, {10, 20}, {0, 5}, {5, 0}}) {
        collectives_network network(2);
        trial t(2, 20, 0);
        t.calls[0].peer = 1;
        t.calls[0].words = sent;
        t.calls[1].words = awaited;
        EXPECT_FALSE(network.run_each({collective_send, collective_receive}, t.calls));
        EXPECT_EQ(network.of(1).lost.from, 0U);
        EXPECT_EQ(network.of(1).lost.words, awaited);
        EXPECT_EQ(network.of(1).lost.offered, sent);
    }
}
