/* inbox.h - datagrams of clients that wait for their board time, first in, first out. */
#pragma once
#include "models/common/c_linkage.h"
#include "sim/serve/log.h"
#include "sim/serve/pace.h"
#include <stdbool.h>
C_LINKAGE_BEGIN

enum { INBOX_ROOM = 1024 };

struct inbox_datagram {
    struct log_entry entry; /* its payload is `bytes`; its time is not known yet */
    struct pace_wait wait;
    uint8_t bytes[FRAME_PAYLOAD_BYTES_MAX];
};

struct inbox {
    struct inbox_datagram of[INBOX_ROOM];
    size_t first, count;
};

static inline bool inbox_is_full(const struct inbox *inbox)
{
    return inbox->count == INBOX_ROOM;
}

/* The next free place, to be filled and then added. */
static inline struct inbox_datagram *inbox_place(struct inbox *inbox)
{
    return &inbox->of[(inbox->first + inbox->count) % INBOX_ROOM];
}

static inline void inbox_add(struct inbox *inbox)
{
    inbox->count++;
}

/* NULL: it is empty. */
static inline const struct inbox_datagram *inbox_first(const struct inbox *inbox)
{
    return inbox->count == 0 ? NULL : &inbox->of[inbox->first];
}

static inline void inbox_drop_first(struct inbox *inbox)
{
    inbox->first = (inbox->first + 1) % INBOX_ROOM;
    inbox->count--;
}

C_LINKAGE_END
