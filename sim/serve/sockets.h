/* sockets.h - the UDP sockets of boards: ports 17893 (SCP and SDP) and 54321 (boot) of each board's
 * own address, 17893 of the BMP's, and ports of reverse IPTags as clients set them.  They stay open
 * until sockets_close(): a real board's ports are never closed. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/status.h"
#include "sim/serve/frame.h"
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
C_LINKAGE_BEGIN

enum { SOCKETS_SCP_PORT = 17893, SOCKETS_BOOT_PORT = 54321, SOCKETS_MAX = 256 };

enum socket_use {
    SOCKET_TO_BOARD, /* its datagrams are frames to the board */
    SOCKET_BOOT,
    SOCKET_BMP
};

struct board_socket {
    enum socket_use use;
    uint32_t board;
    struct frame_endpoint at;
};

struct sockets {
    size_t count;
    struct board_socket of[SOCKETS_MAX];
    struct pollfd poll[SOCKETS_MAX]; /* [as of]: open files of the same sockets */
};

/* Opens a socket; it neither blocks nor is inherited.  STATUS_CONFIGURATION naming address and
 * port: in use (and by whom), or not an address of this computer.  STATUS_INTERNAL: no files left,
 * or SOCKETS_MAX. */
enum status sockets_open(struct sockets *sockets, struct board_socket what,
                         struct diagnostic *diagnostic);
void sockets_close(struct sockets *sockets);

/* Finds a board's socket by its port; NULL: it has none. */
const struct board_socket *sockets_find(const struct sockets *sockets, uint32_t board,
                                        uint16_t port);

/* A datagram that has come. */
struct sockets_datagram {
    struct frame_endpoint from;
    uint32_t bytes; /* more than FRAME_PAYLOAD_BYTES_MAX, which fit no frame: the payload is cut */
    int64_t arrival_ns; /* wall time (CLOCK_MONOTONIC) at which this computer had it */
};

/* Takes the datagram that came first, of all sockets: a client's order is kept although it sends to
 * several.  Returns its socket, NULL: there is none.  The order of what
 * comes in the first milliseconds after sockets_open() may be lost: the host then begins to note
 * times of arrival. */
const struct board_socket *sockets_take(struct sockets *sockets,
                                        uint8_t payload[FRAME_PAYLOAD_BYTES_MAX],
                                        struct sockets_datagram *datagram);

/* Sends from a board's port; from its port 17893 when that port is not open here.  False: the host
 * has not taken it (its network is full, or has no such address), and the datagram is lost. */
bool sockets_send(const struct sockets *sockets, uint32_t board,
                  const struct frame_datagram *datagram);

/* The same from a given socket. */
bool sockets_reply(const struct sockets *sockets, const struct board_socket *socket,
                   const struct frame_datagram *datagram);

C_LINKAGE_END
