/* pace.h - the board's time and the wall clock: how fast the board may run, and when a datagram of
 * a client is put on its wire.
 *
 * Two clocks: board time in picoseconds, the sum over power-ons; wall time in nanoseconds of a
 * monotonic clock.  Functions of numbers only: no clock is read here, and nothing sleeps.
 *
 * How fast.  `real`: a slice of board time begins when the wall clock has come as far; a board that
 * is behind runs as fast as the host can.  What it is behind by more than PACE_CATCH_UP_NS is not
 * made up for: it would be faster than real time meanwhile.  `slower` N: the same, N wall seconds
 * for a board second.  `max`: never waits.
 *
 * When.  Clients measure pauses with the wall clock: SpiNNMan waits 100 ms between two boot
 * messages.  On a board that is slower than the wall clock such a pause would shrink, and the
 * client would seem faster than any host.  So a datagram follows the last event that its client can
 * have seen, which is a datagram of a client or one of the board, after at least the same pause in
 * board time.  Waiting for a slow board's answer is no pause.  A datagram is held back for at most
 * hold_ns of wall time: PACE_HOLD_NS, which is below the time-outs of clients (rig: 2.5 s,
 * SpiNNMan: 11 s, retries included), or what pace_hold() says, as pauses shrink when it is over. It
 * never overtakes another.  Its bits follow those of the datagram before it: 100 Mbit/s. */
#pragma once
#include "models/common/c_linkage.h"
#include "models/common/units.h"
#include <stdbool.h>
#include <stdint.h>
C_LINKAGE_BEGIN

#define NS_PER_S         INT64_C(1000000000)
#define PACE_CATCH_UP_NS (NS_PER_S / 50) /* 20 ms */
#define PACE_HOLD_NS     NS_PER_S

enum { PACE_EVENTS = 16 }; /* datagrams of the board that are remembered */

enum pace_mode { PACE_REAL, PACE_MAX, PACE_SLOWER };

struct pace_clock {
    enum pace_mode mode;
    uint32_t slower;   /* PACE_SLOWER: wall seconds for a board second, at least 1 */
    uint64_t begin_ps; /* this board time and this wall time belong together */
    int64_t begin_ns;
    int64_t lost_ns; /* wall time that has been given up, in all */
    int64_t hold_ns; /* wall time for which a datagram is held back at most */
    struct {
        uint64_t board_ps;
        int64_t wall_ns;
    } sent[PACE_EVENTS]; /* the last datagrams of the board */
    unsigned sent_next;
    int64_t arrival_ns;    /* of the last datagram of a client */
    uint64_t wire_free_ps; /* the last datagram has left the wire */
    uint64_t last_ps;      /* when it was put on it */
};

/* A datagram that waits for its time. */
struct pace_wait {
    uint64_t
        from_ps; /* board time of the event that it follows; 0: it follows the datagram before it */
    uint64_t pause_ps; /* after that */
    int64_t until_ns;  /* wall time at which it waits no longer */
};

/* Reads "real", "max", or a whole number from 1 to 1000000 into mode and slower.  False: it is none
 * of them. */
bool pace_read(const char *text, enum pace_mode *mode, uint32_t *slower);

void pace_begin(struct pace_clock *pace, enum pace_mode mode, uint32_t slower, uint64_t board_ps,
                int64_t wall_ns);

/* Datagrams that come from now on are held back for so long at most. */
void pace_hold(struct pace_clock *pace, int64_t hold_ns);

/* Wall time for which the board, now at board_ps, has to wait; 0: it may run.  Gives up what is
 * lost, see above. */
int64_t pace_wait_ns(struct pace_clock *pace, uint64_t board_ps, int64_t wall_ns);

/* Wall time by which the board is behind since the beginning; 0 with PACE_MAX. */
int64_t pace_behind_ns(const struct pace_clock *pace, uint64_t board_ps, int64_t wall_ns);

/* A datagram of a client has come, at a wall time that is not before that of the call before it. */
struct pace_wait pace_arrival(struct pace_clock *pace, int64_t wall_ns);

/* A datagram of the board has gone to a client. */
void pace_departure(struct pace_clock *pace, uint64_t board_ps, int64_t wall_ns);

/* The board time at which a waiting datagram is put on the wire, not before board_ps (now). */
uint64_t pace_due_ps(const struct pace_clock *pace, const struct pace_wait *wait, uint64_t board_ps,
                     int64_t wall_ns);

/* A datagram, the first in the queue, has been put on the wire at due_ps, which it occupies for
 * wire_ps. */
void pace_sent(struct pace_clock *pace, uint64_t due_ps, uint64_t wire_ps);

C_LINKAGE_END
