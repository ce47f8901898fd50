/* sockets.c - see sockets.h. */
#include "sim/serve/sockets.h"

#include "sim/port_owner.h"
#include "sim/serve/address.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
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
        char owner[PORT_OWNER_CHARS];
        port_owner_print(PORT_UDP, what->at.address, what->at.port, owner);
        return diagnose(diagnostic, STATUS_CONFIGURATION,
                        "UDP port %u of %s is in use by %s\v--bind ADDRESS takes another address",
                        what->at.port, at, owner);
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
    const int on = 1;
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
    (void)setsockopt(file, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
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

/* What recvmsg() fills beside the payload. */
struct arrival {
    struct sockaddr_in sender;
    struct timespec time; /* of CLOCK_REALTIME */
};

/* Takes the first datagram of a file, or only looks at it (MSG_PEEK).  Negative: there is none. */
static ssize_t receive(int file, uint8_t *payload, int flags, struct arrival *arrival)
{
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof arrival->time)];
    } control;
    struct iovec into = {payload, FRAME_PAYLOAD_BYTES_MAX};
    struct msghdr message = {.msg_name = &arrival->sender,
                             .msg_namelen = sizeof arrival->sender,
                             .msg_iov = &into,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control};
    const ssize_t got = recvmsg(file, &message, flags | MSG_TRUNC);
    const struct cmsghdr *head = got < 0 ? NULL : CMSG_FIRSTHDR(&message);
    if (head != NULL && head->cmsg_type == SO_TIMESTAMPNS) {
        memcpy(&arrival->time, CMSG_DATA(head), sizeof arrival->time);
    } else {
        (void)clock_gettime(CLOCK_REALTIME, &arrival->time);
    }
    return got;
}

static bool is_earlier(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}

/* The socket whose first datagram came first; -1: there are none. */
static int find_first(struct sockets *sockets, uint8_t *payload)
{
    struct timespec first_time = {0};
    int first = -1;
    if (poll(sockets->poll, sockets->count, 0) <= 0) {
        return -1;
    }
    for (size_t i = 0; i < sockets->count; i++) {
        struct arrival arrival;
        if ((sockets->poll[i].revents & POLLIN) != 0 &&
            receive(sockets->poll[i].fd, payload, MSG_PEEK, &arrival) >= 0 &&
            (first < 0 || is_earlier(&arrival.time, &first_time))) {
            first = (int)i;
            first_time = arrival.time;
        }
    }
    return first;
}

/* How long ago that was by the clock that may be set, taken from the clock that may not. */
static int64_t monotonic_ns(struct timespec realtime)
{
    static const int64_t NS = 1000000000;
    struct timespec now;
    struct timespec steady;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    (void)clock_gettime(CLOCK_MONOTONIC, &steady);
    return steady.tv_sec * NS + steady.tv_nsec -
           ((now.tv_sec - realtime.tv_sec) * NS + now.tv_nsec - realtime.tv_nsec);
}

const struct board_socket *sockets_take(struct sockets *sockets,
                                        uint8_t payload[FRAME_PAYLOAD_BYTES_MAX],
                                        struct sockets_datagram *datagram)
{
    struct arrival arrival;
    const int at = find_first(sockets, payload);
    const ssize_t got = at < 0 ? -1 : receive(sockets->poll[at].fd, payload, 0, &arrival);
    if (got < 0) {
        return NULL;
    }
    *datagram = (struct sockets_datagram){
        {ntohl(arrival.sender.sin_addr.s_addr), ntohs(arrival.sender.sin_port)},
        (uint32_t)got,
        monotonic_ns(arrival.time)};
    return &sockets->of[at];
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
