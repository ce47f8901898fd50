/* udp_client.h - a client of served boards: its UDP socket, and addresses that no other test uses.
 */
#pragma once
#include <arpa/inet.h>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>

/* 127.x.y.`last`, in the host's order of bytes: of this process alone, so that tests may run at the
 * same time although the ports of a board are fixed. */
inline uint32_t own_address(uint8_t last)
{
    const auto own = static_cast<uint32_t>(getpid());
    return 127u << 24 | (100 + own % 100) << 16 | own / 100 % 250 << 8 | last;
}

inline std::string address_text(uint32_t address)
{
    return std::to_string(address >> 24) + "." + std::to_string(address >> 16 & 255) + "." +
           std::to_string(address >> 8 & 255) + "." + std::to_string(address & 255);
}

/* Port chosen by the system, on 127.0.0.1 unless an address is given. */
class udp_client
{
  public:
    explicit udp_client(double patience_s = 0.5, uint32_t address = INADDR_LOOPBACK)
        : file_(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0))
    {
        struct sockaddr_in any = {};
        any.sin_family = AF_INET;
        any.sin_addr.s_addr = htonl(address);
        socklen_t size = sizeof any;
        EXPECT_EQ(bind(file_, reinterpret_cast<struct sockaddr *>(&any), sizeof any), 0);
        EXPECT_EQ(getsockname(file_, reinterpret_cast<struct sockaddr *>(&any), &size), 0);
        port_ = ntohs(any.sin_port);
        const auto us = static_cast<long>(patience_s * 1e6);
        const struct timeval limit = {us / 1000000, us % 1000000};
        (void)setsockopt(file_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    }
    ~udp_client()
    {
        (void)close(file_);
    }
    udp_client(const udp_client &) = delete;
    udp_client &operator=(const udp_client &) = delete;
    uint16_t port() const
    {
        return port_;
    }
    void send(uint32_t address, uint16_t port, const std::string &text) const
    {
        struct sockaddr_in to = {};
        to.sin_family = AF_INET;
        to.sin_port = htons(port);
        to.sin_addr.s_addr = htonl(address);
        EXPECT_EQ(sendto(file_, text.data(), text.size(), 0,
                         reinterpret_cast<struct sockaddr *>(&to), sizeof to),
                  static_cast<ssize_t>(text.size()))
            << strerror(errno);
    }
    /* "" when nothing comes.  `from`: "127.0.0.2:17893". */
    std::string receive(std::string *from = nullptr) const
    {
        char text[2048];
        struct sockaddr_in sender = {};
        socklen_t size = sizeof sender;
        const ssize_t got = recvfrom(file_, text, sizeof text, 0,
                                     reinterpret_cast<struct sockaddr *>(&sender), &size);
        if (from != nullptr) {
            *from = address_text(ntohl(sender.sin_addr.s_addr)) + ":" +
                    std::to_string(ntohs(sender.sin_port));
        }
        return got < 0 ? "" : std::string(text, static_cast<size_t>(got));
    }
    /* Asks until the answer comes; the board may be slow, and not booted yet. */
    std::string ask(uint32_t address, uint16_t port, const std::string &text,
                    std::string *from = nullptr) const
    {
        for (unsigned i = 0; i < 100; i++) {
            send(address, port, text);
            const std::string answer = receive(from);
            if (!answer.empty()) {
                return answer;
            }
        }
        return "";
    }
    /* Sends until the same text comes back, which it returns; "" if it never does.  A slow board
     * may still answer what was sent twice before. */
    std::string echo(uint32_t address, uint16_t port, const std::string &text,
                     std::string *from = nullptr) const
    {
        std::string answer;
        for (unsigned i = 0; i < 100 && answer != text; i++) {
            send(address, port, text);
            do {
                answer = receive(from);
            } while (!answer.empty() && answer != text);
        }
        return answer;
    }
    /* What has come and was not received. */
    void forget() const
    {
        char text[2048];
        while (recv(file_, text, sizeof text, MSG_DONTWAIT) >= 0) {
        }
    }

  private:
    int file_;
    uint16_t port_ = 0;
};
