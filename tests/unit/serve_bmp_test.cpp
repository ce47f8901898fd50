/* What the board management processor answers, byte by byte. */
extern "C" {
#include "sim/serve/bmp.h"
}

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

using bytes = std::vector<uint8_t>;

namespace
{

void put_word(bytes &to, uint32_t word)
{
    for (unsigned i = 0; i < 4; i++) {
        to.push_back(static_cast<uint8_t>(word >> 8 * i));
    }
}

uint32_t word_at(const bytes &from, size_t at)
{
    return from[at] | from[at + 1] << 8 | from[at + 2] << 16 |
           static_cast<uint32_t>(from[at + 3]) << 24;
}

/* Two bytes of padding; reply wanted, tag 255, to port 0 of `board`, from port 7 core 31, chips
 * 0x0000 and 0x0102; sequence 0x1234. */
bytes request(uint16_t command, uint32_t a, uint32_t b, uint32_t c, const bytes &data = {},
              uint8_t board = 0)
{
    bytes all = {0,
                 0,
                 0x87,
                 0xff,
                 board,
                 0xff,
                 0,
                 0,
                 2,
                 1,
                 static_cast<uint8_t>(command),
                 static_cast<uint8_t>(command >> 8),
                 0x34,
                 0x12};
    put_word(all, a);
    put_word(all, b);
    put_word(all, c);
    all.insert(all.end(), data.begin(), data.end());
    return all;
}

class ServeBmp : public testing::Test
{
  protected:
    bytes ask(const bytes &payload)
    {
        bytes reply(BMP_REPLY_BYTES_MAX, 0xee);
        reply.resize(bmp_answer(&bmp_, payload.data(), static_cast<uint32_t>(payload.size()),
                                reply.data(), &power_));
        return reply;
    }
    /* The code of the reply to a message that has no data in it. */
    unsigned code(const bytes &payload)
    {
        const bytes reply = ask(payload);
        return reply.size() == 14 ? reply[10] : 0u;
    }
    struct bmp bmp_ = {2, 0x7f000080, 0x7f000002, 5, 0, 0, {}, 0};
    enum bmp_power power_ = BMP_POWER_AS_IT_IS;
};

} // namespace

TEST_F(ServeBmp, SaysItsVersion)
{
    const bytes reply = ask(request(0, 0, 0, 0, {}, 1));
    const bytes head = {0,    0,    0x07, 0xff, 0xff, 1, 2, 1, 0,
                        0,    0x80, 0,    0x34, 0x12, 1, 0, 0, 0, /* board 1 of frame 0 */
                        0x00, 1,    0xff, 0xff,                   /* 256 bytes; as text */
                        0,    0,    0,    0};
    ASSERT_GT(reply.size(), head.size());
    EXPECT_EQ(bytes(reply.begin(), reply.begin() + static_cast<long>(head.size())), head);
    EXPECT_EQ(std::string(reply.begin() + 26, reply.end()),
              std::string("BC&MP/Spin5-BMP\0002.1.2\0", 22));
    EXPECT_EQ(power_, BMP_POWER_AS_IT_IS);
}

TEST_F(ServeBmp, SwitchesPower)
{
    EXPECT_EQ(code(request(57, 1, 3, 0)), 0x80u);
    EXPECT_EQ(power_, BMP_POWER_START);
    EXPECT_EQ(code(request(57, 5 << 16, 0xffffff, 0)), 0x80u);
    EXPECT_EQ(power_, BMP_POWER_STOP);
    EXPECT_EQ(bmp_.off, 3u);
    EXPECT_EQ(code(request(57, 2, 1, 0)), 0x84u);
    EXPECT_EQ(power_, BMP_POWER_AS_IT_IS);
    EXPECT_EQ(code(request(57, 1, 4, 0)), 0x80u); /* a board that is not there */
    EXPECT_EQ(power_, BMP_POWER_AS_IT_IS);
    EXPECT_EQ(bmp_.off, 3u);
}

TEST_F(ServeBmp, BoardsThatAreSwitchedOffOneByOneAreAllOff)
{
    EXPECT_EQ(code(request(57, 0, 1, 0)), 0x80u);
    EXPECT_EQ(power_, BMP_POWER_AS_IT_IS);
    EXPECT_EQ(code(request(57, 0, 2, 0)), 0x80u);
    EXPECT_EQ(power_, BMP_POWER_STOP);
    EXPECT_EQ(code(request(57, 1, 2, 0)), 0x80u);
    EXPECT_EQ(power_, BMP_POWER_START);
    EXPECT_EQ(bmp_.off, 1u);
}

TEST_F(ServeBmp, HoldsChipsInReset)
{
    EXPECT_EQ(code(request(55, 0, 3, 0)), 0x80u); /* the end of none */
    EXPECT_EQ(power_, BMP_POWER_AS_IT_IS);
    EXPECT_EQ(code(request(55, 1, 3, 0)), 0x80u);
    EXPECT_EQ(power_, BMP_POWER_STOP);
    EXPECT_EQ(code(request(55, 0, 1, 0)), 0x80u);
    EXPECT_EQ(power_, BMP_POWER_START);
    EXPECT_EQ(bmp_.held, 2u);
    EXPECT_EQ(code(request(55, 5 << 16 | 2, 2, 0)), 0x80u); /* a pulse */
    EXPECT_EQ(power_, BMP_POWER_START);
    EXPECT_EQ(bmp_.held, 0u);
    EXPECT_EQ(code(request(55, 3, 1, 0)), 0x84u);
    EXPECT_EQ(code(request(55, 8, 1, 0)), 0x84u);
    EXPECT_EQ(code(request(57, 0, 3, 0)), 0x80u);
    EXPECT_EQ(code(request(55, 2, 3, 0)), 0x80u); /* no power, no reset */
    EXPECT_EQ(power_, BMP_POWER_AS_IT_IS);
    EXPECT_EQ(code(request(55, 1, 1, 0)), 0x80u);
    EXPECT_EQ(code(request(57, 1, 1, 0)), 0x80u); /* power ends it */
    EXPECT_EQ(power_, BMP_POWER_START);
    EXPECT_EQ(bmp_.held, 0u);
}

TEST_F(ServeBmp, DoesWhatNeedsNoAnswer)
{
    bytes silent = request(57, 0, 3, 0);
    silent[2] = 0x07;
    EXPECT_EQ(ask(silent).size(), 0u);
    EXPECT_EQ(power_, BMP_POWER_STOP);
}

TEST_F(ServeBmp, FpgasBeginWithTheirOwnValues)
{
    const bytes second = ask(request(17, 0x40000, 28, 1));
    ASSERT_EQ(second.size(), 14u + 28u);
    const uint32_t expected[] = {0, 1, 0xffffffff, 0, 0xf, 0, 0xf}; /* VERS, FLAG ... LEDO */
    for (size_t i = 0; i < 7; i++) {
        EXPECT_EQ(word_at(second, 14 + 4 * i), expected[i]) << i;
    }
    EXPECT_EQ(code(request(18, 0x40004, 4, 1, {7, 0, 0, 0})), 0x80u); /* read only */
    EXPECT_EQ(word_at(ask(request(17, 0x40004, 4, 1)), 14), 1u);
    EXPECT_EQ(word_at(ask(request(17, 0x40004, 4, 2)), 14), 2u);
}

TEST_F(ServeBmp, FpgasLoseTheirRegistersWithPowerAndByReset)
{
    const uint32_t key = 0x40008;
    const auto write = [&](uint8_t board) {
        EXPECT_EQ(code(request(18, key, 4, 0, {1, 2, 3, 4}, board)), 0x80u);
    };
    const auto read = [&](uint8_t board) {
        return word_at(ask(request(17, key, 4, 0, {}, board)), 14);
    };
    write(0);
    write(1);
    EXPECT_EQ(code(request(57, 0, 1, 0)), 0x80u);
    EXPECT_EQ(read(0), 0u);
    EXPECT_EQ(read(1), 0x04030201u);
    write(0); /* nobody hears it */
    EXPECT_EQ(read(0), 0u);
    EXPECT_EQ(code(request(57, 1, 1, 0)), 0x80u);
    EXPECT_EQ(read(0), 0xffffffffu);
    EXPECT_EQ(read(1), 0x04030201u);
    write(0);
    EXPECT_EQ(code(request(55, 2, 3, 0)), 0x80u); /* the chips only */
    EXPECT_EQ(read(0), 0x04030201u);
    EXPECT_EQ(code(request(55, 6, 1, 0)), 0x80u); /* FPGAs, too */
    EXPECT_EQ(read(0), 0xffffffffu);
    EXPECT_EQ(read(1), 0x04030201u);
}

TEST_F(ServeBmp, RegistersAreWords)
{
    EXPECT_EQ(code(request(18, 0x4000b, 4, 0, {1, 2, 3, 4})), 0x80u);
    EXPECT_EQ(word_at(ask(request(17, 0x40008, 4, 0)), 14), 0x04030201u);
    const bytes six = ask(request(17, 0x40008, 6, 0));
    EXPECT_EQ(bytes(six.begin() + 14, six.end()), (bytes{1, 2, 3, 4, 0, 0}));
}

TEST_F(ServeBmp, KeepsRegistersOfEachFpgaAndBoard)
{
    EXPECT_EQ(code(request(18, 0x40014, 8, 2, {1, 2, 3, 4, 5, 6, 7, 8}, 1)), 0x80u);
    const bytes both = ask(request(17, 0x40014, 8, 2, {}, 1));
    EXPECT_EQ(bytes(both.begin() + 14, both.end()), (bytes{1, 2, 3, 4, 5, 6, 7, 8}));
    for (const bytes &other : {request(17, 0x40014, 4, 2, {}, 0), request(17, 0x40014, 4, 1, {}, 1),
                               request(17, 0x4000c, 4, 2, {}, 1)}) {
        const bytes reply = ask(other);
        ASSERT_EQ(reply.size(), 18u);
        EXPECT_EQ(word_at(reply, 14), 0u);
    }
    EXPECT_EQ(code(request(18, 0x40018, 4, 2, {9, 9, 9, 9}, 1)), 0x80u);
    EXPECT_EQ(word_at(ask(request(17, 0x40018, 4, 2, {}, 1)), 14), 0x09090909u);
    EXPECT_EQ(bmp_.register_count, 2u);
}

TEST_F(ServeBmp, RefusesRegistersThatAreNotThere)
{
    EXPECT_EQ(code(request(17, 0, 4, 3)), 0x84u);   /* three FPGAs */
    EXPECT_EQ(code(request(17, 0, 260, 0)), 0x84u); /* more than a message */
    EXPECT_EQ(code(request(17, 0, 0xffffffff, 0)), 0x84u);
    EXPECT_EQ(code(request(18, 0, 8, 0, {1, 2, 3, 4})), 0x84u); /* more than the message has */
    EXPECT_EQ(bmp_.register_count, 0u);
    for (uint32_t i = 0; i < BMP_REGISTERS; i++) {
        ASSERT_EQ(code(request(18, 4 * i, 4, 0, {1, 0, 0, 0})), 0x80u);
    }
    EXPECT_EQ(code(request(18, 4 * BMP_REGISTERS, 4, 0, {1, 0, 0, 0})), 0x84u); /* no room */
    EXPECT_EQ(code(request(18, 0, 4, 0, {2, 0, 0, 0})), 0x80u);
}

TEST_F(ServeBmp, TellsOfItself)
{
    EXPECT_EQ(word_at(ask(request(48, 0, 0, 0)), 14), 5u);
    const bytes can = ask(request(48, 2, 0, 0));
    ASSERT_EQ(can.size(), 14u + 24u);
    EXPECT_EQ(can[14], 1); /* itself */
    EXPECT_EQ(can[15], 5);
    EXPECT_EQ(can[16], 0);
    const bytes readings = ask(request(48, 3, 0, 0));
    ASSERT_EQ(readings.size(), 14u + 48u);
    EXPECT_NEAR((readings[16] | readings[17] << 8) * 2.5 / 4096, 1.2, 0.001);   /* 1.2 V, c */
    EXPECT_NEAR((readings[26] | readings[27] << 8) * 3.75 / 4096, 3.3, 0.001);  /* 3.3 V */
    EXPECT_NEAR((readings[28] | readings[29] << 8) * 15.0 / 4096, 12.0, 0.002); /* supply */
    EXPECT_EQ(readings[30] | readings[31] << 8, 25 * 256);                      /* degrees, top */
    EXPECT_EQ(readings[38] | readings[39] << 8, 0x8000); /* no outer sensor */
    EXPECT_EQ(readings[46] | readings[47] << 8, 0xffff); /* no fan */
    EXPECT_EQ(readings[14] | readings[15] << 8, 0xffff); /* no converter */
    const bytes addresses = ask(request(48, 4, 0, 0));
    ASSERT_EQ(addresses.size(), 14u + 64u);
    EXPECT_EQ(bytes(addresses.begin() + 22, addresses.begin() + 26), (bytes{127, 0, 0, 128}));
    EXPECT_EQ(bytes(addresses.begin() + 54, addresses.begin() + 58), (bytes{127, 0, 0, 2}));
    EXPECT_EQ(addresses[34] | addresses[35] << 8, 17893);
    EXPECT_EQ(ask(request(48, 4, 0, 0, {}, 1))[57], 3); /* the second board's */
    EXPECT_EQ(code(request(48, 9, 0, 0)), 0x84u);
}

TEST_F(ServeBmp, ReadsNothingOfRailsThatAreOff)
{
    EXPECT_EQ(code(request(57, 0, 2, 0)), 0x80u);
    const bytes off = ask(request(48, 3, 0, 0, {}, 1));
    const bytes on = ask(request(48, 3, 0, 0, {}, 0));
    ASSERT_EQ(off.size(), on.size());
    EXPECT_EQ(bytes(off.begin() + 16, off.begin() + 24), bytes(8)); /* 1.2 V and 1.8 V */
    EXPECT_EQ(bytes(off.begin() + 24, off.end()), bytes(on.begin() + 24, on.end()));
    EXPECT_EQ(on[16] | on[17] << 8, 1966); /* 1.2 V of 2.5 V in 4096 steps */
}

TEST_F(ServeBmp, RefusesBoardsAndPortsThatAreNotThere)
{
    EXPECT_EQ(code(request(25, 0, 0, 0, {}, 2)), 0x87u);
    EXPECT_EQ(code(request(25, 0, 0, 0, {}, 0x21)), 0x85u);
    EXPECT_EQ(code(request(25, 0, 0, 0, {}, 0x01)), 0x80u);
}

TEST_F(ServeBmp, RefusesWhatItDoesNotKnow)
{
    EXPECT_EQ(code(request(22, 0, 0, 0)), 0x83u);
    bytes cut = request(0, 0, 0, 0);
    cut.resize(25);
    EXPECT_EQ(code(cut), 0x81u);
    cut.resize(13);
    EXPECT_EQ(ask(cut).size(), 0u);
    bytes silent = request(0, 0, 0, 0);
    silent[2] = 0x07;
    EXPECT_EQ(ask(silent).size(), 0u);
    EXPECT_EQ(ask(request(17, 0, 256, 0, bytes(256))).size(), 14u + 256u);
    EXPECT_EQ(ask(request(17, 0, 256, 0, bytes(257))).size(), 0u); /* longer than a message */
}

TEST_F(ServeBmp, AnswersAnyBytes)
{
    std::mt19937 random(6);
    for (unsigned i = 0; i < 100000; i++) {
        bytes payload = request(static_cast<uint16_t>(random() % 64), random() % 300,
                                random() % 300, random() % 4);
        payload.resize(random() % 300);
        for (unsigned k = 0; k < 2 && !payload.empty(); k++) {
            payload[random() % payload.size()] = static_cast<uint8_t>(random());
        }
        payload.shrink_to_fit();
        ASSERT_LE(ask(payload).size(), static_cast<size_t>(BMP_REPLY_BYTES_MAX));
    }
}
