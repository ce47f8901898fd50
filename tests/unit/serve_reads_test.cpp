/* The client that reads a chip's memory: what it sends, and when. */
extern "C" {
#include "sim/serve/reads.h"
#include "sim/serve/sockets.h"
}

#include <gtest/gtest.h>

#include <string>
#include <vector>

using bytes = std::vector<uint8_t>;

namespace
{

enum : uint64_t { US = PS_PER_US, MS = PS_PER_MS };

class ServeReads : public testing::Test
{
  protected:
    /* Reads `blocks` blocks of 256 bytes of chip (3,1). */
    void begin(unsigned blocks, unsigned window)
    {
        const reads_setup setup = {3, 1, 0x62000000, 256 * blocks, window, 60 * PS_PER_S};
        reads_init(&reads_, &setup);
        client_ = reads_client(&reads_);
    }
    /* The next datagram, which is sent at its time or later; empty: none. */
    bytes send(uint64_t expected_ps, uint64_t later_ps = 0)
    {
        log_entry entry = {};
        if (!client_.next(client_.context, &entry)) {
            return {};
        }
        EXPECT_EQ(entry.time_ps, expected_ps);
        EXPECT_EQ(entry.port, SOCKETS_SCP_PORT);
        EXPECT_EQ(entry.board, 0u);
        port_ = entry.from.port;
        client_.sent(client_.context, entry.time_ps + later_ps);
        return {entry.payload, entry.payload + entry.bytes};
    }
    void answer(uint64_t time_ps, const bytes &request, uint8_t code, size_t count)
    {
        bytes payload(request.begin(), request.begin() + SCP_ARGUMENT1);
        payload[SCP_COMMAND] = code;
        payload.resize(SCP_ARGUMENT1 + count, 5);
        const frame_datagram datagram = {
            {0, SOCKETS_SCP_PORT}, {0, port_}, payload.data(), (uint32_t)payload.size()};
        client_.receive(client_.context, time_ps, &datagram);
    }
    void answer_version(uint64_t time_ps, const bytes &request)
    {
        answer(time_ps, request, SCP_OK, 32);
    }
    bool has_ended(uint64_t now_ps)
    {
        return client_.has_ended(client_.context, now_ps);
    }

    struct reads reads_ = {};
    serve_client client_ = {};
    uint16_t port_ = 0;
};

bytes request(uint8_t command, uint8_t sequence, uint32_t address)
{
    const auto byte = [address](unsigned i) { return static_cast<uint8_t>(address >> 8 * i); };
    return {0, 0,       0x87,    0xff,    0,       0xff, 1, 3, 0, 0, command, 0, sequence,
            0, byte(0), byte(1), byte(2), byte(3), 0,    1, 0, 0, 2, 0,       0, 0};
}

TEST_F(ServeReads, AsksForTheVersionUntilTheChipKnowsItsPlace)
{
    begin(1, 1);
    const bytes first = send(0);
    EXPECT_EQ(first, bytes({0,    0, 0x87, 0xff, 0, 0xff, 1, 3, 0, 0, 0, 0, 0xff,
                            0xff, 0, 0,    0,    0, 0,    0, 0, 0, 0, 0, 0, 0}));
    answer(1 * MS, first, 0x83, 32); /* bad command */
    const bytes second = send(100 * MS, 5 * MS);
    bytes unplaced = second;
    unplaced.resize(SCP_ARGUMENT1);
    unplaced.resize(SCP_ARGUMENT1 + 12, 0xff);
    unplaced[SCP_COMMAND] = SCP_OK;
    const frame_datagram datagram = {{0, 0}, {0, port_}, unplaced.data(), 26};
    client_.receive(client_.context, 106 * MS, &datagram);
    const bytes third = send(205 * MS);
    EXPECT_FALSE(reads_.is_ready);
    answer_version(206 * MS, third);
    EXPECT_TRUE(reads_.is_ready);
    EXPECT_FALSE(has_ended(206 * MS));
    EXPECT_EQ(send(206 * MS + 100 * US), request(2, 0, 0x62000000));
}

TEST_F(ServeReads, KeepsAWindowOfRequestsUnderWay)
{
    begin(3, 2);
    answer_version(1 * MS, send(0));
    const bytes a = send(1100 * US);
    const bytes b = send(1100 * US, 20 * US); /* the wire was busy */
    EXPECT_EQ(a, request(2, 0, 0x62000000));
    EXPECT_EQ(b, request(2, 1, 0x62000100));
    answer(1500 * US, b, SCP_OK, 256); /* the second one first */
    const bytes c = send(1600 * US);
    EXPECT_EQ(c, request(2, 2, 0x62000200));
    answer(1700 * US, a, SCP_OK, 256);
    answer(1701 * US, a, SCP_OK, 256); /* a second answer to the same is nothing */
    EXPECT_FALSE(has_ended(1800 * US));
    EXPECT_FALSE(reads_are_complete(&reads_));
    answer(1900 * US, c, SCP_OK, 256);
    EXPECT_TRUE(has_ended(1900 * US));
    EXPECT_TRUE(reads_are_complete(&reads_));
    EXPECT_EQ(reads_.begin_ps, 1100 * US);
    EXPECT_EQ(reads_.end_ps, 1900 * US);
    EXPECT_EQ(reads_.asked, 3);
    EXPECT_EQ(reads_.again, 0u);
    EXPECT_EQ(send(0), bytes());
}

TEST_F(ServeReads, SendsAgainWhatIsNotAnsweredWithinASecond)
{
    begin(1, 1);
    answer_version(1 * MS, send(0));
    const bytes a = send(1100 * US);
    EXPECT_EQ(send(1100 * US + 1000 * MS), a);
    answer(1200 * MS, a, SCP_OK, 256);
    EXPECT_EQ(reads_.again, 1u);
    EXPECT_TRUE(reads_are_complete(&reads_));
}

TEST_F(ServeReads, EndsWithAnErrorAndAtItsLimit)
{
    begin(2, 1);
    answer_version(1 * MS, send(0));
    EXPECT_FALSE(has_ended(60 * PS_PER_S - 1));
    EXPECT_TRUE(has_ended(60 * PS_PER_S));
    answer(2 * MS, send(1100 * US), 0x84, 0);
    EXPECT_TRUE(has_ended(2 * MS));
    EXPECT_FALSE(reads_are_complete(&reads_));
    EXPECT_EQ(reads_.refused, 1u);
}

TEST_F(ServeReads, ShortAndForeignDatagramsAreNoAnswers)
{
    begin(1, 1);
    const bytes version = send(0);
    const bytes text(17, 0xff);
    const frame_datagram brief = {{0, 0}, {0, port_}, text.data(), (uint32_t)text.size()};
    client_.receive(client_.context, 1, &brief);
    bytes all = version;
    all[SCP_COMMAND] = SCP_OK;
    const frame_datagram foreign = {
        {0, 0}, {0, (uint16_t)(port_ + 1)}, all.data(), (uint32_t)all.size()};
    client_.receive(client_.context, 2, &foreign);
    EXPECT_FALSE(reads_.is_ready);
}

} // namespace
