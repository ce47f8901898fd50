/* Packets of GDB's protocol, byte by byte. */
extern "C" {
#include "sim/gdb/packet.h"
}

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace
{

using events = std::vector<enum gdb_event>;

class GdbPacket : public testing::Test
{
  protected:
    /* What the bytes make, but for GDB_EVENT_NONE. */
    events put(const std::string &bytes)
    {
        events all;
        for (const char byte : bytes) {
            const enum gdb_event event = gdb_input_put(input_.get(), static_cast<uint8_t>(byte));
            if (event != GDB_EVENT_NONE) {
                all.push_back(event);
            }
        }
        return all;
    }
    std::string data() const
    {
        return std::string(input_->data, input_->data + input_->bytes);
    }
    static std::string frame(const std::string &data)
    {
        std::vector<uint8_t> to(GDB_FRAME_BYTES);
        to.resize(
            gdb_frame(to.data(), reinterpret_cast<const uint8_t *>(data.data()), data.size()));
        return std::string(to.begin(), to.end());
    }
    std::unique_ptr<struct gdb_input> input_ = std::make_unique<struct gdb_input>();
};

} // namespace

TEST_F(GdbPacket, IsDataBetweenADollarAndItsSum)
{
    EXPECT_EQ(put("$OK#9a"), events{GDB_EVENT_PACKET});
    EXPECT_EQ(data(), "OK");
    EXPECT_EQ(input_->data[2], 0);
    EXPECT_EQ(put("$#00"), events{GDB_EVENT_PACKET});
    EXPECT_EQ(data(), "");
    EXPECT_EQ(frame("OK"), "$OK#9a");
    EXPECT_EQ(frame(""), "$#00");
    EXPECT_EQ(put("$m0,4#FD"), events{GDB_EVENT_PACKET}); /* capitals, too */
}

TEST_F(GdbPacket, MayComeInParts)
{
    EXPECT_EQ(put("$q"), events{});
    EXPECT_EQ(put("C#"), events{});
    EXPECT_EQ(put("b"), events{});
    EXPECT_EQ(put("4"), events{GDB_EVENT_PACKET});
    EXPECT_EQ(data(), "qC");
}

TEST_F(GdbPacket, WithAnotherSumIsBad)
{
    EXPECT_EQ(put("$OK#9b"), events{GDB_EVENT_BAD_SUM});
    EXPECT_EQ(data(), "OK");
    EXPECT_EQ(put("$OK#9x"), events{GDB_EVENT_BAD_SUM});
    EXPECT_EQ(put("$OK#9a"), events{GDB_EVENT_PACKET});
}

TEST_F(GdbPacket, BeginsAgainAtADollar)
{
    EXPECT_EQ(put("$OK$qC#b4"), events{GDB_EVENT_PACKET});
    EXPECT_EQ(data(), "qC");
}

TEST_F(GdbPacket, HasEscapes)
{
    const std::string special("a$#}*\0\x7d\xff", 8);
    const std::string sent = frame(special);
    EXPECT_EQ(sent.substr(0, 10), "$a}\x04}\x03}]}\x0a");
    EXPECT_EQ(put(sent), events{GDB_EVENT_PACKET});
    EXPECT_EQ(data(), special);
}

TEST_F(GdbPacket, StandsBetweenAcknowledgementsAndCtrlC)
{
    EXPECT_EQ(put("+\x03-\r\nx$qC#b4+"),
              (events{GDB_EVENT_ACKNOWLEDGED, GDB_EVENT_INTERRUPT, GDB_EVENT_REFUSED,
                      GDB_EVENT_PACKET, GDB_EVENT_ACKNOWLEDGED}));
    EXPECT_EQ(put("$\x03+#2e"), events{GDB_EVENT_PACKET}); /* inside it they are data */
    EXPECT_EQ(data(), "\x03+");
}

TEST_F(GdbPacket, HasALongestLength)
{
    const std::string longest(GDB_PACKET_BYTES, 'x');
    EXPECT_EQ(put(frame(longest)), events{GDB_EVENT_PACKET});
    EXPECT_EQ(data(), longest);
    EXPECT_EQ(put("$" + longest + "x#00"), events{GDB_EVENT_TOO_LONG});
    EXPECT_EQ(put("$qC#b4"), events{GDB_EVENT_PACKET});
    EXPECT_EQ(frame(std::string(GDB_PACKET_BYTES, '$')).size(),
              static_cast<size_t>(GDB_FRAME_BYTES));
}

TEST(GdbDigits, GoBothWays)
{
    const uint8_t bytes[] = {0x00, 0x9a, 0xff};
    char text[6];
    uint8_t again[3] = {};
    gdb_hex(text, bytes, sizeof bytes);
    EXPECT_EQ(std::string(text, 6), "009aff");
    EXPECT_TRUE(gdb_unhex(again, "009AfF", 3));
    EXPECT_EQ(memcmp(again, bytes, sizeof bytes), 0);
    for (const char *wrong : {"0", "0g", "g0", "", "`0", "@0", "/0", ":0"}) {
        EXPECT_FALSE(gdb_unhex(again, wrong, 1)) << wrong;
    }
}
