/* client.h - a client in this process, which measures a board: it takes the place of sockets, and
 * its time is board time.  So what it measures does not depend on this computer. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/serve/log.h"
C_LINKAGE_BEGIN

/* The board time from a datagram of the board to the client's next one, at least: that of a slice,
 * so that no datagram depends on where slices end.  Assumed: no measurement of a host is behind it.
 */
#define SERVE_CLIENT_PS (100 * PS_PER_US)

struct serve_client {
    void *context;
    /* The datagram that it sends next, if no other comes before: time_ps, board, port, from, and
     * the payload, which stays until sent().  False: it waits for one. */
    bool (*next)(void *context, struct log_entry *entry);
    /* That datagram is on the wire from time_ps on. */
    void (*sent)(void *context, uint64_t time_ps);
    /* A datagram of a board was on the wire until time_ps. */
    void (*receive)(void *context, uint64_t time_ps, const struct frame_datagram *datagram);
    /* Whether the run ends, at board time now_ps. */
    bool (*has_ended)(const void *context, uint64_t now_ps);
};

C_LINKAGE_END
