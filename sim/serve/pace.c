/* pace.c - see pace.h. */
#include "sim/serve/pace.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { SLOWER_MAX = 1000000, DECIMAL = 10 };

bool pace_read(const char *text, enum pace_mode *mode, uint32_t *slower)
{
    char *end;
    *slower = 1;
    if (strcmp(text, "real") == 0 || strcmp(text, "max") == 0) {
        *mode = text[0] == 'r' ? PACE_REAL : PACE_MAX;
        return true;
    }
    errno = 0;
    const unsigned long number = strtoul(text, &end, DECIMAL);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || number < 1 ||
        number > SLOWER_MAX) {
        return false;
    }
    *mode = PACE_SLOWER;
    *slower = (uint32_t)number;
    return true;
}

void pace_begin(struct pace_clock *pace, enum pace_mode mode, uint32_t slower, uint64_t board_ps,
                int64_t wall_ns)
{
    *pace = (struct pace_clock){.mode = mode,
                                .slower = slower,
                                .begin_ps = board_ps,
                                .begin_ns = wall_ns,
                                .arrival_ns = wall_ns,
                                .last_ps = board_ps,
                                .hold_ns = PACE_HOLD_NS};
}

void pace_hold(struct pace_clock *pace, int64_t hold_ns)
{
    pace->hold_ns = hold_ns;
}

/* The wall time that belongs to a board time. */
static int64_t wall_of(const struct pace_clock *pace, uint64_t board_ps)
{
    return pace->begin_ns + (int64_t)((board_ps - pace->begin_ps) / PS_PER_NS * pace->slower);
}

int64_t pace_wait_ns(struct pace_clock *pace, uint64_t board_ps, int64_t wall_ns)
{
    if (pace->mode == PACE_MAX) {
        return 0;
    }
    const int64_t ahead_ns = wall_of(pace, board_ps) - wall_ns;
    if (ahead_ns < -PACE_CATCH_UP_NS) {
        const int64_t lost_ns = -ahead_ns - PACE_CATCH_UP_NS;
        pace->lost_ns += lost_ns;
        pace->begin_ns += lost_ns;
    }
    return ahead_ns > 0 ? ahead_ns : 0;
}

int64_t pace_behind_ns(const struct pace_clock *pace, uint64_t board_ps, int64_t wall_ns)
{
    if (pace->mode == PACE_MAX) {
        return 0;
    }
    const int64_t now_ns = wall_ns - wall_of(pace, board_ps);
    return pace->lost_ns + (now_ns > 0 ? now_ns : 0);
}

struct pace_wait pace_arrival(struct pace_clock *pace, int64_t wall_ns)
{
    struct pace_wait wait = {.until_ns = wall_ns + pace->hold_ns};
    int64_t event_ns = pace->arrival_ns;
    for (unsigned i = 0; i < PACE_EVENTS; i++) {
        const int64_t sent_ns = pace->sent[i].wall_ns;
        if (sent_ns > event_ns && sent_ns <= wall_ns) { /* the client has seen it */
            event_ns = sent_ns;
            wait.from_ps = pace->sent[i].board_ps;
        }
    }
    wait.pause_ps = (uint64_t)(wall_ns - event_ns) * PS_PER_NS;
    pace->arrival_ns = wall_ns;
    return wait;
}

void pace_departure(struct pace_clock *pace, uint64_t board_ps, int64_t wall_ns)
{
    pace->sent[pace->sent_next].board_ps = board_ps;
    pace->sent[pace->sent_next].wall_ns = wall_ns;
    pace->sent_next = (pace->sent_next + 1) % PACE_EVENTS;
}

uint64_t pace_due_ps(const struct pace_clock *pace, const struct pace_wait *wait, uint64_t board_ps,
                     int64_t wall_ns)
{
    const uint64_t from_ps = wait->from_ps == 0 ? pace->last_ps : wait->from_ps;
    const uint64_t paused_ps = wall_ns < wait->until_ns ? from_ps + wait->pause_ps : 0;
    return later_of(later_of(board_ps, paused_ps), pace->wire_free_ps);
}

void pace_sent(struct pace_clock *pace, uint64_t due_ps, uint64_t wire_ps)
{
    pace->last_ps = due_ps;
    pace->wire_free_ps = due_ps + wire_ps;
}
