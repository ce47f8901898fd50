/* Sockets of boards on this computer's own addresses.  Ports are chosen by the system, but for
 * those of the protocol. */
extern "C" {
#include "sim/serve/address.h"
#include "sim/serve/sockets.h"
}

#include "tests/support/udp_client.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <memory>
#include <string>

namespace
{

const uint32_t ADDRESS = own_address(2);

class ServeSockets : public testing::Test
{
  protected:
    ~ServeSockets() override
    {
        sockets_close(sockets_.get());
    }
    void open(uint16_t port, enum socket_use use)
    {
        struct diagnostic diagnostic = {};
        ASSERT_EQ(sockets_open(sockets_.get(), {use, 0, {ADDRESS, port}}, &diagnostic), STATUS_OK)
            << diagnostic.text;
    }
    std::unique_ptr<struct sockets> sockets_ = std::make_unique<struct sockets>();
    uint8_t payload_[FRAME_PAYLOAD_BYTES_MAX] = {};
    struct sockets_datagram got_ = {};
};

} // namespace

TEST_F(ServeSockets, TakeADatagramWithItsSenderAndAnswer)
{
    const udp_client one;
    const std::string board = address_text(ADDRESS) + ":17893";
    std::string from;
    open(SOCKETS_SCP_PORT, SOCKET_TO_BOARD);
    open(SOCKETS_BOOT_PORT, SOCKET_BOOT);
    EXPECT_EQ(sockets_take(sockets_.get(), payload_, &got_), nullptr);
    one.send(ADDRESS, SOCKETS_BOOT_PORT, "boot");
    const struct board_socket *socket = sockets_take(sockets_.get(), payload_, &got_);
    ASSERT_NE(socket, nullptr);
    EXPECT_EQ(socket->use, SOCKET_BOOT);
    EXPECT_EQ(std::string(payload_, payload_ + got_.bytes), "boot");
    EXPECT_EQ(got_.from.address, 0x7f000001u);
    EXPECT_EQ(got_.from.port, one.port());

    const char answer[] = "answer";
    const struct frame_datagram datagram = {{ADDRESS, SOCKETS_SCP_PORT},
                                            got_.from,
                                            reinterpret_cast<const uint8_t *>(answer),
                                            sizeof answer - 1};
    EXPECT_TRUE(sockets_send(sockets_.get(), 0, &datagram));
    EXPECT_EQ(one.receive(&from), "answer");
    EXPECT_EQ(from, board);
    struct frame_datagram other = datagram;
    other.from.port = 1; /* not open: from 17893 */
    EXPECT_TRUE(sockets_send(sockets_.get(), 0, &other));
    EXPECT_EQ(one.receive(&from), "answer");
    EXPECT_EQ(from, board);
    EXPECT_FALSE(
        sockets_send(sockets_.get(), 1, &datagram)); /* another board, which has no sockets */
}

TEST_F(ServeSockets, TakeDatagramsInTheOrderInWhichTheyCame)
{
    const udp_client one;
    open(SOCKETS_SCP_PORT, SOCKET_TO_BOARD);
    open(SOCKETS_BOOT_PORT, SOCKET_BOOT);
    int64_t before_ns = 0;
    usleep(200000); /* the host begins to note times of arrival some moments after it has been asked
                       to */
    for (unsigned i = 0; i < 100; i++) {
        one.send(ADDRESS, i % 3 == 0 ? SOCKETS_SCP_PORT : SOCKETS_BOOT_PORT, std::to_string(i));
    }
    for (unsigned i = 0; i < 100; i++) {
        ASSERT_NE(sockets_take(sockets_.get(), payload_, &got_), nullptr);
        EXPECT_EQ(std::string(payload_, payload_ + got_.bytes), std::to_string(i));
        EXPECT_GE(got_.arrival_ns, before_ns);
        before_ns = got_.arrival_ns;
    }
}

TEST_F(ServeSockets, SayHowLongADatagramWasThatFitsNoFrame)
{
    const udp_client one;
    open(SOCKETS_SCP_PORT, SOCKET_TO_BOARD);
    one.send(ADDRESS, SOCKETS_SCP_PORT, std::string(1473, 'x'));
    ASSERT_NE(sockets_take(sockets_.get(), payload_, &got_), nullptr);
    EXPECT_EQ(got_.bytes, 1473u);
}

TEST_F(ServeSockets, ClientThatHasGoneDoesNotCloseThem)
{
    struct frame_datagram datagram = {{ADDRESS, SOCKETS_SCP_PORT}, {0x7f000001, 0}, payload_, 4};
    open(SOCKETS_SCP_PORT, SOCKET_TO_BOARD);
    {
        const udp_client gone;
        datagram.to.port = gone.port();
    }
    for (unsigned i = 0; i < 3; i++) { /* the first makes the host report a closed port */
        EXPECT_TRUE(sockets_send(sockets_.get(), 0, &datagram));
    }
    const udp_client one;
    one.send(ADDRESS, SOCKETS_SCP_PORT, "still there?");
    ASSERT_NE(sockets_take(sockets_.get(), payload_, &got_), nullptr);
    EXPECT_EQ(got_.from.port, one.port());
}

TEST_F(ServeSockets, PortInUseIsNamed)
{
    auto second = std::make_unique<struct sockets>();
    struct diagnostic diagnostic = {};
    open(SOCKETS_SCP_PORT, SOCKET_TO_BOARD);
    EXPECT_EQ(
        sockets_open(second.get(), {SOCKET_TO_BOARD, 0, {ADDRESS, SOCKETS_SCP_PORT}}, &diagnostic),
        STATUS_CONFIGURATION);
    EXPECT_EQ(diagnostic.text, "UDP port 17893 of " + address_text(ADDRESS) +
                                   " is in use by process " + std::to_string(getpid()) + " (" +
                                   std::string(program_invocation_short_name).substr(0, 15) + ")");
    EXPECT_EQ(sockets_open(second.get(), {SOCKET_TO_BOARD, 0, {0xc0000201, SOCKETS_SCP_PORT}},
                           &diagnostic),
              STATUS_CONFIGURATION);
    EXPECT_STREQ(diagnostic.text, "192.0.2.1 is not an address of this computer");
    EXPECT_EQ(second->count, 0u);
}

TEST(ServeAddress, IsReadAndPrinted)
{
    uint32_t address = 0;
    char text[ADDRESS_CHARS];
    struct frame_endpoint endpoint = {};
    ASSERT_TRUE(address_read("192.168.0.255", &address));
    EXPECT_EQ(address, 0xc0a800ffu);
    address_print(address, text);
    EXPECT_STREQ(text, "192.168.0.255");
    for (const char *bad : {"", "127", "127.0.0", "127.0.0.", "127.0.0.256", "127.0.0.1.",
                            "127.0.0.1 ", " 127.0.0.1", "127..0.1", "-1.0.0.1"}) {
        EXPECT_FALSE(address_read(bad, &address)) << bad;
    }
    ASSERT_TRUE(address_read_endpoint("127.0.0.2:65535", &endpoint));
    EXPECT_EQ(endpoint.port, 65535u);
    address_print_endpoint(endpoint, text);
    EXPECT_STREQ(text, "127.0.0.2:65535");
    EXPECT_FALSE(address_read_endpoint("127.0.0.2", &endpoint));
    EXPECT_FALSE(address_read_endpoint("127.0.0.2:65536", &endpoint));
    EXPECT_TRUE(address_is_loopback(0x7f4d0102));
    EXPECT_FALSE(address_is_loopback(0x80000001));
}
