/* frame.cpp - a frame of a board, which is also a datagram for its board management processor. */
#include "tests/fuzz/harness.h"

#include <cstring>

extern "C" {
#include "sim/serve/bmp.h"
#include "sim/serve/frame.h"
}

namespace
{

constexpr uint8_t HOST_MAC[FRAME_MAC_BYTES] = {2, 0x53, 0x50, 0, 0xff, 0xfe};

/* A datagram that was read makes a frame that is read as the same datagram. */
void make_again(const struct frame_datagram &datagram)
{
    std::vector<uint8_t> frame(FRAME_BYTES_MAX);
    struct frame_datagram again = {};
    frame.resize(frame_make(frame.data(), HOST_MAC, HOST_MAC, &datagram));
    if (frame.size() < FRAME_BYTES_MIN ||
        frame_read(frame.data(), static_cast<uint32_t>(frame.size()), &again) != FRAME_UDP) {
        fuzz_fail("a datagram that was read makes no frame");
    }
    if (again.bytes != datagram.bytes || again.from.address != datagram.from.address ||
        again.from.port != datagram.from.port || again.to.address != datagram.to.address ||
        again.to.port != datagram.to.port ||
        (again.bytes > 0 && memcmp(again.payload, datagram.payload, again.bytes) != 0)) {
        fuzz_fail("a datagram is another one in a new frame");
    }
}

void read_frame(const std::vector<uint8_t> &frame)
{
    struct frame_datagram datagram = {};
    std::vector<uint8_t> reply(FRAME_BYTES_MAX);
    const auto size = static_cast<uint32_t>(frame.size());
    const enum frame_kind kind = frame_read(frame.data(), size, &datagram);
    if (kind == FRAME_UDP) {
        fuzz_touch(datagram.payload, datagram.bytes);
        make_again(datagram);
    }
    const bool asks = kind == FRAME_ARP_REQUEST || kind == FRAME_ECHO_REQUEST;
    reply.resize(frame_answer(reply.data(), HOST_MAC, frame.data(), size));
    if (reply.empty() == asks) {
        fuzz_fail("an answer to a frame that asks for none, or none to one that does");
    }
}

void read_message(const std::vector<uint8_t> &message)
{
    static struct bmp bmp = {24, 0x7f000080, 0x7f000002, 5, 0, 0, {}, 0};
    enum bmp_power power = BMP_POWER_AS_IT_IS;
    std::vector<uint8_t> reply(BMP_REPLY_BYTES_MAX);
    const uint32_t bytes = bmp_answer(&bmp, message.data(), static_cast<uint32_t>(message.size()),
                                      reply.data(), &power);
    if (bytes > reply.size()) {
        fuzz_fail("a reply that is longer than the longest");
    }
    bmp.register_count = 0;
}

} // namespace

void fuzz_one(const uint8_t *bytes, size_t size)
{
    const std::vector<uint8_t> input(bytes, bytes + size);
    read_frame(input);
    read_message(input);
}
