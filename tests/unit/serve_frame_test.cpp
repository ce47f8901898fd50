/* Frames between the host and a board, byte by byte; frames that are damaged. */
extern "C" {
#include "sim/serve/frame.h"
}

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

using bytes = std::vector<uint8_t>;

namespace
{

constexpr uint8_t BOARD_MAC[FRAME_MAC_BYTES] = {0x02, 0x53, 0x50, 0, 0, 2};
constexpr uint8_t HOST_MAC[FRAME_MAC_BYTES] = {0x02, 0x53, 0x50, 0, 0xff, 0xfe};
constexpr struct frame_endpoint CLIENT = {0x7f000001, 40000};
constexpr struct frame_endpoint BOARD = {0x7f000002, 17893};

bytes of_hex(const std::string &text)
{
    bytes all;
    for (size_t i = 0; i + 1 < text.size(); i += 2) {
        all.push_back(static_cast<uint8_t>(std::stoul(text.substr(i, 2), nullptr, 16)));
    }
    return all;
}

/* Made by a script of its own (RFC 791, 768, 792): 5 bytes from CLIENT to BOARD; an echo request
 * from BOARD, and its reply. */
const char *const DATAGRAM = "02535000000202535000fffe08004500002100000000401"
                             "17cc97f0000017f0000029c4045e5000d16a50102030405"
                             "00000000000000000000000000";
const char *const ECHO_REQUEST = "02535000fffe025350000002080045000021000700004001"
                                 "7cd27f0000027f0000010800e5f91234000170696e6721"
                                 "00000000000000000000000000";
const char *const ECHO_REPLY =
    "02535000000202535000fffe0800450000210007000040017cd27f0000017f0000020000ed"
    "f91234000170696e672100000000000000000000000000";
/* RFC 826: who has 127.0.0.1, tell 127.0.0.2. */
const char *const ARP_REQUEST = "ffffffffffff0253500000020806"
                                "0001080006040001"
                                "0253500000027f000002"
                                "0000000000007f000001"
                                "000000000000000000000000000000000000";
const char *const ARP_REPLY = "02535000000202535000fffe0806"
                              "0001080006040002"
                              "02535000fffe7f000001"
                              "0253500000027f000002"
                              "000000000000000000000000000000000000";

bytes made(const bytes &payload)
{
    bytes frame(FRAME_BYTES_MAX, 0xee);
    const struct frame_datagram datagram = {CLIENT, BOARD, payload.data(),
                                            static_cast<uint32_t>(payload.size())};
    frame.resize(frame_make(frame.data(), BOARD_MAC, HOST_MAC, &datagram));
    return frame;
}

enum frame_kind kind_of(const bytes &frame)
{
    struct frame_datagram datagram = {};
    return frame_read(frame.data(), static_cast<uint32_t>(frame.size()), &datagram);
}

bytes answer_to(const bytes &frame)
{
    bytes reply(FRAME_BYTES_MAX, 0xee);
    reply.resize(
        frame_answer(reply.data(), HOST_MAC, frame.data(), static_cast<uint32_t>(frame.size())));
    return reply;
}

/* The frame of a datagram with one byte changed, and the checksum of its IP header corrected. */
bytes changed(size_t at, uint8_t value)
{
    bytes frame = of_hex(DATAGRAM);
    frame[at] = value;
    frame[24] = frame[25] = 0;
    uint32_t sum = 0;
    for (size_t i = 14; i < 34; i += 2) {
        sum += static_cast<uint32_t>(frame[i] << 8 | frame[i + 1]);
    }
    sum = (sum >> 16) + (sum & 0xffff);
    sum += sum >> 16;
    frame[24] = static_cast<uint8_t>(~sum >> 8);
    frame[25] = static_cast<uint8_t>(~sum);
    return frame;
}

} // namespace

TEST(ServeFrame, IsMadeOfADatagram)
{
    EXPECT_EQ(made({1, 2, 3, 4, 5}), of_hex(DATAGRAM));
}

TEST(ServeFrame, HasAtLeast60BytesAndAtMost1514)
{
    EXPECT_EQ(made({}).size(), 60u);
    EXPECT_EQ(made(bytes(18)).size(), 60u);
    EXPECT_EQ(made(bytes(19)).size(), 61u);
    EXPECT_EQ(made(bytes(1472)).size(), 1514u);
    EXPECT_EQ(made(bytes(1473)).size(), 0u);
}

TEST(ServeFrame, IsReadAsItWasMade)
{
    for (const size_t size : {0u, 1u, 17u, 282u, 1471u, 1472u}) {
        bytes payload(size);
        for (size_t i = 0; i < size; i++) {
            payload[i] = static_cast<uint8_t>(i * 7);
        }
        const bytes frame = made(payload);
        struct frame_datagram read = {};
        ASSERT_EQ(frame_read(frame.data(), static_cast<uint32_t>(frame.size()), &read), FRAME_UDP);
        EXPECT_EQ(read.from.address, CLIENT.address);
        EXPECT_EQ(read.from.port, CLIENT.port);
        EXPECT_EQ(read.to.address, BOARD.address);
        EXPECT_EQ(read.to.port, BOARD.port);
        EXPECT_EQ(bytes(read.payload, read.payload + read.bytes), payload);
    }
}

TEST(ServeFrame, ChecksumThatWouldBeNoneIsSentAsItsOtherForm)
{
    /* One's complement has two zeros, and 0 says that there is no checksum (RFC 768): so it must
     * never be sent. */
    for (unsigned i = 0; i < 0x10000; i++) {
        const bytes frame = made({static_cast<uint8_t>(i >> 8), static_cast<uint8_t>(i)});
        ASSERT_FALSE(frame[40] == 0 && frame[41] == 0);
        ASSERT_EQ(kind_of(frame), FRAME_UDP) << i;
    }
}

TEST(ServeFrame, WithoutUdpChecksumIsTaken)
{
    bytes frame = of_hex(DATAGRAM);
    frame[40] = frame[41] = 0;
    EXPECT_EQ(kind_of(frame), FRAME_UDP);
}

TEST(ServeFrame, WithOptionsOfIpIsTaken)
{
    bytes frame = changed(14, 0x46);
    const uint8_t options[] = {1, 1, 1, 1};
    frame.insert(frame.begin() + 34, options, options + 4);
    frame[17] = 37;   /* length */
    frame[24] = 0x76; /* 4 bytes, 4 more of length, and one of header length */
    frame[25] = 0xc3;
    struct frame_datagram read = {};
    frame[24] = frame[25] = 0;
    uint32_t sum = 0;
    for (size_t i = 14; i < 38; i += 2) {
        sum += static_cast<uint32_t>(frame[i] << 8 | frame[i + 1]);
    }
    sum = (sum >> 16) + (sum & 0xffff);
    frame[24] = static_cast<uint8_t>(~sum >> 8);
    frame[25] = static_cast<uint8_t>(~sum);
    ASSERT_EQ(frame_read(frame.data(), static_cast<uint32_t>(frame.size()), &read), FRAME_UDP);
    EXPECT_EQ(bytes(read.payload, read.payload + read.bytes), (bytes{1, 2, 3, 4, 5}));
}

TEST(ServeFrame, ThatIsDamagedIsToldFromOneOfAnotherProtocol)
{
    const struct {
        size_t at;
        uint8_t value;
        enum frame_kind kind;
    } cases[] = {
        {12, 0x86, FRAME_OTHER},    /* IPv6, by its type */
        {14, 0x65, FRAME_BAD},      /* version 6 in an IPv4 header */
        {14, 0x44, FRAME_BAD},      /* a header of 16 bytes */
        {14, 0x4f, FRAME_BAD},      /* a header longer than the packet */
        {16, 0x01, FRAME_BAD},      /* longer than the frame */
        {17, 19, FRAME_BAD},        /* shorter than its header */
        {17, 27, FRAME_BAD},        /* no room for the UDP header */
        {20, 0x20, FRAME_FRAGMENT}, /* more fragments follow */
        {21, 0x01, FRAME_FRAGMENT}, /* not the first */
        {20, 0x40, FRAME_UDP},      /* may not be cut */
        {23, 6, FRAME_OTHER},       /* TCP */
        {38, 0x01, FRAME_BAD},      /* UDP length beyond the packet */
        {39, 7, FRAME_BAD},         /* UDP length below its header */
        {43, 9, FRAME_BAD},         /* a changed payload */
    };
    for (const auto &one : cases) {
        EXPECT_EQ(kind_of(changed(one.at, one.value)), one.kind)
            << one.at << ": " << int{one.value};
    }
    bytes frame = of_hex(DATAGRAM);
    frame[24] ^= 1; /* the header's checksum */
    EXPECT_EQ(kind_of(frame), FRAME_BAD);
}

TEST(ServeFrame, CutShortAnywhereIsDamaged)
{
    const bytes frame = of_hex(DATAGRAM);
    for (size_t size = 0; size < 47; size++) { /* 42 of headers, 5 of payload */
        EXPECT_EQ(kind_of(bytes(frame.begin(), frame.begin() + static_cast<long>(size))), FRAME_BAD)
            << size;
    }
    EXPECT_EQ(kind_of(bytes(frame.begin(), frame.begin() + 47)), FRAME_UDP);
    EXPECT_EQ(kind_of(bytes(1515)), FRAME_BAD);
}

TEST(ServeFrame, AsksForAnAddressAndIsAnswered)
{
    EXPECT_EQ(kind_of(of_hex(ARP_REQUEST)), FRAME_ARP_REQUEST);
    EXPECT_EQ(answer_to(of_hex(ARP_REQUEST)), of_hex(ARP_REPLY));
    EXPECT_EQ(kind_of(of_hex(ARP_REPLY)), FRAME_OTHER);
    EXPECT_EQ(answer_to(of_hex(ARP_REPLY)), bytes{});
}

TEST(ServeFrame, EchoIsAnswered)
{
    EXPECT_EQ(kind_of(of_hex(ECHO_REQUEST)), FRAME_ECHO_REQUEST);
    EXPECT_EQ(answer_to(of_hex(ECHO_REQUEST)), of_hex(ECHO_REPLY));
    EXPECT_EQ(kind_of(of_hex(ECHO_REPLY)), FRAME_OTHER);
}

TEST(ServeFrame, OfRandomBytesIsNeverReadBeyondItsEnd)
{
    /* Each frame lies in memory of exactly its size: the sanitizers see a byte too many.
     * tests/fuzz/frame.cpp runs millions. */
    std::mt19937 random(5);
    for (unsigned i = 0; i < 100000; i++) {
        bytes frame = i % 3 == 0   ? of_hex(DATAGRAM)
                      : i % 3 == 1 ? of_hex(ECHO_REQUEST)
                                   : of_hex(ARP_REQUEST);
        frame.resize(random() % 100);
        for (unsigned k = 0; k < 3 && !frame.empty(); k++) {
            frame[random() % frame.size()] = static_cast<uint8_t>(random());
        }
        frame.shrink_to_fit();
        const enum frame_kind kind = kind_of(frame);
        const size_t answer = answer_to(frame).size();
        ASSERT_EQ(answer != 0, kind == FRAME_ARP_REQUEST || kind == FRAME_ECHO_REQUEST);
        ASSERT_TRUE(answer == 0 || (answer >= 60 && answer <= 1514));
    }
}
