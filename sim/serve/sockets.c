/* sockets.c - see sockets.h. */
#include "sim/serve/sockets.h"

#include "sim/serve/address.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* A window of a client's messages waits here while the board computes. */
enum { RECEIVE_BUFFER_BYTES = 4 << 20 };

static struct sockaddr_in socket_address(struct frame_endpoint endpoint)
{
    return (struct sockaddr_in){.sin_family = AF_INET,
                                .sin_port = htons(endpoint.port),
                                .sin_addr = {.s_addr = htonl(endpoint.address)}};
}

static enum status refuse(const struct board_socket *what, struct diagnostic *diagnostic)
{
    char at[ADDRESS_CHARS];
    const int why = errno;
    address_print(what->at.address, at);
    if (why == EADDRINUSE) {
        return diagnose(diagnostic, STATUS_CONFIGURATION,
                        "UDP port %u of %s is in use\vanother `spinnsim serve` may run; --bind "
                        "ADDRESS takes another address",
                        what->at.port, at);
    }
    if (why == EADDRNOTAVAIL) {
        return diagnose(diagnostic, STATUS_CONFIGURATION,
                        "%s is not an address of this computer\vall of 127.0.0.0/8 are", at);
    }
    return diagnose(diagnostic, why == EACCES ? STATUS_CONFIGURATION : STATUS_INTERNAL,
                    "cannot open UDP port %u of %s: %s", what->at.port, at, strerror(why));
}

enum status sockets_open(struct sockets *sockets, struct board_socket what,
                         struct diagnostic *diagnostic)
{
    const struct sockaddr_in address = socket_address(what.at);
    const int bytes = RECEIVE_BUFFER_BYTES;
    if (sockets->count == SOCKETS_MAX) {
        return diagnose(diagnostic, STATUS_INTERNAL, "all %d sockets are in use", SOCKETS_MAX);
    }
    const int file = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (file < 0 || bind(file, (const struct sockaddr *)&address, sizeof address) != 0) {
        const enum status status = refuse(&what, diagnostic);
        if (file >= 0) {
            (void)close(file);
        }
        return status;
    }
    (void)setsockopt(file, SOL_SOCKET, SO_RCVBUF, &bytes,
                     sizeof bytes); /* as much as the host allows */
    sockets->of[sockets->count] = what;
    sockets->poll[sockets->count] = (struct pollfd){.fd = file, .events = POLLIN};
    sockets->count++;
    return STATUS_OK;
}

void sockets_close(struct sockets *sockets)
{
    for (size_t i = 0; i < sockets->count; i++) {
        (void)close(sockets->poll[i].fd);
    }
    sockets->count = 0;
}

const struct board_socket *sockets_find(const struct sockets *sockets, uint32_t board,
                                        uint16_t port)
{
    for (size_t i = 0; i < sockets->count; i++) {
        const struct board_socket *socket = &sockets->of[i];
        if (socket->board == board && socket->at.port == port && socket->use != SOCKET_BMP) {
            return socket;
        }
    }
    return NULL;
}

const struct board_socket *sockets_take(struct sockets *sockets,
                                        uint8_t payload[FRAME_PAYLOAD_BYTES_MAX], uint32_t *bytes,
                                        struct frame_endpoint *from)
{
    for (size_t i = 0; i < sockets->count; i++) {
        const size_t at = (sockets->next + i) % sockets->count;
        struct sockaddr_in sender;
        socklen_t length = sizeof sender;
        const ssize_t got = recvfrom(sockets->poll[at].fd, payload, FRAME_PAYLOAD_BYTES_MAX,
                                     MSG_TRUNC, (struct sockaddr *)&sender, &length);
        if (got >= 0 && length == sizeof sender) {
            *bytes = (uint32_t)got;
            *from = (struct frame_endpoint){ntohl(sender.sin_addr.s_addr), ntohs(sender.sin_port)};
            sockets->next = at + 1;
            return &sockets->of[at];
        }
    }
    return NULL;
}

bool sockets_reply(const struct sockets *sockets, const struct board_socket *socket,
                   const struct frame_datagram *datagram)
{
    const struct sockaddr_in to = socket_address(datagram->to);
    const int file = sockets->poll[socket - sockets->of].fd;
    return sendto(file, datagram->payload, datagram->bytes, MSG_NOSIGNAL,
                  (const struct sockaddr *)&to, sizeof to) == (ssize_t)datagram->bytes;
}

bool sockets_send(const struct sockets *sockets, uint32_t board,
                  const struct frame_datagram *datagram)
{
    const struct board_socket *socket = sockets_find(sockets, board, datagram->from.port);
    socket = socket == NULL ? sockets_find(sockets, board, SOCKETS_SCP_PORT) : socket;
    return socket != NULL && sockets_reply(sockets, socket, datagram);
}
