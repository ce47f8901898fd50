/* gdb_user.h - a user of a GDB stub: its TCP connection to a port of this computer. */
#pragma once
#include "tests/support/gdb_answer.h"

#include <arpa/inet.h>
#include <cstdint>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

extern "C" {
#include "sim/gdb/packet.h"
}

/* A port that was free a moment ago. */
inline uint16_t gdb_free_port()
{
    struct sockaddr_in any = {};
    any.sin_family = AF_INET;
    any.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof any;
    const int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(bind(file, reinterpret_cast<struct sockaddr *>(&any), sizeof any), 0);
    EXPECT_EQ(getsockname(file, reinterpret_cast<struct sockaddr *>(&any), &size), 0);
    (void)close(file);
    return ntohs(any.sin_port);
}

class gdb_user
{
  public:
    explicit gdb_user(uint16_t port, int patience_s = 20)
        : file_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))
    {
        struct sockaddr_in to = {};
        to.sin_family = AF_INET;
        to.sin_port = htons(port);
        to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        const struct timeval limit = {patience_s, 0};
        (void)setsockopt(file_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
        EXPECT_EQ(connect(file_, reinterpret_cast<struct sockaddr *>(&to), sizeof to), 0);
    }
    ~gdb_user()
    {
        (void)close(file_);
    }
    gdb_user(const gdb_user &) = delete;
    gdb_user &operator=(const gdb_user &) = delete;

    void send(const std::string &bytes) const
    {
        (void)!::send(file_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    }
    void send_packet(const std::string &data) const
    {
        std::vector<uint8_t> frame(GDB_FRAME_BYTES);
        frame.resize(
            gdb_frame(frame.data(), reinterpret_cast<const uint8_t *>(data.data()), data.size()));
        send(std::string(frame.begin(), frame.end()));
    }
    /* The data of the next packet, without registers; "" when none comes. */
    std::string receive() const
    {
        std::vector<struct gdb_input> input(1);
        uint8_t byte;
        while (recv(file_, &byte, 1, 0) == 1) {
            if (gdb_input_put(input.data(), byte) == GDB_EVENT_PACKET) {
                return gdb_without_registers(
                    std::string(input[0].data, input[0].data + input[0].bytes));
            }
        }
        return "";
    }
    std::string ask(const std::string &data) const
    {
        send_packet(data);
        return receive();
    }

  private:
    int file_;
};
